package frame

import (
	"lockstep/render/internal/groups"
	"lockstep/render/internal/kernel/array"
	"lockstep/render/internal/kernel/shade"
	"lockstep/scenes"
)

// Numbers sets the payloads of polygons to the numbers of their triangles. It is used in frames that are lit after
// the z-buffer.
type Numbers struct {
	Original []uint32 // if triangles were reordered, the number of each triangle in the mesh; otherwise nil
}

// areNumbers reports whether payloads are triangle numbers. If not, the numbers need not be read.
func areNumbers(p Payloads) bool {
	_, ok := p.(*Numbers)
	return ok
}

// SetPayloads implements Payloads.
func (o *Numbers) SetPayloads(p *array.Polygons, _ *scenes.Block, first int) {
	source, payload := p.Source[:p.N], p.Payload[:p.N]
	if p.Numbers != nil {
		for n, t := range source {
			payload[n] = p.Numbers[t]
		}
		return
	}
	if p.Groups != nil {
		for n, t := range source {
			payload[n] = uint32(p.Groups[t/groups.Size])*groups.Size + uint32(t%groups.Size)
		}
	} else {
		for n, t := range source {
			payload[n] = uint32(first) + uint32(t)
		}
	}
	if o.Original != nil {
		for n, t := range payload {
			payload[n] = o.Original[t]
		}
	}
}

// Headlight sets the payloads of polygons to their colours under a light at the eye.
type Headlight struct {
	Loop     shade.Loop
	Shader   *shade.Shader
	OneColor bool // the colours of the mesh are ignored
}

// SetPayloads implements Payloads.
func (h *Headlight) SetPayloads(p *array.Polygons, b *scenes.Block, _ int) {
	colors := b.Colors
	if h.OneColor {
		colors = nil
	}
	h.Loop(h.Shader, p, colors)
}
