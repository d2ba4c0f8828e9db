// Package plan describes a frame before it is drawn: everything that follows from the options and the camera alone. It
// is for packages that draw frames without a render.Renderer.
package plan

import (
	"errors"

	"lockstep/render"
	"lockstep/render/internal/kernel/geometry"
	"lockstep/render/internal/kernel/shade"
	"lockstep/render/internal/tile"
	"lockstep/render/internal/tint"
	"lockstep/render/internal/view"
)

// A Frame describes a frame that a package will draw. Its samples are stored row by row.
type Frame struct {
	Width, Height int // pixels
	Grid          int // samples along the side of a pixel
	Stride, Keys  int // number of samples between the starts of two rows, and total number of samples
	View          geometry.View
	Shader        *shade.Shader
	OneColor      bool   // the mesh's own colours are ignored
	Background    uint32 // pixel value where nothing is drawn
	// Distance converts a nearness to a depth. It is nil if the options ask for no depths.
	Distance func(nearness float32) float32
}

// New checks the options and the camera, and describes the frame that they ask for.
func New(cam render.Camera, o render.Options) (*Frame, error) {
	eye := (*view.Camera)(&cam)
	o, err := o.Check()
	if err == nil {
		err = eye.Check(o.Width, o.Height)
	}
	if err != nil {
		return nil, err
	}
	if o.Light != render.LightHeadlight {
		return nil, errors.New("expected the headlight, not other lights")
	}
	base := uint32(render.DefaultColor)
	if o.Color != nil {
		base, _ = tint.Opaque(o.Color) // cannot fail, because the options are valid
	}
	background, _ := tint.Background(o.Background)
	grid := tile.Grid(o.Samples)
	samples := tile.New(o.Width*grid, o.Height*grid)
	f := &Frame{
		Width: o.Width, Height: o.Height, Grid: grid, Stride: samples.Stride, Keys: samples.Keys(),
		View:   eye.Geometry(&view.Screen{Width: o.Width, Height: o.Height, Grid: grid, CullFront: o.Cull == render.CullFront, CullBack: o.Cull == render.CullBack}),
		Shader: shade.NewShader(base), OneColor: o.Color != nil, Background: background,
	}
	if o.Depth {
		f.Distance = eye.Depths().Distance
	}
	return f, nil
}
