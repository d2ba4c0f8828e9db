package save_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"lockstep/scenes"
	"lockstep/scenes/load"
	"lockstep/scenes/obj"
	"lockstep/scenes/procedural"
	"lockstep/scenes/save"
)

// A tb is the interface that testing.T and rapid.T have in common.
type tb interface {
	Helper()
	Fatalf(format string, args ...any)
}

// written returns the file that a format writes for src.
func written(t tb, f *save.Format, src scenes.Source) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := f.Write(context.Background(), &b, src, scenes.ReadOptions{}); err != nil {
		t.Fatalf("%s: %v", f.Name, err)
	}
	return b.Bytes()
}

func readBack(t tb, f *save.Format, file []byte) *scenes.Mesh {
	t.Helper()
	m, rep, err := load.Reader(context.Background(), bytes.NewReader(file), scenes.ReadOptions{})
	if err != nil {
		t.Fatalf("%s: %v\n%.300s", f.Name, err, file)
	}
	if rep.Format != f.Name {
		t.Fatalf("%s is read as %s", f.Name, rep.Format)
	}
	if m.Up == scenes.PlusY && f.Extension == ".glb" {
		turnBack(m)
	}
	return m
}

// turnBack turns a mesh that was read from GLB, so that its up axis is +z again instead of +y.
func turnBack(m *scenes.Mesh) {
	for k := range 3 {
		for t := range m.Len() {
			m.Y[k][t], m.Z[k][t] = -m.Z[k][t], m.Y[k][t]
		}
	}
	if a := m.Attributes; a != nil {
		for i, n := range a.Normals.Values {
			a.Normals.Values[i] = [3]float32{n[0], -n[2], n[1]}
		}
	}
}

// column generates an index less than n for each corner of each triangle.
func column(t *rapid.T, triangles, n int) (index [3][]uint32) {
	for k := range index {
		index[k] = rapid.SliceOfN(rapid.Uint32Range(0, uint32(n-1)), triangles, triangles).Draw(t, "index")
	}
	return index
}

var coordinate = rapid.Custom(func(t *rapid.T) float32 {
	return rapid.OneOf(rapid.Float32Range(-10, 10), rapid.SampledFrom([]float32{0, 1, -1, 0.1, 1e-30, 1e30, float32(math.Copysign(0, -1))}), rapid.Float32()).Draw(t, "coordinate")
})

// drawMesh generates a mesh with some of the attributes. The attributes share the indices of the vertices or have their
// own.
func drawMesh(t *rapid.T) *scenes.Mesh {
	n := rapid.IntRange(1, 12).Draw(t, "triangles")
	m := &scenes.Mesh{Block: scenes.MakeBlock(n)}
	a := &scenes.Attributes{Vertices: rapid.IntRange(1, 9).Draw(t, "vertices")}
	a.Index = column(t, n, a.Vertices)
	points := rapid.SliceOfN(coordinate, 3*a.Vertices, 3*a.Vertices).Draw(t, "points")
	for k, index := range a.Index {
		for i, v := range index {
			m.X[k][i], m.Y[k][i], m.Z[k][i] = points[3*v], points[3*v+1], points[3*v+2]
		}
	}
	apart := rapid.Bool().Draw(t, "apart")
	index := func() ([3][]uint32, int) {
		if !apart {
			return a.Index, a.Vertices
		}
		return column(t, n, 5), 5
	}
	if rapid.Bool().Draw(t, "normals") {
		var values int
		a.Normals.Index, values = index()
		for range values {
			a.Normals.Values = append(a.Normals.Values, rapid.SampledFrom([][3]float32{{0, 0, 1}, {-1, 0, 0}, {0.6, 0.8, 0}}).Draw(t, "normal"))
		}
	}
	if rapid.Bool().Draw(t, "colors") {
		var values int
		a.Colors.Index, values = index()
		for range values {
			a.Colors.Values = append(a.Colors.Values, scenes.Opaque(rapid.Uint32Range(0, 0xffffff).Draw(t, "color")))
		}
	}
	if rapid.Bool().Draw(t, "texture coordinates") {
		var values int
		a.TexCoords.Index, values = index()
		for range values {
			// For these values, 1 - v is exact in double precision.
			uv := [2]float32{rapid.Float32Range(-2, 2).Draw(t, "u"), float32(rapid.IntRange(-9999, 9999).Draw(t, "v")) / 4096}
			a.TexCoords.Values = append(a.TexCoords.Values, uv)
		}
	}
	if !a.Colors.Has() && rapid.Bool().Draw(t, "colours of triangles") {
		m.Colors = rapid.SliceOfN(rapid.Uint32Range(0, 0xffffff), n, n).Draw(t, "face colors")
	}
	if rapid.Bool().Draw(t, "attributes") {
		m.Attributes = a
	}
	for at := 0; at < n && rapid.Bool().Draw(t, "part"); {
		from := rapid.IntRange(at, n-1).Draw(t, "from")
		count := rapid.IntRange(1, n-from).Draw(t, "count")
		m.Parts = append(m.Parts, scenes.Part{Name: fmt.Sprint("part ", len(m.Parts)), First: from, Count: count})
		at = from + count
	}
	return m
}

// TestRoundTrip writes a mesh and reads it again. Nothing that the format can hold may change.
func TestRoundTrip(t *testing.T) {
	for _, f := range save.Formats() {
		t.Run(f.Name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				m := drawMesh(t)
				got := readBack(t, &f, written(t, &f, m))
				compare(t, got, m, f.Dropped(m, 0))
			})
		})
	}
}

// compare fails the test if got differs from m in anything except the dropped details.
func compare(t *rapid.T, got, m *scenes.Mesh, dropped save.Detail) {
	if got.Len() != m.Len() {
		t.Fatalf("%d triangles, want %d", got.Len(), m.Len())
	}
	for i := range m.Len() {
		if got.Triangle(i) != m.Triangle(i) { // -0 equals 0
			t.Fatalf("triangle %d: %v, want %v", i, got.Triangle(i), m.Triangle(i))
		}
	}
	if m.Colors != nil && dropped&(save.FaceColors|save.FullColors) == 0 && fmt.Sprint(got.Colors) != fmt.Sprint(m.Colors) {
		t.Fatalf("colours %06x, want %06x", got.Colors, m.Colors)
	}
	if m.Parts != nil && dropped&save.Parts == 0 {
		compareParts(t, got.Parts, m.Parts)
	}
	a, b := m.Attributes, got.Attributes
	if a == nil {
		return
	}
	for i := range m.Len() {
		for k := range 3 {
			if a.Normals.Has() && dropped&save.Normals == 0 && a.Normals.At(k, i) != b.Normals.At(k, i) {
				t.Fatalf("triangle %d: normal %v, want %v", i, b.Normals.At(k, i), a.Normals.At(k, i))
			}
			if a.Colors.Has() && dropped&save.Colors == 0 && a.Colors.At(k, i) != b.Colors.At(k, i) {
				t.Fatalf("triangle %d: colour %v, want %v", i, b.Colors.At(k, i), a.Colors.At(k, i))
			}
			if a.TexCoords.Has() && dropped&save.TexCoords == 0 && a.TexCoords.At(k, i) != b.TexCoords.At(k, i) {
				t.Fatalf("triangle %d: texture coordinates %v, want %v", i, b.TexCoords.At(k, i), a.TexCoords.At(k, i))
			}
		}
	}
}

// compareParts compares the parts that have names. The triangles outside all parts of `want` may be in a part without a
// name.
func compareParts(t *rapid.T, got, want []scenes.Part) {
	var named []scenes.Part
	for _, p := range got {
		if p.Name != "" {
			p.Transform = nil
			named = append(named, p)
		}
	}
	if fmt.Sprint(named) != fmt.Sprint(want) {
		t.Fatalf("parts %v, want %v", named, want)
	}
}

// TestScenes writes sources that are not in memory.
func TestScenes(t *testing.T) {
	src, err := procedural.Parse("scene:bumpy?triangles=9000")
	if err != nil {
		t.Fatal(err)
	}
	want, err := scenes.Load(context.Background(), src, scenes.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range save.Formats() {
		got := readBack(t, &f, written(t, &f, src))
		for i := range want.Len() {
			if got.Triangle(i) != want.Triangle(i) {
				t.Fatalf("%s: triangle %d: %v, want %v", f.Name, i, got.Triangle(i), want.Triangle(i))
			}
		}
		if a := got.Attributes; a != nil && a.Vertices > 6000 {
			t.Errorf("%s: %d vertices of %d triangles are not shared", f.Name, a.Vertices, got.Len())
		}
		var limit *scenes.LimitError
		if err := f.Write(context.Background(), &bytes.Buffer{}, src, scenes.ReadOptions{MaxTriangles: 10}); !f.Streams() && !errors.As(err, &limit) {
			t.Errorf("%s: beyond a limit: %v", f.Name, err)
		}
	}
}

// A failing is a writer that accepts a number of bytes and then fails.
type failing struct{ left int }

var errFull = errors.New("full")

func (w *failing) Write(p []byte) (int, error) {
	if w.left -= len(p); w.left < 0 {
		return 0, errFull
	}
	return len(p), nil
}

func TestErrors(t *testing.T) {
	src, err := procedural.Parse("scene:sphere?triangles=100000")
	if err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	for _, f := range save.Formats() {
		for _, room := range []int{0, 100, 500_000} {
			if err := f.Write(context.Background(), &failing{room}, src, scenes.ReadOptions{}); !errors.Is(err, errFull) {
				t.Errorf("%s, %d bytes: %v", f.Name, room, err)
			}
		}
		if err := f.Write(ended, &bytes.Buffer{}, src, scenes.ReadOptions{}); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v after the end", f.Name, err)
		}
	}
}

func TestDropped(t *testing.T) {
	m := &scenes.Mesh{Block: scenes.MakeBlock(1), Parts: []scenes.Part{{Name: "a", Count: 1}}, Unit: 0.001}
	m.Attributes = &scenes.Attributes{Vertices: 3, Materials: []scenes.Material{{Texture: &scenes.Texture{}}}, MaterialOf: []int32{0}}
	m.Attributes.Normals.Values = [][3]float32{{0, 0, 1}}
	for name, want := range map[string]string{
		"stl":       "names of parts, normals of vertices, materials, textures, the unit of length",
		"stl-ascii": "normals of vertices, materials, textures, the unit of length",
		".PLY":      "names of parts, materials, textures, the unit of length",
		"obj":       "materials, textures, the unit of length, the up axis",
		"glb":       "",
		"3mf":       "normals of vertices, materials, textures",
	} {
		f, ok := save.Find(name)
		if got := strings.Join(f.Dropped(m, 0).Names(), ", "); !ok || got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	// The mesh is in metres, as glTF always is, and has y up, as OBJ has. So these formats lose neither detail.
	m.Unit, m.Up = 1, scenes.PlusY
	for name, want := range map[string]string{"glb": "", "obj": "materials, textures, the unit of length", "off": "names of parts, materials, textures, the unit of length, the up axis"} {
		f, _ := save.Find(name)
		if got := strings.Join(f.Dropped(m, 0).Names(), ", "); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	// Properties that OBJ cannot express must be named if its materials are written.
	m.Attributes.Materials[0].Finish = &scenes.Finish{Transmission: 1}
	library, _ := save.Find("obj")
	library = library.Beside(new(obj.Folder))
	glb, _ := save.Find("glb")
	stl, _ := save.Find("stl")
	const glass = "textures of roughness and occlusion, glass, sheen and clear coats"
	for f, want := range map[*save.Format]bool{&library: true, &glb: false, &stl: false} {
		if got := strings.Join(f.Dropped(m, 0).Names(), ", "); strings.Contains(got, glass) != want {
			t.Errorf("%s: %s", f.Name, got)
		}
	}
	m.Attributes.Materials[0].Finish = &scenes.Finish{Metallic: 1, Normals: &scenes.Texture{}}
	if got := strings.Join(library.Dropped(m, 0).Names(), ", "); strings.Contains(got, glass) {
		t.Error(got)
	}
	if _, ok := save.Find("png"); ok {
		t.Error("png is a format of meshes")
	}
}

// TestLimit checks that the tables for shared vertices count as memory. The limit is enough for the mesh alone, but not
// for the mesh and these tables.
func TestLimit(t *testing.T) {
	scene, err := procedural.Parse("scene:torus?triangles=2000")
	if err != nil {
		t.Fatal(err)
	}
	m, err := scenes.Load(context.Background(), scene, scenes.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	mesh := int64(m.Len()) * scenes.TriangleBytes
	for _, f := range save.Formats() {
		var limit *scenes.LimitError
		err := f.Write(context.Background(), io.Discard, m, scenes.ReadOptions{MaxMemory: mesh + 1})
		if welds := !f.Streams(); welds != errors.As(err, &limit) {
			t.Errorf("%s: %v", f.Name, err)
		}
		if err := f.Write(context.Background(), io.Discard, m, scenes.ReadOptions{MaxMemory: 2 * mesh}); err != nil {
			t.Errorf("%s: %v", f.Name, err)
		}
	}
}

// An asked hides that a source is a mesh in memory, and counts the blocks that are read.
type asked struct {
	scenes.Source
	blocks *int
}

func (a asked) ReadBlock(i int, b *scenes.Block) error {
	*a.blocks++
	return a.Source.ReadBlock(i, b)
}

// TestFullColors checks whether the colours of a source fit into an STL file, and that each block is read once.
func TestFullColors(t *testing.T) {
	binary, _ := save.Find("stl-binary")
	const n = 3 * scenes.BlockSize
	for name, c := range map[string]struct {
		first, last uint32
		full        bool
	}{
		"one of five bits":   {0x9c9c9c, 0x9c9c9c, false},
		"one of eight bits":  {0x9c9c9d, 0x9c9c9d, false},
		"two of five bits":   {0x9c9c9c, 0x000000, false},
		"two of eight bits":  {0x9c9c9c, 0x010000, true},
		"another before all": {0x010203, 0x9c9c9c, true},
	} {
		m := &scenes.Mesh{Block: scenes.Block{Colors: make([]uint32, n)}}
		for k := range 3 {
			m.X[k], m.Y[k], m.Z[k] = make([]float32, n), make([]float32, n), make([]float32, n)
		}
		for i := range m.Colors {
			m.Colors[i] = c.first
		}
		m.Colors[n-1] = c.last
		blocks := 0
		for _, src := range []scenes.Source{m, asked{m, &blocks}} {
			if got := binary.Dropped(src, 0)&save.FullColors != 0; got != c.full {
				t.Errorf("%s: %v", name, got)
			}
		}
		if blocks != 3 {
			t.Errorf("%s: %d blocks were asked for", name, blocks)
		}
	}
}
