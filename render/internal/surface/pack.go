package surface

import (
	"math"

	"lockstep/render/internal/kernel/light"
)

// A unit vector is packed into 32 bits as its place on an octahedron that is
// unfolded to a square, 16 bits each way: the direction is kept to 0.003 degrees.
// The word 0 is no direction; directions are never packed as it.
const (
	packBits = 16
	packHalf = light.PackHalf
)

// pack packs a vector of any length above 0, and 0 for others.
func pack(v vec) uint32 {
	sum := float32(float32(abs(v.x)+abs(v.y)) + abs(v.z))
	if !(sum > 0) {
		return 0
	}
	x, y := float32(v.x/sum), float32(v.y/sum)
	if v.z < 0 {
		x, y = fold(x, y)
	}
	return quantize(x) | quantize(y)<<packBits
}

// quantize maps -1..1 to 1..65535.
func quantize(x float32) uint32 {
	return uint32(int32(float32(float32(x*packHalf)+packHalf)+1.5)) & 0xffff
}

// unpack returns the direction, in length 1 or close to it; the zero vector for 0.
func unpack(p uint32) vec {
	if p == 0 {
		return vec{}
	}
	x := float32(float32(int32(p&0xffff)-1-packHalf) * (1.0 / packHalf))
	y := float32(float32(int32(p>>packBits)-1-packHalf) * (1.0 / packHalf))
	z := float32(1 - abs(x) - abs(y))
	if z < 0 {
		x, y = fold(x, y)
	}
	return vec{x, y, z}.unit()
}

// fold maps the corners of the square, where z is negative, and its middle.
func fold(x, y float32) (fx, fy float32) {
	fx, fy = 1-abs(y), 1-abs(x)
	if x < 0 {
		fx = -fx
	}
	if y < 0 {
		fy = -fy
	}
	return fx, fy
}

func abs(x float32) float32 {
	return math.Float32frombits(math.Float32bits(x) &^ (1 << 31))
}
