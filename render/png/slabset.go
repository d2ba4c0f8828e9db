package png

import (
	"encoding/binary"
	"fmt"
	"io"
	"sync"
)

// A slabSet receives slabs in any order and writes them in the order of the picture.
//
// Some task completes the slab that must be written next. This task writes the slab, and all later slabs that are
// ready. Other tasks go on without waiting for their slab to be written. So slabs are encoded while others are
// written, without an extra goroutine. If tasks run one after the other, each slab is written while it is still in
// the cache.
type slabSet struct {
	mu      sync.Mutex
	w       io.Writer
	slabs   []slab
	next    int // the next slab to be written
	writing bool
	sum     adler // checksum of all slabs before next
	err     error
	free    []*slabEncoder
}

// reset starts a picture of n slabs. The slabs use the memory of chunks of earlier pictures.
func (s *slabSet) reset(w io.Writer, n int) {
	// Slabs beyond the length belong to an earlier, larger picture. The memory of their chunks is used again.
	s.slabs = s.slabs[:cap(s.slabs)]
	for len(s.slabs) < n {
		s.slabs = append(s.slabs, slab{})
	}
	s.slabs = s.slabs[:n]
	for i := range s.slabs {
		s.slabs[i].ready = false
	}
	s.w, s.next, s.writing, s.sum, s.err = w, 0, false, newAdler(), nil
}

// take returns working memory for a task. The method give returns it to the set.
func (s *slabSet) take() *slabEncoder {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(s.free)
	if n == 0 {
		return new(slabEncoder)
	}
	e := s.free[n-1]
	s.free = s.free[:n-1]
	return e
}

func (s *slabSet) give(e *slabEncoder) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.free = append(s.free, e)
}

// failed reports whether writing failed, so that encoding further slabs is pointless.
func (s *slabSet) failed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err != nil
}

// setReady records that slab i is ready. It then writes all slabs that are next in order and ready, unless another task
// is writing.
func (s *slabSet) setReady(i int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.slabs[i].ready {
		panic(fmt.Sprintf("png: strip %d was run twice", i))
	}
	s.slabs[i].ready = true
	if s.writing {
		return
	}
	s.writing = true
	for s.err == nil && s.next < len(s.slabs) && s.slabs[s.next].ready {
		err := s.writeNext()
		s.next++
		if err != nil {
			s.err = fmt.Errorf("png: write strip %d of %d: %w", s.next, len(s.slabs), err)
		}
	}
	s.writing = false
}

// writeNext writes the next slab. The caller holds the mutex. writeNext unlocks it during the write.
func (s *slabSet) writeNext() error {
	t := &s.slabs[s.next]
	s.sum = s.sum.combine(t.sum, t.n)
	if s.next == len(s.slabs)-1 {
		t.chunk = binary.BigEndian.AppendUint32(t.chunk, s.sum.sum())
		t.chunk = endChunk(t.chunk, 0)
	}
	w := s.w
	s.mu.Unlock()
	defer s.mu.Lock()
	return writeAll(w, t.chunk)
}

// finish returns the error of writing the picture, or an error if a slab is missing.
func (s *slabSet) finish() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil && s.next < len(s.slabs) {
		return fmt.Errorf("png: Options.Run left strip %d of %d undone", s.next+1, len(s.slabs))
	}
	return s.err
}

// firstErr returns the error of writing the first n slabs, or an error if one of them is missing.
func (s *slabSet) firstErr(n int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil && s.next < n {
		return fmt.Errorf("png: Options.Run left strip %d of %d undone", s.next+1, len(s.slabs))
	}
	return s.err
}

// recycle passes the memory of the chunks of slabs lo to hi-1 to later slabs. These chunks have been written.
func (s *slabSet) recycle(lo, hi int) {
	for i := lo; i < hi; i++ {
		if to := hi + i - lo; to < len(s.slabs) {
			s.slabs[to].chunk = s.slabs[i].chunk
		}
		s.slabs[i].chunk = nil
	}
}
