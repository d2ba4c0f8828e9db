// Package crop cuts pictures down to a part of them.
package crop

import (
	"image"

	"lockstep/render"
	"lockstep/render/ground"
	"lockstep/render/part"
)

// Rows returns the range of rows that have to be drawn for the rows y to y+rows-1 of a picture of the given height.
// If lines is true, the range includes neighbouring rows. The reason is that pixels beside a line decide whether the
// line is hidden.
func Rows(y, rows, height int, lines bool) (lo, hi int) {
	lo, hi = y, y+rows
	if lines {
		lo, hi = lo-1, hi+1
	}
	const step = part.RowStep
	return max(lo, 0) / step * step, min((hi+step-1)/step*step, height)
}

// Covered returns how many pixels of a part show the mesh. pic must have the coverage. The first row of pic is row top
// of the whole picture.
func Covered(pic *render.Picture, part image.Rectangle, top int) (n int64) {
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

// Shown returns the part of a picture that shows more than the background. The first row of pic is row top of the
// background. The background is height rows high.
func Shown(pic *render.Picture, behind *ground.Backdrop, top, height int) image.Rectangle {
	var shown image.Rectangle
	for y := range pic.Height {
		first, last := -1, -1
		var empty [4]uint8
		if behind.Top != nil {
			c := behind.Color(top+y, height)
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
	return shown
}

// To reduces a picture and all its data to the part r.
func To(pic *render.Picture, r image.Rectangle) {
	width := pic.Width
	pic.Pix = cutOut(pic.Pix, 4, width, r)
	pic.Depth = cutOut(pic.Depth, 1, width, r)
	pic.Triangles = cutOut(pic.Triangles, 1, width, r)
	pic.Normals = cutOut(pic.Normals, 1, width, r)
	pic.Coverage = cutOut(pic.Coverage, 1, width, r)
	pic.Width, pic.Height = r.Dx(), r.Dy()
}

// cutOut moves the part r to the start of rows and returns it. The slice rows has n elements per pixel. If rows is nil,
// the result is nil.
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
