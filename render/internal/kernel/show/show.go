// Package show finds which triangles the four samples of each pixel show, and how near they are, from the keys of
// the samples. The specification of its loops is in package visible and in render.
package show

import "lockstep/vp/isa"

// A Place says where a point lies that shows a triangle, in its bits from the lowest: the
// pixel, how many of its samples show the triangle, less one, and the sums of their offsets from
// the centre, to the right and down, in halves of the distance of samples, each plus SumShift.
const (
	PlaceBits  = 16 // of the pixel
	CountBits  = 4
	SumBits    = 6
	SumShift   = 1 << (SumBits - 1)
	CountShift = PlaceBits
	XShift     = CountShift + CountBits
	YShift     = XShift + SumBits
)

// The places of each of four samples in pixel 0, and what each adds to the place of another
// that shows the same triangle.
const (
	Sample0 = (SumShift-1)<<XShift | (SumShift-1)<<YShift
	Sample1 = (SumShift+1)<<XShift | (SumShift-1)<<YShift
	Sample2 = (SumShift-1)<<XShift | (SumShift+1)<<YShift
	Sample3 = (SumShift+1)<<XShift | (SumShift+1)<<YShift
	none    = SumShift<<XShift | SumShift<<YShift
	One     = 1 << CountShift
	More1   = (Sample1 - none + One) & (1<<32 - 1)
	More2   = (Sample2 - none + One) & (1<<32 - 1)
	More3   = (Sample3 - none + One) & (1<<32 - 1)
)

// Loops are for one instruction set.
type Loops struct {
	// Fours finds the triangles and places of pixels from number x on, whose samples have the
	// keys upper and lower, and the nearness of the first of each that is covered, 0 where none
	// is. There is room for four points a pixel and a vector more. It returns the number of
	// points, and of pixels that have some. It leaves out pixels beyond whole vectors.
	Fours func(upper, lower []uint64, x int, triangles, places []uint32, nearness []float32) (points, shown int)
	// Distances sets to to (near/nearness - middle) * scale, found in float64; where middle is 0, to
	// near*scale, rounded, over nearness. It leaves out what is beyond whole vectors.
	Distances func(nearness, to []float32, near, middle, scale float64)
}

// Select returns the loops for an instruction set, or nil.
func Select(level isa.Level) *Loops { return selectLoops(level) }
