package annotate

import (
	"lockstep/render"
	"lockstep/render/internal/surface"
)

// gamma converts between sRGB and linear light.
type gamma struct{ tables *surface.Colors }

func newGamma() *gamma { return &gamma{surface.NewColors()} }

// blendRows blends color over rows y0 to y1-1 of the page, in linear light. For each pixel, cover holds how much of it
// the colour covers, from 0 to 255.
func (p *page) blendRows(cover []uint8, y0, y1 int, color render.RGB, opacity float64) {
	over := p.gamma.tables.Linear(uint32(color))
	per := float32(opacity / 255)
	first := p.pixelIndex(p.left, y0)
	for i, c := range cover[first:p.pixelIndex(p.left, y1)] {
		if c != 0 {
			p.blend(first+i, over, float32(float32(c)*per))
		}
	}
}

// blend blends the colour `over`, in linear light, into the pixel at index `at` of the picture. The pixel has straight
// (not premultiplied) alpha.
func (p *page) blend(at int, over [3]float32, opacity float32) {
	px := p.pic.Pix[4*at : 4*at+4 : 4*at+4]
	under := p.gamma.tables.Linear(uint32(px[0])<<16 | uint32(px[1])<<8 | uint32(px[2]))
	rest := float32(float32(px[3])/255) * (1 - opacity)
	alpha := opacity + rest
	if alpha <= 0 {
		return
	}
	var mixed [3]float32
	for c := range mixed {
		mixed[c] = (float32(over[c]*opacity) + float32(under[c]*rest)) / alpha
	}
	v := p.gamma.tables.Pixel(mixed, surface.Light{Diffuse: 1})
	px[0], px[1], px[2] = uint8(v), uint8(v>>8), uint8(v>>16)
	px[3] = uint8(min(float32(alpha*255)+0.5, 255))
}
