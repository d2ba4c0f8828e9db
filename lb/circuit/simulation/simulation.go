package simulation

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync/atomic"

	"lockstep/lb/circuit"
)

// A Loop is how a simulation uses several processors. The zero value is the
// caller alone.
type Loop struct {
	Workers int
	// For calls do(worker, i) once for every i from 0 to n-1 and returns when all
	// calls have returned. worker is 0 to Workers-1, and no two calls with the same
	// worker overlap; a worker takes about batch neighbouring i at a time.
	For func(n, batch int, do func(worker, i int))
}

// each calls do for every i below n.
func (l Loop) each(n, batch int, do func(worker, i int)) {
	if l.Workers > 1 && n > batch {
		l.For(n, batch, do)
		return
	}
	for i := range n {
		do(0, i)
	}
}

// Options say which loads a [Simulation] starts with and how it runs.
type Options struct {
	// Cost returns the cost of a load, numbered as circuit.Blocks says. It may be
	// called by several workers at once.
	Cost func(load int) float32
	// Pinned returns the loads of an element that never move; nil: all may.
	Pinned func(element int) (loads []int)
	// InArrivalOrder keeps an element's loads in the order in which they came, see
	// circuit.Network.
	InArrivalOrder bool
	Loop           Loop
}

// A Simulation balances the loads of a grid. Owners and moves are exactly those of
// circuit.Network, whatever the loop: edges that could touch each other's data keep
// the round's order. The others commute, see tiling, so that they need no lock.
//
// An element's loads are one slab of packed entries: the float32 cost above
// the complement of the load's number, so that the descending order of
// integers is that of the costs, equal costs by ascending number. Slabs stay
// in this order, and a matching merges two of them instead of sorting.
type Simulation struct {
	*Grid
	slabs   [][]uint64
	total   []float64  // of each element
	owners  []uint64   // counts for each load, see gridRule; nil without one
	pinned  []uint64   // bit set over loads; nil when none is pinned
	arrival bool       // slabs in order of arrival
	quick   fewPlanner // of this round; nil where balanceFew has no use
	loop    Loop
	rounds  int // so far
}

// New gives the elements of a grid their loads.
func New(g *Grid, o Options) *Simulation {
	s := &Simulation{
		Grid:    g,
		total:   make([]float64, g.graph.Elements()),
		arrival: o.InArrivalOrder,
		loop:    o.Loop,
	}
	if g.rule != nil {
		s.owners = make([]uint64, g.blocks.Loads())
	}
	if o.Pinned != nil {
		s.pinned = make([]uint64, (g.blocks.Loads()+63)/64)
		for e := range s.total {
			for _, load := range o.Pinned(e) {
				s.pinned[load/64] |= 1 << (load % 64)
			}
		}
	}
	s.fill(o.Cost)
	return s
}

// fillChunk is how many elements a worker fills at once: enough to make the
// shared counter cheap.
const fillChunk = 256

// fill gives each element its own loads.
func (s *Simulation) fill(costOf func(load int) float32) {
	n, per := len(s.total), s.blocks.Columns*s.blocks.Rows
	// A quarter more room than loads lets most slabs stay where they are.
	room := per + per/4 + 2
	s.slabs = make([][]uint64, n)
	arena := make([]uint64, n*room)
	s.loop.each(n, fillChunk, func(_, e int) {
		slab := arena[e*room : e*room : (e+1)*room]
		if s.rule != nil {
			s.rule.count(s.owners, int32(e))
		}
		for i := range per {
			load := e*per + i
			cost := costOf(load) + 0 // of -0 this makes 0, whose bits are in the order of costs
			s.total[e] += float64(cost)
			slab = append(slab, packLoad(cost, int32(load)))
		}
		if !s.arrival {
			slices.SortFunc(slab, func(a, b uint64) int {
				if a > b {
					return -1
				}
				return 1
			})
		}
		s.slabs[e] = slab
	})
}

func packLoad(cost float32, load int32) uint64 {
	return uint64(math.Float32bits(cost))<<32 | uint64(^uint32(load))
}

func unpackLoad(entry uint64) (cost float64, load int32) {
	return float64(math.Float32frombits(uint32(entry >> 32))), int32(^uint32(entry))
}

// eachTile calls do for every tile of a round, with the places of its edges in the
// round: near edges in the round's order, far ones at the same time. It returns ctx's
// error when that ends before the last tile.
func (s *Simulation) eachTile(ctx context.Context, do func(worker int, tile []int32)) error {
	turns := newTurns(s.tiling)
	var ended atomic.Bool
	s.loop.each(s.tiling.len(), 1, func(w, _ int) {
		k := turns.take()
		defer turns.done(k) // after a panic too, which the loop hands on when all have returned
		if ctx.Err() != nil {
			ended.Store(true)
			return
		}
		do(w, s.tiling.tile(k))
	})
	if ended.Load() {
		return ctx.Err()
	}
	return nil
}

// Round does the next round, visiting every edge once, and returns the number of
// moves. It returns ctx's error when that ends first.
func (s *Simulation) Round(ctx context.Context, m Method) (moves int64, err error) {
	if ctx == nil || m == nil {
		return 0, errors.New("round: expected a context and a method, not nil")
	}
	s.rounds++
	plan, err := m.start(s, s.rounds)
	if err != nil {
		return 0, fmt.Errorf("round %d: %w", s.rounds, err)
	}
	if s.owners != nil && s.pinned == nil && !s.arrival {
		s.quick, _ = plan.(fewPlanner)
	}
	own := make([]scratch, max(1, s.loop.Workers))
	if err := s.eachTile(ctx, func(w int, tile []int32) { s.balanceAll(tile, plan, &own[w]) }); err != nil {
		return 0, err
	}
	for i := range own {
		moves += own[i].moves
	}
	return moves, nil
}

// Discrepancy returns the largest total minus the smallest.
func (s *Simulation) Discrepancy() float64 { return circuit.Discrepancy(s.total) }

// Owners returns the element of each load.
func (s *Simulation) Owners() []int32 {
	owner := make([]int32, s.blocks.Loads())
	for e, slab := range s.slabs {
		for _, entry := range slab {
			_, load := unpackLoad(entry)
			owner[load] = int32(e)
		}
	}
	return owner
}

// Migrated returns how many loads lie on another element than at the start.
func (s *Simulation) Migrated() (loads int64) {
	per := int32(s.blocks.Columns * s.blocks.Rows)
	for e, slab := range s.slabs {
		first := int32(e) * per
		for _, entry := range slab {
			if _, load := unpackLoad(entry); load < first || load >= first+per {
				loads++
			}
		}
	}
	return loads
}
