// Package show finds which triangles the four samples of each pixel show, and how near they are, from the keys of
// the samples. The specification of its loops is in package visible and in render.
package show

import "lockstep/vp/isa"

// A place says where the point lies at which a pixel shows a triangle. From its lowest bit on, it has the pixel; how
// many of the pixel's samples show the triangle, less one; and two sums of the offsets of these samples from the
// pixel's centre, to the right and down. Offsets are in halves of the distance between samples, and each sum is stored
// plus SumShift.
const (
	PlaceBits  = 16 // of the pixel
	CountBits  = 4
	SumBits    = 6
	SumShift   = 1 << (SumBits - 1)
	CountShift = PlaceBits
	XShift     = CountShift + CountBits
	YShift     = XShift + SumBits
)

// SampleN is the place of a triangle that only sample N of pixel 0 shows. MoreN is what sample N adds to the place of a
// triangle that other samples of the pixel show too.
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

// Loops holds the loops for one instruction set.
type Loops struct {
	// Fours finds the triangles and places that pixels of four samples show, from pixel x on. upper and lower are the
	// keys of their two rows of samples. It also sets the nearness of the first covered sample of each pixel, or 0 if
	// none is covered. triangles and places must have room for four points for each pixel and a vector more. Fours
	// returns the number of points, and the number of pixels that show any. It leaves out the pixels at the end that do
	// not fill a vector.
	Fours func(upper, lower []uint64, x int, triangles, places []uint32, nearness []float32) (points, shown int)
	// Distances sets to to (near/nearness - middle) * scale, computed in float64. If middle is 0, it sets to to
	// near*scale, rounded to float32, divided by nearness. It leaves out the elements at the end that do not fill a
	// vector.
	Distances func(nearness, to []float32, near, middle, scale float64)
}

// Select returns the loops for an instruction set, or nil if there are none.
func Select(level isa.Level) *Loops { return selectLoops(level) }
