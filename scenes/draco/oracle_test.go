package draco

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

var (
	long        = flag.Bool("long", false, "run tests that take minutes")
	mutantsFrom = flag.Uint64("mutants-from", 1, "the seed of damaged files")
	update      = flag.Bool("update", false, "write the files of testdata anew by the reference encoder")
	folder      = flag.String("drc", "", "a folder of other .drc files that are compared with the reference decoder")
)

// A job is a mesh for the reference encoder, see testdata/reference.js.
type job struct {
	Speed      int            `json:"speed"`
	Bits       map[string]int `json:"bits"`
	Faces      []int          `json:"faces"`
	Points     int            `json:"points"`
	Attributes []column       `json:"attributes"`
}

type column struct {
	Type   string    `json:"type"`
	Kind   string    `json:"kind"`
	Width  int       `json:"width"`
	Values []float64 `json:"values"`
}

func (j *job) add(kind, kindOf string, values ...float64) {
	for i := range j.Attributes {
		if a := &j.Attributes[i]; a.Type == kind {
			a.Values = append(a.Values, values...)
			return
		}
	}
	j.Attributes = append(j.Attributes, column{kind, kindOf, len(values), values})
}

// point appends a point with all attributes to a surface. If seam is set, the texture coordinates and the colour differ
// from those of the neighbouring points.
func (j *job) point(p, normal [3]float64, u, v float64, seam bool) int {
	j.add("POSITION", "f", p[:]...)
	j.add("NORMAL", "f", normal[:]...)
	part := 0.0
	if seam {
		part = 1
	}
	j.add("TEX_COORD", "f", u+part/2, v)
	j.add("COLOR", "b", 255*part, math.Floor(255*v), 17, 200)
	j.add("GENERIC", "s", math.Floor(1000*u))
	j.Points++
	return j.Points - 1
}

// patch returns a surface of w by h cells on a torus or a part of a torus. Some cells may be missing.
func patch(w, h int, around, across float64, missing func(x, y int) bool) *job {
	j := new(job)
	r := rand.New(rand.NewPCG(1, uint64(w*h)))
	at := make(map[[3]int]int)
	corner := func(x, y int, seam bool) int {
		key := [3]int{x, y, 0}
		if seam {
			key[2] = 1
		}
		// If a direction is closed, its first and last points have equal coordinates. The encoder recognises equal
		// points by their coordinates.
		px, py := x, y
		if around == 1 {
			px = x % w
		}
		if across == 1 {
			py = y % h
		}
		if i, ok := at[key]; ok {
			return i
		}
		a, b := 2*math.Pi*around*float64(px)/float64(w), 2*math.Pi*across*float64(py)/float64(h)
		rough := 0.4 + 0.01*math.Sin(float64(7*px+13*py))
		n := [3]float64{math.Cos(a) * math.Cos(b), math.Sin(a) * math.Cos(b), math.Sin(b)}
		p := [3]float64{math.Cos(a) * (1 + rough*math.Cos(b)), math.Sin(a) * (1 + rough*math.Cos(b)), rough * math.Sin(b)}
		at[key] = j.point(p, n, float64(x)/float64(w), float64(y)/float64(h), seam)
		return at[key]
	}
	for y := range h {
		for x := range w {
			if missing != nil && missing(x, y) {
				continue
			}
			seam := x > w/2 && y > h/2
			a, b, c, d := corner(x, y, seam), corner(x+1, y, seam), corner(x+1, y+1, seam), corner(x, y+1, seam)
			if r.IntN(2) == 0 {
				j.Faces = append(j.Faces, a, b, c, a, c, d)
			} else {
				j.Faces = append(j.Faces, a, b, d, b, c, d)
			}
		}
	}
	return j
}

// soup returns triangles between random points, so that edges have many triangles and vertices belong to several
// surfaces.
func soup(points, triangles int) *job {
	j := new(job)
	r := rand.New(rand.NewPCG(2, uint64(points)))
	for range points {
		p := [3]float64{r.Float64(), r.Float64(), r.Float64()}
		j.point(p, p, r.Float64(), r.Float64(), r.IntN(2) == 0)
	}
	for range triangles {
		a := r.IntN(points)
		j.Faces = append(j.Faces, a, (a+1+r.IntN(3))%points, (a+4+r.IntN(3))%points)
	}
	return j
}

// small returns a mesh of a few points that have only positions.
func small(points int, faces ...int) *job {
	j := &job{Points: points, Faces: faces}
	for i := range points {
		j.add("POSITION", "f", float64(i&1), float64(i>>1&1), float64(i>>2)+float64(i*i)/7)
	}
	return j
}

// jobs returns the meshes that the tests encode, by name.
func jobs() map[string]*job {
	return map[string]*job{
		"torus":       patch(12, 8, 1, 1, nil),
		"tube":        patch(20, 12, 1, 0.4, nil),
		"sheet":       patch(9, 7, 0.3, 0.3, nil),
		"holes":       patch(24, 24, 1, 1, func(x, y int) bool { return x%5 == 2 && y%5 != 3 }),
		"tatters":     patch(12, 10, 1, 1, func(x, y int) bool { return (7*x+11*y+x*y)%5 < 2 }),
		"soup":        soup(40, 120),
		"triangle":    small(3, 0, 1, 2),
		"two sides":   small(3, 0, 1, 2, 0, 2, 1),
		"tetrahedron": small(4, 0, 1, 2, 0, 2, 3, 0, 3, 1, 1, 3, 2),
		"bow":         small(5, 0, 1, 2, 0, 3, 4),
		"fan":         small(5, 0, 1, 2, 1, 0, 3, 0, 1, 4),
		"parts":       small(8, 0, 1, 2, 0, 2, 3, 4, 5, 6, 5, 7, 6),
		"cloud":       cloud(60),
		"dust":        dust(80),
		"swarm":       swarm(300),
		"swarms":      swarm(20_000),
		"same":        swarm(9, 0),
		"alone":       dust(1),
		"pair":        dust(2),
		"many":        patch(150, 110, 1, 1, nil), // more than 1<<14 points, so that indices in lists take more bytes
	}
}

// cloud returns a cloud of n points.
func cloud(n int) *job {
	j := soup(n, 0)
	j.Faces = nil
	return j
}

// quantizations holds sets of options of the encoder: the number of bits of each attribute. An attribute without a
// number is not quantized.
var quantizations = map[string]map[string]int{
	"usual":  {"POSITION": 14, "NORMAL": 10, "TEX_COORD": 12, "COLOR": 8, "GENERIC": 12},
	"floats": {},
	"fine":   {"POSITION": 20, "TEX_COORD": 16, "NORMAL": 12},
	"coarse": {"POSITION": 3, "TEX_COORD": 9, "NORMAL": 3},
}

// TestReference encodes meshes of all kinds with the reference encoder, and compares every decoded number with the
// reference decoder, bit for bit.
func TestReference(t *testing.T) {
	if err := exec.Command("node", "-e", `require("draco3d")`).Run(); err != nil {
		t.Skipf("NOT COMPARED with Draco's reference: node, or draco3d in the folder that NODE_PATH names: %v", err)
	}
	dir := t.TempDir()
	for name, j := range jobs() {
		for speed := range 11 {
			for kind, bits := range quantizations {
				if j.Attributes[0].Kind != "f" && (kind != "floats" || speed == 10) { // only kd-trees have integer normals
					continue
				}
				if !*long && (kind != "usual" && j.Faces != nil && speed%5 != 0 || speed%3 == 2 || j.Points > 1000 && speed != 4) {
					continue
				}
				one := *j
				one.Speed, one.Bits = speed, bits
				data, err := json.Marshal(one)
				if err != nil {
					t.Fatal(err)
				}
				write(t, filepath.Join(dir, fmt.Sprintf("%s-%d-%s.json", strings.ReplaceAll(name, " ", "-"), speed, kind)), data)
			}
		}
	}
	writeWalks(t, dir)
	writeOldTrees(t, dir)
	others, _ := filepath.Glob(filepath.Join(*folder, "*.drc"))
	for _, name := range others {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, filepath.Base(name)), data)
	}
	if out, err := exec.Command("node", "testdata/reference.js", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.drc"))
	if err != nil || len(files) < 180 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, name := range files {
		if _, golden := goldens[filepath.Base(name)]; golden && *update {
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			write(t, filepath.Join("testdata", filepath.Base(name)), data)
		}
		t.Run(strings.TrimSuffix(filepath.Base(name), ".drc"), func(t *testing.T) { compare(t, name) })
	}
}

// writeWalks writes random surfaces that can be decoded. The reference decoder refuses a few of them, because their
// counts do not agree with their symbols.
func writeWalks(t *testing.T, dir string) {
	n := 100
	if *long {
		n = 3000
	}
	w := &walker{Rand: rand.New(rand.NewPCG(9, 9))}
	for n > 0 {
		file := []byte(w.walk())
		if _, err := Decode(file, Limits{}); err == nil {
			write(t, filepath.Join(dir, fmt.Sprintf("walk-%d.drc", n)), file)
			n--
		}
	}
}

func write(t *testing.T, name string, data []byte) {
	t.Helper()
	if err := os.WriteFile(name, data, 0o666); err != nil {
		t.Fatal(err)
	}
}

// goldens holds files that the reference encoder has made from meshes of the tests. Each file has a hash of the decoded
// mesh, which was compared with the result of the reference decoder.
var goldens = map[string]uint64{
	"tatters-0-usual.drc":     0x7a1e2d3e7e4d510,  // valences, degrees, several parallelograms, texture coordinates and normals by positions
	"tatters-4-usual.drc":     0x7a1e2d3e7e4d510,  // the same, depth first
	"tatters-6-usual.drc":     0x813f175cfd1dc73e, // standard symbols
	"torus-0-coarse.drc":      0xdeb53b67f685b048, // colours and numbers that are not quantized, points at the same place
	"torus-10-fine.drc":       0xcd16227996409343, // triangles as lists, numbers of many bits
	"soup-1-usual.drc":        0xfb2cd036feaa14da, // many splits
	"tetrahedron-0-usual.drc": 0x85552c8b3d9c3d81,
	"cloud-7-floats.drc":      0xc6cd4d7f9ef9a7bf,
	"cloud-6-usual.drc":       0xd824cf07512775dd, // a kd-tree of level 4, and attributes of all types
	"dust-0-coarse.drc":       0xe9e789102fdf856,  // level 6, positions alone
	"dust-6-usual.drc":        0x928c4359520561a9, // level 4
	"dust-7-usual.drc":        0x928c4359520561a9, // level 3
	"dust-9-usual.drc":        0x928c4359520561a9, // level 1
	"swarm-0-floats.drc":      0x3cfa127afd2f77f0, // level 6, integers of all kinds
}

// sum returns a hash of everything in a mesh.
func sum(m *Mesh) uint64 {
	h := fnv.New64a()
	fmt.Fprint(h, m.Points, m.Triangles, m.Cloud)
	for i := range m.Attributes {
		a := &m.Attributes[i]
		fmt.Fprint(h, a.Type, a.ID, a.Kind, a.Width, a.Normalized)
		h.Write(a.Data)
	}
	return h.Sum64()
}

// TestGoldens decodes the files of testdata and compares the hashes.
func TestGoldens(t *testing.T) {
	for name, want := range goldens {
		data, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		m, err := Decode(data, Limits{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if got := sum(m); got != want {
			t.Errorf("%s: %#x, want %#x", name, got, want)
		}
	}
}

// compare compares a decoded file with the result of the reference decoder.
func compare(t *testing.T, name string) {
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(strings.TrimSuffix(name, ".drc") + ".out")
	if err != nil {
		t.Fatal(err)
	}
	m, err := Decode(data, Limits{})
	if errors.Is(err, ErrUnread) && len(want) > 0 || len(want) == 0 && strings.HasPrefix(filepath.Base(name), "walk-") {
		t.Skip(err)
	}
	if err != nil || len(want) == 0 {
		t.Fatalf("%v; the reference: %d bytes", err, len(want))
	}
	word := func() (v uint32) {
		v, want = binary.LittleEndian.Uint32(want), want[4:]
		return v
	}
	if triangles, points, attributes := int(word()), int(word()), int(word()); triangles != len(m.Triangles) || points != m.Points || attributes != len(m.Attributes) {
		t.Fatalf("%d triangles, want %d; %d points, want %d; %d attributes, want %d", len(m.Triangles), triangles, m.Points, points, len(m.Attributes), attributes)
	}
	var corners []int
	for _, c := range m.Triangles {
		for _, point := range c {
			if want := word(); want != point {
				t.Fatalf("corner %d is point %d, want %d", len(corners), point, want)
			}
			corners = append(corners, int(point))
		}
	}
	for i := 0; m.Cloud && i < m.Points; i++ {
		corners = append(corners, i)
	}
	for i := range m.Attributes {
		a := &m.Attributes[i]
		if id, kind, width := word(), word(), word(); id != a.ID || Type(kind) != a.Type || int(width) != a.Width {
			t.Fatalf("attribute %d of the type %d with %d numbers, want %d, %d, %d", a.ID, a.Type, a.Width, id, kind, width)
		}
		numbers := make([]float64, a.Width)
		for k, corner := range corners {
			a.Numbers(corner, numbers)
			for _, v := range numbers {
				if want := word(); math.Float32bits(float32(v)) != want {
					t.Fatalf("attribute %d of corner %d: %v, want %v", i, k, numbers, math.Float32frombits(want))
				}
			}
		}
	}
}
