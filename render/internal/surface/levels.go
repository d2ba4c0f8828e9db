package surface

import (
	"image"
	"math"
	"runtime"
	"sync"
	"sync/atomic"

	"lockstep/render/internal/float3"
	"lockstep/render/internal/kernel/texel"
)

// A pixelKind is the meaning of a texture's pixels, which determines how they are averaged.
type pixelKind uint8

const (
	ofColors     pixelKind = iota // sRGB colours, averaged in linear light; alpha is ignored
	ofBlends                      // sRGB colours, weighted by alpha
	ofMasks                       // sRGB colours, whose alpha says only whether a pixel exists, see texture.alphaCutoff
	ofNumbers                     // numbers from 0 to 1
	ofAlphas                      // like ofNumbers, but only alpha counts; the level of the picture has alpha in red, green and blue
	ofDirections                  // vectors of length 1, whose components from -1 to 1 are stored as 0 to 1
)

// usesAlpha reports whether pixels are weighted by their alpha.
func (m pixelKind) usesAlpha() bool { return m == ofBlends || m == ofMasks }

// A level is the picture of a texture, or a smaller copy of the picture.
type level struct {
	width, height int
	pix           []uint8 // red, green, blue and alpha; alpha is used only if texture.meaning says so
}

// levelOf returns a picture as a level. The level shares its pixels if their rows are contiguous in memory.
func levelOf(p *image.NRGBA) level {
	b := p.Bounds()
	l := level{b.Dx(), b.Dy(), p.Pix}
	if p.Stride != 4*l.width || b.Min != (image.Point{}) {
		l.pix = make([]uint8, 0, 4*l.width*l.height)
		for y := range l.height {
			l.pix = append(l.pix, p.Pix[p.PixOffset(b.Min.X, b.Min.Y+y):][:4*l.width]...)
		}
	}
	return l
}

// ofAlpha returns a copy of a level whose red, green and blue are its alpha.
func (l level) ofAlpha() level {
	pix := make([]uint8, len(l.pix))
	for i := 0; i < len(pix); i += 4 {
		a := l.pix[i+3]
		pix[i], pix[i+1], pix[i+2], pix[i+3] = a, a, a, 255
	}
	l.pix = pix
	return l
}

// addLevels makes smaller copies of a texture's picture. Each copy has half the width and height of the previous one.
// The last copy has one pixel.
func (t *texture) addLevels() {
	bytes := 0
	for l := t.levels[0]; l.width > 1 || l.height > 1; {
		l = l.half()
		bytes += 4 * l.width * l.height
	}
	t.smaller = make([]uint8, bytes)
	rest := t.smaller
	for l := t.levels[0]; l.width > 1 || l.height > 1; {
		h := l.half()
		h.pix, rest = rest[:4*h.width*h.height], rest[4*h.width*h.height:]
		t.shrink(l, h)
		t.levels = append(t.levels, h)
		l = h
	}
}

// taskPixels is the number of pixels of a level that a task makes. With smaller tasks, goroutines would cost more
// time than they save.
const taskPixels = 1 << 15

// half returns a level of half the width and height, rounded down but at least 1, without pixels.
func (l level) half() level { return level{width: max(l.width/2, 1), height: max(l.height/2, 1)} }

// shrink writes the pixels of h, which has half the size of l. A pixel of h is the exact mean of the part of l that
// it covers, even if sizes are odd. Every part of l therefore counts equally, nothing moves, and a texture that is
// repeated, clamped or mirrored has no seams.
func (t *texture) shrink(l, h level) {
	rows := max(taskPixels/h.width, 1)
	each((h.height+rows-1)/rows, func(task int) {
		sums := make([][4]float32, l.width)
		for y := task * rows; y < min((task+1)*rows, h.height); y++ {
			t.shrinkRow(l, h, y, sums)
		}
	})
}

// shrinkRow writes row y of level h, which has half the size of l. sums is scratch memory. It has an element for every
// column of l.
func (t *texture) shrinkRow(l, h level, y int, sums [][4]float32) {
	clear(sums)
	top, weights := halvingWeights(y, l.height)
	values := t.alphaWeights(len(t.levels) == 1)
	for k, w := range weights {
		if w == 0 {
			continue
		}
		row := l.pix[4*(top+k)*l.width:][:4*l.width]
		for x := range sums {
			v := t.components(row[4*x:], &values)
			for c := range v {
				sums[x][c] += float32(w * v[c])
			}
		}
	}
	to := h.pix[4*y*h.width:][:4*h.width]
	for x := range h.width {
		left, weights := halvingWeights(x, l.width)
		var mean [4]float32
		for k, w := range weights {
			if w == 0 {
				continue
			}
			for c := range mean {
				mean[c] += float32(w * sums[left+k][c])
			}
		}
		t.encodePixel(to[4*x:], mean)
	}
}

// halvingWeights returns the pixels that are averaged into pixel i when a row of n pixels is halved. There are at most
// three such pixels, beginning with pixel `first`. weights holds the fractions of pixel i that they fill.
func halvingWeights(i, n int) (first int, weights [3]float32) {
	switch half := n / 2; {
	case n == 1:
		return 0, [3]float32{1, 0, 0}
	case n%2 == 0:
		return 2 * i, [3]float32{0.5, 0.5, 0}
	default:
		// The new pixel is n/half old pixels wide. It starts i/half after the start of old pixel 2*i.
		return 2 * i, [3]float32{float32(half-i) / float32(n), float32(half) / float32(n), float32(i+1) / float32(n)}
	}
}

// alphaWeights returns the weight of a pixel for each value of its alpha. In the first level of a mask, a pixel exists
// or does not exist. In smaller levels, alpha is the share of pixels that exist.
func (t *texture) alphaWeights(first bool) (alphas [256]float32) {
	for a := range alphas {
		switch {
		case t.meaning != ofMasks || !first:
			alphas[a] = float32(a) / 255
		case a >= t.alphaCutoff:
			alphas[a] = 1
		}
	}
	return alphas
}

// components returns the components of a pixel in the form in which they are averaged.
func (t *texture) components(p []uint8, alphas *[256]float32) [4]float32 {
	linear := &t.tables.linear
	v := [4]float32{linear[p[0]], linear[p[1]], linear[p[2]], 1}
	switch {
	case t.meaning == ofDirections:
		for c := range 3 {
			v[c] = float32(2*v[c]) - 1
		}
	case t.meaning.usesAlpha():
		v[3] = alphas[p[3]] + texel.Transparent
		for c := range 3 {
			v[c] = float32(v[c] * v[3])
		}
	}
	return v
}

// minMeanLength is the least length that a mean of directions must have. If the mean is shorter, the directions cancel
// each other out, and the normal of the surface is used unchanged.
const minMeanLength = 1. / 64

// encodePixel writes a pixel to `to`. `mean` is a mean of such components as the method components returns.
func (t *texture) encodePixel(to []uint8, mean [4]float32) {
	alpha := float32(1)
	switch {
	case t.meaning == ofDirections:
		n := float3.New(mean[0], mean[1], mean[2])
		if n.Length() < minMeanLength {
			n = float3.New(0, 0, 1)
		}
		n = n.Unit()
		mean = [4]float32{float32((n.X + 1) * 0.5), float32((n.Y + 1) * 0.5), float32((n.Z + 1) * 0.5), 1}
	case t.meaning.usesAlpha():
		alpha = mean[3] - texel.Transparent
		for c := range 3 {
			mean[c] /= mean[3]
		}
	}
	for c := range 3 {
		to[c] = uint8(t.tables.step(mean[c]))
	}
	to[3] = uint8(math.Floor(float64(float32(alpha*255) + 0.5)))
}

// The function each calls do for tasks 0 to n-1, several at a time.
func each(n int, do func(task int)) {
	var group sync.WaitGroup
	var next atomic.Int64
	work := func() {
		for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
			do(i)
		}
	}
	for range min(n, runtime.GOMAXPROCS(0)) - 1 {
		group.Go(work)
	}
	work()
	group.Wait()
}
