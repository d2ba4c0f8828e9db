package distance

import (
	"math"
	"math/rand/v2"
	"testing"

	"lockstep/scenes/internal/vector"
)

// TestPointsOfFace measures the distance of points of a triangle from this triangle. The distance must be at most a few
// hundred rounding errors of coordinates, whatever the angles of the triangle are.
func TestPointsOfFace(t *testing.T) {
	const bound = 1e-13
	r := rand.New(rand.NewPCG(31, 7))
	for range 200000 {
		c := triangleOfSine(r, math.Pow(10, -8*r.Float64()))
		x, y := r.Float64(), r.Float64()
		if r.IntN(2) == 0 {
			y = math.Pow(10, -16*y) // close to an edge
		}
		if x+y > 1 {
			x, y = 1-x, 1-y
		}
		ab, ac := vector.Sub(c[1], c[0]), vector.Sub(c[2], c[0])
		if n := vector.Cross(ab, ac); vector.Dot(n, n) == 0 {
			continue
		}
		p := vector.Add(c[0], vector.Add(vector.Scale(x, ab), vector.Scale(y, ac)))
		s := Surface{points: c[:], corners: [][3]uint32{{0, 1, 2}}, needles: []bool{isNeedle(c[0], c[1], c[2])}}
		h := hit{square: math.Inf(1)}
		s.tryTriangle(p, 0, &h)
		if !(h.square <= bound*bound) {
			t.Fatalf("%v of %v: %v away", p, c, math.Sqrt(h.square))
		}
	}
}

// triangleOfSine returns a random triangle with coordinates from -2 to 2. The parameter sine is about the sine of its
// smallest angle.
func triangleOfSine(r *rand.Rand, sine float64) (c [3][3]float64) {
	along := r.Float64()
	for axis := range 3 {
		c[0][axis] = float64(float32(2*r.Float64() - 1))
		c[1][axis] = float64(float32(2*r.Float64() - 1))
		c[2][axis] = float64(float32(c[0][axis] + along*(c[1][axis]-c[0][axis]) + sine*(2*r.Float64()-1)))
	}
	return c
}
