package render

import (
	"github.com/go-gl/mathgl/mgl64"

	"lockstep/render/internal/kernel/array"
	"lockstep/render/internal/surface"
	"lockstep/scenes"
)

// Light says which lights there are.
type Light uint8

const (
	// LightHeadlight is one light at the eye: 0.15 + 0.85 |n.v| for a normal n and the
	// direction v to the eye.
	LightHeadlight Light = iota
	// LightStudio are a key from above to the left, a fill from the right, a rim from
	// behind, a sky about the up axis, and a faint highlight of the key. The first three
	// stay with the camera.
	LightStudio
)

// Studio returns the options with the look of the command's pictures: studio lights on a
// smooth surface with occlusion, four samples a pixel and a light background.
func (o Options) Studio() Options {
	o.Light, o.Shading, o.Occlusion = LightStudio, ShadingSmooth, true
	o.Samples, o.Background = 4, StudioBackground
	return o
}

// lights returns the studio lights as the camera sees them.
func (c *Camera) lights() surface.Lights {
	zenith := c.Zenith
	if zenith == (mgl64.Vec3{}) {
		zenith = c.Up
	}
	return surface.NewLights(c.Right, c.Up, scaled(c.Forward, -1), zenith)
}

// shade gives the polygons of a block, whose first triangle has a number, their
// payloads.
func (r *Renderer) shade(b *scenes.Block, first int, polys *array.Polygons) {
	if r.job.deferred {
		for n, t := range polys.Source[:polys.N] {
			polys.Payload[n] = uint32(first) + uint32(t)
		}
		return
	}
	if r.options.Light == LightStudio {
		surface.Flat(&r.job.lights, r.colors, &r.job.view, b, uint32(r.base), b.Colors, polys)
		return
	}
	r.kernels.Shade(r.shader, polys, b.Colors)
}
