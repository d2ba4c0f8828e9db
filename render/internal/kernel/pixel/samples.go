package pixel

import (
	"encoding/binary"
	"math/bits"

	"lockstep/render/internal/kernel/array"
	"lockstep/render/internal/kernel/srgb"
)

// A Downsampler averages the samples of a pixel in linear light.
type Downsampler struct {
	even   func(pix []byte, keys []uint64, stride, grid int, background uint32) (uneven uint64, covered int)
	linear [256]uint32          // linear light from 0 to linearOne, by sRGB value
	encode [linearOne + 1]uint8 // sRGB value, rounded, by linear light
}

// linearOne stands for full intensity. It is large enough that every 8-bit sRGB value survives the conversion to linear
// light and back, and small enough that the sum of sixteen such values fits into 32 bits.
const linearOne = 1<<16 - 1

// NewDownsampler makes the tables of a downsampler that uses the given loops.
func NewDownsampler(loops *Loops) *Downsampler {
	d, encoder := &Downsampler{even: loops.Even}, srgb.NewEncoder()
	for i := range d.linear {
		d.linear[i] = uint32(srgb.Decode(float64(i)/255)*linearOne + 0.5)
	}
	for i := range d.encode {
		d.encode[i] = encoder.Encode(float64(i) / linearOne)
	}
	return d
}

// Resolve writes pixels of grid x grid samples each: pixel i averages keys [grid*i, grid*i+grid) of grid rows whose
// starts are stride keys apart. If the background is transparent, alpha is the share of covered samples, and the colour
// is the mean of the covered samples (straight alpha). An opaque background is mixed in instead. Resolve sets the keys
// to 0 and returns the number of pixels with a covered sample.
func (d *Downsampler) Resolve(pix []byte, keys []uint64, stride, grid int, background uint32) (covered int) {
	n := len(pix) / 4
	for from := 0; from < n; from += MaxEven {
		some := pix[4*from : 4*min(from+MaxEven, n)]
		uneven, hits := d.even(some, keys[grid*from:], stride, grid, background)
		covered += hits
		for ; uneven != 0; uneven &= uneven - 1 {
			i := bits.TrailingZeros64(uneven)
			p, hit := d.average(keys[grid*(from+i):], stride, grid, background)
			if hit {
				covered++
			}
			binary.LittleEndian.PutUint32(some[4*i:], p)
		}
	}
	for y := range grid {
		clear(keys[y*stride : y*stride+grid*n])
	}
	return covered
}

// average returns the mean of the samples of the pixel whose keys start at at[0]. hit is true if a sample is covered.
func (d *Downsampler) average(at []uint64, stride, grid int, background uint32) (p uint32, hit bool) {
	var r, g, b, hits uint32
	for y := range grid {
		for _, k := range at[y*stride : y*stride+grid] {
			if k == 0 {
				continue
			}
			p := array.Payload(k)
			r, g, b = r+d.linear[p&255], g+d.linear[p>>8&255], b+d.linear[p>>16&255]
			hits++
		}
	}
	if hits == 0 {
		return background, false
	}
	return d.mix(r, g, b, hits, uint32(grid*grid), background), true
}

// mix returns the value of a pixel with hits covered samples of all. r, g and b are the sums of the light of the
// covered samples.
func (d *Downsampler) mix(r, g, b, hits, all, background uint32) uint32 {
	count, alpha := hits, (255*hits+all/2)/all
	if background>>24 == 255 {
		rest := all - hits
		r += rest * d.linear[background&255]
		g += rest * d.linear[background>>8&255]
		b += rest * d.linear[background>>16&255]
		count, alpha = all, 255
	}
	mean := func(sum uint32) uint32 { return uint32(d.encode[(sum+count/2)/count]) }
	return mean(r) | mean(g)<<8 | mean(b)<<16 | alpha<<24
}

// Nearest returns the key of the nearest sample of pixel i, which is the largest, or 0 if no sample is covered. The
// grid x grid samples are arranged as in [Downsampler.Resolve].
func Nearest(keys []uint64, stride, grid, i int) (nearest uint64) {
	for y := range grid {
		for _, k := range keys[y*stride+grid*i : y*stride+grid*(i+1)] {
			nearest = max(nearest, k)
		}
	}
	return nearest
}
