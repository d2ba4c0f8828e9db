package handover

import (
	"fmt"
	"math"
	"slices"
)

// Work is the load, the size and the owner of every block.
type Work struct {
	Load   []float64 // seconds that each block takes in an iteration
	Bytes  []float64 // size of each block
	Owner  []int32   // owner of each block, from 0 to Owners-1
	Owners int
}

// Price says what moving costs. Both numbers are finite and at least 0.
type Price struct {
	Latency float64 // seconds that every handover takes
	PerByte float64 // seconds that an owner needs to send or receive a byte
}

// A Move gives a block another owner.
type Move struct {
	Block    int
	From, To int32
}

// Moves is a handover: its moves, their savings and their price.
type Moves struct {
	Moves []Move
	// Before and After are the seconds per iteration of the owner with the most work, before and after the moves.
	Before, After float64
	Price         float64 // in seconds
}

// Savings returns the seconds saved in every iteration.
func (m Moves) Savings() float64 { return m.Before - m.After }

// Payback returns the number of iterations after which the moves have repaid their price. It is infinite if they save
// nothing.
func (m Moves) Payback() float64 {
	if !(m.Savings() > 0) {
		return math.Inf(1)
	}
	return m.Price / m.Savings()
}

// check returns an error that names the first fault of the work.
func (w Work) check() error {
	n := len(w.Load)
	if len(w.Bytes) != n || len(w.Owner) != n {
		return fmt.Errorf("handover: %d loads, %d sizes and %d owners; expected one of each for every block", n, len(w.Bytes), len(w.Owner))
	}
	if w.Owners < 1 {
		return fmt.Errorf("handover: %d owners; expected at least 1", w.Owners)
	}
	for b := range n {
		if !isQuantity(w.Load[b]) || !isQuantity(w.Bytes[b]) {
			return fmt.Errorf("handover: block %d takes %v seconds and %v bytes; expected finite numbers of at least 0", b, w.Load[b], w.Bytes[b])
		}
		if o := w.Owner[b]; o < 0 || int(o) >= w.Owners {
			return fmt.Errorf("handover: block %d belongs to owner %d of %d", b, o, w.Owners)
		}
	}
	return nil
}

func isQuantity(x float64) bool { return x >= 0 && !math.IsInf(x, 1) }

func (p Price) check() error {
	if !isQuantity(p.Latency) || !isQuantity(p.PerByte) {
		return fmt.Errorf("handover: a price of %v seconds and %v seconds a byte; expected finite numbers of at least 0", p.Latency, p.PerByte)
	}
	return nil
}

// Plan returns the moves that repay their price soonest. It makes moves one after the other, each from the owner with
// the most work to the owner with the least. It moves the block with the largest gain per byte. The gain is the amount
// by which the move lowers the larger load of these two owners. Plan returns the first k of these moves, where k is
// chosen so that the moves repay their price soonest. It returns none if moves save nothing. Only blocks with a load
// move. Plan does not change w.
//
// The cost is O(moves times (owners + blocks of an owner)), with at most as many moves as blocks. The search is greedy
// and not exact.
func Plan(w Work, p Price) (Moves, error) {
	if err := w.check(); err != nil {
		return Moves{}, err
	}
	if err := p.check(); err != nil {
		return Moves{}, err
	}
	s := newSearch(w, p)
	best := Moves{Before: s.most(), After: s.most()}
	taken := 0
	for len(s.moves) < len(w.Load) && s.step() {
		m := Moves{Before: best.Before, After: s.most(), Price: s.price()}
		if m.Payback() < best.Payback() {
			best, taken = m, len(s.moves)
		}
	}
	best.Moves = slices.Clone(s.moves[:taken])
	return best, nil
}

// A search is the state of Plan.
type search struct {
	Work
	cost     Price
	held     [][]int // by owner: blocks that have a load and have not been moved
	total    []float64
	sent     []float64 // in bytes
	received []float64
	typical  float64 // typical size of a block with a load, in bytes
	moves    []Move
}

func newSearch(w Work, p Price) *search {
	s := &search{Work: w, cost: p, held: make([][]int, w.Owners), total: make([]float64, w.Owners),
		sent: make([]float64, w.Owners), received: make([]float64, w.Owners)}
	count := 0.0
	for b, o := range w.Owner {
		if w.Load[b] > 0 {
			s.held[o] = append(s.held[o], b)
			s.total[o] += w.Load[b]
			s.typical += w.Bytes[b]
			count++
		}
	}
	s.typical /= max(1, count)
	return s
}

func (s *search) most() float64 { return slices.Max(s.total) }

// price returns what the moves so far cost, in seconds.
func (s *search) price() float64 {
	return s.cost.Latency + float64(s.cost.PerByte*max(slices.Max(s.sent), slices.Max(s.received)))
}

// step makes the next move. It reports whether there was one.
func (s *search) step() bool {
	from, to := 0, 0
	for o, t := range s.total {
		if t > s.total[from] {
			from = o
		}
		if t < s.total[to] {
			to = o
		}
	}
	lead := s.total[from] - s.total[to]
	best, value := -1, 0.0
	for i, b := range s.held[from] {
		// The sender's load falls by s.Load[b]. Then the receiver may have the larger load.
		gain := min(s.Load[b], lead-s.Load[b])
		// Half of a typical block's size stands for the message itself. Without it, a block of size 0 would have
		// infinite value.
		if v := gain / (s.Bytes[b] + s.typical/2); gain > 0 && (v > value || best < 0) {
			best, value = i, v
		}
	}
	if best < 0 {
		return false
	}
	b := s.held[from][best]
	s.held[from] = slices.Delete(s.held[from], best, best+1)
	s.total[from] -= s.Load[b]
	s.total[to] += s.Load[b]
	s.sent[from] += s.Bytes[b]
	s.received[to] += s.Bytes[b]
	s.moves = append(s.moves, Move{b, int32(from), int32(to)})
	return true
}

// Apply carries out moves in the slice owner. It panics if a block's owner is not the one that its move expects.
func Apply(owner []int32, moves []Move) {
	for _, m := range moves {
		if owner[m.Block] != m.From {
			panic(fmt.Sprintf("handover: block %d belongs to %d, not to %d", m.Block, owner[m.Block], m.From))
		}
		owner[m.Block] = m.To
	}
}
