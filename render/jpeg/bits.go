package jpeg

import (
	"encoding/binary"
	"math/bits"
)

// A bitWriter appends codes of any number of bits to the data of a strip.
type bitWriter struct {
	data []byte
	held uint64 // its lowest n bits are not in data yet, highest first
	n    uint
}

// put appends the lowest n bits of v. n is at most 32. The other bits of v must be 0.
func (w *bitWriter) put(v uint64, n uint) {
	w.held = w.held<<n | v
	if w.n += n; w.n >= 32 {
		w.n -= 32
		w.putWord(uint32(w.held >> w.n))
	}
}

// putWord appends 32 bits. It adds a zero byte after each byte 0xff, because 0xff alone would begin a marker.
func (w *bitWriter) putWord(v uint32) {
	const ones, highs = 0x01010101, 0x80808080
	if (^v-ones)&v&highs == 0 {
		w.data = binary.BigEndian.AppendUint32(w.data, v)
		return
	}
	for shift := 24; shift >= 0; shift -= 8 {
		w.putByte(byte(v >> shift))
	}
}

func (w *bitWriter) putByte(b byte) {
	if w.data = append(w.data, b); b == 0xff {
		w.data = append(w.data, 0)
	}
}

// pad fills the last byte with ones, and appends all held bits to data.
func (w *bitWriter) pad() {
	if rest := w.n % 8; rest > 0 {
		w.put(1<<(8-rest)-1, 8-rest)
	}
	for ; w.n > 0; w.n -= 8 {
		w.putByte(byte(w.held >> (w.n - 8)))
	}
	w.held = 0
}

// putBlock appends the coefficients c of a block. It divides each coefficient by the element of div and rounds it.
// columns is the number of columns, from the left, that may have coefficients other than 0.
//
// The file stores the first coefficient as a difference from the parameter `before`, which is the first coefficient
// of the component's previous block. putBlock returns the first coefficient of this block, after division.
func (w *bitWriter) putBlock(c *[64]int32, columns int, div *[64]divisor, codes *[2][256]code, before int32) (first int32) {
	first, size := div[0].divide(c[0]), uint(0)
	v, size := amplitude(first - before)
	k := codes[0][size]
	w.put(uint64(k.bits)<<size|v, uint(k.n)+size)

	// Bit i of set means that coefficient i, in the order of the file, is not 0. Most coefficients are rounded to 0.
	var set uint64
	var values [64]int32
	for at, step := 0, 8/columns; at < 64; at += step {
		d := &div[at]
		if uint32(c[at]+d.half-1) <= uint32(2*d.half-2) {
			continue
		}
		k := unzigzag[at]
		values[k&63] = d.divide(c[at])
		set |= 1 << k
	}
	last := 0
	for set &^= 1; set != 0; set &= set - 1 {
		k := bits.TrailingZeros64(set)
		zeros := k - last - 1
		last = k
		for ; zeros > 15; zeros -= 16 {
			w.put(uint64(codes[1][sixteenZeros].bits), uint(codes[1][sixteenZeros].n))
		}
		v, size := amplitude(values[k&63])
		s := codes[1][(uint(zeros)<<4|size)&255]
		w.put(uint64(s.bits)<<size|v, uint(s.n)+size)
	}
	if last < 63 {
		w.put(uint64(codes[1][endOfBlock].bits), uint(codes[1][endOfBlock].n))
	}
	return first
}

// Symbols for runs of coefficients that are 0.
const (
	endOfBlock   = 0x00
	sixteenZeros = 0xf0
)

// divide returns c divided by the step, rounded to the nearest integer. Halves are rounded away from 0.
func (d *divisor) divide(c int32) int32 {
	if c < 0 {
		return -int32(uint64(d.half-c) * d.recip >> (32 + coefficientBits))
	}
	return int32(uint64(d.half+c) * d.recip >> (32 + coefficientBits))
}

// amplitude returns the code of a coefficient v in files. The code consists of the bits b, whose number is size. size
// is the number of bits of |v|. b is the lowest size bits of v, or of v-1 if v is negative.
func amplitude(v int32) (b uint64, size uint) {
	sign := v >> 31
	size = uint(bits.Len32(uint32((v ^ sign) - sign)))
	return uint64(uint32(v+sign) & (1<<size - 1)), size
}
