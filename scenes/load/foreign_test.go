package load_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"flag"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lockstep/scenes"
	"lockstep/scenes/load"
)

var foreignFolder = flag.String("foreign", "", "a folder of files that testdata/foreign.py wrote")

// A foreignFile is a line of the index of the folder with files of other programs.
type foreignFile struct {
	File, Want, Writer, Form, Mesh string
	Fields                         bool    // whether the file has the fields of the mesh
	Tolerance                      float64 // greatest error of positions, relative to the size of the mesh
	Ordered                        bool    // whether triangles are in the order of the mesh
}

// TestForeignWriters reads files that other programs have written, and compares triangles and fields with those of the
// mesh that was written. Positions and numbers must be the same bit for bit, unless a text has fewer digits.
func TestForeignWriters(t *testing.T) {
	if *foreignFolder == "" {
		t.Skip("no folder of files; see testdata/foreign.py")
	}
	index, err := os.ReadFile(filepath.Join(*foreignFolder, "index.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	passed, all := map[string]int{}, map[string]int{}
	for line := range bytes.Lines(index) {
		var f foreignFile
		if err := json.Unmarshal(line, &f); err != nil {
			t.Fatal(err)
		}
		form := f.Writer + " " + f.Form
		all[form]++
		if t.Run(f.File, func(t *testing.T) { compareForeign(t, &f) }) {
			passed[form]++
		}
	}
	for _, form := range slices.Sorted(maps.Keys(all)) {
		t.Logf("%s: %d of %d", form, passed[form], all[form])
	}
}

func compareForeign(t *testing.T, f *foreignFile) {
	want := readWant(t, filepath.Join(*foreignFolder, f.Want))
	m, rep, err := load.File(context.Background(), filepath.Join(*foreignFolder, f.File), scenes.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range rep.Warnings {
		t.Logf("warning: %v", w)
	}
	if n := want.triangles(); m.Len() != n {
		t.Fatalf("%d triangles, want %d", m.Len(), n)
	}
	if f.Ordered && f.Tolerance > 0 {
		want.compareOrdered(t, m, f.Tolerance)
		return
	}
	want.compareSets(t, m, f.Fields)
}

// A wanted is the expected content of a file: polygons, as lists of point numbers, and fields.
type wanted struct {
	points       [][3]float64
	ends         []uint32
	corners      []uint32
	pointFields  map[string][]float32
	faceFields   map[string][]float32
	pointNames   []string
	faceNames    []string
	isUnoriented bool
}

func readWant(t *testing.T, path string) *wanted {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	r := bufio.NewReader(bytes.NewReader(data))
	line, err := r.ReadBytes('\n')
	if err != nil {
		t.Fatal(err)
	}
	var head struct {
		Points, Faces, Corners  int
		PointFields, FaceFields []string
		Oriented                bool
	}
	if err := json.Unmarshal(line, &head); err != nil {
		t.Fatal(err)
	}
	w := &wanted{points: make([][3]float64, head.Points), ends: make([]uint32, head.Faces), corners: make([]uint32, head.Corners),
		pointFields: map[string][]float32{}, faceFields: map[string][]float32{},
		pointNames: head.PointFields, faceNames: head.FaceFields, isUnoriented: !head.Oriented}
	read := func(to any) {
		if err := binary.Read(r, binary.LittleEndian, to); err != nil {
			t.Fatal(err)
		}
	}
	read(w.points)
	read(w.ends)
	read(w.corners)
	for _, name := range head.PointFields {
		w.pointFields[name] = make([]float32, head.Points)
		read(w.pointFields[name])
	}
	for _, name := range head.FaceFields {
		w.faceFields[name] = make([]float32, head.Faces)
		read(w.faceFields[name])
	}
	if _, err := r.ReadByte(); err != io.EOF {
		t.Fatal("bytes behind the fields")
	}
	return w
}

func (w *wanted) triangles() (n int) {
	last := uint32(0)
	for _, e := range w.ends {
		n, last = n+int(e-last)-2, e
	}
	return n
}

// compareOrdered compares the triangles of m one by one with the expected triangles.
func (w *wanted) compareOrdered(t *testing.T, m *scenes.Mesh, tolerance float64) {
	low, high := [3]float64{math.Inf(1), math.Inf(1), math.Inf(1)}, [3]float64{math.Inf(-1), math.Inf(-1), math.Inf(-1)}
	for _, p := range w.points {
		for a := range p {
			low[a], high[a] = min(low[a], p[a]), max(high[a], p[a])
		}
	}
	size := max(high[0]-low[0], high[1]-low[1], high[2]-low[2])
	bad, worst := 0, 0.0
	for i := range m.Len() {
		far := math.Inf(1)
		for turn := range 3 {
			d := 0.0
			for k, p := range m.Triangle(i) {
				q := w.points[w.corners[3*i+(k+turn)%3]]
				for a := range p {
					d = max(d, math.Abs(float64(p[a])+m.Origin[a]-q[a]))
				}
			}
			far = min(far, d)
		}
		if far > tolerance*size {
			if bad++; bad == 1 {
				t.Logf("triangle %d is at %v, want %v %v %v", i, m.Triangle(i), w.points[w.corners[3*i]], w.points[w.corners[3*i+1]], w.points[w.corners[3*i+2]])
			}
		}
		worst = max(worst, far)
	}
	if bad > 0 {
		t.Errorf("%d of %d triangles are elsewhere, one by %g of the size", bad, m.Len(), worst/size)
	}
}

// mostCorners limits the number of corners of a polygon for which all possible triangles are tried.
const mostCorners = 12

// compareSets compares the triangles of m, in any order, with the triangles into which the polygons can be cut.
func (w *wanted) compareSets(t *testing.T, m *scenes.Mesh, fields bool) {
	var points, faces []*scenes.Field
	var wantPoints, wantFaces [][]float32
	if fields {
		points, wantPoints = w.pick(t, m, w.pointNames, w.pointFields, false)
		faces, wantFaces = w.pick(t, m, w.faceNames, w.faceFields, true)
	}
	left := make([]int, len(w.ends)) // number of triangles of each polygon that were not found yet
	at := w.keys(m.Origin, wantPoints, wantFaces, left)
	bad := 0
	for i := range m.Len() {
		var keys [3]string
		for k, p := range m.Triangle(i) {
			b := key(p)
			for _, f := range points {
				b = appendNumber(b, f.Values[m.Attributes.Index[k][i]])
			}
			keys[k] = string(b)
		}
		var of []byte
		for _, f := range faces {
			of = appendNumber(of, f.Values[i])
		}
		n := slices.IndexFunc(at[w.join(keys, of)], func(f int) bool { return left[f] > 0 })
		if n < 0 {
			if bad++; bad == 1 {
				t.Logf("triangle %d is none of those that were written: %v", i, m.Triangle(i))
			}
			continue
		}
		left[at[w.join(keys, of)][n]]--
	}
	if bad > 0 {
		t.Errorf("%d of %d triangles, or their numbers, differ", bad, m.Len())
	}
}

// pick returns the fields of m with the given names, and their expected values.
func (w *wanted) pick(t *testing.T, m *scenes.Mesh, names []string, of map[string][]float32, ofTriangles bool) (got []*scenes.Field, want [][]float32) {
	t.Helper()
	for _, name := range names {
		i := -1
		if m.Attributes != nil {
			i = slices.IndexFunc(m.Attributes.Fields, func(f scenes.Field) bool { return f.Name == name && f.OfTriangles == ofTriangles })
		}
		if i < 0 {
			t.Errorf("no field %s", name)
			continue
		}
		got, want = append(got, &m.Attributes.Fields[i]), append(want, of[name])
	}
	return got, want
}

// keys returns the polygons by the keys of their triangles. A polygon has a key for each triangle into which it can be
// cut. keys sets `left` to the number of triangles of each polygon.
func (w *wanted) keys(origin [3]float64, points, faces [][]float32, left []int) map[string][]int {
	at := make(map[string][]int, len(w.ends))
	corner := func(v uint32) string {
		var p [3]float32
		for a := range p {
			p[a] = float32(w.points[v][a] - origin[a])
		}
		b := key(p)
		for _, f := range points {
			b = appendNumber(b, f[v])
		}
		return string(b)
	}
	start := uint32(0)
	for f, end := range w.ends {
		of := w.corners[start:end]
		start = end
		left[f] = len(of) - 2
		var numbers []byte
		for _, v := range faces {
			numbers = appendNumber(numbers, v[f])
		}
		for i := range of {
			for j := i + 1; j < len(of); j++ {
				for k := j + 1; k < min(len(of), mostCorners); k++ {
					name := w.join([3]string{corner(of[i]), corner(of[j]), corner(of[k])}, numbers)
					at[name] = append(at[name], f)
				}
			}
		}
	}
	return at
}

// join returns a key of three corners and of the numbers of a face. The key does not depend on which corner is first.
func (w *wanted) join(corners [3]string, face []byte) string {
	if w.isUnoriented {
		slices.Sort(corners[:])
	}
	least := 0
	for k := range corners {
		if corners[k] < corners[least] {
			least = k
		}
	}
	return strings.Join([]string{corners[least], corners[(least+1)%3], corners[(least+2)%3], string(face)}, "|")
}

func key(p [3]float32) (b []byte) {
	for _, x := range p {
		b = appendNumber(b, x)
	}
	return b
}

// appendNumber appends the bits of x. Both zeros get the same bits, and so do all NaNs.
func appendNumber(b []byte, x float32) []byte {
	bits := math.Float32bits(x + 0)
	if x == 0 {
		bits = 0
	}
	if x != x {
		bits = math.Float32bits(float32(math.NaN()))
	}
	return binary.LittleEndian.AppendUint32(b, bits)
}
