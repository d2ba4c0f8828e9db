package ktx

import "errors"

var errEnd = errors.New("the data end early")

// bits reads numbers from bytes, the lowest bit first. After the last byte, all bits are zero and overrun is set.
type bits struct {
	data    []byte
	at      int // index of the next bit
	overrun bool
}

// take returns the next n bits, at most 32.
func (b *bits) take(n int) (v uint32) {
	if b.at+n > 8*len(b.data) {
		b.overrun = true
		return 0
	}
	for i := 0; i < n; {
		here := b.at % 8
		some := min(8-here, n-i)
		v |= uint32(b.data[b.at/8]>>here) & (1<<some - 1) << i
		b.at, i = b.at+some, i+some
	}
	return v
}

// takeVariable reads a number of variable length. It consists of pieces of `size` bits. A bit after each piece tells
// whether another piece follows.
func (b *bits) takeVariable(size int) (v uint32) {
	for shift := 0; shift < 32; shift += size {
		piece := b.take(size + 1)
		v |= piece & (1<<size - 1) << shift
		if piece>>size == 0 || b.overrun {
			break
		}
	}
	return v
}
