package recipe

import (
	"image"

	"lockstep/render"
	"lockstep/render/part"
)

// rows returns the rows of a picture of a height that are drawn for the part. Those around it are
// drawn as well where lines are: what hides a line is found in the pixels beside it.
func (r Rect) rows(height int, lines bool) (lo, hi int) {
	lo, hi = r.Y, r.Y+r.Height
	if lines {
		lo, hi = lo-1, hi+1
	}
	const step = part.RowStep
	return max(lo, 0) / step * step, min((hi+step-1)/step*step, height)
}

// CoveredIn returns how many pixels of a part show something. pic has its coverage, and begins
// with row top of the whole picture.
func CoveredIn(pic *render.Picture, part image.Rectangle, top int) (n int64) {
	r := part.Sub(image.Pt(0, top))
	for y := max(r.Min.Y, 0); y < min(r.Max.Y, pic.Height); y++ {
		for _, c := range pic.Coverage[y*pic.Width+r.Min.X : y*pic.Width+r.Max.X] {
			if c > 0 {
				n++
			}
		}
	}
	return n
}

// Trim cuts off what shows only the background, from all that a picture of the input holds. A picture of nothing else
// stays as it is.
func (g *Drawing) Trim(pic *render.Picture) {
	behind := g.Picture.background(g.Input)
	var shown image.Rectangle
	for y := range pic.Height {
		first, last := -1, -1
		var empty [4]uint8
		if behind.Top != nil {
			c := behind.Color(g.Picture.Crop.Y+y, g.Renderer.Options().Height)
			empty = [4]uint8{uint8(c >> 16), uint8(c >> 8), uint8(c), 255}
		}
		for x := range pic.Width {
			if [4]uint8(pic.Pix[4*(y*pic.Width+x):][:4]) != empty {
				if first < 0 {
					first = x
				}
				last = x
			}
		}
		if first >= 0 {
			shown = shown.Union(image.Rect(first, y, last+1, y+1))
		}
	}
	if shown.Empty() {
		return
	}
	CutTo(pic, shown)
}

// CutTo leaves a part alone of all that a picture holds.
func CutTo(pic *render.Picture, r image.Rectangle) {
	width := pic.Width
	pic.Pix = cutOut(pic.Pix, 4, width, r)
	pic.Depth = cutOut(pic.Depth, 1, width, r)
	pic.Triangles = cutOut(pic.Triangles, 1, width, r)
	pic.Normals = cutOut(pic.Normals, 1, width, r)
	pic.Coverage = cutOut(pic.Coverage, 1, width, r)
	pic.Width, pic.Height = r.Dx(), r.Dy()
}

// cutOut moves a part of rows to the beginning, of n elements a pixel; nil stays nil.
func cutOut[T any](rows []T, n, width int, r image.Rectangle) []T {
	if rows == nil {
		return nil
	}
	to := rows[:0]
	for y := r.Min.Y; y < r.Max.Y; y++ {
		to = append(to, rows[n*(y*width+r.Min.X):n*(y*width+r.Max.X)]...)
	}
	return to
}
