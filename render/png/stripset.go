package png

import (
	"encoding/binary"
	"fmt"
	"io"
	"sync"
)

// slabSet receives strips in any order and writes them in the order of the picture.
//
// If a task completes the strip that must be written next, it writes this strip and all strips after it that are ready.
// Other tasks leave their strip and continue. So strips are encoded while others are written, without an extra
// goroutine. If tasks run one after the other, each strip is written while it is still in the cache.
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

// reset starts a picture of n strips, which reuse the memory of earlier chunks.
func (s *slabSet) reset(w io.Writer, n int) {
	// Between the length and the capacity there may be chunks of a larger picture. They are reused.
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

// take returns working memory for a task; give returns it to the set.
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

// done records that strip i is ready. It then writes all strips that are next in order and ready, unless another task
// is writing.
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

// writeNext writes the next strip. The caller holds the mutex, which writeNext unlocks while it writes.
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

// finish returns the error of writing the picture, or an error if a strip is missing.
func (s *slabSet) finish() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil && s.next < len(s.strips) {
		return fmt.Errorf("png: Options.Run left strip %d of %d undone", s.next+1, len(s.strips))
	}
	return s.err
}

// firstErr returns the error of writing the first n strips, or an error if one of them is missing.
func (s *slabSet) firstErr(n int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil && s.next < n {
		return fmt.Errorf("png: Options.Run left strip %d of %d undone", s.next+1, len(s.strips))
	}
	return s.err
}

// recycle passes the chunk memory of strips lo to hi-1, which have been written, on to the strips from hi on.
func (s *slabSet) recycle(lo, hi int) {
	for i := lo; i < hi; i++ {
		if to := hi + i - lo; to < len(s.strips) {
			s.strips[to].chunk = s.strips[i].chunk
		}
		s.strips[i].chunk = nil
	}
}
