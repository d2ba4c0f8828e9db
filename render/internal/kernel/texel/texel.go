// Package texel reads textures at the points of a batch. The specification of its loops is what package surface does
// at one point: coat.spot and texture.texel.
package texel

import "lockstep/vp/isa"

const (
	// Capacity is the number of points of a batch, as in package light.
	Capacity = 128
	// Levels is the most levels of a texture: its longer side has less than 2 to that power pixels.
	Levels = 24
	// MostPixels is the most pixels of a texture and its levels that a loop can number.
	MostPixels = 1 << 30
	// MostTaps is how many places of a texture are averaged at most. With four, a floor that is seen at 14 degrees is as
	// sharp as one that is seen from above. With two, the error of a chequered floor is four times as large, with eight
	// half as large.
	MostTaps = 4
	// Longest is how many times as long as wide the part of a texture is that a sample covers, at most, where it is
	// longer than its triangle. Outlines of round surfaces show triangles nearly edge-on, in whose planes a pixel is as
	// long as the texture.
	Longest = 16
	// Farthest bounds the pixels of a texture along a sample, so that products of two such numbers are finite.
	Farthest = 1 << 40
	// FarthestPlace bounds the places of a texture that floats still tell apart.
	FarthestPlace = 1e6
	// Transparent is the weight of a pixel without alpha. It is so small that such pixels change no colour beside
	// others, but where there are no others they keep theirs.
	Transparent = 1. / (1 << 16)
)

// A Wrap says what lies beyond the edges of a texture: the picture again, its outermost pixels, or its mirror image.
type Wrap uint8

const (
	Repeat Wrap = iota
	Clamp
	Mirror
)

// A Texture is a picture, and the copies of it in halves of its size. Pixels are red, green, blue and alpha.
type Texture struct {
	Picture         []uint8
	Smaller         []uint8         // the levels from 1 on, one behind the other
	Widths, Heights [Levels]float32 // by level
	Starts          [Levels]int32   // by level: its first pixel in Smaller, 0 for level 0
	Last            int             // the last level
	Linear          *[256]float32   // what a value of red, green or blue means
	WrapU, WrapV    Wrap
	Holes           bool // pixels count by their alpha
}

// Points are the points of a batch, by column.
type Points struct {
	Corners [6][Capacity]float32 // u and v of the triangle's first corner, of its second and of its third
	Extent  [2][Capacity]float32 // how far the triangle reaches along u and v

	// What Place finds: the point in the texture, and the sides of the square that it stands for.
	UV           [2][Capacity]float32
	Right, Above [2][Capacity]float32
}

// A Fetched is what a texture shows at the points of a batch.
type Fetched struct {
	Values [3][Capacity]float32 // linear colours, or three numbers
	// Missed is not 0 where the loop does not know what is seen: at points far outside the texture or of no number. It
	// is 0 elsewhere.
	Missed [Capacity]int32
}

// Loops read textures. Points beyond the last and points that show no texture may hold anything: what the loops find
// for them is undefined, and nothing else depends on it.
type Loops struct {
	// Place sets where points from to n lie in textures, from the weights of the corners there, a pixel further right
	// and a pixel further up. Each stands for a square of which it has counts of all samples. from is a multiple of 16.
	Place func(p *Points, weights *[3][3][Capacity]float32, counts *[Capacity]float32, all float32, from, n int)
	// Fetch sets what a texture shows at points from to n. from is a multiple of 16.
	Fetch func(t *Texture, p *Points, to *Fetched, from, n int)
}

// Select returns the loops for an instruction set, nil if it has no vectors.
func Select(level isa.Level) *Loops { return selectLoops(level) }
