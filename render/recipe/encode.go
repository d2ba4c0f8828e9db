package recipe

import (
	"context"
	"io"
	"math"
	"sync/atomic"

	"lockstep/render"
	"lockstep/render/png"
)

// PNG draws a recipe and writes the file that the command render writes: the same bytes. The output says which
// resolution the file states and whether it is small; its name and format are not looked at.
func (d *Drawer) PNG(ctx context.Context, w io.Writer, p Picture, o Output) error {
	var pic render.Picture
	g, cam, err := d.draw(ctx, p, &pic)
	if err != nil {
		return err
	}
	defer g.Close()
	return g.writePNG(ctx, w, &pic, cam, p, o)
}

// PNGOptions returns how pictures of a recipe are written, without their text.
func PNGOptions(p Picture, out Output) *png.Options {
	options := &png.Options{Channels: Channels(p), PixelsPerMetre: PixelsPerMetre(out.DPI)}
	if out.Small {
		options.Level, options.Channels = png.Small, png.ChannelsLeast
	}
	return options
}

// Channels returns the channels that files of pictures have, the same whatever they show: alpha where there is no
// background.
func Channels(p Picture) png.Channels {
	if p.Opaque() {
		return png.ChannelsRGB
	}
	return png.ChannelsRGBA
}

// PixelsPerMetre returns a resolution in dots an inch as PNG has it; 0: none.
func PixelsPerMetre(dpi int) uint32 {
	const inch = 0.0254 // metres
	return uint32(math.Round(float64(dpi) / inch))
}

// RunTasks returns what runs tasks on the renderer's workers, which are idle between frames, until ctx ends: an encoder
// then fails for want of the rest.
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
