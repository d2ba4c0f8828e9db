package obj

import (
	"image"
	"math"
)

const (
	// maxSteepness is the greatest magnitude of -bm that is used. With a greater magnitude, practically all slopes
	// would be vertical.
	maxSteepness = 100
	// reliefTexels is the height of white above black in a bump map with -bm 1, in pixels of the picture. The format
	// does not define this height. With a height of 4 pixels, a soft edge of a few pixels has a slope of about one.
	reliefTexels = 4
	// reliefSamples is the number of points along each side of a picture at which isNormals looks.
	reliefSamples = 32
)

// isNormals reports whether a picture is a normal map and not a height map. The mean colour of a normal map is bluish,
// and that of a height map is grey.
func isNormals(p *image.NRGBA) bool {
	size := p.Rect.Size()
	var sum [3]int
	for i := range reliefSamples * reliefSamples {
		c := p.Pix[p.PixOffset((i%reliefSamples)*size.X/reliefSamples, (i/reliefSamples)*size.Y/reliefSamples):]
		for k := range sum {
			sum[k] += int(c[k])
		}
	}
	const n = reliefSamples * reliefSamples
	between := func(v int) bool { return v > 96*n && v < 160*n } // near 128, which stands for 0
	return between(sum[0]) && between(sum[1]) && sum[2] > 180*n
}

// reliefOf returns the normal map of a height map p, by glTF's rules: red means right, and green means up. The height
// map repeats beyond its edges.
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
			c[0], c[1] = encodeComponent(-right, per), encodeComponent(down, per)
			c[2], c[3] = encodeComponent(1, per), 255
		}
	}
	return out
}

// encodeComponent encodes component v of a vector as a component of a colour. per is 127.5 divided by the length of the
// vector.
func encodeComponent(v, per float64) uint8 { return uint8(127.5 + float64(v*per)) }
