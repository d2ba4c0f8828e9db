package recipe

import (
	"image"

	"lockstep/render"
	"lockstep/render/part"
)

// rows returns the range of rows that have to be drawn for the part r of a picture of the given height. If lines are
// drawn, the range includes neighbouring rows, because the pixels beside a line determine whether the line is hidden.
func (r Rect) rows(height int, lines bool) (lo, hi int) {
	lo, hi = r.Y, r.Y+r.Height
	if lines {
		lo, hi = lo-1, hi+1
	}
	const step = part.RowStep
	return max(lo, 0) / step * step, min((hi+step-1)/step*step, height)
}

// CoveredIn returns how many pixels of a part show the mesh. pic has a coverage, and its first row is row top of the
// whole picture.
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

// Trim cuts off rows and columns at the borders of pic that show only the background. A picture that shows nothing but
// the background stays as it is.
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

// CutTo reduces a picture, with all that it holds, to the part r.
func CutTo(pic *render.Picture, r image.Rectangle) {
	width := pic.Width
	pic.Pix = cutOut(pic.Pix, 4, width, r)
	pic.Depth = cutOut(pic.Depth, 1, width, r)
	pic.Triangles = cutOut(pic.Triangles, 1, width, r)
	pic.Normals = cutOut(pic.Normals, 1, width, r)
	pic.Coverage = cutOut(pic.Coverage, 1, width, r)
	pic.Width, pic.Height = r.Dx(), r.Dy()
}

// cutOut moves the part r to the start of rows, which have n elements per pixel, and returns it. If rows is nil, it
// returns nil.
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
