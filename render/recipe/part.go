package recipe

import (
	"image"

	"lockstep/render"
	"lockstep/render/recipe/internal/crop"
)

// CoveredIn returns how many pixels of a part show the mesh. pic has a coverage, and its first row is row top of the
// whole picture.
func CoveredIn(pic *render.Picture, part image.Rectangle, top int) (n int64) {
	return crop.Covered(pic, part, top)
}

// CutTo reduces a picture, with all that it holds, to the part r.
func CutTo(pic *render.Picture, r image.Rectangle) { crop.To(pic, r) }

// Trim cuts off rows and columns at the borders of pic that show only the background. A picture that shows nothing but
// the background stays as it is.
func (g *Drawing) Trim(pic *render.Picture) {
	shown := crop.Shown(pic, g.Picture.background(g.Input), g.Picture.Crop.Y, g.Renderer.Options().Height)
	if !shown.Empty() {
		CutTo(pic, shown)
	}
}
