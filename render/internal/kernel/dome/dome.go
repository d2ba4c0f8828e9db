// Package dome darkens pixels of a cloud that lie behind the pixels around them. This is the eye-dome light of
// Boucheny, which shows the shape of points that have no normals.
//
// Depths are first converted to levels: integers that grow towards the eye, such that the difference between two
// pixels measures the slope of the surface between them.
package dome

import (
	"encoding/binary"
	"math"
)

const (
	// MaxReach is the largest distance in pixels, along a row or a column, between a pixel and the pixels that darken
	// it.
	MaxReach = 8
	// Slope is the difference between the levels of two pixels that are Reach pixels apart on a surface at 45 degrees
	// to the view.
	Slope = 64
	// steepest is the largest difference of levels that counts. The limit leaves some light to a pixel behind a deep
	// step. A hole among nearer points has this difference on all sides.
	steepest   = 6 * Slope
	neighbours = 8 // number of pixels around a pixel that can darken it

	// nothing is the level of pixels that show nothing. It is so low that these pixels darken no other pixel.
	nothing = -1 << 30
	// deepest limits the size of levels. Differences of levels then fit into an int32.
	deepest = 1 << 29
)

// A View holds the parameters that levels depend on.
type View struct {
	Reach int // distance in pixels of the pixels that darken a pixel, from 1 to MaxReach
	// Linear says how depths become levels. It is set for orthographic views and views from far away, in which the
	// nearness is a linear function of the distance. Levels are then linear, too. In other views, levels are logarithms
	// of the nearness. So a slope has the same difference of levels at any distance.
	Linear bool
	Per    float64 // change of the level per unit of the nearness, or per unit of its logarithm
}

// Levels converts nearness to levels, which are integers that grow towards the eye. The difference between the levels
// of two pixels measures the slope of the surface between them.
type Levels struct {
	view        View
	linear      float32
	octave      int32 // change of the level if the nearness doubles
	minExponent int32 // exponent of the smallest nearness with a level of its own
	mantissas   [mantissaSteps + 1]int32
}

const (
	mantissaBits  = 11
	mantissaSteps = 1 << mantissaBits
	restBits      = 23 - mantissaBits
	bias          = 127
)

// Begin prepares for a view.
func (l *Levels) Begin(v View) {
	if v == l.view {
		return
	}
	l.view = v
	l.linear = float32(min(v.Per, deepest))
	octave := min(v.Per*math.Ln2, deepest/16)
	l.octave = int32(octave + 0.5)
	l.minExponent = max(-bias+1, -deepest/max(l.octave, 1))
	for i := range l.mantissas {
		l.mantissas[i] = int32(float64(octave*log2(1+float64(i)/mantissaSteps)) + 0.5)
	}
}

// log2 returns the logarithm of a number from 1 to 2. Unlike math.Log2 it has the same bits on all processors.
func log2(x float64) float64 {
	t := (x - 1) / (x + 1) // at most 1/3
	square, power, sum := float64(t*t), t, 0.0
	for k := 1; k < 40; k += 2 {
		sum += float64(power / float64(k))
		power = float64(power * square)
	}
	return sum * (2 / math.Ln2)
}

// Of returns the level of a nearness from 0 to 1.
func (l *Levels) Of(nearness float32) int32 {
	if l.view.Linear {
		return int32(float32(nearness * l.linear))
	}
	bits := math.Float32bits(nearness)
	exponent := int32(bits>>23) - bias
	if exponent < l.minExponent {
		return l.minExponent * l.octave
	}
	i, rest := bits>>restBits&(mantissaSteps-1), int32(bits&(1<<restBits-1))
	from := l.mantissas[i]
	return exponent*l.octave + from + (l.mantissas[i+1]-from)*rest>>restBits
}

// A Grid holds the level of each pixel of a frame. Around the frame there are margins of MaxReach pixels that show
// nothing.
type Grid struct {
	levels        []int32
	width, height int
	stride        int
	offsets       [neighbours]int // offset, in the slice levels, from a pixel to each neighbour
	shades        [neighbours*steepest + 1]uint16
}

// Begin prepares for a frame of width by height pixels.
func (g *Grid) Begin(width, height, reach int) {
	g.stride = width + 2*MaxReach
	n := g.stride * (height + 2*MaxReach)
	if width != g.width || height != g.height {
		if cap(g.levels) < n {
			g.levels = make([]int32, n)
		}
		g.levels = g.levels[:n]
		for i := range g.levels {
			g.levels[i] = nothing
		}
		g.width, g.height = width, height
	}
	// diagonal is the number of steps along the diagonal to the same distance, rounded. 181/256 is the square root of
	// 1/2.
	diagonal := max((reach*181+128)>>8, 1)
	down, across := reach*g.stride, diagonal*g.stride
	g.offsets = [neighbours]int{-down, -across - diagonal, -across + diagonal, -reach, reach, across - diagonal, across + diagonal, down}
	if g.shades[0] == 0 {
		for fall := range g.shades {
			g.shades[fall] = shadeOf(fall)
		}
	}
}

const (
	// whole is the shade of pixels that are not darkened.
	whole = 1 << 8
	// strength is the strength of the darkening: a pixel that is one Slope below all pixels around it keeps
	// 1/(1+strength) of its value.
	strength = 0.4
	// deepSides and gapSides are numbers of neighbouring pixels that are much nearer than a pixel. A pixel with more
	// than deepSides of them is a gap between points that shows the background, and is darkened less. With gapSides or
	// more, it is not darkened at all: dark gaps would look like speckles on the surface in front.
	deepSides, gapSides = 5, 7
)

// shadeOf returns the factor for the values of a pixel, times whole. fall is the sum of the differences by which the
// pixel's level is below the levels of its neighbours.
func shadeOf(fall int) uint16 {
	sides := float64(fall) / steepest
	if sides > deepSides {
		sides = deepSides * max(0, gapSides-sides) / (gapSides - deepSides)
	}
	return uint16(whole/(1+sides*(strength*steepest/(neighbours*Slope))) + 0.5)
}

// Row returns the levels of row y.
func (g *Grid) Row(y int) []int32 {
	at := (y+MaxReach)*g.stride + MaxReach
	return g.levels[at : at+g.width]
}

// Nothing returns the level of pixels that show nothing.
func (l *Levels) Nothing() int32 { return nothing }

// Clear sets levels to the level of pixels that show nothing.
func Clear(levels []int32) {
	for i := range levels {
		levels[i] = nothing
	}
}

// Shade darkens the pixels of row y of the grid. pix holds the pixels as R, G, B and alpha in sRGB. Alpha does not
// change. The levels of the rows around y must be set.
func (g *Grid) Shade(y int, pix []byte) {
	at := (y+MaxReach)*g.stride + MaxReach
	levels := g.levels[at : at+g.width]
	s := &g.offsets
	n := g.width
	a, b, c, d := g.levels[at+s[0]:][:n], g.levels[at+s[1]:][:n], g.levels[at+s[2]:][:n], g.levels[at+s[3]:][:n]
	e, f, h, i := g.levels[at+s[4]:][:n], g.levels[at+s[5]:][:n], g.levels[at+s[6]:][:n], g.levels[at+s[7]:][:n]
	for x, level := range levels {
		if level == nothing {
			continue
		}
		fall := fallTo(a[x], level) + fallTo(b[x], level) + fallTo(c[x], level) + fallTo(d[x], level) +
			fallTo(e[x], level) + fallTo(f[x], level) + fallTo(h[x], level) + fallTo(i[x], level)
		if fall > 0 {
			p := (*[4]byte)(pix[4*x:])
			binary.LittleEndian.PutUint32(p[:], darken(binary.LittleEndian.Uint32(p[:]), uint32(g.shades[fall])))
		}
	}
}

// fallTo returns the difference by which a level is below the level of a neighbour. The result is at most steepest.
func fallTo(neighbour, level int32) int32 { return min(max(neighbour-level, 0), steepest) }

// darken multiplies the values of a pixel by shade/whole. The values are sRGB, so the light decreases by more than
// this factor. Other programs with eye-dome light also multiply sRGB values.
func darken(pixel, shade uint32) uint32 {
	const odd, half = 0xff00ff, 0x800080 // pixel values two by two, so that their products do not overlap
	rb, g := pixel&odd, pixel>>8&0xff
	return (rb*shade+half)>>8&odd | (g*shade+half&0xff)>>8<<8 | pixel&0xff000000
}
