package main

import (
	"fmt"
	"image"
	"image/color"
	"strings"

	"github.com/alecthomas/kong"

	"lockstep/render"
	"lockstep/render/tiles"
)

// cropFlags say which part of the picture is written.
type cropFlags struct {
	Crop cropFlag `group:"data" placeholder:"X,Y,WxH" help:"Draw and write only this part of a picture of --size, in pixels from its upper left corner."`
	Trim bool     `group:"data" help:"Leave out rows and columns at the borders that show only the background."`
}

// checkCrop refuses parts that lie beyond the picture.
func (f *cropFlags) checkCrop(size sizeFlag) error { return f.Crop.check(size) }

// check refuses parts that lie beyond a picture.
func (f *cropFlag) check(size sizeFlag) error {
	if whole := image.Rect(0, 0, size.Width, size.Height); f.set && !f.part.In(whole) {
		return usagef("--crop %s: reaches beyond the picture of %dx%d", f.text, size.Width, size.Height)
	}
	return nil
}

// drawnSize returns the size of what is drawn, before it is trimmed.
func (c *imageCommand) drawnSize() sizeFlag {
	if c.Crop.set {
		return sizeFlag{c.Crop.part.Dx(), c.Crop.part.Dy()}
	}
	return c.Size
}

// A cropFlag is a part of a picture.
type cropFlag struct {
	set  bool
	text string
	part image.Rectangle
}

// Decode implements kong.MapperValue.
func (f *cropFlag) Decode(ctx *kong.DecodeContext) error {
	s, err := popValue(ctx, signedNumber)
	if err != nil {
		return err
	}
	var x, y, w, h int
	n, err := fmt.Sscanf(strings.ReplaceAll(s, "x", ","), "%d,%d,%d,%d", &x, &y, &w, &h)
	if n != 4 || err != nil || fmt.Sprintf("%d,%d,%dx%d", x, y, w, h) != s || x < 0 || y < 0 || w < 1 || h < 1 || w > tiles.MostPixels || h > tiles.MostPixels {
		return fmt.Errorf("%q: expected X,Y,WxH in pixels, such as 100,50,640x480", s)
	}
	*f = cropFlag{true, s, image.Rect(x, y, x+w, y+h)}
	return nil
}

// rows returns the rows of a picture of a height that are drawn for the part. Those around it are
// drawn as well where lines are: what hides a line is found in the pixels beside it.
func (f *cropFlag) rows(height int, lines bool) (lo, hi int) {
	lo, hi = f.part.Min.Y, f.part.Max.Y
	if lines {
		lo, hi = lo-1, hi+1
	}
	const step = render.RowStep
	return max(lo, 0) / step * step, min((hi+step-1)/step*step, height)
}

// covered returns how many pixels of the part show something. pic has its coverage, and begins
// with row top of the whole picture.
func (f *cropFlag) covered(pic *render.Picture, top int) (n int64) {
	r := f.part.Sub(image.Pt(0, top))
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
func (f *cropFlag) cut(pic *render.Picture, top int) { cutTo(pic, f.part.Sub(image.Pt(0, top))) }

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
