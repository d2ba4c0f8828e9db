package machine

import (
	"fmt"
	"math"
	"runtime"
	"sync/atomic"
)

// Ranges hands the indices 0 to n-1 out to workers, each exactly once. Every
// worker starts with a contiguous range and takes from its front; when it is
// empty the worker takes the back half of the largest range that another worker
// has left, so that neighbouring indices stay on one core for as long as
// possible and an early finisher helps the one with most left to do.
//
// The zero value holds no index. Next and NextBatch may be called by all
// workers at once, each with its own number; Reset may not overlap with them.
// They are lock-free and allocate nothing.
type Ranges struct {
	own []span
	_   [falseSharing]byte
	// A range on its way between two workers is in neither's word. Counting the
	// moves lets a worker that found nothing know whether it overlooked one.
	started  atomic.Uint32
	finished atomic.Uint32
	_        [falseSharing]byte
}

// span is the range of one worker: lo in the upper half of the word, hi in the
// lower, empty when lo >= hi. The word says everything about who owns which
// index, so a compare-and-swap that meets an old value again is still right.
type span struct {
	word atomic.Uint64
	_    [falseSharing - 8]byte
}

func pack(lo, hi uint32) uint64          { return uint64(lo)<<32 | uint64(hi) }
func unpack(word uint64) (lo, hi uint32) { return uint32(word >> 32), uint32(word) }

// Reset divides the indices 0 to n-1 among the workers, in order and as evenly
// as possible. It reuses memory. It panics unless workers is positive and n is
// between 0 and the largest uint32.
func (r *Ranges) Reset(workers, n int) {
	if workers <= 0 || n < 0 || uint64(n) > math.MaxUint32 {
		panic(fmt.Sprintf("machine: Ranges.Reset: %d indices for %d workers", n, workers))
	}
	if cap(r.own) < workers {
		r.own = make([]span, workers)
	}
	r.own = r.own[:workers]
	for w := range r.own {
		lo, hi := Part(w, workers, n)
		r.own[w].word.Store(pack(uint32(lo), uint32(hi)))
	}
}

// Part returns the half-open range lo to hi-1 of the given part when 0 to n-1 are cut
// into parts that differ by at most one in length.
func Part(part, parts, n int) (lo, hi int) {
	// uint64 keeps the product whole where int has 32 bits.
	return int(uint64(part) * uint64(n) / uint64(parts)),
		int(uint64(part+1) * uint64(n) / uint64(parts))
}

// Next returns the next index for the worker, or false when none is left.
func (r *Ranges) Next(worker int) (index int, ok bool) {
	lo, _, ok := r.NextBatch(worker, 1)
	return lo, ok
}

// NextBatch returns up to limit neighbouring indices lo to hi-1, at least one,
// or false when none is left. It panics unless limit is positive.
func (r *Ranges) NextBatch(worker, limit int) (lo, hi int, ok bool) {
	if limit <= 0 {
		panic(fmt.Sprintf("machine: Ranges.NextBatch: limit %d", limit))
	}
	own := &r.own[worker].word
	for {
		word := own.Load()
		first, end := unpack(word)
		if first >= end {
			if !r.steal(worker) {
				return 0, 0, false
			}
			continue
		}
		next := first + uint32(min(uint64(limit), uint64(end-first)))
		if own.CompareAndSwap(word, pack(next, end)) {
			return int(first), int(next), true
		}
	}
}

// steal fills the worker's empty range from the largest other one and reports
// whether it got something.
func (r *Ranges) steal(worker int) bool {
	// A thief that was interrupted in the middle of a move keeps what it took
	// and works it off itself, so giving up after some rounds loses no index.
	const rounds = 64
	for range rounds {
		finished := r.finished.Load()
		victim, word := r.largest()
		if victim >= 0 {
			if r.move(worker, victim, word) {
				return true
			}
			continue
		}
		if r.started.Load() == finished {
			return false
		}
		runtime.Gosched()
	}
	return false
}

// largest returns the worker with most indices left and its word, or -1.
func (r *Ranges) largest() (victim int, word uint64) {
	victim = -1
	most := uint32(0)
	for w := range r.own {
		seen := r.own[w].word.Load()
		if lo, hi := unpack(seen); lo < hi && hi-lo > most {
			victim, word, most = w, seen, hi-lo
		}
	}
	return victim, word
}

// move takes the back half, rounded up, of the victim's range.
func (r *Ranges) move(worker, victim int, word uint64) bool {
	lo, hi := unpack(word)
	mid := lo + (hi-lo)/2
	r.started.Add(1)
	defer r.finished.Add(1)
	if !r.own[victim].word.CompareAndSwap(word, pack(lo, mid)) {
		return false
	}
	// Others leave an empty range alone, so a plain store loses nothing.
	r.own[worker].word.Store(pack(mid, hi))
	return true
}
