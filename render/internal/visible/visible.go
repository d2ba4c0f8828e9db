// Package visible holds which triangles the pixels of a frame show, and where, found once
// from the keys of their samples. It is a fifth of the size of the keys, and all that
// lighting wants to know.
package visible

import (
	"slices"
	"unsafe"

	"lockstep/render/internal/kernel/array"
)

// MostOfPixel is how many triangles a pixel may show: one a sample.
const MostOfPixel = 16

// A Place says where in a row of pixels a point lies that shows one triangle: the pixel,
// how many of its samples show the triangle, and the sum of their offsets from the pixel's
// centre, in halves of the distance of samples.
type Place uint32

const (
	placeBits  = 16 // of the pixel
	countBits  = 4
	sumBits    = 6
	sumShift   = 1 << (sumBits - 1)
	countShift = placeBits
	xShift     = countShift + countBits
	yShift     = xShift + sumBits
)

// Words returns places as the numbers that they are.
func Words(p []Place) []uint32 {
	return unsafe.Slice((*uint32)(unsafe.SliceData(p)), len(p))
}

// MakePlace packs a place.
func MakePlace(pixel, count, sumX, sumY int32) Place {
	return Place(uint32(pixel) | uint32(count-1)<<countShift | uint32(sumX+sumShift)<<xShift | uint32(sumY+sumShift)<<yShift)
}

// Pixel returns the number of the pixel in its row.
func (p Place) Pixel() int32 { return int32(p & (1<<placeBits - 1)) }

// Count returns how many samples show the triangle.
func (p Place) Count() int32 { return int32(p>>countShift&(1<<countBits-1)) + 1 }

// Sums returns the sums of the samples' offsets, y down.
func (p Place) Sums() (x, y int32) {
	return int32(p>>xShift&(1<<sumBits-1)) - sumShift, int32(p>>yShift) - sumShift
}

// Rows are the points of some rows of pixels: of every pixel from left to right, of its
// triangles in the order of the first samples that show them.
type Rows struct {
	Triangles []uint32
	Places    []Place
	Nearness  []float32 // of the first covered sample of every pixel that shows something
	ends      []end     // by row
}

// end is where a row ends.
type end struct{ points, pixels int }

// Reset empties rows.
func (r *Rows) Reset() {
	r.Triangles, r.Places, r.Nearness, r.ends = r.Triangles[:0], r.Places[:0], r.Nearness[:0], r.ends[:0]
}

// EndRow ends a row of pixels.
func (r *Rows) EndRow() { r.ends = append(r.ends, end{len(r.Triangles), len(r.Nearness)}) }

// Row returns the points of row y, counted from 0, and the nearness of its pixels.
func (r *Rows) Row(y int) (triangles []uint32, places []Place, nearness []float32) {
	var from end
	if y > 0 {
		from = r.ends[y-1]
	}
	to := r.ends[y]
	return r.Triangles[from.points:to.points], r.Places[from.points:to.points], r.Nearness[from.pixels:to.pixels]
}

// Add appends n pixels from number x on, whose grid x grid samples have keys that lie stride
// apart, by row.
func (r *Rows) Add(keys []uint64, stride, grid, x, n int) {
	if grid == 2 {
		r.addFours(keys, stride, x, n)
		return
	}
	for i := range n {
		if grid > 1 {
			r.parts(keys[grid*i:], stride, grid, int32(x+i))
		} else if keys[i] != 0 {
			r.one(keys[i], MakePlace(int32(x+i), 1, 0, 0))
		}
	}
}

// addFours is Add for pixels of four samples.
func (r *Rows) addFours(keys []uint64, stride, x, n int) {
	// Nothing grows within the loop, so that it needs no look at what there is room for.
	triangles, places, nearness := slices.Grow(r.Triangles, 4*n), slices.Grow(r.Places, 4*n), slices.Grow(r.Nearness, n)
	at, pixels := len(triangles), len(nearness)
	triangles, places, nearness = triangles[:at+4*n], places[:at+4*n], nearness[:pixels+n]
	upper, lower := keys[:2*n], keys[stride:stride+2*n]
	for i := 0; i+1 < len(upper) && i+1 < len(lower); i += 2 {
		a, b, c, d := upper[i], upper[i+1], lower[i], lower[i+1]
		if a|b|c|d == 0 {
			continue
		}
		pixel := int32(x + i/2)
		if ta := uint32(a); ta == uint32(b) && ta == uint32(c) && ta == uint32(d) && min(a, b, c, d) != 0 {
			nearness[pixels], triangles[at], places[at] = array.Nearness(a), ^ta, MakePlace(pixel, 4, 0, 0)
			pixels, at = pixels+1, at+1
			continue
		}
		four := [4]uint64{a, b, c, d}
		first := at
		for k, key := range four {
			if key == 0 {
				continue
			}
			if at == first {
				nearness[pixels] = array.Nearness(key)
				pixels++
			}
			t, place := array.Payload(key), samplePlaces[k]
			i := first
			for i < at && triangles[i] != t {
				i++
			}
			if i == at {
				triangles[at], places[at] = t, place+Place(pixel)
				at++
				continue
			}
			places[i] += place - samplePlaces[4] // one more sample
		}
	}
	r.Triangles, r.Places, r.Nearness = triangles[:at], places[:at], nearness[:pixels]
}

// samplePlaces are those of each of four samples in pixel 0; last, what the sum of two
// places has too much.
var samplePlaces = [5]Place{MakePlace(0, 1, -1, -1), MakePlace(0, 1, 1, -1), MakePlace(0, 1, -1, 1), MakePlace(0, 1, 1, 1), zeroSums - 1<<countShift}

// zeroSums is a place of one sample at the centre of pixel 0.
const zeroSums = Place(sumShift<<xShift | sumShift<<yShift)

// one appends a pixel that shows one triangle.
func (r *Rows) one(key uint64, place Place) {
	r.Nearness = append(r.Nearness, array.Nearness(key))
	r.Triangles = append(r.Triangles, array.Payload(key))
	r.Places = append(r.Places, place)
}

// parts appends the triangles that a pixel shows.
func (r *Rows) parts(keys []uint64, stride, grid int, pixel int32) {
	var counts, sumX, sumY [MostOfPixel]int32
	first := len(r.Triangles)
	for row := range grid {
		for col, key := range keys[row*stride : row*stride+grid] {
			if key == 0 {
				continue
			}
			if len(r.Triangles) == first {
				r.Nearness = append(r.Nearness, array.Nearness(key))
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
}
