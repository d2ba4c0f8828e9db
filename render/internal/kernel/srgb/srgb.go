// Package srgb encodes linear light as sRGB.
package srgb

import "math"

// Encode maps linear light in [0, 1] to sRGB in [0, 1].
func Encode(linear float64) float64 {
	if linear <= 0.0031308 {
		return 12.92 * linear
	}
	return float64(1.055*math.Pow(linear, 1/2.4)) - 0.055
}

// Decode is the inverse of Encode.
func Decode(s float64) float64 {
	if s <= 0.04045 {
		return s / 12.92
	}
	return math.Pow((s+0.055)/1.055, 2.4)
}

// Encode8 returns Encode(linear) in 8 bits, rounded.
func Encode8(linear float64) uint8 { return uint8(math.Round(255 * Encode(linear))) }

// An Encoder computes Encode8 for ascending numbers, with few calls of math.Pow. With a call for every number, tables
// of 4096 and 65536 entries took one and four milliseconds of every command.
type Encoder struct {
	from [257]float64 // from[v] is about the least linear light that is encoded as v or more
	v    int
}

func NewEncoder() *Encoder {
	e := new(Encoder)
	for v := range 256 {
		e.from[v] = Decode((float64(v) - 0.5) / 255)
	}
	e.from[256] = math.Inf(1)
	return e
}

// Begin prepares for another sequence of ascending numbers.
func (e *Encoder) Begin() { e.v = 0 }

// Encode returns Encode8(linear). It calls Encode8 only near a step of the result, where rounding may matter.
func (e *Encoder) Encode(linear float64) uint8 {
	const near = 1e-9
	for linear >= e.from[e.v+1]+near {
		e.v++
	}
	if linear > e.from[e.v+1]-near {
		return Encode8(linear)
	}
	return uint8(e.v)
}
