package solid

import (
	"math"

	"lockstep/scenes/internal/octahedron"
)

// A Beam describes a closed solid between two regular polygons, one at each end. Faces holds the three corners of each
// triangle, as indices into the corners that Corners writes. The corners at the first end come before those at the
// second end. Faces are counter-clockwise as seen from outside.
type Beam struct {
	Faces    [][3]int32
	cos, sin []float64
}

// NewBeam returns a beam with the given number of sides, which must be at least three.
func NewBeam(sides int) *Beam {
	b := new(Beam)
	n := int32(sides)
	for i := range n {
		// The last bits of sines differ between processors. Rounding to float32 removes the difference.
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / float64(n))
		b.sin, b.cos = append(b.sin, sin), append(b.cos, cos)
		next := (i + 1) % n
		b.Faces = append(b.Faces, [3]int32{i, next, n + next}, [3]int32{i, n + next, n + i})
		if i > 0 && i < n-1 {
			b.Faces = append(b.Faces, [3]int32{0, i + 1, i}, [3]int32{n, n + i, n + i + 1})
		}
	}
	return b
}

// Corners writes the corners of the beam between two points. radius is the radius at each end. If the points coincide
// or are not finite, all corners are `from`.
func (b *Beam) Corners(from, to [3]float64, radius [2]float64, corners [][3]float64) {
	u, v, ok := Across(from, to)
	n := len(b.cos)
	for i := range corners[:2*n] {
		p, r := from, radius[0]
		if i >= n && ok {
			p, r = to, radius[1]
		}
		for d := range p {
			p[d] += r * (float64(b.cos[i%n]*u[d]) + float64(b.sin[i%n]*v[d]))
		}
		corners[i] = p
	}
}

// Sphere returns the corners and faces of a sphere of radius 1. It starts with an octahedron. Then it divides every
// face into four faces, and repeats this step `times` times in total.
func Sphere(times int) (points [][3]float64, faces [][3]int32) {
	for k := range 6 {
		points = append(points, octahedron.Corner([3]float64{}, 1, k))
	}
	faces = octahedron.Faces[:]
	for range times {
		var fine [][3]int32
		middles := map[[2]int32]int32{}
		middle := func(a, b int32) int32 {
			key := [2]int32{min(a, b), max(a, b)}
			if _, ok := middles[key]; !ok {
				p, q := points[key[0]], points[key[1]]
				m := [3]float64{p[0] + q[0], p[1] + q[1], p[2] + q[2]}
				length := norm(m)
				for d := range m {
					m[d] /= length
				}
				middles[key] = int32(len(points))
				points = append(points, m)
			}
			return middles[key]
		}
		for _, f := range faces {
			a, b, c := middle(f[0], f[1]), middle(f[1], f[2]), middle(f[2], f[0])
			fine = append(fine, [3]int32{f[0], a, c}, [3]int32{f[1], b, a}, [3]int32{f[2], c, b}, [3]int32{a, b, c})
		}
		faces = fine
	}
	return points, faces
}
