package pixel

import (
	"lockstep/render/internal/kernel/array"
	"lockstep/render/internal/kernel/srgb"
)

// A Downsampler averages the samples of a pixel in linear light.
type Downsampler struct {
	linear [256]uint32          // linear light, 0 to linearOne, by sRGB
	encode [linearOne + 1]uint8 // its inverse, rounded
}

// linearOne is full intensity: fine enough that every 8-bit sRGB value comes
// back as itself, and sixteen of them sum within 32 bits.
const linearOne = 1<<16 - 1

// NewDownsampler makes the tables.
func NewDownsampler() *Downsampler {
	d, encoder := new(Downsampler), srgb.NewEncoder()
	for i := range d.linear {
		d.linear[i] = uint32(srgb.Decode(float64(i)/255)*linearOne + 0.5)
	}
	for i := range d.encode {
		d.encode[i] = encoder.Encode(float64(i) / linearOne)
	}
	return d
}

// Resolve writes pixels of grid x grid samples each: pixel i averages keys
// [grid*i, grid*i+grid) of grid rows that lie stride apart. Alpha is the part
// of the samples that is covered, and the colour is that of the covered ones
// (straight alpha); an opaque background is mixed in instead. It sets the keys
// to 0 and returns the number of pixels with a covered sample.
func (d *Downsampler) Resolve(pix []byte, keys []uint64, stride, grid int, background uint32) (covered int) {
	all := uint32(grid * grid)
	n := len(pix) / 4
	for i := range n {
		var r, g, b, hits uint32
		for y := range grid {
			for _, k := range keys[y*stride+grid*i : y*stride+grid*(i+1)] {
				if k == 0 {
					continue
				}
				p := array.Payload(k)
				r, g, b = r+d.linear[p&255], g+d.linear[p>>8&255], b+d.linear[p>>16&255]
				hits++
			}
		}
		p := background
		if hits > 0 {
			covered++
			p = d.mix(r, g, b, hits, all, background)
		}
		q := pix[4*i : 4*i+4 : 4*i+4]
		q[0], q[1], q[2], q[3] = byte(p), byte(p>>8), byte(p>>16), byte(p>>24)
	}
	for y := range grid {
		clear(keys[y*stride : y*stride+grid*n])
	}
	return covered
}

// mix returns the pixel for the summed light of the covered samples.
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

// Nearest returns the largest key of pixel i, whose grid x grid samples lie as
// [Downsampler.Resolve] says: that of its nearest sample, 0 without any.
func Nearest(keys []uint64, stride, grid, i int) (nearest uint64) {
	for y := range grid {
		for _, k := range keys[y*stride+grid*i : y*stride+grid*(i+1)] {
			nearest = max(nearest, k)
		}
	}
	return nearest
}
