package obj

import (
	"image"
	"math"
)

const (
	// maxSteepness bounds -bm, up and down: beyond it all slopes are walls.
	maxSteepness = 100
	// reliefTexels is how many pixels high the heights of a relief are, from black to white, at -bm 1. The format does not
	// say it: at 4 a soft edge of a few pixels has a slope of about one.
	reliefTexels = 4
	// reliefLooks is how many pixels along each side of a picture are looked at to tell normals from heights.
	reliefLooks = 32
)

// isNormals reports whether a picture has directions, not heights: it is not grey, and bluish on the whole.
func isNormals(p *image.NRGBA) bool {
	size := p.Rect.Size()
	var sum [3]int
	for i := range reliefLooks * reliefLooks {
		c := p.Pix[p.PixOffset((i%reliefLooks)*size.X/reliefLooks, (i/reliefLooks)*size.Y/reliefLooks):]
		for k := range sum {
			sum[k] += int(c[k])
		}
	}
	const n = reliefLooks * reliefLooks
	between := func(v int) bool { return v > 96*n && v < 160*n } // near 128, which is 0
	return between(sum[0]) && between(sum[1]) && sum[2] > 180*n
}

// reliefOf returns the normals of a picture of heights, by glTF's rules: red is to the right and green is up. The picture
// goes on beyond its edges from the other side.
func reliefOf(p *image.NRGBA, steepness float64) *image.NRGBA {
	w, h := p.Rect.Dx(), p.Rect.Dy()
	out := image.NewNRGBA(p.Rect)
	height := func(x, y int) float64 {
		c := p.Pix[p.PixOffset((x+w)%w, (y+h)%h):]
		return (float64(c[0]) + float64(c[1]) + float64(c[2])) / (3 * 255)
	}
	for y := range h {
		for x := range w {
			right := float64(steepness * reliefTexels * 0.5 * (height(x+1, y) - height(x-1, y)))
			down := float64(steepness * reliefTexels * 0.5 * (height(x, y+1) - height(x, y-1)))
			per := 127.5 / math.Sqrt(1+float64(right*right)+float64(down*down))
			c := out.Pix[out.PixOffset(x, y):][:4]
			c[0], c[1] = direction(-right, per), direction(down, per)
			c[2], c[3] = direction(1, per), 255
		}
	}
	return out
}

// direction encodes a part of a direction as a colour: per is 127.5 over the direction's length.
func direction(v, per float64) uint8 { return uint8(127.5 + float64(v*per)) }
