package ktx

import (
	"errors"
	"fmt"
	"image"
)

// How slices tell repetitions.
const (
	repeatPredictions = 256 // the symbol behind all predictions for two by two blocks
	leastPredictions  = 3
	leastSelectors    = 3
	longRun           = 63 // the symbol of runs that are told by a number of its own
)

// A slice is the state of reading the blocks of a picture.
type slice struct {
	*basis
	bits
	history history
	across  int // blocks of a row

	above, row []uint16 // endpoints of the blocks of the row above, and of this one
	below      []uint8  // predictions for the row below, of two blocks each
	last       int      // the endpoint of the block before
	prediction int      // of two by two blocks: the last symbol
	same       uint32   // how often it is still repeated
	latest     uint32   // how often the latest selector of the history is still repeated
	ofTwo      int      // predictions for blocks that follow, two bits each
	blockX     int
	blockY     int
}

// A history holds selectors that were used, those that were used often in front. It moves them forward by halves.
type history struct {
	entries []uint16
	next    int // where a new one goes: into the rear half
}

func newHistory(n int) history { return history{make([]uint16, n), n / 2} }

// add puts a selector into the place of the one that has been in the rear half for longest.
func (h *history) add(v int) {
	if len(h.entries) == 0 {
		return
	}
	h.entries[h.next] = uint16(v)
	if h.next++; h.next == len(h.entries) {
		h.next = len(h.entries) / 2
	}
}

// use returns an entry, and moves it forward.
func (h *history) use(i int) int {
	v := h.entries[i]
	h.entries[i], h.entries[i/2] = h.entries[i/2], v
	return int(v)
}

var (
	errNeighbour = errors.New("a block has the colour of one that is outside")
	errEntry     = errors.New("a block has an entry of a table that is not there")
)

// draw reads the blocks of a slice into a picture: its colours, or its alpha.
func (s *basis) draw(m *image.NRGBA, data []byte, alpha bool) error {
	across, down := (m.Rect.Dx()+3)/4, (m.Rect.Dy()+3)/4
	r := &slice{
		basis: s, bits: bits{data: data}, history: newHistory(s.remembered), across: across,
		above: make([]uint16, across), row: make([]uint16, across), below: make([]uint8, (across+1)/2),
	}
	for r.blockY = range down {
		for r.blockX = range across {
			of, err := r.endpoint()
			if err != nil {
				return r.at(err)
			}
			by, err := r.selector()
			if err != nil {
				return r.at(err)
			}
			s.paint(m, 4*r.blockX, 4*r.blockY, of, by, alpha)
		}
		r.above, r.row = r.row, r.above
	}
	return nil
}

// at adds the place to an error.
func (s *slice) at(err error) error { return fmt.Errorf("block %d, %d: %w", s.blockX, s.blockY, err) }

// predict reads how the endpoints of two by two blocks follow from others, at the first of them.
func (s *slice) predict() {
	if s.blockY%2 == 1 {
		s.ofTwo = int(s.below[s.blockX/2])
		return
	}
	if s.same > 0 {
		s.same--
	} else if v := s.predictions.read(&s.bits); v == repeatPredictions {
		s.same = s.chunks(4) + leastPredictions - 1
	} else {
		s.prediction = v
	}
	s.ofTwo = s.prediction
	s.below[s.blockX/2] = uint8(s.prediction >> 4)
}

// endpoint reads that of the next block.
func (s *slice) endpoint() (int, error) {
	if s.blockX%2 == 0 {
		s.predict()
	}
	how := s.ofTwo & 3
	s.ofTwo >>= 2
	switch {
	case how == 0 && s.blockX > 0: // that of the block to the left
	case how == 1 && s.blockY > 0:
		s.last = int(s.above[s.blockX])
	case how == 2 && s.blockX > 0 && s.blockY > 0:
		s.last = int(s.above[s.blockX-1])
	case how == 3:
		if s.last += s.differences.read(&s.bits); s.last >= len(s.endpoints) {
			s.last -= len(s.endpoints)
		}
	default:
		return 0, errNeighbour
	}
	switch {
	case s.over:
		return 0, errEnd
	case s.last >= len(s.endpoints):
		return 0, errEntry
	}
	s.row[s.blockX] = uint16(s.last)
	return s.last, nil
}

// selector reads that of the next block.
func (s *slice) selector() (v int, err error) {
	n := len(s.selectors)
	symbol := n // the latest of the history
	if s.latest > 0 {
		s.latest--
	} else if symbol = s.choices.read(&s.bits); symbol == n+s.remembered {
		run := s.repeats.read(&s.bits)
		if s.latest = uint32(run) + leastSelectors; run == longRun {
			s.latest = s.chunks(7) + leastSelectors
		}
		s.latest--
		symbol = n
	}
	switch {
	case s.over:
		return 0, errEnd
	case symbol < n:
		s.history.add(symbol)
		return symbol, nil
	case symbol-n >= len(s.history.entries):
		return 0, errEntry
	}
	if v = s.history.use(symbol - n); v >= n {
		return 0, errEntry
	}
	return v, nil
}
