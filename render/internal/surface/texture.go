package surface

import (
	"encoding/binary"
	"math"

	"lockstep/render/internal/float3"
	"lockstep/render/internal/kernel/texel"
	"lockstep/scenes"
)

// A texture is a picture with smaller copies of it, see addLevels. A sample of a picture covers a part of the texture whose
// middle is where the surface is seen, and whose sides are what a pixel's width and height are there. It shows the mean of
// up to texel.MostTaps places along the longer side. At each it mixes the two levels whose pixels are next in size to what is left
// of the sides, and in either the four pixels around the place.
type texture struct {
	levels       []level
	meaning      pixelKind
	alphaCutoff  int  // ofMasks: the alpha from which on a pixel is there
	hasAlpha     bool // it has alpha that counts
	wrapU, wrapV scenes.Wrap
	nearest      bool
	minify       scenes.Minify
	tables       *Colors        // of what red, green and blue are
	smaller      []uint8        // the pixels of the levels from 1 on
	lanes        *texel.Texture // as loops read it; nil: they do not
}

// A spot is where a point lies in its triangle and, where its coat has textures, in these.
type spot struct {
	weights float3.Vector // of the corners
	u, v    float32
	// What the sides of the square of the picture that the point stands for are along u and v, in the plane of the triangle.
	// A pixel that shows one triangle is one such square; where it shows several, each has a smaller one.
	right, above [2]float32
	extent       [2]float32 // of the triangle in the texture

	// Of a point of a batch: which, and what it shows. What textures show there is found for many points at once.
	batch *Shader // nil: of none
	coat  *trianglePaint
	point int
}

// A footprint is what a sample shows of a texture.
type footprint struct {
	level   int
	part    float32 // of the next level
	nearest bool    // one pixel of the level
	taps    int     // places
	du, dv  float32 // from one to the next
}

// footprint returns what a sample shows at a spot.
func (t *texture) footprint(at *spot) footprint {
	w, h := float32(t.levels[0].width), float32(t.levels[0].height)
	right := [2]float32{float32(at.right[0] * w), float32(at.right[1] * h)}
	above := [2]float32{float32(at.above[0] * w), float32(at.above[1] * h)}
	r, a := length(right), length(above)
	long := maxOrNaN(r, a)
	if long <= 1 {
		return footprint{nearest: t.nearest, taps: 1}
	}
	if t.minify != scenes.MinifyMean {
		return footprint{nearest: t.minify == scenes.MinifyNearest, taps: 1}
	}
	if !(long < texel.Farthest) {
		return footprint{level: len(t.levels) - 1, taps: 1}
	}
	along := at.right
	if a > r {
		along = at.above
	}
	wide := float32(float3.Abs(float32(right[0]*above[1])-float32(right[1]*above[0])) / long)
	seen := min(long, max(float32(texel.Longest*wide), length([2]float32{float32(at.extent[0] * w), float32(at.extent[1] * h)})))
	size := max(wide, float32(seen*(1./texel.MostTaps)), 1)
	f := footprint{taps: 1}
	for f.taps < texel.MostTaps && float32(float32(f.taps)*size) < seen {
		f.taps *= 2
	}
	per := float32(seen/long) / float32(f.taps)
	f.du, f.dv = float32(along[0]*per), float32(along[1]*per)
	f.level, f.part = levelFor(size)
	if last := len(t.levels) - 1; f.level >= last {
		f.level, f.part = last, 0
	}
	return f
}

// levelFor returns the level for samples that are size pixels of the first level wide, 1 or more, and the part of the next
// one. Between powers of two the logarithm of size is taken for a straight line, so that all processors find the same. In
// the quarters beside a level it shows alone: one in two samples looks into one level instead of two, and no line is seen.
func levelFor(size float32) (level int, part float32) {
	const fraction = 1<<23 - 1
	bits := math.Float32bits(size)
	level, part = int(bits>>23)-127, float32(float32(bits&fraction)*(2./(1<<23)))-0.5
	switch {
	case part <= 0:
		return level, 0
	case part >= 1:
		return level + 1, 0
	}
	return level, part
}

func length(a [2]float32) float32 { return float3.Sqrt(float32(a[0]*a[0]) + float32(a[1]*a[1])) }

// maxOrNaN returns the larger of two lengths: NaN where one is.
func maxOrNaN(a, b float32) float32 {
	// As integers the bits of floats that are not negative have the order of the floats, and NaN is above all.
	return math.Float32frombits(max(math.Float32bits(a), math.Float32bits(b)))
}

// texel returns what a texture shows at a spot: the linear colour, or three numbers.
func (t *texture) texel(at *spot) float3.Vector {
	if at.batch != nil {
		return at.batch.texel(t, at)
	}
	f := t.footprint(at)
	u, v := f.first(t, at)
	var m pixelSum
	share := 1 / float32(f.taps)
	for range f.taps {
		if f.part == 0 {
			t.add(&m, f.level, u, v, share, f.nearest)
		} else {
			t.add(&m, f.level, u, v, float32(share*(1-f.part)), false)
			t.add(&m, f.level+1, u, v, float32(share*f.part), false)
		}
		u, v = u+f.du, v+f.dv
	}
	if t.hasAlpha {
		return m.color.Scale(1 / m.alpha)
	}
	return m.color
}

// first returns the first of the places of a footprint, near the picture itself.
func (f *footprint) first(t *texture, at *spot) (u, v float32) {
	back := float32(f.taps-1) * 0.5
	u, v = at.u-float32(f.du*back), at.v-float32(f.dv*back)
	return wrapCoord(u, t.wrapU), wrapCoord(v, t.wrapV)
}

// wrapCoord returns a place from 0 to 1 that shows the same of a picture that is repeated, and 0 for what is no place or is
// farther off than floats can tell.
func wrapCoord(u float32, mode scenes.Wrap) float32 {
	if !(u > -texel.FarthestPlace && u < texel.FarthestPlace) {
		return 0
	}
	if mode == scenes.Repeat && !(u >= 0 && u < 1) {
		_, u = floor(u)
	}
	return u
}

// A pixelSum is a sum of pixels: of what they show, and of how much they count.
type pixelSum struct {
	color float3.Vector
	alpha float32
}

// add adds a share of what a level shows at (u, v). What is not there does not show at the rim of a hole.
func (t *texture) add(m *pixelSum, level int, u, v, share float32, nearest bool) {
	q := t.levels[level].quad(t, u, v, nearest)
	lower, upper := float32(share*q.down), float32(share*(1-q.down))
	t.addPixel(m, q.upperLeft, float32(upper*(1-q.right)))
	t.addPixel(m, q.upperRight, float32(upper*q.right))
	t.addPixel(m, q.lowerLeft, float32(lower*(1-q.right)))
	t.addPixel(m, q.lowerRight, float32(lower*q.right))
}

func (t *texture) addPixel(m *pixelSum, p uint32, w float32) {
	linear := &t.tables.linear
	if t.hasAlpha {
		w = float32(w * (alphaOf(p) + texel.Transparent))
		m.alpha += w
	}
	m.color.X += float32(linear[p&255] * w)
	m.color.Y += float32(linear[p>>8&255] * w)
	m.color.Z += float32(linear[p>>16&255] * w)
}

// A quad is four pixels side by side, two and two, red in their lowest bytes.
type quad struct {
	upperLeft, upperRight, lowerLeft, lowerRight uint32
	right, down                                  float32 // the part of the way to the right ones and the lower ones
}

// quad returns the pixels of a level around (u, v).
func (l *level) quad(t *texture, u, v float32, nearest bool) quad {
	x, y := float32(u*float32(l.width))-0.5, float32(v*float32(l.height))-0.5
	if nearest {
		x, y = float32(math.Floor(float64(x)+0.5)), float32(math.Floor(float64(y)+0.5))
	}
	fx, right := floor(x)
	fy, down := floor(y)
	var x0, x1, y0, y1 int
	if w, h := l.width, l.height; uint(fx) < uint(w-1) && uint(fy) < uint(h-1) {
		x0, x1, y0, y1 = fx, fx+1, fy*w, fy*w+w // mostly
	} else {
		x0, x1 = wrap(fx, w, t.wrapU), wrap(fx+1, w, t.wrapU)
		y0, y1 = wrap(fy, h, t.wrapV)*w, wrap(fy+1, h, t.wrapV)*w
	}
	pixel := func(i int) uint32 { return binary.LittleEndian.Uint32(l.pix[4*i:]) }
	return quad{pixel(y0 + x0), pixel(y0 + x1), pixel(y1 + x0), pixel(y1 + x1), right, down}
}

// alphaOf returns the alpha of a pixel.
func alphaOf(pixel uint32) float32 { return float32(pixel>>24) / 255 }

// floor returns the largest whole number up to x, which is far from the ends of an int64, and the rest.
func floor(x float32) (int, float32) {
	i := int64(x)
	if float32(i) > x {
		i--
	}
	return int(i), x - float32(i)
}

// wrap brings a pixel beyond the picture into it.
func wrap(x, n int, mode scenes.Wrap) int {
	switch mode {
	case scenes.Clamp:
		return min(max(x, 0), n-1)
	case scenes.Mirror:
		if x = modulo(x, 2*n); x >= n {
			x = 2*n - 1 - x
		}
		return x
	}
	return modulo(x, n)
}

func modulo(x, n int) int {
	if uint(x) < uint(n) {
		return x // mostly, without a division
	}
	if x %= n; x < 0 {
		x += n
	}
	return x
}
