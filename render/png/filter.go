package png

import (
	"encoding/binary"
	"math/bits"
)

// Filter types of PNG section 9.2. The type Average is not used. Its residuals are zero only for pixels that equal the
// mean of the left and the upper pixel, which is rare at the edges of facets.
const (
	filterNone  = 0
	filterSub   = 1
	filterUp    = 2
	filterPaeth = 4
)

// filterRow writes the filtered row cur to dst, without the filter type. prev is the row above. For the first row, prev
// is zeros. bpp is the number of bytes per pixel. All rows have the same length.
func filterRow(filter byte, dst, cur, prev []byte, bpp int) {
	switch filter {
	case filterNone:
		copy(dst, cur)
	case filterSub:
		copy(dst[:bpp], cur)
		subtract(dst[bpp:], cur[bpp:], cur)
	case filterUp:
		subtract(dst, cur, prev)
	case filterPaeth:
		subtract(dst[:bpp], cur[:bpp], prev)
		paeth(dst[bpp:], cur, prev, bpp)
	}
}

// subtract sets each byte of dst to the difference of the bytes of a and b, modulo 256.
func subtract(dst, a, b []byte) {
	n := len(dst)
	a, b = a[:n], b[:n]
	i := 0
	for ; i <= n-8; i += 8 {
		x := binary.LittleEndian.Uint64(a[i : i+8])
		y := binary.LittleEndian.Uint64(b[i : i+8])
		binary.LittleEndian.PutUint64(dst[i:i+8], subtractWord(x, y))
	}
	for ; i < n; i++ {
		dst[i] = a[i] - b[i]
	}
}

// subtractWord subtracts the eight bytes of y from those of x. It sets the top bit of every byte of x, so that a
// borrow does not reach the next byte. Then it corrects the top bits of the result.
func subtractWord(x, y uint64) uint64 {
	const top = 0x8080808080808080
	return ((x | top) - (y &^ top)) ^ ((x ^ ^y) & top)
}

// paeth writes the Paeth residuals of the bytes of cur from bpp on.
//
// In most of a rendered picture, the pixels of a word and their left neighbours equal the pixels above. The prediction
// is then exact, and paeth skips the word.
func paeth(dst, cur, prev []byte, bpp int) {
	n := len(dst)
	left, up, corner := cur[:n], prev[bpp:bpp+n], prev[:n]
	cur = cur[bpp : bpp+n]
	i := 0
	for i < n {
		end := min(i+8, n)
		if end == i+8 {
			c := binary.LittleEndian.Uint64(cur[i:]) ^ binary.LittleEndian.Uint64(up[i:])
			l := binary.LittleEndian.Uint64(left[i:]) ^ binary.LittleEndian.Uint64(corner[i:])
			if c|l == 0 {
				binary.LittleEndian.PutUint64(dst[i:], 0)
				i = end
				continue
			}
		}
		for ; i < end; i++ {
			dst[i] = cur[i] - predict(int(left[i]), int(up[i]), int(corner[i]))
		}
	}
}

// predict returns the Paeth predictor. This is the value among `left`, `up` and `corner` that is nearest to left + up
// - corner. Of equally near values, it is the first in this order.
func predict(left, up, corner int) byte {
	pl, pu := up-corner, left-corner
	pc := abs(pl + pu)
	pl, pu = abs(pl), abs(pu)
	if pl <= pu && pl <= pc {
		return byte(left)
	}
	if pu <= pc {
		return byte(up)
	}
	return byte(corner)
}

// residue returns the sum of the absolute values of the residuals p, as signed bytes. It is the usual estimate of how
// well a filtered row can be compressed (PNG section 12.7). A smaller sum is better.
func residue(p []byte) (sum int) {
	for _, b := range p {
		sum += abs(int(int8(b)))
	}
	return sum
}

func abs(x int) int {
	s := x >> (bits.UintSize - 1)
	return (x ^ s) - s
}
