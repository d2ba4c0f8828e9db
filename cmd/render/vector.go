package main

import (
	"context"
	"errors"
	"image/color"
	"path/filepath"

	"lockstep/internal/cli"
	"lockstep/internal/pictureflags"
	"lockstep/render"
	"lockstep/render/annotate"
	"lockstep/render/atomicfile"
	"lockstep/render/drawing"
	"lockstep/render/recipe"
)

// A drawing is a file of lines instead of pixels, see package drawing.

// isVector reports whether a format is a format of drawings.
func isVector(kind string) bool { return kind == "svg" || kind == "pdf" }

// isVector reports whether the command makes a drawing.
func (c *imageCommand) isVector() bool {
	return isVector(pictureKind(string(c.Output), c.Format.Picture))
}

// checkVector returns an error for flags that cannot be combined with a drawing.
func (c *imageCommand) checkVector() error {
	if !c.isVector() {
		return nil
	}
	for _, flag := range []struct {
		name string
		set  bool
	}{
		{"--crop", c.Crop != (recipe.Rect{})}, {"--trim", c.Trim}, {"--contact-sheet", c.ContactSheet > 0}, {"--trace", c.Trace != ""},
		{"--depth, --normals, --ids, --parts and --coverage", len(c.dataFlags.givenNames()) > 0},
	} {
		if flag.set {
			return cli.Usagef("%s: is a drawing, which has no pixels: %s is for .png", c.Output, flag.name)
		}
	}
	return nil
}

// vectorRules returns the rules for flags that have no effect on drawings, and for flags that have an effect only on
// drawings.
func (c *imageCommand) vectorRules() []pictureflags.Rule {
	lines, pixels := "a drawing has lines alone", "it is for .svg and .pdf"
	if c.isVector() {
		pixels = ""
	} else {
		lines = ""
	}
	return []pictureflags.Rule{
		{Flags: "shading light material metallic roughness field colormap range occlusion samples ground axes bounds scale-bar legend contours dimension label", Why: lines},
		{Flags: "hidden-lines", Why: pixels},
	}
}

// tracedFlags returns the flags for the picture from which a drawing is traced, see package drawing.
func (c *imageCommand) tracedFlags() *pictureflags.Draw {
	f, no := c.Draw, false
	f.Shading, f.Light, f.Occlusion, f.Samples, f.Field = "flat", "studio", "off", 1, ""
	f.Dimension, f.Contours = nil, 0
	f.Material, f.Metallic, f.Roughness = "plaster", nil, nil
	f.Color, f.Background = "cccccc", "none" // one opaque colour, because colours of the mesh may be transparent
	f.Edges, f.Wireframe, f.Ground, f.Axes, f.Bounds, f.ScaleBar, f.Legend, f.Label = true, false, &no, false, false, false, false, ""
	return &f
}

// drawVector makes the drawing and writes it.
func (c *imageCommand) drawVector(ctx context.Context, a *app, out outFile) error {
	f := c.tracedFlags()
	f.Resident = true
	w, err := a.newPipeline(ctx, f, true, func(o *render.Options) {
		scale := drawing.Scale(o.Width, o.Height)
		o.Width, o.Height = scale*o.Width, scale*o.Height
		o.Triangles, o.Depth, o.OneSided = true, true, c.Picture().RenderOptions().OneSided
	})
	if err != nil {
		return err
	}
	defer w.close()
	if err := w.Input.CheckNotEmpty(); err != nil {
		w.countDroppedMesh()
		return errors.Join(err, w.printStatistics(f, nil))
	}
	var pic render.Picture
	cam, stats, err := w.Fitted(ctx, func(cam render.Camera) (render.Stats, error) {
		stats, err := w.Renderer.Frame(ctx, w.withProgress("drawing"), cam, &pic)
		if errors.Is(err, render.ErrBlank) {
			err = nil
		}
		if err == nil {
			w.addStatistics(&stats)
		}
		return stats, err
	})
	w.app.Progress.End()
	if err != nil {
		return errors.Join(ctx.Err(), cli.DrawingError(c.CameraError(err)))
	}
	if stats.Covered == 0 {
		return c.blankError(w)
	}
	if err := c.writeVector(ctx, w, &pic, &cam, out); err != nil {
		return err
	}
	if err := w.printStatistics(f, nil); err != nil {
		return err
	}
	w.Width, w.Height = c.Size.Width, c.Size.Height
	w.app.announce(w, string(c.Output))
	return nil
}

// writeVector traces the picture and writes the file.
func (c *imageCommand) writeVector(ctx context.Context, w *pipeline, pic *render.Picture, cam *render.Camera, out outFile) error {
	stop := w.timeEncoding()
	d, err := drawing.New(ctx, w.Input.Mesh(), pic, cam, c.Size.Width, c.Size.Height, drawing.Options{
		Crease: float64(c.Crease), Hidden: c.HiddenLines == "dashed", Wires: c.Wireframe,
		Cull: w.Renderer.Options().Cull, OneSided: w.Renderer.Options().OneSided,
	})
	if err != nil {
		return cli.DrawingError(err)
	}
	style := c.style()
	if pictureKind(string(c.Output), c.Format.Picture) == "pdf" {
		err = d.WritePDF(out, style)
	} else {
		err = d.WriteSVG(out, style)
	}
	stop()
	if err != nil {
		return atomicfile.Failure(err)
	}
	if err := c.writeCamera(ctx, w, cam); err != nil {
		return err
	}
	return out.Commit()
}

// style returns the look of the drawing. By default it has dark lines on a white page. The surface has the colour of
// the page, so that it hides the lines behind it.
func (c *imageCommand) style() drawing.Style {
	white := render.RGB(0xffffff)
	s := drawing.Style{Paper: &white, Background: &white, LineWidth: float64(c.LineWidth), DPI: int(c.DPI), Title: filepath.Base(meshName(string(c.Mesh)))}
	switch background := recipe.Color(c.Background); {
	case background == "none":
		s.Background = nil
	default:
		if rgb, ok := background.RGB(); ok {
			s.Paper, s.Background = &rgb, &rgb
		}
	}
	if rgb, ok := recipe.Color(c.Color).RGB(); ok {
		s.Paper = &rgb
	}
	s.Ink = annotate.InkColor
	if s.Background != nil {
		b := *s.Background
		s.Ink = annotate.Ink(color.NRGBA{R: uint8(b >> 16), G: uint8(b >> 8), B: uint8(b), A: 0xff})
	}
	if rgb, ok := recipe.Color(c.LineColor).RGB(); ok {
		s.Ink = rgb
	}
	return s
}
