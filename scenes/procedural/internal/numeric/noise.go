package numeric

import "math"

// Hash returns 64 well-mixed bits for the lattice point (i, j, k). Its last steps are those of SplitMix64 (Steele, Lea,
// Flood, OOPSLA 2014).
func Hash(seed uint64, i, j, k int) uint64 {
	h := seed*0x9E3779B97F4A7C15 + uint64(i)*0xD1B54A32D192ED03 +
		uint64(j)*0xABC98388FB8FAC03 + uint64(k)*0x8CB92BA72F3D8DD7
	h = (h ^ h>>30) * 0xBF58476D1CE4E5B9
	h = (h ^ h>>27) * 0x94D049BB133111EB
	return h ^ h>>31
}

// Unit maps the upper 53 bits of h to [0, 1).
func Unit(h uint64) float64 { return float64(h>>11) * 0x1p-53 }

// SignedUnit maps the upper 53 bits of h to [-1, 1).
func SignedUnit(h uint64) float64 { return float64(int64(h)>>11) * 0x1p-52 }

// NoiseSlope is the greatest slope of Noise. It occurs at the middle of a cell, where Fade is steepest, in the
// direction of an axis. The gradients of all eight corners must point in this direction.
const NoiseSlope = 3.75

// Noise returns smooth noise at p, from -1 to 1, which is zero at lattice points. It is gradient noise with a quintic
// fade (Perlin, "Improving Noise", SIGGRAPH 2002). A hash chooses the gradients, in place of a permutation table.
func Noise(seed uint64, p [3]float64) float64 {
	var cell [3]int
	var f, s [3]float64 // position in the cell, before and after Fade
	for c := range p {
		floor := math.Floor(p[c])
		cell[c] = int(floor)
		f[c] = p[c] - floor
		s[c] = Fade(f[c])
	}
	var x [2][2]float64
	for k := range 2 {
		for j := range 2 {
			a := gradient(seed, [3]int{cell[0], cell[1] + j, cell[2] + k}, f[0], f[1]-float64(j), f[2]-float64(k))
			b := gradient(seed, [3]int{cell[0] + 1, cell[1] + j, cell[2] + k}, f[0]-1, f[1]-float64(j), f[2]-float64(k))
			x[k][j] = Mix(s[0], a, b)
		}
	}
	return Mix(s[2], Mix(s[1], x[0][0], x[0][1]), Mix(s[1], x[1][0], x[1][1]))
}

// Fade returns 6t^5 - 15t^4 + 10t^3, which rises smoothly from 0 to 1.
func Fade(t float64) float64 {
	cube := float64(float64(t*t) * t)
	inner := float64(t*6) - 15
	return float64(cube * (float64(t*inner) + 10))
}

// Mix interpolates linearly: it returns a at t = 0 and b at t = 1.
func Mix(t, a, b float64) float64 { return a + float64(t*(b-a)) }

// gradient returns the dot product of (x, y, z) with the gradient at lattice point `at`. The gradient is one of the
// twelve directions to the middles of the edges of a cube, chosen by a hash of the point.
func gradient(seed uint64, at [3]int, x, y, z float64) float64 {
	h := Hash(seed, at[0], at[1], at[2])
	var u, v float64
	switch (h >> 8) % 3 {
	case 0:
		u, v = x, y
	case 1:
		u, v = y, z
	default:
		u, v = z, x
	}
	if h&1 != 0 {
		u = -u
	}
	if h&2 != 0 {
		v = -v
	}
	return u + v
}
