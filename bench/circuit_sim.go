package bench

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
// circuit.Network, whatever the number of workers: the edges of one phase
// touch disjoint elements and, under the mobility rule, read only owners that
// no other edge of the phase changes, so that they need no lock.
//
// An element's loads are one slab of packed entries: the float32 cost above
// the complement of the load's number, so that the descending order of
// integers is that of the costs, equal costs by ascending number. Slabs stay
// in this order, and a matching merges two of them instead of sorting.
type circuitSim struct {
	*simGraph
	slabs   [][]uint64
	total   []float64 // of each element
	owner   []int32   // of each load
	known   []uint16  // mobility of each load, see gridRule; nil without one
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
	edges  int              // in a round
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
	sg := &simGraph{blocks: circuit.BlocksFor(s.width, s.height, s.loads), graph: g, phases: c.Matchings, edges: g.EdgeCount()}
	if s.keepGraph {
		sg.rule = newGridRule(g, sg.blocks, s.topology)
		sg.phases = nil
		for _, m := range c.Matchings {
			sg.phases = append(sg.phases, g.Apart(m)...)
		}
	}
	return sg, nil
}

func newCircuitSim(g *simGraph, s simSetup) *circuitSim {
	sim := &circuitSim{
		simGraph: g,
		total:    make([]float64, g.graph.Elements()),
		owner:    make([]int32, g.blocks.Loads()),
		arrival:  s.arrival,
		workers:  max(1, s.workers),
	}
	if g.rule != nil {
		sim.known = make([]uint16, g.blocks.Loads())
	}
	sim.fill(s)
	return sim
}

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
	s.parallel(n, func(_, e int) {
		slab := arena[e*room : e*room : (e+1)*room]
		for i := range per {
			load := e*per + i
			cost := fieldLoad(setup.field, s.blocks, load, setup.seed)
			s.owner[load] = int32(e)
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

// chunkEdges is how many edges a worker takes at once: enough to make the
// shared counter cheap, few enough to spread a phase of a small network.
const chunkEdges = 256

// parallel calls do(worker, i) for all i below n.
func (s *circuitSim) parallel(n int, do func(worker, i int)) {
	if s.workers == 1 || n <= chunkEdges {
		for i := range n {
			do(0, i)
		}
		return
	}
	var next atomic.Int64
	var wait sync.WaitGroup
	for w := range s.workers {
		wait.Go(func() {
			for {
				from := int(next.Add(chunkEdges)) - chunkEdges
				if from >= n {
					return
				}
				for i := from; i < min(from+chunkEdges, n); i++ {
					do(w, i)
				}
			}
		})
	}
	wait.Wait()
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
	first := 0
	for _, phase := range s.phases {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		s.parallel(len(phase), func(w, i int) { s.balance(first+i, phase[i], m, &benches[w]) })
		first += len(phase)
	}
	for i := range benches {
		moves += benches[i].moves
	}
	return moves, nil
}

// A simBench is what a worker works on: one matching at a time.
type simBench struct {
	ws    circuit.Workspace
	entry []uint64 // both slabs merged
	side  []uint8  // of each entry, with bit 1 set when it is pinned
	load  []float64
	plan  []uint8 // Pair.Side
	moves int64
	_     [64]byte // keeps two workers' counters out of one cache line
}

const pinnedSide = 2

func (s *circuitSim) balance(at int, e circuit.Edge, m matcher, b *simBench) {
	if m.idle(e, [2]float64{s.total[e.U], s.total[e.V]}) {
		return
	}
	s.merge(s.slabs[e.U], s.slabs[e.V], b)
	p := s.sort(e, b)
	if len(p.Load) == 0 {
		return
	}
	m.match(at, e, p, &b.ws)
	if s.settle(e, b) {
		t := p.Totals()
		s.total[e.U], s.total[e.V] = t[0], t[1]
	}
}

// merge lays both slabs out in b.entry and b.side.
func (s *circuitSim) merge(u, v []uint64, b *simBench) {
	n := len(u) + len(v)
	if cap(b.entry) < n {
		b.entry, b.side = make([]uint64, n, 2*n), make([]uint8, n, 2*n)
	}
	entry, side := b.entry[:n], b.side[:n]
	b.entry, b.side = entry, side
	if s.arrival {
		copy(entry, u)
		copy(entry[len(u):], v)
		for i := range side {
			side[i] = 0
			if i >= len(u) {
				side[i] = 1
			}
		}
		return
	}
	i, j, k := 0, 0, 0
	for i < len(u) && j < len(v) {
		// Which slab is next is a coin toss, so no branch depends on it.
		x, y, fromV := u[i], v[j], 1
		if x > y {
			fromV = 0
		}
		entry[k], side[k] = max(x, y), uint8(fromV)
		i += 1 - fromV
		j += fromV
		k++
	}
	for ; i < len(u); i, k = i+1, k+1 {
		entry[k], side[k] = u[i], 0
	}
	for ; j < len(v); j, k = j+1, k+1 {
		entry[k], side[k] = v[j], 1
	}
}

// sort parts the merged loads into movable and pinned ones.
func (s *circuitSim) sort(e circuit.Edge, b *simBench) circuit.Pair {
	b.load, b.plan = b.load[:0], b.plan[:0]
	var fixed [2]float64
	ends := [2]int32{e.U, e.V}
	var to [2]uint8 // direction from each end to the other
	if s.rule != nil {
		to = [2]uint8{s.rule.towards(e.U, e.V), s.rule.towards(e.V, e.U)}
	}
	for k, entry := range b.entry {
		cost, load := unpackLoad(entry)
		side := b.side[k]
		if s.pinned != nil && s.pinned[load/64]>>(load%64)&1 == 1 ||
			s.rule != nil && s.mobility(load, ends[side])>>to[side]&1 == 0 {
			fixed[side] += cost
			b.side[k] |= pinnedSide
			continue
		}
		b.load, b.plan = append(b.load, cost), append(b.plan, side)
	}
	return circuit.Pair{Load: b.load, Side: b.plan, Fixed: fixed}
}

// mobility returns in which directions element u may send its load.
func (s *circuitSim) mobility(load, u int32) uint16 {
	m := s.known[load]
	if m == 0 {
		m = s.rule.mobility(s.owner, load, u)
		s.known[load] = m
	}
	return m
}

// settle carries the plan out and tells whether anything moved.
func (s *circuitSim) settle(e circuit.Edge, b *simBench) bool {
	ends := [2]int32{e.U, e.V}
	moved, next := int64(0), 0
	for k, side := range b.side {
		if side&pinnedSide != 0 {
			b.side[k] = side &^ pinnedSide
			continue
		}
		if to := b.plan[next]; to != side {
			b.side[k] = to
			_, load := unpackLoad(b.entry[k])
			s.owner[load] = ends[to]
			if s.rule != nil {
				s.rule.forget(s.known, load)
			}
			moved++
		}
		next++
	}
	if moved == 0 {
		return false
	}
	b.moves += moved
	s.part(e, b)
	return true
}

// part fills both slabs from the merged entries.
func (s *circuitSim) part(e circuit.Edge, b *simBench) {
	n := [2]int{}
	for _, side := range b.side {
		n[side&1]++
	}
	// Each entry is written to both slabs and stays in one of them, so no
	// branch depends on its side; hence room for one more.
	u, v := roomFor(s.slabs[e.U], n[0]+1), roomFor(s.slabs[e.V], n[1]+1)
	i, j := 0, 0
	for k, entry := range b.entry {
		toV := int(b.side[k] & 1)
		u[i], v[j] = entry, entry
		i += 1 - toV
		j += toV
	}
	s.slabs[e.U], s.slabs[e.V] = u[:n[0]], v[:n[1]]
}

func roomFor(slab []uint64, n int) []uint64 {
	if cap(slab) < n {
		return make([]uint64, n, n+n/4)
	}
	return slab[:n]
}

// discrepancy returns the largest total minus the smallest.
func (s *circuitSim) discrepancy() float64 { return circuit.Discrepancy(s.total) }

// migrated returns how many loads lie on another element than at the start.
func (s *circuitSim) migrated() (loads int64) {
	per := int32(s.blocks.Columns * s.blocks.Rows)
	for load, e := range s.owner {
		if int32(load)/per != e {
			loads++
		}
	}
	return loads
}

// eachEdge calls do for every edge of the circuit, those of a matching at once.
func (s *circuitSim) eachEdge(do func(e circuit.Edge)) {
	for _, phase := range s.phases {
		s.parallel(len(phase), func(_, i int) { do(phase[i]) })
	}
}
