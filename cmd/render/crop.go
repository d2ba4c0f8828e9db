package main

import (
	"image"
	"image/color"

	"lockstep/render"
	"lockstep/render/recipe"
)

// cropFlags say which part of the picture is written.
type cropFlags struct {
	Crop recipe.Rect `group:"data" placeholder:"X,Y,WxH" help:"Draw and write only this part of a picture of --size, in pixels from its upper left corner."`
	Trim bool        `group:"data" help:"Leave out rows and columns at the borders that show only the background."`
}

// drawnSize returns the size of what is drawn, before it is trimmed.
func (c *imageCommand) drawnSize() recipe.Size {
	if c.Crop != (recipe.Rect{}) {
		return recipe.Size{Width: c.Crop.Width, Height: c.Crop.Height}
	}
	return c.Size
}

// A cropping is the part of what is drawn that a picture is; the zero value is all of it.
type cropping struct{ recipe.Rect }

// set reports whether it leaves something out.
func (f *cropping) set() bool { return f.Rect != recipe.Rect{} }

// rows returns the rows of a picture of a height that are drawn for the part. Those around it are
// drawn as well where lines are: what hides a line is found in the pixels beside it.
func (f *cropping) rows(height int, lines bool) (lo, hi int) {
	lo, hi = f.Y, f.Y+f.Height
	if lines {
		lo, hi = lo-1, hi+1
	}
	const step = render.RowStep
	return max(lo, 0) / step * step, min((hi+step-1)/step*step, height)
}

// coveredIn returns how many pixels of a part show something. pic has its coverage, and begins
// with row top of the whole picture.
func coveredIn(pic *render.Picture, part image.Rectangle, top int) (n int64) {
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

// cut leaves the part alone of a picture that begins with row top of the whole one.
func (f *cropping) cut(pic *render.Picture, top int) { cutTo(pic, f.Rectangle().Sub(image.Pt(0, top))) }

// trim cuts off what shows only the background, from all that the picture holds. A
// picture of nothing else stays as it is.
func trim(pic *render.Picture, background color.Color) {
	var empty [4]uint8
	if background != nil {
		c := color.NRGBAModel.Convert(background).(color.NRGBA)
		if c.A != 0 {
			empty = [4]uint8{c.R, c.G, c.B, c.A}
		}
	}
	var shown image.Rectangle
	for y := range pic.Height {
		first, last := -1, -1
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
	cutTo(pic, shown)
}

// cutTo leaves a part alone of all that a picture holds.
func cutTo(pic *render.Picture, r image.Rectangle) {
	width := pic.Width
	pic.Pix = part(pic.Pix, 4, width, r)
	pic.Depth = part(pic.Depth, 1, width, r)
	pic.Triangles = part(pic.Triangles, 1, width, r)
	pic.Normals = part(pic.Normals, 1, width, r)
	pic.Coverage = part(pic.Coverage, 1, width, r)
	pic.Width, pic.Height = r.Dx(), r.Dy()
}

// part moves a part of rows to the beginning, of n elements a pixel; nil stays nil.
func part[T any](rows []T, n, width int, r image.Rectangle) []T {
	if rows == nil {
		return nil
	}
	to := rows[:0]
	for y := r.Min.Y; y < r.Max.Y; y++ {
		to = append(to, rows[n*(y*width+r.Min.X):n*(y*width+r.Max.X)]...)
	}
	return to
}
