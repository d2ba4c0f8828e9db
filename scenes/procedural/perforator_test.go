package procedural

import (
	"fmt"
	"lockstep/scenes"
	"lockstep/scenes/internal/meshtest"
	"lockstep/scenes/internal/vector"
	"lockstep/scenes/procedural/perforator"
	"math"
	"sync"
	"testing"
)

// pictureSize is the width and height of the pictures of Table 1 of the paper.
const pictureSize = 512

// A testCamera is placed by the rule of the renderer: it is the nearest camera that shows all corners of the box in the
// central 90 % of a square picture, with a field of view of 30 degrees.
type testCamera struct {
	target, right, up, forward [3]float64
	distance, pixels           float64 // pixels is the size in pixels of one unit at distance one
}

func newTestCamera(box scenes.Box, azimuth, elevation, zoom float64) testCamera {
	sa, ca := math.Sincos(azimuth * math.Pi / 180)
	se, ce := math.Sincos(elevation * math.Pi / 180)
	c := testCamera{
		target:  box.Center(),
		right:   [3]float64{ca, sa, 0},
		up:      [3]float64{-se * sa, se * ca, ce},
		forward: [3]float64{-ce * sa, ce * ca, -se},
	}
	tan := math.Tan(15 * math.Pi / 180)
	for corner := range 8 {
		p := box.Min
		for a := range p {
			if corner>>a&1 != 0 {
				p[a] = box.Max[a]
			}
		}
		d := vector.Sub(p, c.target)
		side := math.Max(math.Abs(vector.Dot(d, c.right)), math.Abs(vector.Dot(d, c.up)))
		c.distance = math.Max(c.distance, side/(0.9*tan)-vector.Dot(d, c.forward))
	}
	c.pixels = zoom * pictureSize / (2 * tan)
	return c
}

// project returns the position of p in the picture, in pixels, snapped to 1/256.
func (c *testCamera) project(p [3]float32) (x, y float64) {
	d := vector.Sub([3]float64{float64(p[0]), float64(p[1]), float64(p[2])}, c.target)
	per := c.pixels / (c.distance + vector.Dot(d, c.forward))
	snap := func(v float64) float64 { return math.RoundToEven(256*v) / 256 }
	return snap(pictureSize/2 + per*vector.Dot(d, c.right)), snap(pictureSize/2 - per*vector.Dot(d, c.up))
}

// scanWorkload returns the number of scan lines of a triangle: the rows of pixels whose centres are within its extent.
// It returns 0 if no column of pixels has its centre within the extent.
func (c *testCamera) scanWorkload(corners [3][3]float32) int {
	x0, x1, y0, y1 := math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	for _, p := range corners {
		x, y := c.project(p)
		x0, x1, y0, y1 = math.Min(x0, x), math.Max(x1, x), math.Min(y0, y), math.Max(y1, y)
	}
	centers := func(lo, hi float64) int {
		first, end := math.Ceil(lo-0.5), math.Ceil(hi-0.5)
		return int(math.Min(end, pictureSize) - math.Max(first, 0))
	}
	if centers(x0, x1) <= 0 {
		return 0
	}
	return max(0, centers(y0, y1))
}

// table1Views holds the views of Table 1 of the paper.
var table1Views = []struct {
	name                     string
	azimuth, elevation, zoom float64
}{
	{"(0,0)", 0, 0, 1}, {"(45,45)", 45, 45, 1}, {"M(0,0)", 0, 0, perforator.Zoom}, {"M(45,45)", 45, 45, perforator.Zoom},
}

// table1 holds the largest and the mean workload of each view in the paper.
var table1 = map[string][4][2]float64{
	"balanced":   {{8, 5}, {10, 5}, {13, 5}, {21, 1}},
	"unbalanced": {{231, 6}, {169, 6}, {512, 8}, {468, 4}},
}

// TestTable1 compares the workloads of scan conversion with those of the paper, for both versions and several seeds.
// They may differ by 20 %.
func TestTable1(t *testing.T) {
	seeds := 1
	if *long {
		seeds = 12
	}
	for version, want := range table1 {
		for seed := 1; seed <= seeds; seed++ {
			arg := fmt.Sprintf("scene:perforator?version=%s&seed=%d", version, seed)
			if version == "balanced" && seed == 1 {
				arg = "scene:perforator" // the same scene, which other tests have already computed
			}
			m := generate(t, arg)
			for v, view := range table1Views {
				largest, mean := workloads(m, newTestCamera(m.Bounds(), view.azimuth, view.elevation, view.zoom))
				t.Logf("%s seed %d %s: %d / %.2f, paper %v / %v", version, seed, view.name, largest, mean, want[v][0], want[v][1])
				if math.Abs(float64(largest)/want[v][0]-1) > 0.2 || math.Abs(mean/want[v][1]-1) > 0.2 {
					t.Errorf("%s seed %d %s: workload %d at most, %.2f on average, want %v and %v within 20 %%",
						version, seed, view.name, largest, mean, want[v][0], want[v][1])
				}
			}
		}
	}
}

// workloads returns the largest and the mean workload of all polygons.
func workloads(m *scenes.Mesh, cam testCamera) (largest int, mean float64) {
	sum := 0
	for t := range m.Len() {
		rows := cam.scanWorkload(m.Triangle(t))
		largest = max(largest, rows)
		sum += rows
	}
	return largest, float64(sum) / float64(m.Len())
}

func TestPerforatorWatertight(t *testing.T) {
	args := []string{"?seed=3&triangles=5000"}
	if *long {
		args = append(args, "", "?seed=2&triangles=15k")
	}
	for _, arg := range args {
		for _, version := range []string{"balanced", "unbalanced"} {
			arg := arg + "&version=" + version
			if arg[0] == '&' {
				arg = "?" + arg[1:]
			}
			t.Run(arg, func(t *testing.T) { meshtest.Watertight(t, generate(t, "scene:perforator"+arg)) })
		}
	}
}

// TestPerforatorSizes checks that the number of triangles is near the requested number.
func TestPerforatorSizes(t *testing.T) {
	sizes := []int{perforator.MinTriangles, perforator.DefaultTriangles}
	if *long {
		sizes = append(sizes, 30_000, 100_000, 1_000_000)
	}
	for _, n := range sizes {
		arg := "scene:perforator"
		if n != perforator.DefaultTriangles {
			arg += fmt.Sprintf("?triangles=%d", n)
		}
		got := scene(t, arg).Len()
		if math.Abs(float64(got)/float64(n)-1) > 0.2 {
			t.Errorf("asked for %d, got %d triangles", n, got)
		}
	}
}

// TestPerforatorAtOnce reads the blocks of one scene from several goroutines, which all have to wait until the
// triangles are computed.
func TestPerforatorAtOnce(t *testing.T) {
	const arg = "scene:perforator?seed=3&triangles=5000&version=unbalanced"
	want, s := generate(t, arg), freshScene(t, arg)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			var b, w scenes.Block
			for i := range scenes.NumBlocks(s) {
				if s.ReadBlock(i, &b) != nil || want.ReadBlock(i, &w) != nil || meshtest.Sum(&scenes.Mesh{Block: b}) != meshtest.Sum(&scenes.Mesh{Block: w}) {
					t.Errorf("block %d differs", i)
				}
			}
		})
	}
	wg.Wait()
}

func BenchmarkPerforator(b *testing.B) {
	for _, version := range []string{"balanced", "unbalanced"} {
		b.Run("version="+version, func(b *testing.B) {
			n := 0
			for b.Loop() {
				m := load(b, freshScene(b, "scene:perforator?version="+version))
				n = m.Len()
			}
			b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mtri/s")
			if n < perforator.DefaultTriangles/2 || n > perforator.DefaultTriangles*11/10 {
				b.Fatalf("%d triangles", n)
			}
		})
	}
}
