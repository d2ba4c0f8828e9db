// Package behind holds the picture of what lies behind glass that colours, bends or blurs what is seen through it: a
// picture of the scene without that glass, and smaller, blurred copies of it.
package behind

import (
	"math"

	"lockstep/render/internal/float3"
)

// MaxPixels is the largest number of pixels of the picture. For a frame with more pixels, the picture's width and
// height are those of the frame divided by a whole number, see Shrink. So its memory does not grow with the frame. This
// matters too for a frame that is drawn in bands, because every band needs the whole picture.
const MaxPixels = 2_100_000

// Shrink returns the number by which the width and the height of a frame are divided for the picture behind its
// glass.
func Shrink(width, height int) int {
	k := 1
	for (int64(width)+int64(k)-1)/int64(k)*((int64(height)+int64(k)-1)/int64(k)) > MaxPixels {
		k++
	}
	return k
}

// Size returns the size of the picture behind the glass of a frame.
func Size(width, height int) (w, h int) {
	k := Shrink(width, height)
	return (width + k - 1) / k, (height + k - 1) / k
}

// Samples is the largest number of samples a pixel in the picture. More samples would make no visible difference,
// because positions between the picture's pixels are interpolated.
const Samples = 4

// Bytes returns the memory, in bytes, of the picture behind the glass of a frame. It includes the pixels from which
// the picture is made.
func Bytes(width, height int) int64 {
	w, h := Size(width, height)
	pixels := int64(w) * int64(h)
	return pixels*4 + pixels*8*4/3 // the smaller copies have a third of the first level's memory
}

// A Picture is the picture of a scene without its glass. The zero value is ready for use. A Picture may be reused for
// any number of frames.
type Picture struct {
	levels []level
	side   float32 // binary logarithm of the picture's longer side in pixels
	// perPixel is the number of pixels of the picture for each pixel of the frame.
	perPixel float32
}

// A level is the picture, or a blurred copy with half the width and height of the previous level, rounded up. A pixel
// has red, green, blue and alpha; the constant `whole` stands for 1. The colours are in linear light and multiplied by
// alpha.
type level struct {
	width, height int
	pixels        [][4]uint16
}

const whole = 1<<16 - 1

// smallest limits the number of levels: the last level is the first one whose longer side is at most smallest pixels.
// No glass needs a smaller copy: light through the roughest glass is a mean over about half of the picture.
const smallest = 4

// Build makes the picture from pixels in sRGB with straight alpha. width and height are the size of the picture, and
// frameHeight is the height of the frame. `linear` holds the linear light of each sRGB value. `run` must call `do` for
// all numbers below n, and may do so on several goroutines.
func (p *Picture) Build(pix []byte, width, height, frameHeight int, linear *[256]float32, run func(n int, do func(row int))) {
	p.perPixel = float32(height) / float32(frameHeight)
	p.side = logarithm(float32(max(width, height)))
	n := 0
	next := func(width, height int) *level {
		if n == len(p.levels) {
			p.levels = append(p.levels, level{})
		}
		l := &p.levels[n]
		n++
		if l.width, l.height = width, height; cap(l.pixels) < width*height {
			l.pixels = make([][4]uint16, width*height)
		}
		l.pixels = l.pixels[:width*height]
		return l
	}
	first := next(width, height)
	run(height, func(y int) { first.decode(pix[4*y*width:], y, linear) })
	for w, h := width, height; max(w, h) > smallest; {
		w, h = (w+1)/2, (h+1)/2
		to := next(w, h)
		from := &p.levels[n-2]
		run(h, func(y int) { to.blurRow(from, y) })
	}
	p.levels = p.levels[:n]
}

// decode sets row y of the level from pixels in sRGB.
func (l *level) decode(pix []byte, y int, linear *[256]float32) {
	row := l.pixels[y*l.width:][:l.width]
	for x := range row {
		q := pix[4*x : 4*x+4]
		alpha := float32(float32(q[3]) * (whole / 255.))
		for c := range 3 {
			row[x][c] = uint16(float32(linear[q[c]]*alpha) + 0.5)
		}
		row[x][3] = uint16(alpha)
	}
}

// blurRow sets row y of a level from a level that is twice as large. The weights of four neighbours along each axis
// are 1, 3, 3 and 1 eighths. With these weights, no edges of pixels are visible when a small copy is enlarged.
func (l *level) blurRow(from *level, y int) {
	var rows [4][][4]uint16
	for i := range rows {
		rows[i] = from.pixels[min(max(2*y-1+i, 0), from.height-1)*from.width:][:from.width]
	}
	weights := [4]uint32{1, 3, 3, 1}
	for x := range l.width {
		var sum [4]uint32
		for i, w := range weights {
			at := min(max(2*x-1+i, 0), from.width-1)
			for k, v := range weights {
				for c := range sum {
					sum[c] += w * v * uint32(rows[k][at][c])
				}
			}
		}
		to := &l.pixels[y*l.width+x]
		for c := range sum {
			to[c] = uint16((sum[c] + 32) / 64)
		}
	}
}

// toPixels converts a position in the frame to pixels of the picture, from its top left corner. (x, y) is in pixels of
// the frame, relative to the frame's middle, with y pointing up.
func (p *Picture) toPixels(x, y float32) (float32, float32) {
	first := &p.levels[0]
	return float32(0.5*float32(first.width)) + float32(x*p.perPixel), float32(0.5*float32(first.height)) - float32(y*p.perPixel)
}

// Alpha returns the alpha of the picture at (x, y) of the frame.
func (p *Picture) Alpha(x, y float32) float32 {
	x, y = p.toPixels(x, y)
	four := p.levels[0].pixelsAround(x, y)
	return float32(four.mix(3) * (1. / whole))
}

// At returns the light of the picture at (x, y) of the frame, multiplied by alpha, and the alpha. Both are means over
// a part of the picture. blur gives the size of this part: 0 is a pixel, and 1 is the whole picture.
func (p *Picture) At(x, y, blur float32) (light float3.Vector, alpha float32) {
	x, y = p.toPixels(x, y)
	number := min(float3.NonNegative(float32(blur*p.side)), float32(len(p.levels)-1))
	at := min(int(number), max(len(p.levels)-2, 0))
	part := number - float32(at)
	sum := p.levels[at].at(x, y, 1/float32(int(1)<<at))
	if part > 0 {
		next := p.levels[at+1].at(x, y, 1/float32(int(2)<<at))
		for c := range sum {
			sum[c] += float32(part * (next[c] - sum[c]))
		}
	}
	const per = 1. / whole
	return float3.New(float32(sum[0]*per), float32(sum[1]*per), float32(sum[2]*per)), float32(sum[3] * per)
}

// at returns the mix of the four pixels around a point of the level. (x, y) is the point in pixels of the first
// level. scale is the size of this level as a fraction of the first level's size.
func (l *level) at(x, y, scale float32) (sum [4]float32) {
	four := l.pixelsAround(float32(x*scale), float32(y*scale))
	for c := range sum {
		sum[c] = four.mix(c)
	}
	return sum
}

// fourPixels holds the four pixels around a point: those in the columns `left` and `right` of two rows. The point lies
// `across` pixels to the right of the upper left pixel's middle, and `down` pixels below it.
type fourPixels struct {
	upper, lower [][4]uint16
	left, right  int
	across, down float32
}

// pixelsAround returns the four pixels around the point (x, y) of the level.
func (l *level) pixelsAround(x, y float32) (f fourPixels) {
	top := 0
	f.left, f.across = pixelBefore(x, l.width)
	top, f.down = pixelBefore(y, l.height)
	f.right = min(f.left+1, l.width-1)
	f.upper, f.lower = l.pixels[top*l.width:], l.pixels[min(top+1, l.height-1)*l.width:]
	return f
}

// mix interpolates a component of the pixels.
func (f *fourPixels) mix(component int) float32 {
	mix := func(row [][4]uint16) float32 {
		a, b := float32(row[f.left][component]), float32(row[f.right][component])
		return a + float32(f.across*(b-a))
	}
	a, b := mix(f.upper), mix(f.lower)
	return a + float32(f.down*(b-a))
}

// pixelBefore returns the index of the last of n pixels whose middle is at or before x, and the distance from this
// middle to x. Positions outside the picture are moved to its outermost pixels.
func pixelBefore(x float32, n int) (int, float32) {
	x = min(float3.NonNegative(x-0.5), float32(n-1))
	i := int(x)
	return i, x - float32(i)
}

// logarithm returns approximately the binary logarithm of x. x must be at least 1. Between powers of two the result
// grows linearly with x, so that all processors give the same result.
func logarithm(x float32) float32 {
	const fraction = 1<<23 - 1
	bits := math.Float32bits(x)
	return float32(int(bits>>23)-127) + float32(float32(bits&fraction)*(1./(1<<23)))
}
