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
	linear [256]uint32 // linear light from 0 to linearOne of each sRGB value
	// packed holds the light of red, green and blue in one number, channelBits bits apart. One addition adds all
	// three.
	packed [3][256]uint64
	// lowest and limit encode linear light, see encode. A single table of all lights would have 64 KiB, twice a
	// first-level cache.
	lowest [(linearOne + 1) / lightStep]uint8 // sRGB value, rounded, of the least light of each step
	limit  [256]uint32                        // greatest light that is encoded as each sRGB value
}

// channelBits is the number of bits of a sum of the linear light of sixteen samples.
const channelBits = 20

// lightStep is the number of consecutive values of linear light that share an entry of the table `lowest`. At least 19
// such values are encoded as the same sRGB value, so those of an entry have at most two sRGB values.
const lightStep = 16

// linearOne stands for full intensity. It is so large that every 8-bit sRGB value survives the conversion to linear
// light and back. The sum of sixteen such values still fits into 32 bits.
const linearOne = 1<<16 - 1

// NewDownsampler makes the tables of a downsampler that uses the given loops.
func NewDownsampler(loops *Loops) *Downsampler {
	d, encoder := &Downsampler{even: loops.Even}, srgb.NewEncoder()
	for i := range d.linear {
		d.linear[i] = uint32(srgb.Decode(float64(i)/255)*linearOne + 0.5)
		for c := range d.packed {
			d.packed[c][i] = uint64(d.linear[i]) << (c * channelBits)
		}
	}
	for i := range uint32(linearOne + 1) {
		v := encoder.Encode(float64(i) / linearOne)
		if i%lightStep == 0 {
			d.lowest[i/lightStep] = v
		}
		d.limit[v] = i
	}
	return d
}

// encode returns the sRGB value of light, rounded.
func (d *Downsampler) encode(light uint32) uint32 {
	v := uint32(d.lowest[light/lightStep])
	return v + (d.limit[v]-light)>>31 // adds 1 above the limit, without a branch
}

// Resolve writes pixels of grid x grid samples each. Pixel i averages keys [grid*i, grid*i+grid) in grid rows, whose
// starts are stride keys apart. Resolve sets the keys to 0 and returns the number of pixels with a covered sample.
//
// With a transparent background, alpha is the share of covered samples, and the colour is the mean of the covered
// samples (straight alpha). An opaque background is mixed with the samples instead.
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

// average returns the mean of the samples of a pixel, and whether any of them is covered (hit). The slice `at` starts
// with the pixel's first key.
func (d *Downsampler) average(at []uint64, stride, grid int, background uint32) (p uint32, hit bool) {
	var sum uint64
	hits, all, shift := uint32(0), uint32(4), uint32(2)
	if grid == 2 {
		upper, lower := (*[2]uint64)(at), (*[2]uint64)(at[stride:])
		sum = d.light(upper[0], &hits) + d.light(upper[1], &hits) + d.light(lower[0], &hits) + d.light(lower[1], &hits)
	} else {
		all, shift = 16, 4
		for y := range 4 {
			row := (*[4]uint64)(at[y*stride:])
			sum += d.light(row[0], &hits) + d.light(row[1], &hits) + d.light(row[2], &hits) + d.light(row[3], &hits)
		}
	}
	const channel = 1<<channelBits - 1
	r, g, b := uint32(sum)&channel, uint32(sum>>channelBits)&channel, uint32(sum>>(2*channelBits))
	switch hits {
	case 0:
		return background, false
	case all: // most pixels
		half := all / 2
		return d.encode((r+half)>>shift) | d.encode((g+half)>>shift)<<8 | d.encode((b+half)>>shift)<<16 | 0xff<<24, true
	}
	return d.mix(r, g, b, hits, all, background), true
}

// light returns the light of a sample, packed, and counts the sample in hits if it is covered.
func (d *Downsampler) light(key uint64, hits *uint32) uint64 {
	if key == 0 {
		return 0
	}
	*hits++
	p := array.Payload(key)
	return d.packed[0][p&255] + d.packed[1][p>>8&255] + d.packed[2][p>>16&255]
}

// mix returns the value of a pixel. hits of its `all` samples are covered. r, g and b are the sums of the light of the
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
	mean := func(sum uint32) uint32 { return d.encode((sum + count/2) / count) }
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
