package nbody

import "math"

// A random is the pseudorandom number generator splitmix64. The reference model (TestReferenceModel) uses it too, so
// the same seed gives the same particles. Source: Steele, Lea and Flood, "Fast splittable pseudorandom number
// generators", OOPSLA 2014.
type random struct{ state uint64 }

func (r *random) next() uint64 {
	r.state += 0x9e3779b97f4a7c15
	z := r.state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// float returns a number in [0, 1).
func (r *random) float() float64 { return float64(r.next()>>11) * 0x1p-53 }

// direction returns a random unit vector in space.
func (r *random) direction() [3]float64 {
	z := 2*r.float() - 1
	phi := 2 * math.Pi * r.float()
	rho := math.Sqrt(max(0, 1-z*z))
	return [3]float64{rho * math.Cos(phi), rho * math.Sin(phi), z}
}
