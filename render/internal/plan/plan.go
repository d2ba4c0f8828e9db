// Package plan has a frame before it is drawn: everything that follows from the options and the camera alone. It is for
// packages that draw by loops of their own.
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

// A Frame is a frame to be drawn. Samples lie row by row, Stride apart.
type Frame struct {
	Width, Height int // pixels
	Grid          int // samples along a pixel's side
	Stride, Keys  int // samples from row to row, and in all
	View          geometry.View
	Shader        *shade.Shader
	OneColor      bool   // the mesh's own colours do not count
	Background    uint32 // the pixel where nothing is drawn
	// Distance turns a nearness into a depth; nil if no depths are wanted.
	Distance func(nearness float32) float32
}

// New checks the options and the camera and returns the frame.
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
		return nil, errors.New("a planned frame has no lights but a headlight")
	}
	base := uint32(render.DefaultColor)
	if o.Color != nil {
		base, _ = tint.Opaque(o.Color) // of valid options
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
