package surface

import (
	"lockstep/render/internal/kernel/light"
	"lockstep/render/internal/kernel/srgb"
)

// steps is the number of different values of linear light that Colors can encode.
const steps = light.Steps

// Colors holds tables for converting between sRGB and linear light.
type Colors struct {
	linear [256]float32 // linear light, from 0 to 1, of each sRGB value
	encode [steps]uint8 // sRGB value of each step of linear light
}

// NewColors makes the tables.
func NewColors() *Colors {
	c := new(Colors)
	for v := range c.linear {
		c.linear[v] = float32(srgb.Decode(float64(v) / 255))
	}
	encoder := srgb.NewEncoder()
	for i := range c.encode {
		c.encode[i] = encoder.Encode(float64(i) / (steps - 1))
	}
	return c
}

// Linear returns the sRGB colour 0x00RRGGBB in linear light.
func (c *Colors) Linear(rgb uint32) [3]float32 {
	return [3]float32{c.linear[rgb>>16&255], c.linear[rgb>>8&255], c.linear[rgb&255]}
}

// LinearTable returns the linear light, from 0 to 1, of each sRGB value.
func (c *Colors) LinearTable() *[256]float32 { return &c.linear }

// Pixel returns the pixel, in sRGB with R in its lowest byte, of a surface with the linear colour base that reflects
// the light l.
func (c *Colors) Pixel(base [3]float32, l Light) uint32 {
	return c.channel(base[0], l) | c.channel(base[1], l)<<8 | c.channel(base[2], l)<<16 | 0xff<<24
}

func (c *Colors) channel(base float32, l Light) uint32 {
	x := float32(float32(base*l.Diffuse) + l.Specular)
	i := int32(float32(x*(steps-1)) + 0.5)
	return uint32(c.encode[min(max(i, 0), steps-1)])
}
