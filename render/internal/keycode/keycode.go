// Package keycode encodes the keys of tiles in few bytes, for processes that merge their parts of a frame.
//
// A polygon leaves a run of samples in a row: one payload, and a nearness that grows by the
// same amount from sample to sample. The amount is a float32 that was rounded, so that two
// neighbouring bit patterns differ by one of two consecutive integers. A run is its payload, the
// bits of its first nearness, the smaller of the two differences, and one bit a sample.
//
// A tile is:
//
//	2 bytes  its number in the row of tiles
//	4 bytes  how many bytes there are in all
//	4 bytes  the greatest nearness of a key, as the bits of a float32
//	4 bytes  the least one, where all samples are set, else 0
//	2 bytes  a bit for each of its rows that is set wholly
//	2 bytes  a bit for each other row of which something is set
//	         for each row of which something is set, from the top:
//	8 bytes    a bit for each sample that is set, the lowest on the left; not where all are
//	8 bytes    a bit for each sample that begins a run
//	8 bytes    a bit for each sample that lies one more than its run's difference above the one before
//	           for each run, from the left:
//	1 byte       the lengths of what follows: of the payload and the nearness, 1 to 4 bytes (2
//	             bits each), and of the difference, 0 to 4 bytes (3 bits)
//	             the payload, less that of the run before
//	             the nearness, less what the run before would have there
//	             the difference, less that of the run before; runs of one sample have none
//
// Numbers are little-endian, and those that are less something are so modulo 2^32, the sign in
// the lowest bit. The run before the first one of a row is the first one of the row before, and
// that of the first row is all 0. All of this loses nothing: any keys come back as they were.
package keycode

import (
	"encoding/binary"
	"errors"
	"math"
	"math/bits"
	"slices"
)

// Size of a tile, in samples.
const (
	Width  = 64
	Height = 16
)

const (
	headBytes = 18 // of a tile
	runBytes  = 1 + 3*4
	rowBytes  = 3*8 + Width*9 + 4 // at most: each sample is a run; 4 more are written, and overwritten
)

// ErrMalformed is the cause of the errors of Merge.
var ErrMalformed = errors.New("malformed layer")

// A line is a run without its length: the lower half of its keys, the upper half of the first of
// them, and its difference.
type line struct{ low, high, step uint32 }

// Append appends tile number tx to dst, unless it is empty. keys[0] is its first sample, and
// rows are stride keys apart; they are 0 afterwards. It returns how many samples are set.
func Append(dst []byte, tx int, keys []uint64, stride int) ([]byte, int) {
	start := len(dst)
	dst = slices.Grow(dst, headBytes+Height*rowBytes)
	all := dst[:cap(dst)]
	at, count := start+headBytes, 0
	var full, some uint16
	var first line
	least, most := uint32(math.MaxUint32), uint32(0)
	for y := range Height {
		row := (*[Width]uint64)(keys[y*stride:])
		set := occupied(row)
		if set == 0 {
			continue
		}
		least, most = extremes(row, least, most)
		if ^set == 0 {
			full |= 1 << y
		} else {
			some |= 1 << y
			binary.LittleEndian.PutUint64(all[at:], set)
			at += 8
		}
		count += bits.OnesCount64(set)
		at, first = appendRow(all, at, row, set, first)
		*row = [Width]uint64{}
	}
	if count == 0 {
		return dst[:start], 0
	}
	if count < Width*Height {
		least = 0
	}
	head := all[start : start+headBytes]
	binary.LittleEndian.PutUint16(head, uint16(tx))
	binary.LittleEndian.PutUint32(head[2:], uint32(at-start))
	binary.LittleEndian.PutUint32(head[6:], most)
	binary.LittleEndian.PutUint32(head[10:], least)
	binary.LittleEndian.PutUint16(head[14:], full)
	binary.LittleEndian.PutUint16(head[16:], some)
	return all[:at], count
}

// occupied returns a bit for each key that is not 0.
func occupied(row *[Width]uint64) (set uint64) {
	for x, key := range row {
		set |= (key | -key) >> 63 << x
	}
	return set
}

// extremes widens a range of nearness by the keys of a row; those that are not set count as 0.
func extremes(row *[Width]uint64, least, most uint32) (uint32, uint32) {
	for _, key := range row {
		least, most = min(least, uint32(key>>32)), max(most, uint32(key>>32))
	}
	return least, most
}

// appendRow writes the runs of a row at all[at:], and returns where they end and the first of them.
// before is the first run of the row before.
func appendRow(all []byte, at int, row *[Width]uint64, set uint64, before line) (end int, first line) {
	masks := at
	at += 16
	var starts, steps uint64
	for left := set; left != 0; {
		x := bits.TrailingZeros64(left)
		n, step, up := measure(row, x)
		l := line{low: uint32(row[x]), high: uint32(row[x] >> 32), step: step}
		if n == 1 {
			l.step = before.step
		}
		at += putRun(all[at:], l, before)
		if starts == 0 {
			first = l
		}
		starts |= 1 << x
		steps |= up
		left &^= (1<<n - 1) << x
		before = line{l.low, uint32(row[x+n-1]>>32) + l.step, l.step}
	}
	binary.LittleEndian.PutUint64(all[masks:], starts)
	binary.LittleEndian.PutUint64(all[masks+8:], steps)
	return at, first
}

// measure returns how many samples the run that begins at x has, its difference, and a bit for
// each of its samples that lies one more than that above the one before.
func measure(row *[Width]uint64, x int) (n int, step uint32, up uint64) {
	low := uint32(row[x])
	if x+1 == Width || uint32(row[x+1]) != low || row[x+1] == 0 {
		return 1, 0, 0
	}
	last := uint32(row[x+1] >> 32)
	step = last - uint32(row[x]>>32)
	var others, seen uint64 // samples whose difference is not step, and which differences there are
	i := x + 2
	for ; i < Width; i++ {
		key := row[i]
		if uint32(key) != low || key == 0 {
			break
		}
		high := uint32(key >> 32)
		more := high - last - step + 1 // 0, 1 or 2
		if more > 2 || (seen|1<<more)&5 == 5 {
			break
		}
		seen |= 1 << more
		others |= uint64(^more&1) << i
		last = high
	}
	if seen&1 != 0 { // step is the greater of the two
		return i - x, step - 1, (1<<i - 1) &^ (2<<x - 1) &^ others
	}
	return i - x, step, others
}

// putRun writes a run, for which b has runBytes, and returns its length.
func putRun(b []byte, l, before line) int {
	b = b[:runBytes:runBytes]
	low, high, step := zigzag(l.low-before.low), zigzag(l.high-before.high), zigzag(l.step-before.step)
	lowLen, highLen, stepLen := (bits.Len32(low|1)+7)>>3, (bits.Len32(high|1)+7)>>3, (bits.Len32(step)+7)>>3
	b[0] = byte(lowLen - 1 | (highLen-1)<<2 | stepLen<<4)
	binary.LittleEndian.PutUint32(b[1:], low)
	binary.LittleEndian.PutUint32(b[1+lowLen:], high)
	binary.LittleEndian.PutUint32(b[1+lowLen+highLen:], step)
	return 1 + lowLen + highLen + stepLen
}

// zigzag moves the sign of a number into its lowest bit, so that small numbers have few.
func zigzag(v uint32) uint32 { return v<<1 ^ uint32(int32(v)>>31) }

// unzigzag is the inverse of zigzag.
func unzigzag(v uint32) uint32 { return v>>1 ^ -(v & 1) }
