package solid

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestPointSize checks that points of the computed size touch their neighbours. The points are few or many points in
// rows and columns of a square, or many random points.
func TestPointSize(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for name, c := range map[string]struct {
		side   int
		random bool
		least  float64 // limits of the size, as fractions of the distance between rows
		most   float64
	}{
		"few in rows": {100, false, 0.89, 0.91}, "many in rows": {701, false, 0.8, 1.9}, "many at random": {701, true, 0.85, 1.15},
	} {
		at := make([][3]float64, c.side*c.side)
		for i := range at {
			at[i] = [3]float64{float64(i % c.side), float64(i / c.side), 0}
			if c.random {
				at[i] = [3]float64{float64(c.side) * r.Float64(), float64(c.side) * r.Float64(), 0}
			}
		}
		if size := PointSize(len(at), func(i int) [3]float64 { return at[i] }); !(size >= c.least && size <= c.most) {
			t.Errorf("%s: corners reach %.3f of the distance of rows", name, size)
		}
	}
	if size := PointSize(40000, func(int) [3]float64 { return [3]float64{1, 2, 3} }); size != 1 || math.IsNaN(size) {
		t.Errorf("points at one place have the size %g", size)
	}
}
