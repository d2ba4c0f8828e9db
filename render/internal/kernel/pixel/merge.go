// Package pixel merges the frames of workers and resolves keys to pixels.
package pixel

import "lockstep/render/internal/kernel/array"

// Loops holds the loops over keys and pixels for one instruction set. Their results have the same bits as those of
// the functions of the same names.
type Loops struct {
	Merge   func(dst, src []uint64)
	Resolve func(pix []byte, keys []uint64, background uint32) (covered int)
	Fill    func(pix []byte, pixel uint32)
	Even    func(pix []byte, keys []uint64, stride, grid int, background uint32) (uneven uint64, covered int)
}

var specification = Loops{Merge, Resolve, Fill, Even}

// Merge sets every key of dst to the larger of itself and the key of src with the same index. It sets src to 0. The
// slices must have the same length and not overlap. The top bit of every key must be 0; it is the sign of the
// nearness. Vector kernels rely on this, because some can only compare signed numbers.
func Merge(dst, src []uint64) {
	src = src[:len(dst)]
	for i, k := range src {
		dst[i] = max(dst[i], k)
	}
	clear(src)
}

// Resolve writes the pixel of each key to pix and sets the keys to 0. A pixel has 4 bytes, R first. Keys of 0 give
// the background. Resolve returns the number of covered pixels.
func Resolve(pix []byte, keys []uint64, background uint32) (covered int) {
	pix = pix[:4*len(keys)]
	for i, k := range keys {
		p := background
		if k != 0 {
			p = array.Payload(k)
			covered++
		}
		q := pix[4*i : 4*i+4 : 4*i+4]
		q[0], q[1], q[2], q[3] = byte(p), byte(p>>8), byte(p>>16), byte(p>>24)
	}
	clear(keys)
	return covered
}

// Fill writes the same pixel to all of pix.
func Fill(pix []byte, pixel uint32) {
	for i := 0; i+4 <= len(pix); i += 4 {
		q := pix[i : i+4 : i+4]
		q[0], q[1], q[2], q[3] = byte(pixel), byte(pixel>>8), byte(pixel>>16), byte(pixel>>24)
	}
}
