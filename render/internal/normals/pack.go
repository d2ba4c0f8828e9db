package normals

import (
	"lockstep/render/internal/float3"
	"lockstep/render/internal/kernel/light"
)

// A unit vector is packed into 32 bits. The vector is projected onto an octahedron, and the octahedron is unfolded to a
// square. Each coordinate on the square has 16 bits. The direction is accurate to 0.003 degrees. The word 0 stands for
// no direction.
const (
	packBits = 16
	packHalf = light.PackHalf
)

// Pack packs the direction of a vector. It returns 0 if the vector's length is 0 or NaN.
func Pack(v float3.Vector) uint32 {
	sum := float32(float32(float3.Abs(v.X)+float3.Abs(v.Y)) + float3.Abs(v.Z))
	if !(sum > 0) {
		return 0
	}
	x, y := float32(v.X/sum), float32(v.Y/sum)
	if v.Z < 0 {
		x, y = fold(x, y)
	}
	return quantize(x) | quantize(y)<<packBits
}

// quantize maps numbers from -1 to 1 to integers from 1 to 65535.
func quantize(x float32) uint32 {
	return uint32(int32(float32(float32(x*packHalf)+packHalf)+1.5)) & 0xffff
}

// Unpack returns the direction packed in p as a vector of about length 1, or the zero vector for 0.
func Unpack(p uint32) float3.Vector {
	if p == 0 {
		return float3.Vector{}
	}
	x := float32(float32(int32(p&0xffff)-1-packHalf) * (1.0 / packHalf))
	y := float32(float32(int32(p>>packBits)-1-packHalf) * (1.0 / packHalf))
	z := float32(1 - float3.Abs(x) - float3.Abs(y))
	if z < 0 {
		x, y = fold(x, y)
	}
	return float3.New(x, y, z).Unit()
}

// fold maps between the two halves of the square: the middle, where z is positive, and the corners, where z is
// negative. It mirrors a point of one half into the other.
func fold(x, y float32) (fx, fy float32) {
	fx, fy = 1-float3.Abs(y), 1-float3.Abs(x)
	if x < 0 {
		fx = -fx
	}
	if y < 0 {
		fy = -fy
	}
	return fx, fy
}
