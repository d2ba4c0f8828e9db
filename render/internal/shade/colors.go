package shade

import (
	"math"

	"lockstep/render/internal/kernel"
)

// steps is the number of steps of linear light that Colors resolves: with 4096
// those near black are below one step of 8-bit sRGB.
const steps = 4096

// Colors are tables between sRGB and linear light.
type Colors struct {
	linear [256]float32 // 0 to 1, by sRGB
	encode [steps]uint8 // its inverse, by steps
}

// NewColors makes the tables. A threshold for each sRGB value saves a power for
// each of the steps.
func NewColors() *Colors {
	c := new(Colors)
	for v := range c.linear {
		c.linear[v] = float32(kernel.DecodeSRGB(float64(v) / 255))
	}
	v, next := 0, 0.0
	for i := range c.encode {
		linear := float64(i) / (steps - 1)
		for v < 256 && linear >= next {
			next = math.Inf(1)
			if v < 255 {
				next = kernel.DecodeSRGB((float64(v) + 0.5) / 255)
			}
			v++
		}
		c.encode[i] = uint8(v - 1)
	}
	return c
}

// Linear returns an sRGB colour 0x00RRGGBB in linear light.
func (c *Colors) Linear(rgb uint32) [3]float32 {
	return [3]float32{c.linear[rgb>>16&255], c.linear[rgb>>8&255], c.linear[rgb&255]}
}

// Pixel returns the sRGB pixel, R in its lowest byte, of a surface of a linear colour
// in a light.
func (c *Colors) Pixel(base [3]float32, l Light) uint32 {
	return c.channel(base[0], l) | c.channel(base[1], l)<<8 | c.channel(base[2], l)<<16 | 0xff<<24
}

func (c *Colors) channel(base float32, l Light) uint32 {
	x := float32(float32(base*l.Diffuse) + l.Specular)
	i := int32(float32(x*(steps-1)) + 0.5)
	return uint32(c.encode[min(max(i, 0), steps-1)])
}
