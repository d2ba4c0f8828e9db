// Package visible records which triangles the pixels of a frame show, and at which samples. It finds them once, from
// the keys of the samples. The record takes a fifth of the keys' memory, and lighting needs nothing else.
package visible

import (
	"slices"
	"unsafe"

	"lockstep/render/internal/kernel/array"
	"lockstep/render/internal/kernel/show"
)

// MaxPerPixel is the largest number of triangles that a pixel may show: one for each sample.
const MaxPerPixel = 16

// A Place is the position of a point in a row of pixels. A point stands for all samples of a pixel that show the same
// triangle. A Place packs the number of the pixel, the number of these samples, and the sums of their offsets from the
// pixel's centre, to the right and down. Offsets are in halves of the distance between samples.
type Place uint32

const (
	placeBits  = show.PlaceBits
	countBits  = show.CountBits
	sumBits    = show.SumBits
	sumShift   = show.SumShift
	countShift = show.CountShift
	xShift     = show.XShift
	yShift     = show.YShift
)

// Words returns places as integers in the same memory.
func Words(p []Place) []uint32 {
	return unsafe.Slice((*uint32)(unsafe.SliceData(p)), len(p))
}

// MakePlace packs the components of a place.
func MakePlace(pixel, count, sumX, sumY int32) Place {
	return Place(uint32(pixel) | uint32(count-1)<<countShift | uint32(sumX+sumShift)<<xShift | uint32(sumY+sumShift)<<yShift)
}

// Pixel returns the number of the pixel in its row.
func (p Place) Pixel() int32 { return int32(p & (1<<placeBits - 1)) }

// Count returns the number of samples that show the triangle.
func (p Place) Count() int32 { return int32(p>>countShift&(1<<countBits-1)) + 1 }

// Sums returns the sums of the samples' offsets, in halves of the distance between samples. y points down.
func (p Place) Sums() (x, y int32) {
	return int32(p>>xShift&(1<<sumBits-1)) - sumShift, int32(p>>yShift) - sumShift
}

// Rows holds the points of some rows of pixels, sorted by row and then by pixel from left to right. Points of the same
// pixel have the order of the first samples that show their triangles.
type Rows struct {
	Triangles []uint32
	Places    []Place
	// Nearness holds the nearness of each pixel's first covered sample, row by row. It is 0 if no sample of the pixel
	// is covered, and undefined for pixels that were not added.
	Nearness []float32
	Shown    int // number of pixels that show something
	Loops    *show.Loops
	width    int   // pixels in a row
	ends     []int // index after the last point of each row
}

// Begin empties r for rows of width pixels. loops may be nil.
func (r *Rows) Begin(width int, loops *show.Loops) {
	r.Triangles, r.Places, r.Nearness, r.Shown = r.Triangles[:0], r.Places[:0], r.Nearness[:0], 0
	r.width, r.Loops, r.ends = width, loops, r.ends[:0]
}

// row returns the nearness of n pixels of the current row, from pixel x on.
func (r *Rows) row(x, n int) []float32 {
	if end := (len(r.ends) + 1) * r.width; len(r.Nearness) < end {
		r.Nearness = slices.Grow(r.Nearness, end-len(r.Nearness))[:end]
	}
	return r.Nearness[len(r.ends)*r.width+x:][:n]
}

// EndRow ends the current row of pixels.
func (r *Rows) EndRow() {
	r.row(0, 0)
	r.ends = append(r.ends, len(r.Triangles))
}

// End must be called after the last row. It cuts Nearness to the rows that were ended.
func (r *Rows) End() { r.Nearness = r.Nearness[:len(r.ends)*r.width] }

// Row returns the points of row y and the nearness of its pixels. Rows count from 0.
func (r *Rows) Row(y int) (triangles []uint32, places []Place, nearness []float32) {
	from := 0
	if y > 0 {
		from = r.ends[y-1]
	}
	return r.Triangles[from:r.ends[y]], r.Places[from:r.ends[y]], r.Nearness[y*r.width:][:r.width]
}

// Add adds n pixels of the current row, from pixel x on. keys starts with the first sample of these pixels. A pixel
// has grid x grid samples; rows of samples are stride keys apart.
func (r *Rows) Add(keys []uint64, stride, grid, x, n int) {
	nearness := r.row(x, n)
	if grid == 2 {
		r.addFours(keys, stride, x, nearness)
		return
	}
	for i := range n {
		if grid > 1 {
			nearness[i] = r.appendPixel(keys[grid*i:], stride, grid, int32(x+i))
		} else {
			nearness[i] = array.Nearness(keys[i])
			if keys[i] != 0 {
				r.Triangles = append(r.Triangles, array.Payload(keys[i]))
				r.Places = append(r.Places, MakePlace(int32(x+i), 1, 0, 0))
			}
		}
		if nearness[i] != 0 {
			r.Shown++
		}
	}
}

// addFours is Add for pixels with four samples.
func (r *Rows) addFours(keys []uint64, stride, x int, nearness []float32) {
	// Slices with room for all points need no check of their length in the loop.
	n := len(nearness)
	triangles, places := slices.Grow(r.Triangles, 4*n+array.Lanes), slices.Grow(r.Places, 4*n+array.Lanes)
	at, shown := len(triangles), 0
	triangles, places = triangles[:at+4*n+array.Lanes], places[:at+4*n+array.Lanes]
	upper, lower := keys[:2*n], keys[stride:stride+2*n]
	whole := 0
	if r.Loops != nil {
		whole = n &^ (array.Lanes - 1)
		points := 0
		points, shown = r.Loops.Fours(upper, lower, x, triangles[at:], Words(places[at:]), nearness)
		at += points
	}
	for i := 2 * whole; i+1 < len(upper) && i+1 < len(lower); i += 2 {
		a, b, c, d := upper[i], upper[i+1], lower[i], lower[i+1]
		if a|b|c|d == 0 {
			nearness[i/2] = 0
			continue
		}
		shown++
		pixel := int32(x + i/2)
		if ta := uint32(a); ta == uint32(b) && ta == uint32(c) && ta == uint32(d) && min(a, b, c, d) != 0 {
			nearness[i/2], triangles[at], places[at] = array.Nearness(a), ^ta, MakePlace(pixel, 4, 0, 0)
			at++
			continue
		}
		four := [4]uint64{a, b, c, d}
		first := at
		for k, key := range four {
			if key == 0 {
				continue
			}
			if at == first {
				nearness[i/2] = array.Nearness(key)
			}
			t, place := array.Payload(key), samplePlaces[k]
			same := first
			for same < at && triangles[same] != t {
				same++
			}
			if same == at {
				triangles[at], places[at] = t, place+Place(pixel)
				at++
				continue
			}
			places[same] += place - samplePlaces[4] // adds the sample to the point
		}
	}
	r.Triangles, r.Places, r.Shown = triangles[:at], places[:at], r.Shown+shown
}

// samplePlaces holds the places of the four samples of pixel 0. Element 4 is a correction for adding places: the sum of
// the places of two samples, minus element 4, is the place of a point that stands for both samples.
var samplePlaces = [5]Place{show.Sample0, show.Sample1, show.Sample2, show.Sample3, zeroSums - show.One}

// zeroSums is the place of a single sample at the centre of pixel 0.
const zeroSums = Place(sumShift<<xShift | sumShift<<yShift)

// appendPixel appends the triangles that a pixel shows, and returns the pixel's nearness.
func (r *Rows) appendPixel(keys []uint64, stride, grid int, pixel int32) (nearness float32) {
	var counts, sumX, sumY [MaxPerPixel]int32
	first := len(r.Triangles)
	for row := range grid {
		for col, key := range keys[row*stride : row*stride+grid] {
			if key == 0 {
				continue
			}
			if len(r.Triangles) == first {
				nearness = array.Nearness(key)
			}
			t := array.Payload(key)
			i := first
			for i < len(r.Triangles) && r.Triangles[i] != t {
				i++
			}
			if i == len(r.Triangles) {
				r.Triangles = append(r.Triangles, t)
			}
			counts[i-first]++
			sumX[i-first] += int32(2*col + 1 - grid)
			sumY[i-first] += int32(2*row + 1 - grid)
		}
	}
	for i := range r.Triangles[first:] {
		r.Places = append(r.Places, MakePlace(pixel, counts[i], sumX[i], sumY[i]))
	}
	return nearness
}
