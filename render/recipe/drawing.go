package recipe

import (
	"context"
	"errors"
	"image"

	"lockstep/internal/phrase"
	"lockstep/lb"
	"lockstep/render"
	"lockstep/render/annotate"
	"lockstep/render/part"
	"lockstep/scenes"
)

// A Drawing is a recipe's renderer and what it draws: one picture of it, or many by other cameras and of other meshes.
type Drawing struct {
	Picture  Picture
	Input    *Input // what is drawn; closed by Close
	Renderer *render.Renderer
	Width    int // of pictures, in pixels: those of the part, see Picture.Crop
	Height   int

	by          *Drawer
	annotations annotate.Options // drawn over pictures
	label       string           // in place of theirs, of a view on a sheet
	annotator   *annotate.Annotator
	annotated   *Input          // that annotator is for
	flat        *render.Surface // of the mesh that was drawn last, if its pixels are not lit one by one
	ordered     *render.Surface // that was put into an order for deferring
}

// Begin starts a renderer for pictures of a recipe by options that come from Picture.RenderOptions and Drawer.Look. The
// caller sets Input before it draws.
func (d *Drawer) Begin(p Picture, o render.Options) (*Drawing, error) {
	renderer, err := render.New(o)
	if err != nil {
		return nil, err
	}
	return d.BeginWith(renderer, p, o), nil
}

// BeginWith is Begin with a renderer that has these options already, and the memory of what it drew before.
func (d *Drawer) BeginWith(renderer *render.Renderer, p Picture, o render.Options) *Drawing {
	g := &Drawing{Picture: p, Renderer: renderer, Width: o.Width, Height: o.Height, by: d, annotations: *p.Annotations()}
	if p.Crop != (Rect{}) {
		g.Width, g.Height = p.Crop.Width, p.Crop.Height
	}
	return g
}

// Fork returns a drawing of the same recipe and input with a renderer of its own.
func (g *Drawing) Fork(renderer *render.Renderer) *Drawing {
	other := *g
	other.Renderer, other.annotator, other.annotated = renderer, nil, nil
	return &other
}

// SetLabel sets what is written into the upper left corner of pictures to come, in letters of a size in pixels; an empty
// label stands for that of the recipe.
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

// again returns a source that the renderer knows again when it draws it for a second time. Meshes of inputs do not change.
func (g *Drawing) again(src scenes.Source) scenes.Source {
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
	return src
}

// Frame draws one picture of src, the input's source or one that counts its blocks. A blank one is no error.
func (g *Drawing) Frame(ctx context.Context, src scenes.Source, cam render.Camera, pic *render.Picture) (render.Stats, error) {
	stats, top, err := g.drawFrame(ctx, src, cam, pic)
	if ctx.Err() != nil {
		return stats, ctx.Err()
	}
	if err != nil {
		return stats, errorf(Damaged, "%s: %w", g.Input.Name, err)
	}
	g.by.sayDamaged(g.Input)
	if stats.Covered > 0 {
		err = g.Annotate(ctx, &cam, pic, g.Renderer.Options().Height, top)
	}
	if g.Picture.Crop != (Rect{}) {
		CutTo(pic, g.Picture.Crop.Rectangle().Sub(image.Pt(0, top)))
	}
	return stats, err
}

// drawFrame draws a frame, or the rows of it that the part needs, of which top is the first. The pixels are those of
// the whole frame. (A camera of the part alone would round corners elsewhere, and see no surface beyond the borders
// that takes light away.)
func (g *Drawing) drawFrame(ctx context.Context, src scenes.Source, cam render.Camera, pic *render.Picture) (stats render.Stats, top int, err error) {
	crop := g.Picture.Crop
	if crop == (Rect{}) {
		if stats, err = g.Renderer.Frame(ctx, g.again(src), cam, pic); errors.Is(err, render.ErrBlank) {
			err = nil
		}
		return stats, 0, err
	}
	top, bottom := crop.rows(g.Renderer.Options().Height, g.annotations.NeedsDepth())
	stats, err = part.DrawRows(ctx, g.Renderer, src, cam, part.Rows{Lo: top, Hi: bottom}, pic)
	if err == nil {
		stats.Covered = CoveredIn(pic, crop.Rectangle(), top)
	}
	return stats, top, err
}
