package recipe

import (
	"context"
	"image"

	"github.com/go-gl/mathgl/mgl64"

	"lockstep/render"
	"lockstep/render/annotate"
	"lockstep/render/ground"
	"lockstep/render/internal/surface"
	"lockstep/render/recipe/internal/backdrop"
	"lockstep/render/recipe/internal/brightness"
	"lockstep/render/recipe/internal/legend"
	"lockstep/render/recipe/internal/units"
	"lockstep/scenes"
)

// Annotate draws the background, lines and text of a picture. pic holds rows of the picture from row top on. height is
// the height of the whole picture in pixels.
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

// NeedsDepth reports whether the lines over pictures depend on the depths of neighbouring pixels.
func (g *Drawing) NeedsDepth() bool { return g.annotations.NeedsDepth() }

// prepareAnnotations makes the annotator for pictures of the current input with the options o.
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
			return unfitError(g.Input.Name, "lines.contours", "", "%v", err)
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

// BesideLegend returns the size of the part of the picture beside the legend, to which the mesh is fitted. This part
// has at least half of the width.
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
// size of that part.
func (p Picture) Widen(cam render.Camera, left Size) render.Camera {
	size := p.full().Size
	if left == size {
		return cam
	}
	return cam.Window(left.Width, left.Height, image.Rect(0, 0, size.Width, size.Height))
}

// Gradient is the word for a background that gets darker from top to bottom, which is the default under the studio
// light. FastBackground is the plain background of the fast look.
const (
	Gradient       = "gradient"
	FastBackground = "f3f4f6"
)

// Opaque reports whether all pixels are opaque, because there is a background.
func (p Picture) Opaque() bool { return p.full().Look.Background != "none" }

// hasBackdrop reports whether there is anything behind the mesh except a plain background.
func (p *Picture) hasBackdrop() bool {
	f := p.full()
	return f.Look.Background == Gradient || *f.Lines.Ground
}

// ink returns the default colour of lines and text.
func (p *Picture) ink() render.RGB {
	background := p.full().Look.Background
	if background == Gradient {
		background = FastBackground
	}
	return annotate.Ink(background.color())
}

// layBackdrop draws the background and the shadow behind a picture. pic holds rows of the picture from row top on.
// height is the height of the whole picture in pixels.
func (g *Drawing) layBackdrop(ctx context.Context, cam *render.Camera, pic *render.Picture, height, top int) error {
	if !g.Picture.hasBackdrop() {
		return nil
	}
	b, err := g.backdrop(ctx)
	if err != nil {
		return err
	}
	return b.Lay(ctx, pic, cam, height, top)
}

// backdrop returns the background and the shadow on the ground.
func (g *Drawing) backdrop(ctx context.Context) (b *ground.Backdrop, err error) {
	b = g.Picture.background(g.Input)
	if g.Picture.hasShadow(g.Input) {
		b.Ground, err = g.Input.shadow(ctx, &g.Picture)
	}
	return b, err
}

// background returns the background of pictures of an input, without a shadow.
func (p *Picture) background(in *Input) *ground.Backdrop {
	switch background := p.full().Look.Background; {
	case background == Gradient:
		return backdrop.Gradient(in.isPale(p))
	case p.Opaque():
		rgb, _ := background.RGB()
		return backdrop.Plain(rgb)
	}
	return new(ground.Backdrop)
}

// hasShadow reports whether pictures of an input have a shadow on the ground. To compute the shadow, the mesh is read
// two more times. So a mesh that is not in memory has a shadow only if the recipe demands it.
func (p *Picture) hasShadow(in *Input) bool {
	return *p.full().Lines.Ground && (p.Lines.Ground != nil || in.allowsAllLooks()) && !in.Box.Empty()
}

// withCore returns a copy of the input whose box is `core`, the box of the part of the mesh to which cameras are
// fitted. From then on, the ground lies under this part, also in pictures of the original input.
func (in *Input) withCore(core scenes.Box) *Input {
	in.shadows.LieUnderCore(core)
	part := *in
	part.Box, part.Parted = core, true
	return &part
}

// GroundUnder lowers the ground so that it also lies under box, which is relative to the origin of the input. For a
// series of meshes on one ground, box is the box of all of them.
func (in *Input) GroundUnder(box scenes.Box) { in.shadows.LieUnderSeries(box) }

// shadow returns the shadow of an input in pictures of a recipe.
func (in *Input) shadow(ctx context.Context, p *Picture) (*ground.Ground, error) {
	size := p.full().Size
	g, err := in.shadows.Of(ctx, in.Source, in.Box, p.UpOf(in), size.Width, size.Height)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, unfitError(in.Name, "lines.ground", "", "%v", err)
	}
	return g, nil
}

// isPale reports whether the mesh of an input is nearly white in pictures of a recipe.
func (in *Input) isPale(p *Picture) bool {
	l := p.full().Look
	tables := surface.NewColors()
	mesh := in.coloredMesh()
	switch rgb, given := l.Color.RGB(); {
	case l.Field != "" || l.Color == "facing":
		return false
	case given && !p.Edited(): // an edited mesh holds the colour itself
		return brightness.OfColor(tables.Linear(uint32(rgb))) >= brightness.Pale
	case mesh == nil || in.Source.Len() == 0:
		return false
	}
	body, n := brightness.OfColor(tables.Linear(uint32(p.BodyColor()))), in.Source.Len()
	if cloud, ok := in.Source.(*scenes.Points); ok {
		n = len(cloud.X)
	}
	return brightness.Mean(mesh, n, body, tables) >= brightness.Pale
}

// coloredMesh returns a mesh that holds the colours of an input, or nil if the colours are not in memory.
func (in *Input) coloredMesh() *scenes.Mesh {
	switch s := in.Source.(type) {
	case *render.Stored:
		return s.Colored()
	case *scenes.Points:
		return &scenes.Mesh{Block: scenes.Block{Colors: s.Colors}} // callers need only the colours
	}
	return in.Mesh()
}
