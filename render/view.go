package render

import (
	"errors"
	"lockstep/render/internal/tile"

	"lockstep/render/internal/kernel/shade"
	"lockstep/render/internal/plan"
	"lockstep/render/internal/view"
)

// Plan checks the options and the camera and returns a frame before it is drawn. It
// is for the packages below this one that draw by loops of their own, as package
// lockstep does.
func Plan(cam Camera, o Options) (*plan.Frame, error) {
	o, err := o.Check()
	if err == nil {
		err = cam.internal().Check(o.Width, o.Height)
	}
	if err != nil {
		return nil, err
	}
	if o.Light != LightHeadlight {
		return nil, errors.New("a planned frame has no lights but a headlight")
	}
	base, _ := o.baseColor() // of valid options
	background, _ := o.backgroundPixel()
	f := &plan.Frame{
		Width: o.Width, Height: o.Height, Grid: o.grid(),
		View: cam.internal().Geometry(o.screen()), Shader: shade.NewShader(uint32(base)), OneColor: o.Color != nil, Background: background,
	}
	samples := tile.New(o.Width*f.Grid, o.Height*f.Grid)
	f.Stride, f.Keys = samples.Stride, samples.Keys()
	if o.Depth {
		f.Distance = cam.internal().Depths().Distance
	}
	return f, nil
}

// screen returns what the geometry loop has to know about the picture.
func (o *Options) screen() *view.Screen {
	return &view.Screen{Width: o.Width, Height: o.Height, Grid: o.grid(), CullFront: o.Cull == CullFront, CullBack: o.Cull == CullBack}
}
