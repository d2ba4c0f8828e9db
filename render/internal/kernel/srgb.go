package kernel

import "math"

// EncodeSRGB maps linear light in [0, 1] to sRGB in [0, 1].
func EncodeSRGB(linear float64) float64 {
	if linear <= 0.0031308 {
		return 12.92 * linear
	}
	return float64(1.055*math.Pow(linear, 1/2.4)) - 0.055
}

// DecodeSRGB is the inverse of EncodeSRGB.
func DecodeSRGB(s float64) float64 {
	if s <= 0.04045 {
		return s / 12.92
	}
	return math.Pow((s+0.055)/1.055, 2.4)
}

// encode8 is EncodeSRGB in 8 bits, rounded.
func encode8(linear float64) uint8 { return uint8(math.Round(255 * EncodeSRGB(linear))) }

// An encoder8 is encode8 for rising numbers, without a power for each: tables of
// 4096 and 65536 entries took one and four milliseconds of every command.
type encoder8 struct {
	from [257]float64 // [v]: about the light from which on it is encoded as v or more
	v    int
}

func newEncoder8() *encoder8 {
	e := new(encoder8)
	for v := range 256 {
		e.from[v] = DecodeSRGB((float64(v) - 0.5) / 255)
	}
	e.from[256] = math.Inf(1)
	return e
}

// begin starts again at 0.
func (e *encoder8) begin() { e.v = 0 }

// encode is encode8(linear). So near to where it changes that rounding may decide,
// it asks that.
func (e *encoder8) encode(linear float64) uint8 {
	const near = 1e-9
	for linear >= e.from[e.v+1]+near {
		e.v++
	}
	if linear > e.from[e.v+1]-near {
		return encode8(linear)
	}
	return uint8(e.v)
}
