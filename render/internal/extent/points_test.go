package extent

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"lockstep/scenes"
)

// randomPoints returns points in a box around the origin. If odd is true, some are not finite.
func randomPoints(n int, odd bool) *scenes.Points {
	r := rand.New(rand.NewPCG(9, uint64(n)))
	p := &scenes.Points{X: make([]float32, n), Y: make([]float32, n), Z: make([]float32, n), Size: 0.01}
	none := [...]float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1))}
	for axis, column := range [3][]float32{p.X, p.Y, p.Z} {
		for i := range column {
			column[i] = float32(axis+1) * (2*r.Float32() - 1)
			if odd && r.IntN(300) == 0 {
				column[i] = none[r.IntN(3)]
			}
		}
	}
	return p
}

// The function each calls f with the position of every finite point.
func each(p *scenes.Points, f func(at mgl64.Vec3)) {
	for i := range p.X {
		if sum := p.X[i] + p.Y[i] + p.Z[i]; sum-sum == 0 {
			f(mgl64.Vec3{float64(p.X[i]), float64(p.Y[i]), float64(p.Z[i])})
		}
	}
}

// forPointCounts calls test with clouds of several sizes: a few points, full groups or blocks, one point more than full
// groups or blocks, and more than one run.
func forPointCounts(t *testing.T, test func(t *testing.T, p *scenes.Points)) {
	for _, n := range []int{0, 1, 2, 3, 4, 191, 192, 193, 194, 195, 3 * scenes.BlockSize, 3*scenes.BlockSize + 1, pointRun + 500} {
		for _, odd := range []bool{false, true} {
			t.Run(fmt.Sprintf("points=%d/odd=%v", n, odd), func(t *testing.T) { test(t, randomPoints(n, odd)) })
		}
	}
}

// TestFarthestPoints compares the farthest points with a search over all points, for several numbers of workers.
func TestFarthestPoints(t *testing.T) {
	from := mgl64.Vec3{0.1, -0.2, 0.3}
	along := []mgl64.Vec3{{1}, {0, -1, 0}, {0, 0, 1}, {0.3, -0.5, 0.7}, {-0.3, -0.5, -1}}
	forPointCounts(t, func(t *testing.T, p *scenes.Points) {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
		var want []mgl64.Vec3
		for _, d := range along {
			at, most := from, math.Inf(-1)
			each(p, func(q mgl64.Vec3) {
				if v := reach(q[0], q[1], q[2], from, d); v > most {
					at, most = q, v
				}
			})
			want = append(want, at)
		}
		for _, workers := range []int{1, 3} {
			runtime.GOMAXPROCS(workers)
			got, err := NewFinder(p).Farthest(t.Context(), from, along)
			if err != nil || !slices.Equal(got, want) {
				t.Errorf("%d workers: %v, want %v; %v", workers, got, want, err)
			}
		}
	})
}

// TestDistancesOfPoints compares distances with a search over all points.
func TestDistancesOfPoints(t *testing.T) {
	from, axis := mgl64.Vec3{0.1, -0.2, 0.3}, mgl64.Vec3{0, 0, 1}
	forms := [][2]float64{{1, 0}, {0.5, 1}, {0.5, -1}}
	forPointCounts(t, func(t *testing.T, p *scenes.Points) {
		far, most := 0.0, []float64{math.Inf(-1), math.Inf(-1), math.Inf(-1)}
		each(p, func(q mgl64.Vec3) {
			q = q.Sub(from)
			far = max(far, q.Len())
			for i, f := range forms {
				most[i] = max(most[i], f[0]*math.Hypot(q[0], q[1])+f[1]*q[2])
			}
		})
		if got, err := FarthestDistance(t.Context(), p, from); err != nil || math.Abs(got-far) > 1e-9 {
			t.Errorf("farthest distance %v, want %v; %v", got, far, err)
		}
		got, err := MaxForms(t.Context(), p, from, axis, forms)
		for i := range forms {
			if err != nil || got[i] != most[i] && !(math.Abs(got[i]-most[i]) <= 1e-9) {
				t.Errorf("form %d: %v, want %v; %v", i, got[i], most[i], err)
			}
		}
	})
}

// TestSortPoints checks that sorted points are the points of the cloud, and that most groups are small.
func TestSortPoints(t *testing.T) {
	p := randomPoints(pointRun+100*groupPoints, false)
	s, err := sortPoints(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	// digest does not depend on the order of the points.
	digest := func(x, y, z []float32) (sum uint64) {
		for i := range x {
			h := uint64(math.Float32bits(x[i]))
			h = (h*0x9e3779b97f4a7c15 + uint64(math.Float32bits(y[i]))) * 0x9e3779b97f4a7c15
			sum += (h + uint64(math.Float32bits(z[i]))) * 0xd6e8feb86659fd93
		}
		return sum
	}
	if digest(s.x, s.y, s.z) != digest(p.X, p.Y, p.Z) {
		t.Error("sorting changed the points")
	}
	// On average, a group has a 2048th of the volume of a full run. Its points are in at most four consecutive cells, and
	// it may begin at the end of a row of cells.
	var widths [3]float64
	const groups = pointRun / groupPoints
	for g := range groups {
		for axis := range 3 {
			widths[axis] += float64(s.boxes[3+axis][g]-s.boxes[axis][g]) / float64(2*(axis+1)) / groups
		}
	}
	for axis, most := range [3]float64{0.08, 0.2, 0.3} {
		if widths[axis] > most {
			t.Errorf("groups span %.3f of the cloud along axis %d on average, want at most %.2f", widths[axis], axis, most)
		}
	}
}
