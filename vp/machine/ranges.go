package machine

import (
	"fmt"
	"math"
	"runtime"
	"sync/atomic"
)

// Ranges hands out the indices 0 to n-1 to workers, each exactly once. Every worker starts with a contiguous range and
// takes indices from its front. When the range is empty, the worker takes the back half of the largest range that
// another worker has left. So neighbouring indices stay on one core for as long as possible. Workers that finish early
// help the worker that has most indices left.
//
// The zero value holds no index. All workers may call Next and NextBatch at once, each with its own number; Reset must
// not overlap with these calls. They are lock-free and allocate nothing.
type Ranges struct {
	spans []span // indices that each worker has left
	_     [falseSharing]byte
	// started and finished count moves of ranges between workers. During a move, the range belongs to no worker. If the
	// counts differ, a move is going on, and a worker that found no index may have missed the range.
	started  atomic.Uint32
	finished atomic.Uint32
	_        [falseSharing]byte
}

// span is the range of one worker: lo in the upper half of the word, hi in the lower. It is empty if lo >= hi. The word
// alone determines which indices the worker owns. So a compare-and-swap is correct even if the word has meanwhile
// changed and has become the old value again.
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
	if cap(r.spans) < workers {
		r.spans = make([]span, workers)
	}
	r.spans = r.spans[:workers]
	for w := range r.spans {
		lo, hi := Part(w, workers, n)
		r.spans[w].word.Store(pack(uint32(lo), uint32(hi)))
	}
}

// Part divides the indices 0 to n-1 into parts whose lengths differ by at most one. It returns the indices lo to hi-1
// of the given part.
func Part(part, parts, n int) (lo, hi int) {
	// uint64 prevents an overflow of the product if int has 32 bits.
	return int(uint64(part) * uint64(n) / uint64(parts)),
		int(uint64(part+1) * uint64(n) / uint64(parts))
}

// Next returns the next index for the worker, or false if no index is left.
func (r *Ranges) Next(worker int) (index int, ok bool) {
	lo, _, ok := r.NextBatch(worker, 1)
	return lo, ok
}

// NextBatch returns at least one and up to limit consecutive indices lo to hi-1, or false if no index is left. It
// panics unless limit is positive.
func (r *Ranges) NextBatch(worker, limit int) (lo, hi int, ok bool) {
	if limit <= 0 {
		panic(fmt.Sprintf("machine: Ranges.NextBatch: limit %d", limit))
	}
	own := &r.spans[worker].word
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

// steal fills the worker's empty range from the largest range of another worker. It returns false if it found no index.
func (r *Ranges) steal(worker int) bool {
	// A worker that is interrupted during a move of a range finishes the move later, and uses the indices of the range
	// itself. So no index is lost if other workers stop searching after some rounds.
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

// largest returns the worker with the most indices left, and the word of its span. If no worker has any index left,
// victim is -1.
func (r *Ranges) largest() (victim int, word uint64) {
	victim = -1
	most := uint32(0)
	for w := range r.spans {
		seen := r.spans[w].word.Load()
		if lo, hi := unpack(seen); lo < hi && hi-lo > most {
			victim, word, most = w, seen, hi-lo
		}
	}
	return victim, word
}

// move takes the back half, rounded up, of the victim's range. It returns false if the victim's range has changed.
func (r *Ranges) move(worker, victim int, word uint64) bool {
	lo, hi := unpack(word)
	mid := lo + (hi-lo)/2
	r.started.Add(1)
	defer r.finished.Add(1)
	if !r.spans[victim].word.CompareAndSwap(word, pack(lo, mid)) {
		return false
	}
	// Other workers never change an empty range, so a plain store cannot overwrite a change of theirs.
	r.spans[worker].word.Store(pack(mid, hi))
	return true
}
