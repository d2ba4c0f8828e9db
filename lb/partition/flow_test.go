package partition

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// swarm returns n points around a centre, with velocities that depend on their positions.
func swarm(n, dim int, centre [3]float64, spread float64, velocity func(x [3]float64) [3]float64) Points {
	r := rand.New(rand.NewPCG(5, uint64(n+dim)))
	p := Points{At: make([][]float64, dim), Velocity: make([][]float64, dim)}
	for range n {
		var x [3]float64
		for d := range dim {
			x[d] = centre[d] + spread*(2*r.Float64()-1)
		}
		v := velocity(x)
		for d := range dim {
			p.At[d], p.Velocity[d] = append(p.At[d], x[d]), append(p.Velocity[d], v[d])
		}
	}
	return p
}

func join(a, b Points) Points {
	for d := range a.At {
		a.At[d], a.Velocity[d] = append(a.At[d], b.At[d]...), append(a.Velocity[d], b.Velocity[d]...)
	}
	return a
}

// closeTo reports whether two positions agree to nine digits.
func closeTo(a, b [3]float64) bool {
	for d := range a {
		if math.Abs(a[d]-b[d]) > 1e-9*(1+math.Abs(b[d])) {
			return false
		}
	}
	return true
}

// TestSpokesKnownAnswer checks points that all move along lines through a hub, at any speed and in either direction.
// The hub must be found exactly, even if the points do not surround it.
func TestSpokesKnownAnswer(t *testing.T) {
	for dim := 2; dim <= 3; dim++ {
		hub := [3]float64{2, -3, 1}
		if dim == 2 {
			hub[2] = 0
		}
		r := rand.New(rand.NewPCG(9, uint64(dim)))
		p := swarm(400, dim, [3]float64{9, 1, 2}, 2, func(x [3]float64) (v [3]float64) {
			f := r.NormFloat64()
			for d := range dim {
				v[d] = f * (x[d] - hub[d])
			}
			return v
		})
		got, err := Spokes(p, 2, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if c := got.cuts[0]; c.shape != fan || !closeTo(c.origin, hub) {
			t.Errorf("%d dimensions: shape %d about %v, want a fan about %v", dim, c.shape, c.origin, hub)
		}
	}
}

// TestTurningKnownAnswer checks that the centre of rotation is found for a disk around it, and for a distant set that
// spans a small angle. In space the axis must be found, too.
func TestTurningKnownAnswer(t *testing.T) {
	centre := [3]float64{-1, 2, 0.5}
	for _, c := range []struct {
		name   string
		dim    int
		about  [3]float64 // centre of the points
		spread float64
	}{{"disk", 2, [3]float64{-1, 2}, 1}, {"far", 2, [3]float64{29, 2}, 0.8}, {"ball", 3, centre, 1}, {"far ball", 3, [3]float64{9, 2, 4}, 1}} {
		axis, _ := unit([3]float64{1, 2, 3})
		if c.dim == 2 {
			axis = [3]float64{0, 0, 1}
		}
		p := swarm(500, c.dim, c.about, c.spread, func(x [3]float64) [3]float64 {
			return cross(axis, [3]float64{x[0] - centre[0], x[1] - centre[1], x[2] - centre[2]})
		})
		b := &bisection{dim: c.dim}
		b.copies[0].alloc(p.Len(), c.dim, true, false)
		b.load(p, sequential)
		m := b.moments(&node{hi: p.Len()}, nil, needPlaces|needSpeeds|needCentres, &worker{loop: sequential})
		found, ok := ringCut(&m, c.dim)
		off := [3]float64{found.origin[0] - centre[0], found.origin[1] - centre[1], found.origin[2] - centre[2]}
		if _, lever := unit(cross(axis, off)); !ok || found.shape != ring || lever > 1e-6 {
			t.Errorf("%s: %v from the axis", c.name, lever)
		}
		if c.dim == 3 && math.Abs(dot(found.normal, axis)) < 1-1e-9 {
			t.Errorf("%s: axis %v, want %v", c.name, found.normal, axis)
		}
	}
}

// TestFlowChoosesForSets checks that Flow chooses different cuts for a rotating set and a set that flies straight. If
// all points fly alike, the cuts must move with the points.
func TestFlowChoosesForSets(t *testing.T) {
	left := swarm(3000, 2, [3]float64{-5, 0}, 1, func(x [3]float64) [3]float64 { return [3]float64{-x[1], x[0] + 5, 0} })
	right := swarm(3000, 2, [3]float64{5, 0}, 1, func(x [3]float64) [3]float64 { return [3]float64{0, x[0] - 5, 0} })
	got, err := Flow(join(left, right), 64, Options{Horizon: 0.1, Fixed: true})
	if err != nil {
		t.Fatal(err)
	}
	// Either set may be on the left side of the first cut.
	sides := []shape{got.cuts[1].shape, got.cuts[32].shape}
	slices.Sort(sides)
	if sides[0] > plane || sides[1] != ring {
		t.Errorf("the cuts of the sides have shapes %v, want a line and a ring", sides)
	}
	together := swarm(4000, 2, [3]float64{}, 1, func([3]float64) [3]float64 { return [3]float64{3, -1, 0} })
	got, err = Flow(together, 16, Options{Horizon: 1})
	if err != nil || !got.Moves() {
		t.Fatal("no cut moves", err)
	}
	for i := range together.At[0] {
		together.At[0][i] += 1.5
		together.At[1][i] -= 0.5
	}
	load := got.Loads(together.At, nil, 0.5, Options{})
	now := make([]int32, together.Len())
	got.LocateAll(now, together.At, 0.5, Options{})
	want := make([]float64, 16)
	for _, own := range now {
		want[own]++
	}
	if m := Moved(got.Owner, now, nil, 16); m.Points > 20 || !slices.Equal(load, want) {
		t.Errorf("%d points leave cuts that go with them; loads %v, want %v", m.Points, load, want)
	}
}

// TestScoreKnownAnswer checks that the score counts both the points that cross a cut and the imbalance afterwards. If
// one of four points crosses, three points are left against one. If two points change places, both parts still have two
// points.
func TestScoreKnownAnswer(t *testing.T) {
	score := func(later ...float64) float64 {
		b := &bisection{dim: 2, opts: Options{Horizon: 1}, key: make([]float64, 4), laterKey: make([]float64, 4)}
		b.copies[0].alloc(4, 2, true, false)
		for i, x := range []float64{-2, -1, 1, 2} {
			b.copies[0].at[0][i], b.copies[0].velocity[0][i] = x, later[i]-x
		}
		n, c := &node{hi: 4, parts: 2}, axis(0)
		fixed, moving := b.score(n, &c, nil, 4, &selector{})
		if moving > fixed && later[0] == later[1]-1 {
			t.Errorf("a cut that moves scores %v, one that stands still %v", moving, fixed)
		}
		return fixed
	}
	if got := score(-2, -1, 1, 2); got != 0 {
		t.Errorf("at rest %v", got)
	}
	if got := score(-2, 3, 1, 2); got != 0.5 {
		t.Errorf("one passes: %v, want a quarter passed and a quarter out of balance", got)
	}
	if got := score(-2, 3, -1, 2); got != 0.5 {
		t.Errorf("two change places: %v, want half passed", got)
	}
	if got := score(8, 9, 11, 12); got != 1 {
		t.Errorf("all go along: %v, want half passed and half out of balance", got)
	}
}

// TestInvertKnownAnswer checks that the inverse of a nearly singular matrix is found. A singular matrix has no
// inverse.
func TestInvertKnownAnswer(t *testing.T) {
	m := [3][3]float64{{2, 0, 0}, {0, 1e-6, 0}, {0, 0, 4}}
	if got, ok := invert(m, 3); !ok || got[0][0] != 0.5 || math.Abs(got[1][1]/1e6-1) > 1e-12 || got[2][2] != 0.25 {
		t.Errorf("%v, %v", got, ok)
	}
	m[1][1] = 0
	if _, ok := invert(m, 3); ok {
		t.Error("a singular matrix has an inverse")
	}
	if _, ok := invert([3][3]float64{{1, 2, 0}, {2, 4, 0}}, 2); ok {
		t.Error("a singular matrix of two dimensions has an inverse")
	}
}

// TestAngleKnownAnswer checks that the function `angle` grows all the way round, from -2 to 2.
func TestAngleKnownAnswer(t *testing.T) {
	for _, c := range [][3]float64{{-1, -1e-9, -2}, {-1, -1, -1.5}, {0, -1, -1}, {1, -1, -0.5}, {1, 0, 0}, {1, 1, 0.5}, {0, 1, 1}, {-1, 1, 1.5}, {-1, 0, 2}, {0, 0, 0}} {
		if got := angle(c[0], c[1]); math.Abs(got-c[2]) > 1e-8 {
			t.Errorf("angle of (%v, %v) is %v, want %v", c[0], c[1], got, c[2])
		}
	}
}

// TestMidwayKnownAnswer checks that the offset of a cut lies between the neighbouring keys. If no floating-point number
// lies between the keys, the offset equals the lower key.
func TestMidwayKnownAnswer(t *testing.T) {
	for _, lower := range []float64{1, math.Nextafter(1, 2)} {
		upper := math.Nextafter(lower, 2)
		if got := midway(lower, upper); got != lower {
			t.Errorf("between %v and the next number: %v", lower, got)
		}
	}
	if got := midway(-math.MaxFloat64, math.MaxFloat64); got != -math.MaxFloat64 && got != 0 {
		t.Errorf("between the extremes: %v", got)
	}
}

// TestHilbertBox checks that the box of the Hilbert curve is the bounding box with a margin of 1.6e-7 of each side,
// as in Zoltan.
func TestHilbertBox(t *testing.T) {
	h := newHilbert(Points{At: [][]float64{{0, 4}, {10, 11}}}, Options{})
	for d, want := range [][2]float64{{-4 * 1.6e-7, 0.5}, {10 - 1.6e-7, 2}} {
		if math.Abs(h.from[d]-want[0]) > 1e-12 || math.Abs(h.scale[d]*(1+3.2e-7)/want[1]-1) > 1e-12 {
			t.Errorf("side %d from %v, scale %v", d, h.from[d], h.scale[d])
		}
	}
}
