package frame

import (
	"lockstep/render/internal/groups"
	"lockstep/render/internal/kernel/array"
	"lockstep/render/internal/kernel/shade"
	"lockstep/scenes"
)

// Numbers are payloads of frames that are lit later: the numbers of triangles.
type Numbers struct{}

// Give makes Numbers Payloads.
func (Numbers) Give(p *array.Polygons, _ *scenes.Block, first int) {
	if p.Groups != nil {
		for n, t := range p.Source[:p.N] {
			p.Payload[n] = uint32(p.Groups[t/groups.Size])*groups.Size + uint32(t%groups.Size)
		}
		return
	}
	for n, t := range p.Source[:p.N] {
		p.Payload[n] = uint32(first) + uint32(t)
	}
}

// Headlight are payloads that are colours under a light at the eye.
type Headlight struct {
	Loop     shade.Loop
	Shader   *shade.Shader
	OneColor bool // the colours of the mesh do not count
}

// Give makes Headlight Payloads.
func (h *Headlight) Give(p *array.Polygons, b *scenes.Block, _ int) {
	colors := b.Colors
	if h.OneColor {
		colors = nil
	}
	h.Loop(h.Shader, p, colors)
}
