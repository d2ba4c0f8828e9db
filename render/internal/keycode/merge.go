package keycode

import (
	"encoding/binary"
	"fmt"
	"math/bits"

	"lockstep/render/internal/kernel/array"
)

// A Tile is a tile in the encoding of Append.
type Tile struct {
	Number int
	// Min and Max are bounds of the upper halves of the keys, which hold the nearness. Min is 0 if a sample is not set.
	Min, Max              uint32
	fullRows, partialRows uint16
	body                  []byte
}

// Next decodes the head of the tile at the beginning of src, and returns the tile and the rest of src.
func Next(src []byte) (t Tile, rest []byte, err error) {
	if len(src) < headBytes {
		return t, nil, fmt.Errorf("%w: %d bytes of a tile", ErrMalformed, len(src))
	}
	n := binary.LittleEndian.Uint32(src[2:])
	if n < headBytes || int64(n) > int64(len(src)) {
		return t, nil, fmt.Errorf("%w: a tile of %d bytes in %d", ErrMalformed, n, len(src))
	}
	t = Tile{
		Number: int(binary.LittleEndian.Uint16(src)),
		Max:    binary.LittleEndian.Uint32(src[6:]), Min: binary.LittleEndian.Uint32(src[10:]),
		fullRows: binary.LittleEndian.Uint16(src[14:]), partialRows: binary.LittleEndian.Uint16(src[16:]),
		body: src[headBytes:n:n],
	}
	if t.fullRows&t.partialRows != 0 {
		return t, nil, fmt.Errorf("%w: rows %#x of a tile are marked as full and as partial", ErrMalformed, t.fullRows&t.partialRows)
	}
	return t, src[n:], nil
}

// Merge merges a tile into keys: each sample gets the greater of its two keys. keys[0] is the tile's first sample,
// and the starts of its rows are stride keys apart. If a payload is not below limit, Merge returns an error and does
// not store that payload.
func (t *Tile) Merge(keys []uint64, stride int, limit uint64) (err error) {
	src := t.body
	var before runState
	for y := range Height {
		set := ^uint64(0)
		switch {
		case t.partialRows>>y&1 != 0:
			if len(src) < 8 {
				return fmt.Errorf("%w: %d bytes of a row", ErrMalformed, len(src))
			}
			set, src = binary.LittleEndian.Uint64(src), src[8:]
		case t.fullRows>>y&1 == 0:
			continue
		}
		if src, before, err = mergeRow(src, (*[Width]uint64)(keys[y*stride:]), set, limit, before); err != nil {
			return err
		}
	}
	if len(src) > 0 {
		return fmt.Errorf("%w: %d bytes after a tile", ErrMalformed, len(src))
	}
	return nil
}

// mergeRow merges the runs at the beginning of src into a row. It returns the rest of src, and the first run. `before`
// is the first run of the previous row.
func mergeRow(src []byte, row *[Width]uint64, set, limit uint64, before runState) (rest []byte, first runState, err error) {
	if len(src) < 16 {
		return nil, first, fmt.Errorf("%w: %d bytes of a row", ErrMalformed, len(src))
	}
	starts, steps := binary.LittleEndian.Uint64(src), binary.LittleEndian.Uint64(src[8:])
	src = src[16:]
	if begins := set &^ (set << 1); starts&^set != 0 || begins&^starts != 0 || set == 0 {
		return nil, first, fmt.Errorf("%w: runs begin at %#x of %#x", ErrMalformed, starts, set)
	}
	for left := starts; left != 0; {
		x := bits.TrailingZeros64(left)
		left &= left - 1
		end := bits.TrailingZeros64((left | ^set) &^ (2<<x - 1))
		l, used := takeRun(src, before)
		switch {
		case used > len(src) || used > runBytes:
			return nil, first, fmt.Errorf("%w: %d bytes of a run of %d", ErrMalformed, len(src), used)
		case uint64(array.Payload(uint64(l.low))) >= limit:
			return nil, first, fmt.Errorf("%w: triangle %d of %d", ErrMalformed, array.Payload(uint64(l.low)), limit)
		}
		src = src[used:]
		if left == starts&(starts-1) {
			first = l
		}
		high := mergeRun(row[x:end], l, steps>>x>>1)
		before = runState{l.low, high + l.step, l.step}
	}
	return src, first, nil
}

// lengths holds, for each length in bytes, a mask for numbers of that length.
var lengths = [8]uint32{0, 0xff, 0xffff, 0xffffff, 0xffffffff}

// takeRun reads a run and returns its length in bytes. A length greater than len(src) or runBytes means that the run
// is invalid.
func takeRun(src []byte, before runState) (runState, int) {
	var short [runBytes]byte
	b := &short
	if len(src) >= runBytes {
		b = (*[runBytes]byte)(src)
	} else {
		copy(short[:], src)
	}
	lowLen, highLen, stepLen := 1+int(b[0]&3), 1+int(b[0]>>2&3), int(b[0]>>4)
	if stepLen > 4 {
		return runState{}, runBytes + 1
	}
	low := binary.LittleEndian.Uint32(b[1:]) & lengths[lowLen]
	high := binary.LittleEndian.Uint32(b[1+lowLen:]) & lengths[highLen]
	step := binary.LittleEndian.Uint32(b[1+lowLen+highLen:]) & lengths[stepLen]
	return runState{before.low + unzigzag(low), before.high + unzigzag(high), before.step + unzigzag(step)}, 1 + lowLen + highLen + stepLen
}

// mergeRun merges run l into the samples `to`, and returns the upper half of the run's last key. `up` marks samples
// whose nearness grows by the run's difference plus 1.
func mergeRun(to []uint64, l runState, up uint64) (high uint32) {
	high = l.high
	low := uint64(l.low)
	to[0] = max(to[0], uint64(high)<<32|low)
	for i := 1; i < len(to); i++ {
		high += l.step + uint32(up&1)
		up >>= 1
		to[i] = max(to[i], uint64(high)<<32|low)
	}
	return high
}
