package recipe

import (
	"context"
	"image"

	"github.com/go-gl/mathgl/mgl64"

	"lockstep/render"
	"lockstep/render/annotate"
	"lockstep/render/recipe/internal/legend"
	"lockstep/render/recipe/internal/units"
	"lockstep/scenes"
)

// Annotate draws the background, lines and text of a picture that is height pixels high. pic holds some rows of the
// picture, the first of which is row top.
func (g *Drawing) Annotate(ctx context.Context, cam *render.Camera, pic *render.Picture, height, top int) error {
	if err := g.layBackdrop(ctx, cam, pic, height, top); err != nil {
		return err
	}
	o := g.annotations
	if g.label != "" {
		o.Label = g.label
	}
	if o.Empty() && !g.Picture.Lines.Legend && len(g.Picture.Lines.Dimensions) == 0 {
		return nil
	}
	if g.annotated != g.Input {
		if err := g.prepareAnnotations(ctx, o); err != nil {
			return err
		}
	}
	g.annotator.SetLabel(o.Label)
	return g.annotator.DrawPart(ctx, pic, cam, pic.Width, height, image.Pt(0, top))
}

// NeedsDepth reports whether the lines drawn over pictures depend on the depths of neighbouring pixels.
func (g *Drawing) NeedsDepth() bool { return g.annotations.NeedsDepth() }

// prepareAnnotations makes the annotator for pictures of the current input, with the options o.
func (g *Drawing) prepareAnnotations(ctx context.Context, o annotate.Options) error {
	mesh := g.Input.Mesh()
	if o.NeedsMesh() && mesh == nil {
		return errorf(Unfit, "%s: lines.edges and lines.wireframe need all of the mesh in memory, and there is none for it", g.Input.Name)
	}
	origin := mgl64.Vec3(g.Input.Source.Info().Origin)
	o.Dimensions = nil
	for _, d := range g.Picture.Lines.Dimensions {
		o.Dimensions = append(o.Dimensions, annotate.Dimension{From: mgl64.Vec3(d.From).Sub(origin), To: mgl64.Vec3(d.To).Sub(origin)})
	}
	if o.Levels != nil {
		levels, err := legend.Levels(mesh, g.Renderer.Options().Field, o.Levels.Lines)
		if err != nil {
			return unfit(g.Input.Name, "lines.contours", "", "%v", err)
		}
		o.Levels = levels
	}
	annotator, err := g.newAnnotator(ctx, mesh, o)
	if err == nil {
		g.annotator, g.annotated = annotator, g.Input
	}
	return err
}

// newAnnotator returns an annotator for pictures of the input, with the unit of lengths and the legend.
func (g *Drawing) newAnnotator(ctx context.Context, mesh *scenes.Mesh, o annotate.Options) (*annotate.Annotator, error) {
	if unit := g.Input.Unit; unit > 0 {
		o.Unit = units.Symbol(unit)
	}
	if field := g.Renderer.Options().Field; g.Picture.Lines.Legend && field.Name != "" && mesh != nil {
		o.Legend = legend.Of(mesh, field, g.Picture.Lines.LegendTitle)
	}
	annotator, err := annotate.New(ctx, mesh, g.Input.Box, o)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, errorf(Unfit, "%s: %w", g.Input.Name, err)
	}
	return annotator, nil
}

// BesideLegend returns the size of the part of the picture beside the legend. The part has at least half of the width.
// The mesh is fitted to this part.
func (p Picture) BesideLegend(in *Input) (Size, error) {
	size, mesh := p.full().Size, in.Mesh()
	if !p.Lines.Legend || mesh == nil {
		return size, nil
	}
	shown := legend.Of(mesh, p.RenderOptions().Field, p.Lines.LegendTitle)
	if shown == nil || !(shown.Low < shown.High) {
		return size, nil
	}
	width, err := shown.Width(size.Width, size.Height)
	if err != nil {
		return size, err
	}
	size.Width -= min(width, size.Width/2)
	return size, nil
}

// Widen returns the camera of the whole picture. cam is the camera of the left part of the picture, and left is the
// size of this part.
func (p Picture) Widen(cam render.Camera, left Size) render.Camera {
	size := p.full().Size
	if left == size {
		return cam
	}
	return cam.Window(left.Width, left.Height, image.Rect(0, 0, size.Width, size.Height))
}
