package frame

import (
	"math/bits"

	"lockstep/render/internal/kernel/array"
	"lockstep/render/internal/scratch"
)

// rangeStore holds the large polygons of one worker's blocks, cut into row ranges, until no block is left. Then all
// workers draw polygons from all stores. The memory of a rangeStore is reused from frame to frame.
type rangeStore struct {
	polys     *array.Polygons // polygons of all shares, made by array.MakeRowRanges
	pieces    []int32         // indices into polys, ordered by row range; a polygon has a piece in every range that contains some of its rows
	shares    []share
	ranges    []int32 // memory for the ranges of all shares
	maxPieces int     // a worker with more pieces stores no further shares; 0 means defaultMaxPieces
	next      []int32 // scratch memory: the index in pieces for the next piece of each row range
}

// A share holds the large polygons of one block.
type share struct {
	height     int32 // height of each row range, in rows
	firstRange int32 // number of the share's first row range, counted from the top of the picture
	// ranges holds, for each row range, the index of its first piece in rangeStore.pieces. A further element holds the
	// index after the last piece.
	ranges       []int32 // slice of rangeStore.ranges
	firstPolygon int32   // index in rangeStore.polys of the share's first polygon
}

const (
	// defaultMaxPieces limits the number of pieces that a worker stores, to some 12 MB. A frame with more pieces has
	// many blocks, so workers are busy nearly until the end even without shared ranges.
	defaultMaxPieces = 1 << 18
	// initialPolygons is the number of polygons that the first allocation can hold.
	initialPolygons = 1 << 10
)

// reset empties k for a new frame. maxPieces is the value of LargePolygons.MaxPieces.
func (k *rangeStore) reset(maxPieces int) {
	k.maxPieces = maxPieces
	if k.polys != nil {
		k.polys.Reset()
	}
	k.pieces, k.shares, k.ranges = k.pieces[:0], k.shares[:0], k.ranges[:0]
}

// reserve allocates memory in every worker's store for the shares of all workers. Which worker stores the polygons of
// a block is random. In the next frame one worker may store all polygons, and must not allocate memory then.
func (l *LargePolygons) reserve() {
	var polys, pieces, shares, ranges, next int
	for i := range l.workers {
		k := &l.workers[i].store
		if k.polys != nil {
			polys += k.polys.N
		}
		pieces, shares, ranges, next = pieces+len(k.pieces), shares+len(k.shares), ranges+len(k.ranges), max(next, cap(k.next))
	}
	if shares == 0 {
		return
	}
	for i := range l.workers {
		k := &l.workers[i].store
		have := 0
		if k.polys != nil {
			have = k.polys.N
		}
		k.grow(polys - have)
		k.pieces, k.shares, k.ranges = reserveSlice(k.pieces, pieces), reserveSlice(k.shares, shares), reserveSlice(k.ranges, ranges)
		k.next = scratch.Resize(k.next, next)
	}
}

// isFull reports whether the worker has more than maxPieces pieces.
func (k *rangeStore) isFull() bool {
	limit := k.maxPieces
	if limit == 0 {
		limit = defaultMaxPieces
	}
	return len(k.pieces) > limit
}

// add stores the large polygons of a block, cut into row ranges of the given height.
func (k *rangeStore) add(p *array.Polygons, l *selection, height int32) {
	k.grow(len(l.index))
	at := k.polys.N
	for _, i := range l.index {
		k.polys.PushRows(p, int(i), p.First[i], p.Rows[i])
	}
	k.listPieces(at, share{height: height}, l.firstRow, l.endRow)
}

// listPieces completes a share: for each row range, it lists the polygons that have a piece there. The polygons of the
// share start at index `at` of k.polys and lie in rows y0 to y1 (exclusive).
func (k *rangeStore) listPieces(at int, s0 share, y0, y1 int32) {
	// The height is a power of two.
	shift := bits.TrailingZeros32(uint32(s0.height))
	s0.firstRange, s0.firstPolygon = y0>>shift, int32(at)
	n := int((y1-1)>>shift-s0.firstRange) + 1
	s := k.push(s0, n)
	k.next = scratch.Resize(k.next, n+1)
	clear(k.next)
	first, rows := k.polys.First[at:k.polys.N], k.polys.Rows[at:k.polys.N]
	for i, top := range first {
		hi := (top + rows[i] - 1) >> shift
		for b := top >> shift; b <= hi; b++ {
			k.next[b-s.firstRange+1]++
		}
	}
	k.next[0] = int32(len(k.pieces))
	for b := range n {
		k.next[b+1] += k.next[b]
	}
	copy(s.ranges, k.next)
	k.pieces = extendSlice(k.pieces, int(k.next[n]))
	for i, top := range first {
		hi := (top + rows[i] - 1) >> shift
		for b := top >> shift; b <= hi; b++ {
			k.pieces[k.next[b-s.firstRange]] = int32(at + i)
			k.next[b-s.firstRange]++
		}
	}
}

// push appends s with memory for n row ranges. The ranges of other shares stay valid even if k.ranges is reallocated,
// because each share has a slice of its own.
func (k *rangeStore) push(s share, n int) *share {
	at, first := len(k.shares), len(k.ranges)
	k.shares, k.ranges = extendSlice(k.shares, at+1), extendSlice(k.ranges, first+n+1)
	s.ranges = k.ranges[first : first+n+1 : first+n+1]
	k.shares[at] = s
	return &k.shares[at]
}

// grow allocates memory for n more polygons.
func (k *rangeStore) grow(n int) {
	if k.polys == nil {
		k.polys = array.MakeRowRanges(max(initialPolygons, n))
		return
	}
	if k.polys.Room() >= n {
		return
	}
	larger := array.MakeRowRanges(2 * (k.polys.N + n))
	larger.PushAll(k.polys)
	k.polys = larger
}

// dropLast removes the last share.
func (k *rangeStore) dropLast() {
	last := len(k.shares) - 1
	s := &k.shares[last]
	k.pieces, k.polys.N = k.pieces[:s.ranges[0]], int(s.firstPolygon)
	k.shares, k.ranges = k.shares[:last], k.ranges[:len(k.ranges)-len(s.ranges)]
}

// copyRange copies to p the pieces of share s in row range rowRange, counted from the top of the picture. If s has no
// piece there, p is empty.
func (k *rangeStore) copyRange(p *array.Polygons, s *share, rowRange int32) {
	p.Reset()
	b := rowRange - s.firstRange
	if b < 0 || int(b) >= len(s.ranges)-1 {
		return
	}
	p.TakeRows(k.polys, k.pieces[s.ranges[b]:s.ranges[b+1]], rowRange*s.height, (rowRange+1)*s.height)
}

// extendSlice returns s with length n. Elements up to the capacity of s keep their values.
func extendSlice[T any](s []T, n int) []T {
	if n <= cap(s) {
		return s[:n]
	}
	larger := make([]T, n, 2*n)
	copy(larger, s[:cap(s)])
	return larger
}

// reserveSlice returns s, with capacity for at least n elements.
func reserveSlice[T any](s []T, n int) []T { return extendSlice(s, max(n, len(s)))[:len(s)] }
