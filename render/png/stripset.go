package png

import (
	"encoding/binary"
	"fmt"
	"io"
	"sync"
)

// slabSet receives strips in any order and writes them in theirs.
//
// The task that completes the next strip to be written writes it, and also all strips that follow it and are ready.
// Other tasks leave their strip and continue. So writing overlaps encoding without a goroutine of its own, and with a
// sequential runner every strip is written while it is still in the cache.
type slabSet struct {
	mu      sync.Mutex
	w       io.Writer
	strips  []slab
	next    int // the next strip to be written
	writing bool
	sum     adler // of all strips before next
	err     error
	free    []*slabEncoder
}

// reset starts a picture of n strips. Chunks keep their memory.
func (s *slabSet) reset(w io.Writer, n int) {
	// Beyond the length there may be chunks of a larger picture, which are reused.
	s.strips = s.strips[:cap(s.strips)]
	for len(s.strips) < n {
		s.strips = append(s.strips, slab{})
	}
	s.strips = s.strips[:n]
	for i := range s.strips {
		s.strips[i].ready = false
	}
	s.w, s.next, s.writing, s.sum, s.err = w, 0, false, newAdler(), nil
}

// take returns scratch memory for a task; give returns it to the set.
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

// failed reports whether writing failed, so that encoding further strips is pointless.
func (s *slabSet) failed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err != nil
}

// done marks strip i as ready, and writes all strips that can be written.
func (s *slabSet) done(i int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.strips[i].ready {
		panic(fmt.Sprintf("png: strip %d was run twice", i))
	}
	s.strips[i].ready = true
	if s.writing {
		return
	}
	s.writing = true
	for s.err == nil && s.next < len(s.strips) && s.strips[s.next].ready {
		err := s.writeNext()
		s.next++
		if err != nil {
			s.err = fmt.Errorf("png: write strip %d of %d: %w", s.next, len(s.strips), err)
		}
	}
	s.writing = false
}

// writeNext writes the next strip. It unlocks the mutex while it writes.
func (s *slabSet) writeNext() error {
	t := &s.strips[s.next]
	s.sum = s.sum.combine(t.sum, t.n)
	if s.next == len(s.strips)-1 {
		t.chunk = binary.BigEndian.AppendUint32(t.chunk, s.sum.sum())
		t.chunk = endChunk(t.chunk, 0)
	}
	w := s.w
	s.mu.Unlock()
	defer s.mu.Lock()
	return writeAll(w, t.chunk)
}

// finish returns the error of the picture, which may be that not all strips were encoded.
func (s *slabSet) finish() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil && s.next < len(s.strips) {
		return fmt.Errorf("png: Options.Run left strip %d of %d undone", s.next+1, len(s.strips))
	}
	return s.err
}

// firstErr returns the error of the picture's first n strips, all of which must have been run.
func (s *slabSet) firstErr(n int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil && s.next < n {
		return fmt.Errorf("png: Options.Run left strip %d of %d undone", s.next+1, len(s.strips))
	}
	return s.err
}

// recycle passes the chunk memory of strips lo to hi-1, which are written, to the strips that follow.
func (s *slabSet) recycle(lo, hi int) {
	for i := lo; i < hi; i++ {
		if to := hi + i - lo; to < len(s.strips) {
			s.strips[to].chunk = s.strips[i].chunk
		}
		s.strips[i].chunk = nil
	}
}
