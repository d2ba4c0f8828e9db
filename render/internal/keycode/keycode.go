// Package keycode encodes the keys of tiles in few bytes, for processes that merge their parts of a frame.
//
// A polygon leaves a run of samples in a row. They have one payload, and a nearness that grows by the same amount from
// sample to sample. The amount is a rounded float32, so the bit patterns of two neighbours differ by one of two
// consecutive integers. A run is encoded as its payload, the bits of its first nearness, the smaller of the two
// differences, and one bit for each sample.
//
// A tile is:
//
//	2 bytes  its number in the tile row
//	4 bytes  the number of bytes in all
//	4 bytes  the greatest nearness of a key, as the bits of a float32
//	4 bytes  the least nearness if all samples are set, otherwise 0
//	2 bytes  a bit for each row in which all samples are set
//	2 bytes  a bit for each other row in which any sample is set
//	         for each row in which any sample is set, from the top:
//	8 bytes    a bit for each sample that is set, the lowest on the left; missing if all are set
//	8 bytes    a bit for each sample that begins a run
//	8 bytes    a bit for each sample that exceeds the one before by one more than the run's difference
//	           for each run, from the left:
//	1 byte       the lengths of the next three fields: of payload and nearness, 1 to 4 bytes (2 bits each),
//	             and of the difference, 0 to 4 bytes (3 bits)
//	             the payload, minus that of the run before
//	             the nearness, minus the nearness that the run before would have at this sample
//	             the difference, minus that of the run before; missing for runs of one sample
//
// Numbers are little-endian. Subtractions are modulo 2^32, and their results have the sign in the lowest bit. For the
// first run of a row, the run before is the first run of the row before. For the first run of the first row, all
// numbers of the run before count as 0. The code is lossless for any keys.
package keycode

import (
	"encoding/binary"
	"errors"
	"math"
	"math/bits"
	"slices"
)

// Width and Height are the size of a tile in samples.
const (
	Width  = 64
	Height = 16
)

const (
	headBytes = 18 // size of the head of a tile
	runBytes  = 1 + 3*4
	// rowBytes is the largest number of bytes of a row. A row has that many if each sample is a run of its own. The
	// number includes 4 bytes that are written beyond the row and overwritten later.
	rowBytes = 3*8 + Width*9 + 4
)

// ErrMalformed is the error that errors of Next, Tile.Merge and Chooser.Visible wrap.
var ErrMalformed = errors.New("malformed layer")

// A runState describes a run except for its length. low is the lower half of the run's keys: their payload. high is
// the upper half of the first key: its nearness. step is the difference.
type runState struct{ low, high, step uint32 }

// Append appends tile number tx to dst, unless the tile is empty, and sets the tile's keys to 0. keys[0] is the
// tile's first sample, and the starts of its rows are stride keys apart. Append returns the extended slice and the
// number of samples that are set. A sample is set if its key is not 0.
func Append(dst []byte, tx int, keys []uint64, stride int) ([]byte, int) {
	start := len(dst)
	dst = slices.Grow(dst, headBytes+Height*rowBytes)
	all := dst[:cap(dst)]
	at, count := start+headBytes, 0
	var full, some uint16
	var first runState
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

// occupied returns a mask with a bit set for each key that is not 0.
func occupied(row *[Width]uint64) (set uint64) {
	for x, key := range row {
		set |= (key | -key) >> 63 << x
	}
	return set
}

// extremes returns the least and the greatest nearness among `least`, `most` and the keys of a row. Samples that are
// not set have nearness 0.
func extremes(row *[Width]uint64, least, most uint32) (uint32, uint32) {
	for _, key := range row {
		least, most = min(least, uint32(key>>32)), max(most, uint32(key>>32))
	}
	return least, most
}

// appendRow writes the runs of a row at all[at:]. It returns the index after these runs, and the first run. `before`
// is the first run of the previous row.
func appendRow(all []byte, at int, row *[Width]uint64, set uint64, before runState) (end int, first runState) {
	masks := at
	at += 16
	var starts, steps uint64
	for left := set; left != 0; {
		x := bits.TrailingZeros64(left)
		n, step, up := measureRun(row, x)
		l := runState{low: uint32(row[x]), high: uint32(row[x] >> 32), step: step}
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
		before = runState{l.low, uint32(row[x+n-1]>>32) + l.step, l.step}
	}
	binary.LittleEndian.PutUint64(all[masks:], starts)
	binary.LittleEndian.PutUint64(all[masks+8:], steps)
	return at, first
}

// measureRun returns the number of samples of the run that starts at x, and the run's difference (step). `up` is a mask
// of the samples whose nearness exceeds that of the previous sample by step + 1.
func measureRun(row *[Width]uint64, x int) (n int, step uint32, up uint64) {
	low := uint32(row[x])
	if x+1 == Width || uint32(row[x+1]) != low || row[x+1] == 0 {
		return 1, 0, 0
	}
	last := uint32(row[x+1] >> 32)
	step = last - uint32(row[x]>>32)
	// others marks the samples whose difference is not step. Bit i of seen means that a difference of step - 1 + i
	// occurred.
	var others, seen uint64
	i := x + 2
	for ; i < Width; i++ {
		key := row[i]
		if uint32(key) != low || key == 0 {
			break
		}
		high := uint32(key >> 32)
		more := high - last - step + 1 // 0, 1 or 2 if the run continues
		if more > 2 || (seen|1<<more)&5 == 5 {
			break
		}
		seen |= 1 << more
		others |= uint64(^more&1) << i
		last = high
	}
	if seen&1 != 0 { // step is the greater of the two differences
		return i - x, step - 1, (1<<i - 1) &^ (2<<x - 1) &^ others
	}
	return i - x, step, others
}

// putRun writes run l to b and returns its length in bytes. b must have at least runBytes bytes. `before` is the
// previous run.
func putRun(b []byte, l, before runState) int {
	b = b[:runBytes:runBytes]
	low, high, step := zigzag(l.low-before.low), zigzag(l.high-before.high), zigzag(l.step-before.step)
	lowLen, highLen, stepLen := (bits.Len32(low|1)+7)>>3, (bits.Len32(high|1)+7)>>3, (bits.Len32(step)+7)>>3
	b[0] = byte(lowLen - 1 | (highLen-1)<<2 | stepLen<<4)
	binary.LittleEndian.PutUint32(b[1:], low)
	binary.LittleEndian.PutUint32(b[1+lowLen:], high)
	binary.LittleEndian.PutUint32(b[1+lowLen+highLen:], step)
	return 1 + lowLen + highLen + stepLen
}

// zigzag moves the sign of a number into its lowest bit, so that small numbers of either sign take few bytes.
func zigzag(v uint32) uint32 { return v<<1 ^ uint32(int32(v)>>31) }

// unzigzag is the inverse of zigzag.
func unzigzag(v uint32) uint32 { return v>>1 ^ -(v & 1) }
