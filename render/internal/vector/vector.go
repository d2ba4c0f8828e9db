// Package vector has arithmetic for cameras that gives the same bits on every processor.
package vector

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"
)

// Dot returns the scalar product. Dot and Scaled round every product before it is added. Mathgl does not round
// products, so the compiler may fuse multiplication and addition on some processors. Pictures would then depend on the
// processor.
func Dot(a, b mgl64.Vec3) float64 {
	return float64(a[0]*b[0]) + float64(a[1]*b[1]) + float64(a[2]*b[2])
}

// Scaled returns v times the number `by`. For its rounding, see Dot.
func Scaled(v mgl64.Vec3, by float64) mgl64.Vec3 {
	return mgl64.Vec3{float64(v[0] * by), float64(v[1] * by), float64(v[2] * by)}
}

// Finite reports whether all numbers are finite.
func Finite(numbers ...float64) bool {
	for _, x := range numbers {
		if x-x != 0 {
			return false
		}
	}
	return true
}

// SinCosDegrees returns the sine and the cosine of an angle in degrees. They are exact at multiples of 90 degrees, so
// plain side views have no rounding errors.
func SinCosDegrees(a float64) (sin, cos float64) {
	a = math.Mod(a, 360)
	switch a {
	case 0:
		return 0, 1
	case 90, -270:
		return 1, 0
	case 180, -180:
		return 0, -1
	case 270, -90:
		return -1, 0
	}
	return math.Sincos(a * (math.Pi / 180))
}
