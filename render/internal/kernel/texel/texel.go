// Package texel reads textures at the points of a batch. The specification of its loops is the code of package surface
// for a single point: trianglePaint.spot and texture.texel.
package texel

import "lockstep/vp/isa"

const (
	// Capacity is the number of points of a batch, as in package light.
	Capacity = 128
	// Levels is the largest number of levels of a texture. The longer side of the texture has fewer than 1<<Levels
	// pixels.
	Levels = 24
	// MaxPixels is the largest number of pixels of a texture, including all levels, for which a loop can compute
	// indices.
	MaxPixels = 1 << 30
	// MaxTaps is the largest number of positions in a texture that are averaged for one sample. With four, a floor
	// that is seen at 14 degrees is as sharp as one seen from above. With two, the error of a chequered floor is four
	// times as large; with eight, it is half as large.
	MaxTaps = 4
	// Longest limits the length of the part of a texture that a sample covers, in widths of that part. A part longer
	// than the triangle is cut to the triangle's length, or to Longest widths if that is more. This keeps a sample
	// sharp on a triangle that is seen nearly edge-on. Round surfaces have such triangles at their outlines; in their
	// planes, a pixel is as long as the texture.
	Longest = 16
	// Farthest limits the number of pixels of a texture along a sample. Products of two such numbers stay finite.
	Farthest = 1 << 40
	// FarthestPlace limits texture coordinates. Beyond it, float32 cannot tell pixels apart.
	FarthestPlace = 1e6
	// Transparent is the weight of a pixel whose alpha is 0. It is too small to change the colour of other pixels. If
	// all pixels have alpha 0, they keep their colour.
	Transparent = 1. / (1 << 16)
)

// A Wrap is the continuation of a texture beyond its edges: by repetition (Repeat), with its outermost pixels
// (Clamp), or with its mirror image (Mirror).
type Wrap uint8

const (
	Repeat Wrap = iota
	Clamp
	Mirror
)

// A Texture is a picture and smaller copies of it. Each copy has half the width and height of the previous one.
// Pixels are red, green, blue and alpha.
type Texture struct {
	Picture         []uint8
	Smaller         []uint8         // pixels of all levels except level 0, one level after the other
	Widths, Heights [Levels]float32 // size of each level in pixels
	Starts          [Levels]int32   // index in Smaller of the first pixel of each level; 0 for level 0
	Last            int             // number of the last level
	Linear          *[256]float32   // linear light or number for each value of red, green or blue
	WrapU, WrapV    Wrap
	HasAlpha        bool // pixels are weighted by their alpha
}

// Points holds the texture coordinates of the points of a batch, in columns.
type Points struct {
	Corners [6][Capacity]float32 // u and v of the triangle's first, second and third corner
	Extent  [2][Capacity]float32 // width and height of the triangle in the texture

	// Place sets the fields below, in texture coordinates. UV is the point. Right and Above are the sides of the
	// square of the picture that the point stands for.
	UV           [2][Capacity]float32
	Right, Above [2][Capacity]float32
}

// A Fetched holds the values of a texture at the points of a batch.
type Fetched struct {
	Values [3][Capacity]float32 // linear colours, or three numbers
	// Missed is not 0 for a point whose value the loop could not compute. Its texture coordinates are NaN or very
	// large.
	Missed [Capacity]int32
}

// Loops holds the loops that read textures. Elements after the last point, and those of points without a texture, may
// have any contents. Their results are undefined and affect no others.
type Loops struct {
	// Place sets UV, Right and Above of points `from` to n (exclusive). weights holds the weights of the corners at
	// the points, one pixel to the right of the points, and one pixel above them. counts holds the number of samples
	// of each point, and `all` is the number of samples of a pixel. `from` must be a multiple of 16.
	Place func(p *Points, weights *[3][3][Capacity]float32, counts *[Capacity]float32, all float32, from, n int)
	// Fetch sets the values of points `from` to n (exclusive). `from` must be a multiple of 16.
	Fetch func(t *Texture, p *Points, to *Fetched, from, n int)
}

// Select returns the loops for an instruction set, or nil if it has no vectors.
func Select(level isa.Level) *Loops { return selectLoops(level) }
