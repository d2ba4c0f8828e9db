// Package turn computes rotations. Quarter turns, the most frequent rotations, are exact. So flat shapes stay flat.
package turn

import (
	"math"

	"lockstep/scenes"
	"lockstep/scenes/internal/vector"
)

// Sincos is like math.Sincos, but the angle is in degrees and the results for multiples of 90 degrees are exact.
func Sincos(degrees float64) (sin, cos float64) {
	switch math.Mod(degrees, 360) {
	case 0:
		return 0, 1
	case 90, -270:
		return 1, 0
	case 180, -180:
		return 0, -1
	case 270, -90:
		return -1, 0
	}
	return math.Sincos(degrees / 180 * math.Pi)
}

// About returns the rotation about an axis by an angle. sin and cos are the sine and cosine of the angle. The
// rotation is counter-clockwise as seen from the end of the axis. The length of the axis does not matter. If the axis
// has no direction, the result is the identity.
func About(axis [3]float64, sin, cos float64) scenes.Affine {
	a := scenes.Identity()
	length := math.Sqrt(vector.Dot(axis, axis))
	if !(length > 0) || math.IsInf(length, 0) || sin != sin || cos != cos {
		return a
	}
	u := vector.Scale(1/length, axis)
	for r := range 3 {
		for c := range 3 {
			v := float64(float64(u[r]*u[c]) * (1 - cos))
			switch {
			case r == c:
				v += cos
			case (r+1)%3 == c:
				v -= float64(u[(r+2)%3] * sin)
			default:
				v += float64(u[3-r-c] * sin)
			}
			a[r][c] = v
		}
	}
	return a
}

// Axis returns the rotation about x, y or z (axis 0, 1 or 2) by an angle in degrees.
func Axis(axis int, degrees float64) scenes.Affine {
	var of [3]float64
	of[axis] = 1
	sin, cos := Sincos(degrees)
	return About(of, sin, cos)
}
