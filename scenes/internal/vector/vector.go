// Package vector computes with points in float64. It gives the same bits on every machine: products are rounded by
// explicit conversions before they are added, so that no compiler fuses multiplication and addition.
package vector

// Dot returns the inner product.
func Dot(a, b [3]float64) float64 {
	return float64(a[0]*b[0]) + float64(a[1]*b[1]) + float64(a[2]*b[2])
}

// Cross returns the cross product.
func Cross(a, b [3]float64) [3]float64 {
	return [3]float64{
		float64(a[1]*b[2]) - float64(a[2]*b[1]),
		float64(a[2]*b[0]) - float64(a[0]*b[2]),
		float64(a[0]*b[1]) - float64(a[1]*b[0]),
	}
}

// Scale returns s*a.
func Scale(s float64, a [3]float64) [3]float64 {
	return [3]float64{float64(s * a[0]), float64(s * a[1]), float64(s * a[2])}
}

// Add returns a + b.
func Add(a, b [3]float64) [3]float64 {
	return [3]float64{a[0] + b[0], a[1] + b[1], a[2] + b[2]}
}

// Sub returns a - b.
func Sub(a, b [3]float64) [3]float64 {
	return [3]float64{a[0] - b[0], a[1] - b[1], a[2] - b[2]}
}

// Single rounds a point to float32, the precision of meshes.
func Single(a [3]float64) [3]float32 {
	return [3]float32{float32(a[0]), float32(a[1]), float32(a[2])}
}

// Double is the inverse of Single for coordinates that float32 holds.
func Double(a [3]float32) [3]float64 {
	return [3]float64{float64(a[0]), float64(a[1]), float64(a[2])}
}

// Finite reports whether no coordinate is NaN or infinite.
func Finite(a [3]float64) bool { return a[0]-a[0] == 0 && a[1]-a[1] == 0 && a[2]-a[2] == 0 }
