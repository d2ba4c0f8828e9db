package recipe

import (
	"context"
	"io"
	"math"
	"sync/atomic"

	"lockstep/render"
	"lockstep/render/png"
)

// PNG draws a recipe and writes the same bytes as the command render. The output o determines the resolution that the
// file states and whether the file is packed small; its name and format are ignored.
func (d *Drawer) PNG(ctx context.Context, w io.Writer, p Picture, o Output) error {
	var pic render.Picture
	g, cam, err := d.draw(ctx, p, &pic)
	if err != nil {
		return err
	}
	defer g.Close()
	return g.writePNG(ctx, w, new(png.Encoder), &pic, cam, o)
}

// PNGOptions returns the options for writing pictures of a recipe, without their text.
func PNGOptions(p Picture, out Output) *png.Options {
	options := &png.Options{Channels: Channels(p), PixelsPerMetre: PixelsPerMetre(out.DPI)}
	if out.Small {
		options.Level, options.Channels = png.Small, png.ChannelsLeast
	}
	return options
}

// Channels returns the channels of the file of a picture. They depend only on the recipe, not on the pixels: there is
// an alpha channel if there is no background.
func Channels(p Picture) png.Channels {
	if p.Opaque() {
		return png.ChannelsRGB
	}
	return png.ChannelsRGBA
}

// PixelsPerMetre converts a resolution in dots per inch to the unit of PNG; 0 means that no resolution is stated.
func PixelsPerMetre(dpi int) uint32 {
	const inch = 0.0254 // metres
	return uint32(math.Round(float64(dpi) / inch))
}

// RunTasks returns a function that runs tasks on the workers of the renderer, which are idle between frames. Once ctx
// has ended, the function leaves tasks out; an encoder then fails because results are missing.
func (g *Drawing) RunTasks(ctx context.Context) func(n int, do func(task int)) {
	return func(n int, do func(task int)) {
		var next atomic.Int64
		g.Renderer.Machine().Run(func(int) {
			for i := next.Add(1) - 1; i < int64(n) && ctx.Err() == nil; i = next.Add(1) - 1 {
				do(int(i))
			}
		})
	}
}
