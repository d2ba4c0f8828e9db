package circuit

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"lockstep/lb/circuit"
)

// A circuitSim runs a balancing circuit on a grid of up to millions of
// elements with all cores. It comes to exactly the owners and moves of
// circuit.Network, whatever the number of workers: edges that could touch what
// the other reads keep the round's order, the others commute, see tiling, so
// that they need no lock.
//
// An element's loads are one slab of packed entries: the float32 cost above
// the complement of the load's number, so that the descending order of
// integers is that of the costs, equal costs by ascending number. Slabs stay
// in this order, and a matching merges two of them instead of sorting.
type circuitSim struct {
	*simGraph
	slabs   [][]uint64
	total   []float64 // of each element
	marks   []uint16  // owner of each load, see gridRule; nil without one
	pinned  []uint64  // bit set over loads; nil when none is pinned
	arrival bool      // slabs in order of arrival, see circuit.Network
	workers int
}

// simSetup says what a circuitSim simulates.
type simSetup struct {
	topology  circuit.Topology
	width     int
	height    int
	loads     int // per element
	field     costField
	mobility  float64 // part of each element's loads that is not pinned
	keepGraph bool    // the rule of circuit.Mobility
	arrival   bool
	graphSeed uint64 // of the k-neighbour graph
	seed      uint64 // of the loads
	workers   int
}

// A simGraph is what simulations of one setup share.
type simGraph struct {
	blocks circuit.Blocks
	graph  *circuit.Graph
	phases [][]circuit.Edge // of one round, each free of conflicts
	tiling *tiling          // of the same edges
	rule   *gridRule        // nil when the graph may change
}

func newSimGraph(s simSetup) (*simGraph, error) {
	if s.width < 4 || s.height < 2 {
		return nil, fmt.Errorf("a grid of %d by %d elements is too small", s.width, s.height)
	}
	if s.loads < 1 || s.loads > maxBlock || s.width*s.height > math.MaxInt32/s.loads {
		return nil, fmt.Errorf("%d loads on each of %d elements", s.loads, s.width*s.height)
	}
	g, c, err := circuit.Grid(s.topology, s.width, s.height, s.graphSeed)
	if err != nil {
		return nil, err
	}
	sg := &simGraph{blocks: circuit.BlocksFor(s.width, s.height, s.loads), graph: g, phases: c.Matchings}
	if s.keepGraph {
		sg.rule = newGridRule(g, sg.blocks, s.topology)
		sg.phases = nil
		for _, m := range c.Matchings {
			sg.phases = append(sg.phases, g.Apart(m)...)
		}
	}
	sg.tiling = newTiling(sg.phases, s.width, s.height)
	sg.phases = shareEdges(sg.phases, sg.tiling.edges)
	return sg, nil
}

// shareEdges returns the phases as parts of all, which holds the same edges.
func shareEdges(phases [][]circuit.Edge, all []circuit.Edge) (parts [][]circuit.Edge) {
	for _, phase := range phases {
		parts = append(parts, all[:len(phase):len(phase)])
		all = all[len(phase):]
	}
	return parts
}

func newCircuitSim(g *simGraph, s simSetup) *circuitSim {
	sim := &circuitSim{
		simGraph: g,
		total:    make([]float64, g.graph.Elements()),
		arrival:  s.arrival,
		workers:  max(1, s.workers),
	}
	if g.rule != nil {
		sim.marks = make([]uint16, g.blocks.Loads())
	}
	sim.fill(s)
	return sim
}

// fillChunk is how many elements a worker fills at once: enough to make the
// shared counter cheap.
const fillChunk = 256

// fill draws the loads and gives each element its own.
func (s *circuitSim) fill(setup simSetup) {
	n, per := len(s.total), setup.loads
	// A quarter more room than loads lets most slabs stay where they are.
	room := per + per/4 + 2
	s.slabs = make([][]uint64, n)
	arena := make([]uint64, n*room)
	if pins := per - int(math.Ceil(setup.mobility*float64(per))); pins > 0 {
		s.pinned = make([]uint64, (n*per+63)/64)
		for e := range n {
			s.pin(e, per, pins, setup.seed)
		}
	}
	s.parallel(n, fillChunk, func(_, e int) {
		slab := arena[e*room : e*room : (e+1)*room]
		for i := range per {
			load := e*per + i
			cost := fieldLoad(setup.field, s.blocks, load, setup.seed)
			if s.rule != nil {
				s.marks[load] = s.rule.mark(int32(e))
			}
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

// pin marks pins random ones of an element's loads, by their hashes' ranks.
func (s *circuitSim) pin(e, per, pins int, seed uint64) {
	rank := make([]int, per)
	for i := range rank {
		rank[i] = e*per + i
	}
	slices.SortFunc(rank, func(a, b int) int {
		if mixSeed(^seed, uint64(a)) < mixSeed(^seed, uint64(b)) {
			return -1
		}
		return 1
	})
	for _, load := range rank[:pins] {
		s.pinned[load/64] |= 1 << (load % 64)
	}
}

func packLoad(cost float32, load int32) uint64 {
	return uint64(math.Float32bits(cost))<<32 | uint64(^uint32(load))
}

func unpackLoad(entry uint64) (cost float64, load int32) {
	return float64(math.Float32frombits(uint32(entry >> 32))), int32(^uint32(entry))
}

// parallel calls do(worker, i) for all i below n; a worker takes chunk of them
// at once.
func (s *circuitSim) parallel(n, chunk int, do func(worker, i int)) {
	if s.workers == 1 || n <= chunk {
		for i := range n {
			do(0, i)
		}
		return
	}
	var next atomic.Int64
	var wait sync.WaitGroup
	for w := range min(s.workers, n) {
		wait.Go(func() {
			for {
				from := int(next.Add(int64(chunk))) - chunk
				if from >= n {
					return
				}
				for i := from; i < min(from+chunk, n); i++ {
					do(w, i)
				}
			}
		})
	}
	wait.Wait()
}

// eachEdge calls do for every edge of a round, with its place in the round:
// near edges in the round's order, far ones at the same time.
func (s *circuitSim) eachEdge(ctx context.Context, do func(worker, at int, e circuit.Edge)) error {
	for i := range len(s.tiling.waves) - 1 {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, tile := s.tiling.wave(i)
		s.parallel(n, 1, func(w, k int) {
			for _, at := range tile(k) {
				do(w, int(at), s.tiling.edges[at])
			}
		})
	}
	return nil
}

// A matcher plans the matchings of one round; each worker has its own.
type matcher interface {
	// idle tells from the elements' totals alone that the matching will change
	// nothing.
	idle(e circuit.Edge, totals [2]float64) bool
	// match plans the matching of an edge, the at-th of the round.
	match(at int, e circuit.Edge, p circuit.Pair, ws *circuit.Workspace)
}

// round visits every edge once and returns the number of moves.
func (s *circuitSim) round(ctx context.Context, m matcher) (moves int64, err error) {
	benches := make([]simBench, s.workers)
	err = s.eachEdge(ctx, func(w, at int, e circuit.Edge) { s.balance(at, e, m, &benches[w]) })
	if err != nil {
		return 0, err
	}
	for i := range benches {
		moves += benches[i].moves
	}
	return moves, nil
}

// discrepancy returns the largest total minus the smallest.
func (s *circuitSim) discrepancy() float64 { return circuit.Discrepancy(s.total) }

// owners returns the element of each load.
func (s *circuitSim) owners() []int32 {
	owner := make([]int32, s.blocks.Loads())
	for e, slab := range s.slabs {
		for _, entry := range slab {
			_, load := unpackLoad(entry)
			owner[load] = int32(e)
		}
	}
	return owner
}

// migrated returns how many loads lie on another element than at the start.
func (s *circuitSim) migrated() (loads int64) {
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
