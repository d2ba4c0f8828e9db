package surface

import (
	"encoding/binary"
	"math"

	"lockstep/render/internal/float3"
	"lockstep/render/internal/kernel/texel"
	"lockstep/scenes"
)

// A texture is a picture with smaller copies of it, see addLevels. A sample of the frame shows a part of the texture.
// This part is approximately a parallelogram, whose sides are the width and the height of a pixel projected onto the
// texture. The texture is read at up to texel.MaxTaps positions along the longer side, and the values are averaged. A
// position stands for a part of the parallelogram. Two levels whose pixels are about as large as this part are mixed.
// In each level, the four pixels around the position are mixed.
type texture struct {
	levels       []level
	meaning      pixelKind
	alphaCutoff  int  // least alpha of a pixel that exists, if meaning is ofMasks
	hasAlpha     bool // meaning uses alpha, and the picture is not opaque
	wrapU, wrapV scenes.Wrap
	nearest      bool
	minify       scenes.Minify
	tables       *Colors        // tables that encode red, green and blue
	smaller      []uint8        // pixels of all levels except the first
	lanes        *texel.Texture // the texture in the form that the vector loops read; nil if they cannot read it
	uvs          *uvSet         // texture coordinates of the texture; nil means the mesh's first set, used without a placement
}

// A spot is the position of a point in its triangle, and in the triangle's textures if there are any.
type spot struct {
	weights float3.Vector // weights of the triangle's corners
	u, v    float32
	// The point stands for a square of the picture, projected onto the plane of the triangle. `right` and `above` are
	// the sides of the projected square in texture coordinates u and v. If a pixel shows one triangle, the square is
	// the pixel. If it shows several triangles, each has a smaller square.
	right, above [2]float32
	extent       [2]float32 // width and height of the triangle in the texture

	paint *trianglePaint // paint of the triangle; nil if the triangle has no textures

	// If the point belongs to a batch, textures are read for many points at once. point is the number of the point in
	// the batch.
	batch *Shader // nil if the point is not in a batch
	point int
}

// A pixelSquare is a square of the picture, projected onto the plane of a triangle. `right` holds the weights of the
// triangle's corners one pixel to the right of a point, and `above` the weights one pixel above it. `side` is the side
// of the square in pixels.
type pixelSquare struct {
	right, above float3.Vector
	side         float32
}

// A footprint describes how a texture is read for a sample.
type footprint struct {
	level   int
	part    float32 // weight of the next level; the level itself has weight 1 - part
	nearest bool    // read one pixel of the level, not four
	taps    int     // number of positions at which the texture is read
	du, dv  float32 // distance between two neighbouring positions
}

// footprint returns the footprint of a sample at a spot.
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
	size := max(wide, float32(seen*(1./texel.MaxTaps)), 1)
	f := footprint{taps: 1}
	for f.taps < texel.MaxTaps && float32(float32(f.taps)*size) < seen {
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

// levelFor returns the level to read for a sample, and the weight of the next level. `size` is the width of the sample
// in pixels of the first level; it must be at least 1. Between powers of two, the logarithm of size is approximated by
// a straight line, so that all processors give the same result. If size is within a quarter of a step of the size of a
// level's pixels, only that level is read. This is the case for one in two samples, and the difference is not visible.
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

// maxOrNaN returns the larger of two lengths, or NaN if one of them is NaN.
func maxOrNaN(a, b float32) float32 {
	// The bits of floats that are not negative, read as integers, are ordered like the floats, and NaN comes last.
	return math.Float32frombits(max(math.Float32bits(a), math.Float32bits(b)))
}

// texel returns the value of a texture at a spot: a linear colour, or three numbers.
func (t *texture) texel(at *spot) float3.Vector {
	if at.batch != nil {
		return at.batch.texel(t, at)
	}
	if t.uvs != nil {
		own := at.paint.spotBy(t.uvs, at.weights)
		at = &own
	}
	f := t.footprint(at)
	u, v := f.firstPlace(t, at)
	var m pixelSum
	share := 1 / float32(f.taps)
	for range f.taps {
		if f.part == 0 {
			t.addValue(&m, f.level, u, v, share, f.nearest)
		} else {
			t.addValue(&m, f.level, u, v, float32(share*(1-f.part)), false)
			t.addValue(&m, f.level+1, u, v, float32(share*f.part), false)
		}
		u, v = u+f.du, v+f.dv
	}
	if t.hasAlpha {
		return m.color.Scale(1 / m.alpha)
	}
	return m.color
}

// firstPlace returns the first position at which a footprint reads the texture, after wrapCoord.
func (f *footprint) firstPlace(t *texture, at *spot) (u, v float32) {
	back := float32(f.taps-1) * 0.5
	u, v = at.u-float32(f.du*back), at.v-float32(f.dv*back)
	return wrapCoord(u, t.wrapU), wrapCoord(v, t.wrapV)
}

// wrapCoord returns the fraction of u if the texture is repeated. Otherwise it returns u, because function wrap
// applies the other modes to pixels. It returns 0 if u is NaN, or so large that float32 cannot tell pixels apart.
func wrapCoord(u float32, mode scenes.Wrap) float32 {
	if !(u > -texel.FarthestPlace && u < texel.FarthestPlace) {
		return 0
	}
	if mode == scenes.Repeat && !(u >= 0 && u < 1) {
		_, u = floor(u)
	}
	return u
}

// A pixelSum is a weighted sum of pixels, and the sum of their alphas.
type pixelSum struct {
	color float3.Vector
	alpha float32
}

// addValue adds the value of a level at (u, v), times share. Pixels are weighted by their alpha, so that the colour of
// transparent pixels does not show at the edge of a hole.
func (t *texture) addValue(m *pixelSum, level int, u, v, share float32, nearest bool) {
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

// A quad holds two by two neighbouring pixels of a level, red in the lowest bytes.
type quad struct {
	upperLeft, upperRight, lowerLeft, lowerRight uint32
	right, down                                  float32 // position from the left to the right pixels, and from the upper to the lower pixels, from 0 to 1
}

// quad returns the four pixels of a level around (u, v).
func (l *level) quad(t *texture, u, v float32, nearest bool) quad {
	x, y := float32(u*float32(l.width))-0.5, float32(v*float32(l.height))-0.5
	if nearest {
		x, y = float32(math.Floor(float64(x)+0.5)), float32(math.Floor(float64(y)+0.5))
	}
	fx, right := floor(x)
	fy, down := floor(y)
	var x0, x1, y0, y1 int
	if w, h := l.width, l.height; uint(fx) < uint(w-1) && uint(fy) < uint(h-1) {
		x0, x1, y0, y1 = fx, fx+1, fy*w, fy*w+w // the usual case, away from the edges
	} else {
		x0, x1 = wrap(fx, w, t.wrapU), wrap(fx+1, w, t.wrapU)
		y0, y1 = wrap(fy, h, t.wrapV)*w, wrap(fy+1, h, t.wrapV)*w
	}
	pixel := func(i int) uint32 { return binary.LittleEndian.Uint32(l.pix[4*i:]) }
	return quad{pixel(y0 + x0), pixel(y0 + x1), pixel(y1 + x0), pixel(y1 + x1), right, down}
}

// alphaOf returns the alpha of a pixel, from 0 to 1.
func alphaOf(pixel uint32) float32 { return float32(pixel>>24) / 255 }

// floor returns the largest integer that is not above x, and the difference of x and this integer. x must be far from
// the limits of an int64.
func floor(x float32) (int, float32) {
	i := int64(x)
	if float32(i) > x {
		i--
	}
	return int(i), x - float32(i)
}

// wrap returns the pixel, from 0 to n-1, that is shown at column or row x of a picture with n columns or rows.
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
		return x // the usual case, without a division
	}
	if x %= n; x < 0 {
		x += n
	}
	return x
}
