package png

import (
	"encoding/binary"
	"fmt"
	"io"
	"sync"
)

// stripSet collects strips in any order and writes them in theirs.
//
// Whichever task completes the strip that is due writes it, and all that then
// follow; others leave their strip and go on. So writing overlaps encoding
// without a goroutine of its own, and with a sequential runner every strip is
// written while it is still in the cache.
type stripSet struct {
	mu      sync.Mutex
	w       io.Writer
	strips  []strip
	next    int // the strip that is due
	writing bool
	sum     adler // over all strips before next
	err     error
	free    []*stripEncoder
}

// reset starts a picture of n strips. Chunks keep their memory.
func (s *stripSet) reset(w io.Writer, n int) {
	// Beyond the length may be chunks of a larger picture, to be used again.
	s.strips = s.strips[:cap(s.strips)]
	for len(s.strips) < n {
		s.strips = append(s.strips, strip{})
	}
	s.strips = s.strips[:n]
	for i := range s.strips {
		s.strips[i].ready = false
	}
	s.w, s.next, s.writing, s.sum, s.err = w, 0, false, newAdler(), nil
}

// take returns the working memory of a task, give hands it back.
func (s *stripSet) take() *stripEncoder {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(s.free)
	if n == 0 {
		return new(stripEncoder)
	}
	e := s.free[n-1]
	s.free = s.free[:n-1]
	return e
}

func (s *stripSet) give(e *stripEncoder) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.free = append(s.free, e)
}

// failed reports whether writing failed, so that further strips are in vain.
func (s *stripSet) failed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err != nil
}

// done takes strip i and writes what is due.
func (s *stripSet) done(i int) {
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

// writeNext writes the strip that is due, with the mutex open meanwhile.
func (s *stripSet) writeNext() error {
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

// finish returns the error of the picture.
func (s *stripSet) finish() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil && s.next < len(s.strips) {
		return fmt.Errorf("png: Options.Run left strip %d of %d undone", s.next+1, len(s.strips))
	}
	return s.err
}

// upTo returns the error of the picture's first n strips, all of which were run.
func (s *stripSet) upTo(n int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil && s.next < n {
		return fmt.Errorf("png: Options.Run left strip %d of %d undone", s.next+1, len(s.strips))
	}
	return s.err
}

// recycle hands the chunks of strips lo to hi-1, which are written, to those that follow.
func (s *stripSet) recycle(lo, hi int) {
	for i := lo; i < hi; i++ {
		if to := hi + i - lo; to < len(s.strips) {
			s.strips[to].chunk = s.strips[i].chunk
		}
		s.strips[i].chunk = nil
	}
}
