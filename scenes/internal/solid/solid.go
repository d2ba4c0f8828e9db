// Package solid makes solids that draw lines (rods and beams), and finds the size of points. So light, fields, cuts and
// everything else that needs a surface also work for points and lines.
package solid

import "math"

// Rod holds the faces of a prism with three sides. Corners 0 to 2 are at one end, and corners 3 to 5 at the other end.
var Rod = [8][3]int32{{0, 2, 1}, {3, 4, 5}, {0, 1, 4}, {0, 4, 3}, {1, 2, 5}, {1, 5, 4}, {2, 0, 3}, {2, 3, 5}}

// Around the axis, the corners of a rod are at 90, 210 and 330 degrees.
var (
	rodCos = [3]float64{0, -0.8660254037844386, 0.8660254037844386}
	rodSin = [3]float64{1, -0.5, -0.5}
)

// RodCorners returns the corners of the rod between two points. ok is false if the points coincide or are not finite.
func RodCorners(a, b [3]float64, radius float64) (corners [6][3]float64, ok bool) {
	u, v, ok := Across(a, b)
	if !ok {
		return corners, false
	}
	for i := range corners {
		sin, cos := rodSin[i%3], rodCos[i%3]
		p := a
		if i >= 3 {
			p = b
		}
		for d := range p {
			p[d] += radius * (float64(cos*u[d]) + float64(sin*v[d]))
		}
		corners[i] = p
	}
	return corners, true
}

// Across returns two unit vectors that are perpendicular to the line from a to b and to each other. Seen from b, v is u
// turned counter-clockwise by a quarter. ok is false if the points coincide or are not finite.
func Across(a, b [3]float64) (u, v [3]float64, ok bool) {
	var along [3]float64
	for d := range along {
		along[d] = b[d] - a[d]
	}
	length := norm(along)
	if !Finite(a) || !Finite(b) || !(length > 0) || math.IsInf(length, 1) {
		return u, v, false
	}
	least := 0
	for d := range along {
		along[d] /= length
		if math.Abs(along[d]) < math.Abs(along[least]) {
			least = d
		}
	}
	var axis [3]float64
	axis[least] = 1
	u = cross(along, axis)
	l := norm(u)
	for d := range u {
		u[d] /= l
	}
	return u, cross(along, u), true
}

// Finite reports whether all coordinates of a point are finite.
func Finite(p [3]float64) bool { return p[0]-p[0] == 0 && p[1]-p[1] == 0 && p[2]-p[2] == 0 }

func norm(v [3]float64) float64 { return math.Hypot(math.Hypot(v[0], v[1]), v[2]) }

func cross(a, b [3]float64) [3]float64 {
	return [3]float64{
		float64(a[1]*b[2]) - float64(a[2]*b[1]), float64(a[2]*b[0]) - float64(a[0]*b[2]), float64(a[0]*b[1]) - float64(a[1]*b[0]),
	}
}
