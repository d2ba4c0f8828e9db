package pixel

import (
	"encoding/binary"

	"lockstep/render/internal/kernel/array"
)

// evenPixels is the number of pixels that Even handles at a time with AVX-512.
const evenPixels = 8

// MaxEven is the largest number of pixels that a call of Even handles.
const MaxEven = 64

// Even writes the pixels whose samples are equal: all show one colour, or all show nothing. A pixel that shows nothing
// gets the background.
//
// There must be at most MaxEven pixels. Pixel i has the samples of keys [grid*i, grid*i+grid) in grid rows, whose
// starts are stride keys apart; grid is 2 or 4.
//
// uneven has a bit for each pixel that Even does not write; the bytes of these pixels are arbitrary afterwards. Even
// never writes pixels whose payload has all bits set. covered is the number of written pixels that show a colour.
func Even(pix []byte, keys []uint64, stride, grid int, background uint32) (uneven uint64, covered int) {
	for i := range len(pix) / 4 {
		at := keys[grid*i:]
		p := background
		switch first := at[0]; {
		case !isEven(at, first, stride, grid):
			uneven |= 1 << i
			continue
		case first != 0:
			p = array.Payload(first) | 0xff<<24 // the mean of one colour is that colour
			covered++
		}
		binary.LittleEndian.PutUint32(pix[4*i:], p)
	}
	return uneven, covered
}

// isEven reports whether all samples of a pixel have the same colour, or all have no key. The pixel's keys start at
// `at[0]`; first is that key.
func isEven(at []uint64, first uint64, stride, grid int) bool {
	var differ uint64
	switch grid {
	case 2:
		differ = (at[1] ^ first) | (at[stride] ^ first) | (at[stride+1] ^ first)
	default:
		for y := range 4 {
			k := at[y*stride:][:4]
			differ |= (k[0] ^ first) | (k[1] ^ first) | (k[2] ^ first) | (k[3] ^ first)
		}
	}
	if uint32(first) == 0 {
		return first|differ == 0
	}
	return uint32(differ) == 0 // the lower halves are equal and not 0; therefore each sample has a key
}
