package numeric

import (
	"math"
	"math/rand/v2"
)

// Rand is a seeded random generator.
type Rand struct{ rand.PCG }

// Unit returns a random number in [0, 1).
func (r *Rand) Unit() float64 { return Unit(r.Uint64()) }

// Between returns a random number in [lo, hi).
func (r *Rand) Between(lo, hi float64) float64 { return Mix(r.Unit(), lo, hi) }

// Direction returns a random unit vector, uniformly distributed.
func (r *Rand) Direction() [3]float64 {
	z := r.Between(-1, 1)
	c, s := Circle(r.Unit())
	w := math.Sqrt(1 - float64(z*z))
	return [3]float64{float64(w * c), float64(w * s), z}
}
