package scenes

// Products are rounded by explicit conversions before they are added, so that
// no compiler fuses the two and every machine gets the same bits.

func dot(a, b [3]float64) float64 {
	return float64(a[0]*b[0]) + float64(a[1]*b[1]) + float64(a[2]*b[2])
}

func cross(a, b [3]float64) [3]float64 {
	return [3]float64{
		float64(a[1]*b[2]) - float64(a[2]*b[1]),
		float64(a[2]*b[0]) - float64(a[0]*b[2]),
		float64(a[0]*b[1]) - float64(a[1]*b[0]),
	}
}

// scale returns s*a.
func scale(s float64, a [3]float64) [3]float64 {
	return [3]float64{float64(s * a[0]), float64(s * a[1]), float64(s * a[2])}
}

func add(a, b [3]float64) [3]float64 {
	return [3]float64{a[0] + b[0], a[1] + b[1], a[2] + b[2]}
}

// single rounds a point to what a Block holds.
func single(a [3]float64) [3]float32 {
	return [3]float32{float32(a[0]), float32(a[1]), float32(a[2])}
}
