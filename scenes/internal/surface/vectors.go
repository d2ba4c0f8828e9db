package surface

import "math"

// Unit scales a vector to length 1. A vector without a direction becomes zero. If the length is already 1 in single
// precision, the coordinates keep their bits.
func Unit(n [3]float64) [3]float32 {
	length := math.Sqrt(float64(n[0]*n[0]) + float64(n[1]*n[1]) + float64(n[2]*n[2]))
	if !(length > 0) || length-length != 0 {
		return [3]float32{}
	}
	if math.Abs(length-1) < 0x1p-20 {
		length = 1
	}
	return [3]float32{float32(n[0] / length), float32(n[1] / length), float32(n[2] / length)}
}

// TexCoord rounds texture coordinates to float32. Coordinates that are not finite become 0.
func TexCoord(uv [2]float64) (f [2]float32) {
	for c, v := range uv {
		if x := float32(v); x-x == 0 {
			f[c] = x
		}
	}
	return f
}
