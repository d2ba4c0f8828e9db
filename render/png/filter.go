package png

import (
	"encoding/binary"
	"math/bits"
)

// Filter types of PNG section 9.2. Average is not used: it never gives zeros in a facet of one colour, whereas all
// others do.
const (
	filterNone  = 0
	filterSub   = 1
	filterUp    = 2
	filterPaeth = 4
)

// filterRow writes the filtered row cur to dst. prev is the row above, zeros for the first row, and bpp the number of
// bytes of a pixel. All rows have the same length.
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

// subtract sets dst to a - b, for each byte modulo 256.
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

// subtractWord subtracts the eight bytes of y from those of x. It sets the top bit of every byte of x, so that borrows
// stay inside the byte, and then corrects that bit.
func subtractWord(x, y uint64) uint64 {
	const top = 0x8080808080808080
	return ((x | top) - (y &^ top)) ^ ((x ^ ^y) & top)
}

// paeth writes the Paeth residuals of cur from byte bpp on.
//
// Words whose pixels equal those above, and whose left neighbours do too, are predicted exactly and skipped. That is
// most of a rendered picture.
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

// predict returns the Paeth predictor: whichever of left, up and corner is nearest to left + up - corner, the first of
// them if several are equally near.
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

// residue returns the sum of the residuals' distances from zero modulo 256, the usual estimate of how well a filtered
// row compresses (PNG section 12.7).
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
