package partition

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestKeyRangeOfRing checks that the keys of points in a box lie within keyRange. In one case digits cancel in the
// difference of squares, because the points are near the axis of a ring but far from its origin.
func TestKeyRangeOfRing(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		normal, _ := unit([3]float64{r.NormFloat64(), r.NormFloat64(), r.NormFloat64()})
		c := cut{shape: ring, normal: normal, origin: [3]float64{r.Float64(), r.Float64(), r.Float64()}}
		along := math.Pow(10, 8*r.Float64())
		var lo, hi [3]float64
		for d := range lo {
			lo[d] = c.origin[d] + along*normal[d]
			hi[d] = lo[d] + math.Pow(10, -6*r.Float64())
		}
		least, most := c.keyRange(lo, hi)
		for range 20 {
			var at [3]float64
			for d := range at {
				at[d] = lo[d] + r.Float64()*(hi[d]-lo[d])
			}
			if k := c.key(at[0], at[1], at[2]); k < least || k > most {
				t.Fatalf("%v of %+v in the box from %v to %v: key %v, range %v to %v", at, c, lo, hi, k, least, most)
			}
		}
	}
}
