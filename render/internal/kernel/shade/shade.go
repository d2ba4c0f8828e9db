// Package shade converts the intensities of polygons into payloads, which are sRGB colours.
package shade

import (
	"lockstep/render/internal/kernel/array"
	"lockstep/render/internal/kernel/srgb"
)

// ShadeSteps is the number of steps of intensity, and of linear light, in a Shader's tables. With 4096, the steps near
// black are smaller than a step of 8-bit sRGB (12.92*255/4095 = 0.8).
const ShadeSteps = 4096

// A Shader converts intensities to payloads. Payloads are sRGB colours with R in the lowest byte and 255 in the
// highest, which is the byte order of a pixel.
type Shader struct {
	uniform [ShadeSteps]uint32 // payload for the base colour at each step of intensity
	encode  [ShadeSteps]uint8  // sRGB value of each step of linear light
	linear  [256]float32       // linear light of each sRGB value, times ShadeSteps-1
	encoder *srgb.Encoder
}

// NewShader returns a shader whose base colour is the sRGB colour 0x00RRGGBB.
func NewShader(base uint32) *Shader {
	s := &Shader{encoder: srgb.NewEncoder()}
	for i := range s.encode {
		s.encode[i] = s.encoder.Encode(float64(i) / (ShadeSteps - 1))
	}
	for i := range s.linear {
		s.linear[i] = float32(srgb.Decode(float64(i)/255) * (ShadeSteps - 1))
	}
	s.SetBase(base)
	return s
}

// SetBase changes the base colour.
func (s *Shader) SetBase(base uint32) {
	clear(s.uniform[:])
	for channel, shift := range []int{16, 8, 0} { // R goes into the lowest byte
		linear := srgb.Decode(float64(base>>shift&255) / 255)
		s.encoder.Begin()
		for i := range s.uniform {
			x := float64(i) / (ShadeSteps - 1)
			s.uniform[i] |= 0xff<<24 | uint32(s.encoder.Encode(float64(x*linear)))<<(8*channel)
		}
	}
}

// Loop is the type of Shade and of its versions in assembly.
type Loop func(s *Shader, p *array.Polygons, colors []uint32)

// Shade replaces the intensities of all polygons by payloads. colors holds the sRGB colour of every triangle of the
// block. If colors is nil, all triangles have the base colour. Shade must not be called twice for the same polygons.
func Shade(s *Shader, p *array.Polygons, colors []uint32) {
	for n, i := range p.Intensities()[:p.N] {
		if colors != nil {
			p.Payload[n] = s.FlatColored(i, colors[p.Source[n]])
		} else {
			p.Payload[n] = s.Flat(i)
		}
	}
}

// Flat returns the payload of a triangle that has the base colour.
func (s *Shader) Flat(intensity float32) uint32 {
	return s.uniform[step(intensity)]
}

// FlatColored returns the payload of a triangle that has the sRGB colour 0x00RRGGBB.
func (s *Shader) FlatColored(intensity float32, color uint32) uint32 {
	channel := func(c uint32) uint32 {
		return uint32(s.encode[int32(float32(intensity*s.linear[c&255])+0.5)])
	}
	return channel(color>>16) | channel(color>>8)<<8 | channel(color)<<16 | 0xff<<24
}

// step rounds an intensity in [0, 1] to a table index.
func step(intensity float32) int32 {
	return int32(float32(intensity*(ShadeSteps-1)) + 0.5)
}
