package ktx

import (
	"errors"
	"fmt"
	"image"
)

// These constants describe how slices encode repetitions.
const (
	repeatPredictions = 256 // symbol that repeats the last prediction; lower symbols are predictions for 2 by 2 blocks
	leastPredictions  = 3
	leastSelectors    = 3
	longRun           = 63 // symbol for a run whose length follows as a number
)

// A slice is the state of decoding the blocks of a picture.
type slice struct {
	*basis
	bits
	history history
	across  int // number of blocks in a row

	above, row        []uint16 // endpoints of the blocks in the row above and in this row
	below             []uint8  // predictions for the row below, one entry for two neighbouring blocks
	last              int      // endpoint of the previous block
	prediction        int      // the last symbol that was read for 2 by 2 blocks
	predictionRepeats uint32   // how many more times `prediction` is to be used
	selectorRepeats   uint32   // how many more times the latest selector of the history is to be used
	pairPredictions   int      // predictions for two neighbouring blocks, two bits each
	blockX            int
	blockY            int
}

// A history is a list of selectors used before, roughly in the order of their last use. When entry i is used, it
// moves to index i/2.
type history struct {
	entries []uint16
	next    int // index in the rear half for the next selector
}

func newHistory(n int) history { return history{make([]uint16, n), n / 2} }

// add writes a selector to the rear half, whose entries are overwritten in turn.
func (h *history) add(v int) {
	if len(h.entries) == 0 {
		return
	}
	h.entries[h.next] = uint16(v)
	if h.next++; h.next == len(h.entries) {
		h.next = len(h.entries) / 2
	}
}

// moveForward returns entry i and swaps it with entry i/2.
func (h *history) moveForward(i int) int {
	v := h.entries[i]
	h.entries[i], h.entries[i/2] = h.entries[i/2], v
	return int(v)
}

var (
	errNeighbour = errors.New("a block has the colour of one that is outside")
	errEntry     = errors.New("a block has an entry of a table that is not there")
)

// decodeSlice decodes the blocks of a slice and writes them to the picture: to its alpha if alpha is set, and otherwise
// to its colours.
func (s *basis) decodeSlice(m *image.NRGBA, data []byte, alpha bool) error {
	across, down := (m.Rect.Dx()+3)/4, (m.Rect.Dy()+3)/4
	r := &slice{
		basis: s, bits: bits{data: data}, history: newHistory(s.remembered), across: across,
		above: make([]uint16, across), row: make([]uint16, across), below: make([]uint8, (across+1)/2),
	}
	for r.blockY = range down {
		for r.blockX = range across {
			of, err := r.nextEndpoint()
			if err != nil {
				return r.wrapError(err)
			}
			by, err := r.nextSelector()
			if err != nil {
				return r.wrapError(err)
			}
			s.writeBlock(m, 4*r.blockX, 4*r.blockY, of, by, alpha)
		}
		r.above, r.row = r.row, r.above
	}
	return nil
}

// wrapError adds the position of the current block to an error.
func (s *slice) wrapError(err error) error {
	return fmt.Errorf("block %d, %d: %w", s.blockX, s.blockY, err)
}

// readPredictions reads how the endpoints of the next two blocks are predicted. A symbol describes 2 by 2 blocks, so
// predict reads one only in even rows.
func (s *slice) readPredictions() {
	if s.blockY%2 == 1 {
		s.pairPredictions = int(s.below[s.blockX/2])
		return
	}
	if s.predictionRepeats > 0 {
		s.predictionRepeats--
	} else if v := s.predictions.readSymbol(&s.bits); v == repeatPredictions {
		s.predictionRepeats = s.takeVariable(4) + leastPredictions - 1
	} else {
		s.prediction = v
	}
	s.pairPredictions = s.prediction
	s.below[s.blockX/2] = uint8(s.prediction >> 4)
}

// nextEndpoint returns the endpoint of the next block.
func (s *slice) nextEndpoint() (int, error) {
	if s.blockX%2 == 0 {
		s.readPredictions()
	}
	how := s.pairPredictions & 3
	s.pairPredictions >>= 2
	switch {
	case how == 0 && s.blockX > 0: // use the endpoint of the block to the left
	case how == 1 && s.blockY > 0:
		s.last = int(s.above[s.blockX])
	case how == 2 && s.blockX > 0 && s.blockY > 0:
		s.last = int(s.above[s.blockX-1])
	case how == 3:
		if s.last += s.differences.readSymbol(&s.bits); s.last >= len(s.endpoints) {
			s.last -= len(s.endpoints)
		}
	default:
		return 0, errNeighbour
	}
	switch {
	case s.overrun:
		return 0, errEnd
	case s.last >= len(s.endpoints):
		return 0, errEntry
	}
	s.row[s.blockX] = uint16(s.last)
	return s.last, nil
}

// nextSelector returns the selector of the next block.
func (s *slice) nextSelector() (v int, err error) {
	n := len(s.selectors)
	symbol := n // means the first entry of the history
	if s.selectorRepeats > 0 {
		s.selectorRepeats--
	} else if symbol = s.choices.readSymbol(&s.bits); symbol == n+s.remembered {
		run := s.repeats.readSymbol(&s.bits)
		if s.selectorRepeats = uint32(run) + leastSelectors; run == longRun {
			s.selectorRepeats = s.takeVariable(7) + leastSelectors
		}
		s.selectorRepeats--
		symbol = n
	}
	switch {
	case s.overrun:
		return 0, errEnd
	case symbol < n:
		s.history.add(symbol)
		return symbol, nil
	case symbol-n >= len(s.history.entries):
		return 0, errEntry
	}
	if v = s.history.moveForward(symbol - n); v >= n {
		return 0, errEntry
	}
	return v, nil
}
