package procedural

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"lockstep/scenes"
	"lockstep/scenes/internal/meshtest"
	"lockstep/scenes/internal/vector"
	"lockstep/vp/isa/race"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
)

func TestWatertight(t *testing.T) {
	for _, arg := range []string{
		"cube", "cube?triangles=300", "sphere?triangles=12", "sphere?triangles=5000", "sphere", "torus?triangles=18", "torus?triangles=9999",
		"bumpy?triangles=30000", "bumpy?triangles=3000&height=1&seed=7", "knot?triangles=100", "knot?triangles=6000",
		"knot?triangles=60000&colors=0", "gear?triangles=1000", "gear", "gear?triangles=20000&teeth=5", "housing?gears=5&triangles=10k&closed=1",
		"nested?spheres=3&triangles=999",
		"particles?triangles=80", "particles?triangles=8k&seed=4", "shear?triangles=4000&seed=2", "vortices?triangles=6k&seed=3",
	} {
		t.Run(arg, func(t *testing.T) { meshtest.Watertight(t, generate(t, "scene:"+arg)) })
	}
}

// TestSceneSizes checks that the number of triangles is near the requested number.
func TestSceneSizes(t *testing.T) {
	for _, c := range []struct {
		name  string
		least int
		off   float64 // greatest relative deviation
	}{
		{"bumpy", 1000, 0.06}, {"sphere", 1000, 0.06}, {"cube", 1000, 0.06}, {"torus", 100, 0.06}, {"knot", 1000, 0.06},
		{"plate", 1000, 0.05}, {"particles", 1000, 0.01}, {"gear", 20_000, 0.15}, {"soup", 1, 0}, {"slivers", 1, 0},
	} {
		for _, n := range []int{c.least, 10 * c.least, 100_000, 1_000_000, 100_000_000} {
			got := scene(t, fmt.Sprintf("scene:%s?triangles=%d", c.name, n)).Len()
			if math.Abs(float64(got-n)) > c.off*float64(n) {
				t.Errorf("%s: asked for %d, got %d triangles", c.name, n, got)
			}
		}
	}
	if n := scene(t, "scene:cube").Len(); n != 12 {
		t.Errorf("cube has %d triangles", n)
	}
}

// TestKnownSolids compares areas and boxes with known values.
func TestKnownSolids(t *testing.T) {
	const major, minor = 1, 0.4
	for _, c := range []struct {
		arg    string
		area   float64
		within float64 // greatest relative error; inscribed surfaces are smaller
		box    [3]float64
	}{
		{"scene:cube?triangles=1200", 24, 1e-6, [3]float64{1, 1, 1}},
		{"scene:plate?triangles=5000&jitter=0.9", 4, 1e-6, [3]float64{1, 0, 1}},
		{"scene:sphere?triangles=100k", 4 * math.Pi, 1e-3, [3]float64{1, 1, 1}},
		{"scene:torus?triangles=100k", 4 * math.Pi * math.Pi * major * minor, 1e-3, [3]float64{major + minor, major + minor, minor}},
	} {
		m := generate(t, c.arg)
		area := 0.0
		for i := range m.Len() {
			area += triangleArea(m.Triangle(i))
		}
		if area > c.area*(1+1e-6) || area < c.area*(1-c.within) {
			t.Errorf("%s: area %v, want %v", c.arg, area, c.area)
		}
		b := m.Bounds()
		for a := range 3 {
			if math.Abs(b.Max[a]-c.box[a]) > 2e-3 || math.Abs(b.Min[a]+c.box[a]) > 2e-3 {
				t.Errorf("%s: box %v, want half sizes %v", c.arg, b, c.box)
			}
		}
	}
}

func triangleArea(c [3][3]float32) float64 {
	var u, v [3]float64
	for a := range 3 {
		u[a] = float64(c[1][a]) - float64(c[0][a])
		v[a] = float64(c[2][a]) - float64(c[0][a])
	}
	x := vector.Cross(u, v)
	return math.Sqrt(vector.Dot(x, x)) / 2
}

// TestSlivers counts the triangles by their height.
func TestSlivers(t *testing.T) {
	for _, c := range []struct {
		query                string
		total, slivers, wide int
	}{
		{"", 100_000, 6000, 0},
		{"?triangles=10000&slivers=100&wide=100", 10_000, 100, 100},
		{"?triangles=1000&slivers=333&wide=667", 1000, 333, 667},
		{"?triangles=1", 1, 0, 0},
	} {
		m := generate(t, "scene:slivers"+c.query)
		slivers, wide := 0, 0
		for i := range m.Len() {
			corners := m.Triangle(i)
			lo, hi := float32(9), float32(-9)
			for _, p := range corners {
				lo, hi = min(lo, p[2]), max(hi, p[2])
			}
			if hi-lo < 2 {
				continue
			}
			if triangleArea(corners) < 0.01 {
				slivers++
			} else {
				wide++
			}
		}
		if m.Len() != c.total || slivers != c.slivers || wide > c.wide || wide < c.wide*9/10 {
			t.Errorf("%q: %d triangles, %d slivers, %d wide", c.query, m.Len(), slivers, wide)
		}
	}
}

// TestSceneBits checks hashes of all scenes. The bits must not depend on the machine, on fused multiply-adds or on the
// order of blocks.
func TestSceneBits(t *testing.T) {
	want := map[string]uint64{
		"bumpy?triangles=20000&seed=3":         0x5169199746357c69,
		"cube?triangles=1200":                  0x5fdcd7aa6f4cd905,
		"gear?triangles=10000":                 0x92e869ec668f1641,
		"housing?gears=7&triangles=9000":       0xcd8347f8d1f1dc65,
		"nested?spheres=5&order=in":            0x14172b4f7c87e61d,
		"knot?triangles=40000":                 0x19f734d6a10679e1,
		"particles?seed=2":                     0xdce2c581ee6dabd5,
		"perforator":                           0x3bdfce0a29750949,
		"perforator?version=unbalanced&seed=2": 0xc118d5528b33b3ad,
		"plate?triangles=800&jitter=.9":        0x90e8e7f75ec4477d,
		"shear?seed=2":                         0x24c35067a751b561,
		"slivers?triangles=9000":               0xfea7d806fd7b4749,
		"soup?triangles=9000&seed=2":           0xecd9ab264ac7d772,
		"sphere?triangles=9000":                0xe833d55e7b50950d,
		"torus?triangles=9000":                 0xaf5fd41c67334971,
		"vortices?seed=2":                      0x44edbb2030056bb6,
	}
	for arg, sum := range want {
		if got := meshtest.Sum(generate(t, "scene:"+arg)); got != sum {
			t.Errorf("%q: %#016x,", arg, got)
		}
	}
}

// TestSceneBlocks reads blocks out of order, and single blocks of a scene of 100 million triangles.
func TestSceneBlocks(t *testing.T) {
	s := scene(t, "scene:knot?triangles=50000")
	want := generate(t, "scene:knot?triangles=50000")
	var b, w scenes.Block
	for i := scenes.NumBlocks(s) - 1; i >= 0; i-- {
		if err := errors.Join(s.ReadBlock(i, &b), want.ReadBlock(i, &w)); err != nil {
			t.Fatal(err)
		}
		meshtest.Same(t, &scenes.Mesh{Block: b}, &scenes.Mesh{Block: w})
	}
	for _, name := range []string{"bumpy", "knot", "torus", "soup", "slivers", "particles", "gear", "plate", "sphere", "cube", "housing", "nested"} {
		s := scene(t, "scene:"+name+"?triangles=100M")
		if err := s.ReadBlock(scenes.NumBlocks(s)-1, &b); err != nil || b.Len() == 0 || b.Bounds().Empty() {
			t.Errorf("%s: last block: %v, %d triangles", name, err, b.Len())
		}
	}
}

func TestParse(t *testing.T) {
	for arg, want := range map[string]string{
		"sphere":                                      `starts with "scene:"`,
		"scene:":                                      `no scene "", there are bumpy, cube, gear, housing, knot, nested, particles, perforator, plate, shear, slivers, soup, sphere, torus, vortices`,
		"scene:spere":                                 `no scene "spere"`,
		"scene:sphere?seed=3":                         `no parameter "seed", there are triangles`,
		"scene:soup?triangels=3":                      `no parameter "triangels", there are triangles, size, seed`,
		"scene:soup?triangles=":                       "triangles=: expected an integer from 1 to 100000000",
		"scene:soup?triangles=-5":                     "expected an integer from 1",
		"scene:soup?triangles=101M":                   "expected an integer from 1",
		"scene:soup?triangles=99999999999":            "expected an integer from 1",
		"scene:soup?size=NaN":                         "size=NaN: expected a number from",
		"scene:soup?size=0":                           "size=0: expected a number from",
		"scene:soup?size=1&size=2":                    "size is given 2 times",
		"scene:soup?%zz":                              "parameters: ",
		"scene:nested?order=up":                       "order=up: expected in or out",
		"scene:housing?closed=2":                      "closed=2: expected an integer from 0 to 1",
		"scene:perforator?version=":                   "version=: expected balanced or unbalanced",
		"scene:perforator?triangles=2M":               "expected an integer from 4000 to 1000000",
		"scene:slivers?triangles=10&slivers=8&wide=3": "no more slivers and wide",
		"scene:a\nb":                                  `no scene "a\nb"`,
	} {
		_, err := Parse(arg)
		var usage *UsageError
		if !errors.As(err, &usage) || usage.Arg != arg || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: error %v, want %q", arg, err, want)
		}
	}
	for _, n := range Names() {
		arg := Prefix + n.Name
		if slices.Contains([]string{"particles", "shear", "vortices"}, n.Name) {
			arg += "?triangles=6000" // small scenes, because TestSceneBits already computes the full sizes, which takes seconds
		}
		if s := scene(t, arg); s.Len() == 0 || s.Name() != n.Name || n.Doc == "" {
			t.Errorf("%s: %d triangles of %q", n.Name, s.Len(), s.Name())
		}
	}
	if n := scene(t, "scene:soup?triangles=12k").Len(); n != 12_000 {
		t.Errorf("12k are %d triangles", n)
	}
}

// TestJoined checks the numbers of gears, walls and spheres, that the box is open at the front, and the order of the
// spheres.
func TestJoined(t *testing.T) {
	open, closed := generate(t, "scene:housing?gears=9&triangles=20k"), generate(t, "scene:housing?gears=9&triangles=20k&closed=1")
	if closed.Len() != open.Len()+2 || (open.Len()-10)%9 != 0 {
		t.Errorf("%d and %d triangles", open.Len(), closed.Len())
	}
	for i := range 2 {
		for _, p := range closed.Triangle(10 + i) {
			if p[1] > -1 {
				t.Errorf("a corner of the front wall lies at y = %v", p[1])
			}
		}
	}
	for i := 12; i < closed.Len(); i++ { // all gears must be inside the walls
		for _, p := range closed.Triangle(i) {
			if max(p[0], p[1], p[2], -p[0], -p[1], -p[2]) > 1 {
				t.Fatalf("gear at %v", p)
			}
		}
	}
	in, out := generate(t, "scene:nested?spheres=4&order=in&triangles=48"), generate(t, "scene:nested?spheres=4&triangles=48")
	for i, want := range []float64{0.25, 0.5, 0.75, 1} {
		a, b := vector.Double(out.Triangle(12 * i)[0]), vector.Double(in.Triangle(12 * (3 - i))[0])
		if r, q := math.Sqrt(vector.Dot(a, a)), math.Sqrt(vector.Dot(b, b)); math.Abs(r-want) > 1e-6 || math.Abs(q-want) > 1e-6 {
			t.Errorf("sphere %d has the radii %v and %v", i, r, q)
		}
	}
}

func TestGenerateCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := scenes.Load(ctx, scene(t, "scene:bumpy"), scenes.ReadOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// scene returns the scene of an argument. All callers share it, so that an isosurface is computed only once.
func scene(tb testing.TB, arg string) *Scene {
	tb.Helper()
	parsed.Lock()
	defer parsed.Unlock()
	if s, ok := parsed.scenes[arg]; ok {
		return s
	}
	s := freshScene(tb, arg)
	parsed.scenes[arg] = s
	return s
}

var parsed = struct {
	sync.Mutex
	scenes map[string]*Scene
}{scenes: make(map[string]*Scene)}

// freshScene returns a scene that no other test shares.
func freshScene(tb testing.TB, arg string) *Scene {
	tb.Helper()
	s, err := Parse(arg)
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

func generate(tb testing.TB, arg string) *scenes.Mesh {
	tb.Helper()
	return load(tb, scene(tb, arg))
}

func load(tb testing.TB, s *Scene) *scenes.Mesh {
	tb.Helper()
	m, err := scenes.Load(context.Background(), s, scenes.ReadOptions{})
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

var long = flag.Bool("long", false, "run tests that take minutes or gigabytes")

// TestLimits checks that a scene that is larger than the limit is not loaded, and that the perforator is refused before
// it is computed.
func TestLimits(t *testing.T) {
	var e *scenes.LimitError
	for arg, opts := range map[string]scenes.ReadOptions{
		"scene:soup?triangles=1M":         {MaxTriangles: 999_999},
		"scene:soup?triangles=100M":       {MaxMemory: 1 << 30},
		"scene:knot?triangles=100k":       {MaxMemory: 37 * 100_000},
		"scene:perforator?triangles=1M":   {MaxMemory: 1 << 28},
		"scene:perforator?triangles=4000": {MaxTriangles: 1000},
	} {
		if _, err := scenes.Load(context.Background(), scene(t, arg), opts); !errors.As(err, &e) {
			t.Errorf("%s: %v", arg, err)
		}
	}
	if _, err := scenes.Load(context.Background(), scene(t, "scene:soup?triangles=1M"), scenes.ReadOptions{MaxTriangles: 1_000_000, MaxMemory: 36_000_000}); err != nil {
		t.Error(err)
	}
}

// TestFluidSizes checks that the number of triangles is near the requested number.
func TestFluidSizes(t *testing.T) {
	if race.Enabled {
		t.Skip("the loops of TestSceneBits, on more meshes")
	}
	for _, name := range []string{"vortices", "shear"} {
		sizes := []int{6000}
		if *long {
			sizes = append(sizes, 4000, 9000, 20_000)
		}
		for _, n := range sizes {
			got := scene(t, fmt.Sprintf("scene:%s?triangles=%d", name, n)).Len()
			if math.Abs(float64(got)/float64(n)-1) > 0.25 {
				t.Errorf("%s: asked for %d, got %d triangles", name, n, got)
			}
		}
	}
}
