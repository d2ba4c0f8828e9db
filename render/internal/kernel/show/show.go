// Package show finds the triangles that the four samples of each pixel show, and the nearness of these samples, from
// the keys of the samples. The specification of Fours is in package visible, and that of Distances is
// view.Depths.Relative.
package show

import "lockstep/vp/isa"

// A place says which samples of a pixel show a triangle. It packs four numbers, from its lowest bit on: the number of
// the pixel, the number of these samples less one, and the sums of their offsets from the pixel's centre, to the right
// and down. Offsets are in halves of the distance between samples. SumShift is added to each sum.
const (
	PlaceBits  = 16 // number of the pixel
	CountBits  = 4
	SumBits    = 6
	SumShift   = 1 << (SumBits - 1)
	CountShift = PlaceBits
	XShift     = CountShift + CountBits
	YShift     = XShift + SumBits
)

// SampleN is the place of a triangle that only sample N of pixel 0 shows. If sample N shows the same triangle as an
// earlier sample of the pixel, MoreN is added to the triangle's place.
const (
	Sample0  = (SumShift-1)<<XShift | (SumShift-1)<<YShift
	Sample1  = (SumShift+1)<<XShift | (SumShift-1)<<YShift
	Sample2  = (SumShift-1)<<XShift | (SumShift+1)<<YShift
	Sample3  = (SumShift+1)<<XShift | (SumShift+1)<<YShift
	zeroSums = SumShift<<XShift | SumShift<<YShift
	One      = 1 << CountShift
	More1    = (Sample1 - zeroSums + One) & (1<<32 - 1)
	More2    = (Sample2 - zeroSums + One) & (1<<32 - 1)
	More3    = (Sample3 - zeroSums + One) & (1<<32 - 1)
)

// Loops holds the loops for one instruction set.
type Loops struct {
	// Fours finds what pixels with four samples show, from pixel x on. upper and lower are the keys of the pixels' two
	// rows of samples. Fours has two results for each triangle that a pixel shows: it stores the triangle's number in
	// `triangles`, and its place in `places`. Both slices need room for four entries per pixel and a vector more.
	// nearness receives the nearness of the first covered sample of each pixel, or 0 if no sample is covered.
	//
	// Fours returns the number of these entries (points), and the number of pixels that show anything. It does not
	// process pixels at the end that do not fill a vector.
	Fours func(upper, lower []uint64, x int, triangles, places []uint32, nearness []float32) (points, shown int)
	// Distances sets to[i] to (near/nearness[i] - middle) * scale, computed in float64. If middle is 0, it sets to[i]
	// to near*scale, rounded to float32, divided by nearness[i]. It does not process elements at the end that do not
	// fill a vector.
	Distances func(nearness, to []float32, near, middle, scale float64)
}

// Select returns the loops for an instruction set, or nil if there are none.
func Select(level isa.Level) *Loops { return selectLoops(level) }
