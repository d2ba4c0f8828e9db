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

// A pixelKind says what the pixels of a picture are, and so what their mean is.
type pixelKind uint8

const (
	ofColors     pixelKind = iota // sRGB, whatever alpha is: the mean is that of linear light
	ofBlends                      // sRGB that counts by alpha
	ofMasks                       // the same, where alpha is there or not: see texture.alphaCutoff
	ofNumbers                     // numbers from 0 to 1
	ofDirections                  // vectors of length 1, whose components -1 to 1 are written as 0 to 1
)

// usesAlpha reports whether pixels count by their alpha.
func (m pixelKind) usesAlpha() bool { return m == ofBlends || m == ofMasks }

// A level is a picture of a texture, or a smaller copy of that.
type level struct {
	width, height int
	pix           []uint8 // red, green, blue and alpha; the last counts by meaning
}

// levelOf returns a picture, whose pixels it shares where they lie close together.
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

// addLevels makes the copies of a texture's picture in halves of its size, down to one pixel.
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

// taskPixels is how many pixels of a level are made at a time: with fewer, goroutines would cost more than they bring.
const taskPixels = 1 << 15

// half returns a level of half the width and height, rounded down, without pixels.
func (l level) half() level { return level{width: max(l.width/2, 1), height: max(l.height/2, 1)} }

// shrink writes the pixels of h, half of l. Every pixel is the mean of the part of the level that it
// covers, which is exact for odd sizes, too: no part of a picture is left out or counts twice, nothing moves, and what is
// repeated, continued or mirrored at its edges has no seam there.
func (t *texture) shrink(l, h level) {
	rows := max(taskPixels/h.width, 1)
	each((h.height+rows-1)/rows, func(task int) {
		sums := make([][4]float32, l.width)
		for y := task * rows; y < min((task+1)*rows, h.height); y++ {
			t.halfRow(l, h, y, sums)
		}
	})
}

// halfRow makes row y of level h, half of l. sums has an entry for every column of l.
func (t *texture) halfRow(l, h level, y int, sums [][4]float32) {
	clear(sums)
	top, weights := taps(y, l.height)
	values := t.values(len(t.levels) == 1)
	for k, w := range weights {
		if w == 0 {
			continue
		}
		row := l.pix[4*(top+k)*l.width:][:4*l.width]
		for x := range sums {
			v := t.value(row[4*x:], &values)
			for c := range v {
				sums[x][c] += float32(w * v[c])
			}
		}
	}
	to := h.pix[4*y*h.width:][:4*h.width]
	for x := range h.width {
		left, weights := taps(x, l.width)
		var mean [4]float32
		for k, w := range weights {
			if w == 0 {
				continue
			}
			for c := range mean {
				mean[c] += float32(w * sums[left+k][c])
			}
		}
		t.write(to[4*x:], mean)
	}
}

// taps returns which of n pixels in a row lie under pixel i of half as many: from the first on three, by the parts of it
// that they fill.
func taps(i, n int) (first int, weights [3]float32) {
	switch half := n / 2; {
	case n == 1:
		return 0, [3]float32{1, 0, 0}
	case n%2 == 0:
		return 2 * i, [3]float32{0.5, 0.5, 0}
	default:
		// A pixel is n/half wide: it begins i/half behind pixel 2*i.
		return 2 * i, [3]float32{float32(half-i) / float32(n), float32(half) / float32(n), float32(i+1) / float32(n)}
	}
}

// values returns what the values of alpha mean: those of a mask's own picture are there or not, those of its levels tell how
// many pixels are.
func (t *texture) values(first bool) (alphas [256]float32) {
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

// value returns what is averaged of a pixel.
func (t *texture) value(p []uint8, alphas *[256]float32) [4]float32 {
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

// leastDirection is how long the mean of directions must be to be one: those of a shorter one cancel each other out, and
// the surface is as if it had none.
const leastDirection = 1. / 64

// write encodes the mean of values.
func (t *texture) write(to []uint8, mean [4]float32) {
	alpha := float32(1)
	switch {
	case t.meaning == ofDirections:
		n := float3.New(mean[0], mean[1], mean[2])
		if n.Length() < leastDirection {
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

// each does tasks 0 to n-1, several at once.
func each(n int, do func(task int)) {
	var all sync.WaitGroup
	var next atomic.Int64
	work := func() {
		for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
			do(i)
		}
	}
	for range min(n, runtime.GOMAXPROCS(0)) - 1 {
		all.Go(work)
	}
	work()
	all.Wait()
}
