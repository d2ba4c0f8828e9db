package recipe

import (
	"context"
	"image"
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"lockstep/internal/phrase"
	"lockstep/render"
	"lockstep/render/annotate"
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
		levels, err := g.levels(mesh, o.Levels.Lines)
		if err != nil {
			return err
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
		o.Legend = g.Picture.legendOf(mesh, field)
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

// levels returns the contour lines of the field. lines is the greatest number of values for which there is a line.
func (g *Drawing) levels(mesh *scenes.Mesh, lines int) (*annotate.Levels, error) {
	l := &annotate.Levels{Lines: lines}
	field := g.Renderer.Options().Field
	if mesh == nil {
		return l, nil
	}
	switch found := mesh.Field(field.Name); {
	case found == nil: // if there are several meshes, some may lack the field
	case found.OfTriangles:
		return nil, unfit(g.Input.Name, "lines.contours", "", "need a field of vertices, and %s is one of triangles", phrase.Printable(field.Name))
	default:
		l.Mesh, l.Field, l.Low, l.High = mesh, found, field.Low, field.High
		if l.Low == l.High {
			l.Low, l.High = found.Range()
		}
	}
	return l, nil
}

// BesideLegend returns the size of the part of the picture beside the legend. The part has at least half of the width.
// The mesh is fitted to this part.
func (p Picture) BesideLegend(in *Input) (Size, error) {
	size, mesh := p.full().Size, in.Mesh()
	if !p.Lines.Legend || mesh == nil {
		return size, nil
	}
	legend := p.legendOf(mesh, p.RenderOptions().Field)
	if legend == nil || !(legend.Low < legend.High) {
		return size, nil
	}
	width, err := legend.Width(size.Width, size.Height)
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

// legendOf returns the legend of a field of a mesh, or nil if the mesh does not have the field.
func (p *Picture) legendOf(mesh *scenes.Mesh, field render.Field) *annotate.Legend {
	found := mesh.Field(field.Name)
	if found == nil {
		return nil
	}
	title := field.Name
	if unit := units.Symbol(mesh.Unit); found.Symmetric > 0 && unit != "" { // a length
		title += ", " + unit
	}
	if p.Lines.LegendTitle != "" {
		title = p.Lines.LegendTitle
	}
	l := &annotate.Legend{Title: phrase.Printable(title), Map: field.Map, Low: field.Low, High: field.High}
	if l.Low == l.High {
		l.Low, l.High = found.Range()
	}
	if l.Low == l.High { // all numbers are equal, so the legend shows numbers around them
		l.High = math.Nextafter(float64(float32(l.Low)), math.Inf(1)) + max(1, math.Abs(l.Low))*1e-3
	}
	for _, v := range found.Values {
		l.None = l.None || v != v && !scenes.IsNoField(v)
	}
	return l
}
