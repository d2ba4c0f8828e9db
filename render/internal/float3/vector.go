// Package float3 has vectors of three float32. Every operation is rounded, so that the result has the same bits on
// every processor.
package float3

import "math"

// A Vector is a vector or a colour. The type is a struct because the compiler keeps structs in registers, but arrays
// in memory.
type Vector struct{ X, Y, Z float32 }

// Of returns an array as a vector.
func Of(a [3]float32) Vector { return Vector{a[0], a[1], a[2]} }

// Array returns the vector as an array.
func (a Vector) Array() [3]float32 { return [3]float32{a.X, a.Y, a.Z} }

// Add returns the sum.
func (a Vector) Add(b Vector) Vector { return Vector{a.X + b.X, a.Y + b.Y, a.Z + b.Z} }

// Sub returns the difference.
func (a Vector) Sub(b Vector) Vector { return Vector{a.X - b.X, a.Y - b.Y, a.Z - b.Z} }

// Scale returns the vector times a number.
func (a Vector) Scale(s float32) Vector {
	return Vector{float32(a.X * s), float32(a.Y * s), float32(a.Z * s)}
}

// Times returns the product, component by component.
func (a Vector) Times(b Vector) Vector {
	return Vector{float32(a.X * b.X), float32(a.Y * b.Y), float32(a.Z * b.Z)}
}

// Dot returns the scalar product.
func (a Vector) Dot(b Vector) float32 {
	return float32(float32(a.X*b.X)+float32(a.Y*b.Y)) + float32(a.Z*b.Z)
}

// Cross returns the vector product.
func (a Vector) Cross(b Vector) Vector {
	return Vector{
		float32(a.Y*b.Z) - float32(a.Z*b.Y),
		float32(a.Z*b.X) - float32(a.X*b.Z),
		float32(a.X*b.Y) - float32(a.Y*b.X),
	}
}

// New returns the vector (x, y, z).
func New(x, y, z float32) Vector { return Vector{x, y, z} }

// Clamp returns a with each component limited to the range 0..most; NaN becomes 0.
func (a Vector) Clamp(most float32) Vector {
	return Vector{min(NonNegative(a.X), most), min(NonNegative(a.Y), most), min(NonNegative(a.Z), most)}
}

// AtMost returns a with each component limited to at most `most`.
func (a Vector) AtMost(most float32) Vector {
	return Vector{min(a.X, most), min(a.Y, most), min(a.Z, most)}
}

// Length returns the Euclidean length.
func (a Vector) Length() float32 { return Sqrt(a.Dot(a)) }

// Unit returns a vector of length 1 in the direction of a, or the zero vector if the length of a is 0 or NaN.
func (a Vector) Unit() Vector {
	l := a.Length()
	if !(l > 0) {
		return Vector{}
	}
	return a.Scale(1 / l)
}

// Sqrt returns the square root, rounded once.
func Sqrt(x float32) float32 { return float32(math.Sqrt(float64(x))) }

// Abs returns x without its sign.
func Abs(x float32) float32 {
	return math.Float32frombits(math.Float32bits(x) &^ (1 << 31))
}

// NonNegative returns x if it is above 0, otherwise 0; NaN becomes 0.
func NonNegative(x float32) float32 {
	if x > 0 {
		return x
	}
	return 0
}
