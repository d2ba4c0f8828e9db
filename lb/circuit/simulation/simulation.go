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

// A Loop runs the iterations of a loop on several processors. The zero value uses the caller's goroutine alone.
type Loop struct {
	Workers int
	// For calls do(worker, i) once for every i from 0 to n-1. It returns when all calls have returned. worker is from 0
	// to Workers-1, and no two calls with the same worker overlap. A worker takes about batch consecutive values of i
	// at a time.
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

// Options say which loads a [Simulation] starts with, and how it runs.
type Options struct {
	// Cost returns the cost of a load. circuit.Blocks says how loads are numbered. Several workers may call it at once.
	Cost func(load int) float32
	// Pinned returns the loads of an element that never move. If it is nil, all loads may move.
	Pinned func(element int) (loads []int)
	// InArrivalOrder keeps an element's loads in the order in which they arrived, see circuit.Network.
	InArrivalOrder bool
	Loop           Loop
}

// A Simulation balances the loads of a grid. Owners and moves are exactly those of circuit.Network, for any loop. Edges
// that read or change the same data keep the round's order (see tiling), so no locks are needed.
//
// Each element has a slab, a slice of its loads as packed entries. An entry has the float32 cost in its upper half and
// the complement of the load's number in its lower half. So a descending order of integers sorts loads by descending
// cost, and loads of equal cost by ascending number. Slabs stay in this order, and a matching merges two of them
// instead of sorting.
type Simulation struct {
	*Grid
	slabs          [][]uint64
	total          []float64  // total cost of each element
	owners         []uint64   // counts of each load, see gridRule; nil without a gridRule
	pinned         []uint64   // bit set of the pinned loads; nil if there are none
	inArrivalOrder bool       // slabs are in order of arrival
	fewPlanner     fewPlanner // planner for balanceFew in this round; nil if it is not used
	loop           Loop
	rounds         int // number of rounds done
}

// New returns a Simulation of the elements of g with the loads of o.
func New(g *Grid, o Options) *Simulation {
	s := &Simulation{
		Grid:           g,
		total:          make([]float64, g.graph.Elements()),
		inArrivalOrder: o.InArrivalOrder,
		loop:           o.Loop,
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

// fillChunk is the number of elements that a worker fills at once. Workers take chunks by a shared counter. A chunk is
// so large that taking it costs little compared with filling it.
const fillChunk = 256

// fill gives each element its own loads.
func (s *Simulation) fill(costOf func(load int) float32) {
	n, per := len(s.total), s.blocks.Columns*s.blocks.Rows
	// With room for a quarter more loads, most slabs never have to grow.
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
			// Adding 0 turns -0 into 0, so that the order of the bits is the order of the costs.
			cost := costOf(load) + 0
			s.total[e] += float64(cost)
			slab = append(slab, packLoad(cost, int32(load)))
		}
		if !s.inArrivalOrder {
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

// eachTile calls do for every tile of a round. tile holds the indices of the tile's edges in the round. Tiles that do
// not depend on each other may run at the same time. If ctx ends before the last tile, eachTile returns ctx's error.
func (s *Simulation) eachTile(ctx context.Context, do func(worker int, tile []int32)) error {
	queue := newTileQueue(s.tiling)
	var ended atomic.Bool
	s.loop.each(s.tiling.len(), 1, func(w, _ int) {
		k := queue.take()
		defer queue.done(k) // after a panic too, which the loop raises again when all calls have returned
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

// Round does the next round, visiting every edge once, and returns the number of moves. If ctx ends first, it returns
// ctx's error.
func (s *Simulation) Round(ctx context.Context, m Method) (moves int64, err error) {
	if ctx == nil || m == nil {
		return 0, errors.New("round: expected a context and a method, not nil")
	}
	s.rounds++
	plan, err := m.start(s, s.rounds)
	if err != nil {
		return 0, fmt.Errorf("round %d: %w", s.rounds, err)
	}
	if s.owners != nil && s.pinned == nil && !s.inArrivalOrder {
		s.fewPlanner, _ = plan.(fewPlanner)
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

// Migrated returns how many loads are on another element than at the start.
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
