package recipe

import (
	"context"
	"errors"
	"image"

	"lockstep/internal/budget"
	"lockstep/internal/phrase"
	"lockstep/lb"
	"lockstep/render"
	"lockstep/render/annotate"
	"lockstep/render/footprint"
	"lockstep/render/part"
	"lockstep/render/recipe/internal/crop"
	"lockstep/scenes"
)

// A Drawing holds the renderer and the input of a recipe. It draws one picture of the recipe, or many pictures with
// different cameras and meshes.
type Drawing struct {
	Picture  Picture
	Input    *Input // the mesh to draw; Drawing.Close closes it
	Renderer *render.Renderer
	Width    int // width of pictures in pixels, or of the part that is drawn if Picture.Crop is set
	Height   int

	drawer      *Drawer
	annotations annotate.Options // lines and text that are drawn over pictures
	label       string           // replaces the label of annotations in the views of a sheet
	annotator   *annotate.Annotator
	annotated   *Input          // input of the current annotator
	flat        *render.Surface // surface of the latest mesh, if light is computed per triangle and not per pixel
	ordered     *render.Surface // surface with triangles sorted by Surface.Order
	drawn       *render.Surface // latest surface
}

// Begin starts a renderer for pictures of a recipe. The options o come from Picture.RenderOptions and Drawer.Look. The
// caller sets Input before drawing.
func (d *Drawer) Begin(p Picture, o render.Options) (*Drawing, error) {
	renderer, err := render.New(o)
	if err != nil {
		return nil, err
	}
	return d.BeginWith(renderer, p, o), nil
}

// BeginWith is like Begin, but uses an existing renderer and its memory. The renderer must have the options o.
func (d *Drawer) BeginWith(renderer *render.Renderer, p Picture, o render.Options) *Drawing {
	g := &Drawing{Picture: p, Renderer: renderer, Width: o.Width, Height: o.Height, drawer: d, annotations: *p.Annotations()}
	if p.Crop != (Rect{}) {
		g.Width, g.Height = p.Crop.Width, p.Crop.Height
	}
	return g
}

// Fork returns a drawing of the same recipe and input that uses another renderer.
func (g *Drawing) Fork(renderer *render.Renderer) *Drawing {
	other := *g
	other.Renderer, other.annotator, other.annotated = renderer, nil, nil
	return &other
}

// SetLabel sets the label in the upper left corner of the following pictures and the size of its letters in pixels. If
// label is empty, the label is that of the recipe.
func (g *Drawing) SetLabel(label string, letters float64) {
	g.label, g.annotations.LetterSize, g.annotated = phrase.Printable(label), letters, nil
}

// Close ends the renderer and closes the input.
func (g *Drawing) Close() {
	g.Renderer.Close()
	if g.Input != nil {
		g.Input.Close()
	}
}

// repeatableSource wraps src. The renderer then recognizes the mesh when it draws it again, which is safe because
// meshes of inputs do not change.
func (g *Drawing) repeatableSource(src scenes.Source) scenes.Source {
	o := g.Renderer.Options()
	if mesh, ok := src.(*scenes.Mesh); ok && !o.InMemory() {
		if g.flat == nil || g.flat.Mesh != mesh {
			g.flat = &render.Surface{Mesh: mesh}
		}
		src = g.flat
	}
	if s, ok := src.(*render.Surface); ok && o.Leaves == lb.Always && g.ordered != s {
		s.Order(o.Workers)
		g.ordered = s
	}
	if s, ok := src.(*render.Surface); ok && g.drawn != s {
		if g.drawn = s; g.lacksPacked(s, o) {
			s.LeaveUnpacked()
		}
	}
	return src
}

// lacksPacked reports whether there is too little memory for packed groups of a surface.
func (g *Drawing) lacksPacked(s *render.Surface, o render.Options) bool {
	n := footprint.Packed(s.Len())
	if n == 0 {
		return false
	}
	if most := g.drawer.Read.MaxMemory; most > 0 && n+budget.MeshBytes(s.Len())+footprint.Surface(s.Len()) > most {
		return true
	}
	return g.drawer.Memory != nil && g.drawer.Memory.Lacks(footprint.OfMesh(o), n) != nil
}

// Frame draws one picture of src. src is the input's source, or a source that counts the blocks read from it. A blank
// picture is not an error.
func (g *Drawing) Frame(ctx context.Context, src scenes.Source, cam render.Camera, pic *render.Picture) (render.Stats, error) {
	stats, top, err := g.drawFrame(ctx, src, cam, pic)
	if ctx.Err() != nil {
		return stats, ctx.Err()
	}
	if err != nil {
		return stats, errorf(Damaged, "%s: %w", g.Input.Name, err)
	}
	g.drawer.warnOfDamagedChunks(g.Input)
	if stats.Covered > 0 {
		err = g.Annotate(ctx, &cam, pic, g.Renderer.Options().Height, top)
	}
	if g.Picture.Crop != (Rect{}) {
		CutTo(pic, g.Picture.Crop.Rectangle().Sub(image.Pt(0, top)))
	}
	return stats, err
}

// drawFrame draws a frame, or only the rows for Picture.Crop. top is the first drawn row. The pixels are the same as
// in the whole frame, so the camera is that of the whole frame. A camera for the part alone would round corners
// differently. It would also not see surfaces outside the part that block light.
func (g *Drawing) drawFrame(ctx context.Context, src scenes.Source, cam render.Camera, pic *render.Picture) (stats render.Stats, top int, err error) {
	shown := g.Picture.Crop
	if shown == (Rect{}) {
		if stats, err = g.Renderer.Frame(ctx, g.repeatableSource(src), cam, pic); errors.Is(err, render.ErrBlank) {
			err = nil
		}
		return stats, 0, err
	}
	top, bottom := crop.Rows(shown.Y, shown.Height, g.Renderer.Options().Height, g.annotations.NeedsDepth())
	stats, err = part.DrawRows(ctx, g.Renderer, src, cam, part.Rows{Lo: top, Hi: bottom}, pic)
	if err == nil {
		stats.Covered = CoveredIn(pic, shown.Rectangle(), top)
	}
	return stats, top, err
}

// CoveredIn returns how many pixels of a part show the mesh. pic must have the coverage. The first row of pic is row
// top of the whole picture.
func CoveredIn(pic *render.Picture, part image.Rectangle, top int) (n int64) {
	return crop.Covered(pic, part, top)
}

// CutTo reduces a picture and all its data to the part r.
func CutTo(pic *render.Picture, r image.Rectangle) { crop.To(pic, r) }

// Trim cuts off rows and columns at the borders of pic that show only the background. If the whole picture shows only
// the background, Trim does not change it.
func (g *Drawing) Trim(pic *render.Picture) {
	shown := crop.Shown(pic, g.Picture.background(g.Input), g.Picture.Crop.Y, g.Renderer.Options().Height)
	if !shown.Empty() {
		CutTo(pic, shown)
	}
}
