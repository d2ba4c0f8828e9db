package simulation

import (
	"encoding/binary"
	"math"
	"math/bits"

	"lockstep/lb/circuit"
)

// A scratch is the memory of one worker for one matching, an edge whose two elements divide their loads.
type scratch struct {
	ws    circuit.Workspace
	ends  [2]end
	entry []uint64 // entries of the loads of both ends that may move, in the order of circuit.Pair
	// side is the side of each entry before the plan. Its padding to a multiple of 8 bytes is the same as that of plan.
	side    []uint8
	plan    []uint8 // same as circuit.Pair.Side
	load    []float64
	signed  []float64 // same as circuit.Lead.Signed
	moves   int64
	touched uint64   // takes the results of prefetch; its value means nothing
	slab    []uint64 // memory for rebuild
	from    []uint8
	_       [64]byte // keeps two workers' counters out of one cache line
}

// An end is one of the two elements of a matching.
type end struct {
	movable []uint64 // entries of the loads that may move, in the slab's order
	fixed   float64  // sum of the pinned loads, which never move
	leave   []uint64 // entries that leave for the other end, in the slab's order
	arrive  []uint64 // entries that come from the other end
}

// balanceAll balances the edges of a tile one after the other. A tile is a part of the grid, see tiling.
func (s *Simulation) balanceAll(tile []int32, m planner, b *scratch) {
	edges := s.tiling.edges
	for i, at := range tile {
		if i+1 < len(tile) {
			next := edges[tile[i+1]]
			if !m.idle(next, [2]float64{s.total[next.U], s.total[next.V]}) {
				b.touched ^= s.prefetch(next.U) ^ s.prefetch(next.V)
			}
		}
		s.balance(int(at), edges[at], m, b)
	}
}

// prefetch reads the data of element e for the next matching into the cache, while the present matching is planned. All
// cache lines are then loaded at once. The result keeps the compiler from dropping the reads.
func (s *Simulation) prefetch(e int32) (any uint64) {
	slab := s.slabs[e]
	for k := 0; k < len(slab); k += lineWords {
		any ^= slab[k]
	}
	if s.owners != nil {
		per := int(s.rule.loadsPerElement)
		for k := int(e) * per; k < int(e+1)*per; k += lineWords {
			any ^= s.owners[k]
		}
	}
	return any
}

// lineWords is the number of 8-byte words in a cache line.
const lineWords = 8

func (s *Simulation) balance(at int, e circuit.Edge, m planner, b *scratch) {
	t := [2]float64{s.total[e.U], s.total[e.V]}
	if m.idle(e, t) {
		return
	}
	barred := uint64(0)
	if s.rule != nil {
		barred = ^s.rule.allowedOwners(e)
	}
	if s.fewPlanner != nil && s.balanceFew(e, t, barred, b) {
		return
	}
	s.selectMovable(s.slabs[e.U], barred, &b.ends[0])
	s.selectMovable(s.slabs[e.V], barred, &b.ends[1])
	p := b.pair(s.inArrivalOrder)
	if len(p.Load) == 0 {
		return
	}
	m.plan(at, e, p, &b.ws)
	if s.applyPlan(e, b) {
		t := p.Totals()
		s.total[e.U], s.total[e.V] = t[0], t[1]
	}
}

// selectMovable stores in *to the loads of an element that may move, and the sum of its other loads. A load may not
// move if an owner in the mask barred owns a part of its stencil, see gridRule.
func (s *Simulation) selectMovable(slab []uint64, barred uint64, to *end) {
	to.movable = roomFor(to.movable, len(slab))
	next := 0
	switch {
	case s.pinned != nil:
		next, to.fixed = movableUnpinned(slab, s.owners, barred, s.pinned, to.movable)
	case s.owners != nil:
		next, to.fixed = movableByRule(slab, s.owners, barred, to.movable)
	default:
		next, to.fixed = copy(to.movable, slab), 0
	}
	to.movable = to.movable[:next]
}

// movableByRule copies to movable the loads that may move by the mobility rule. It returns their number and the sum of
// the other loads.
func movableByRule(slab, owners []uint64, barred uint64, movable []uint64) (next int, fixed float64) {
	for _, entry := range slab {
		pin := nonzero(owners[^uint32(entry)] & barred)
		// A branch on which loads may move would often be mispredicted. So every load is written to movable, and the
		// next load overwrites it if it may not move. For every load a number is added to fixed: 0 if the load may
		// move, and its cost otherwise.
		movable[next] = entry
		next += int(1 - pin)
		fixed += float64(math.Float32frombits(uint32(entry>>32) & -uint32(pin)))
	}
	return next, fixed
}

// movableUnpinned is like movableByRule, but loads whose bit in `pinned` is 1 may not move either. If owners is nil,
// only these bits count.
func movableUnpinned(slab, owners []uint64, barred uint64, pinned, movable []uint64) (next int, fixed float64) {
	for _, entry := range slab {
		load := ^uint32(entry)
		pin := pinned[load/64] >> (load % 64) & 1
		if owners != nil {
			pin |= nonzero(owners[load] & barred)
		}
		movable[next] = entry
		next += int(1 - pin)
		fixed += float64(math.Float32frombits(uint32(entry>>32) & -uint32(pin)))
	}
	return next, fixed
}

// pair stores the movable loads of both ends as a circuit.Pair.
func (b *scratch) pair(inArrivalOrder bool) circuit.Pair {
	u, v := b.ends[0].movable, b.ends[1].movable
	n := len(u) + len(v)
	b.entry, b.side = roomFor(b.entry, n), roomFor(b.side, (n+7)&^7)
	b.plan, b.load = roomFor(b.plan, len(b.side)), roomFor(b.load, n)
	side := b.side[:n]
	if inArrivalOrder {
		copy(b.entry, u)
		copy(b.entry[len(u):], v)
		clear(side)
		for i := len(u); i < n; i++ {
			side[i] = 1
		}
	} else {
		merge(u, v, b.entry, side)
	}
	copy(b.plan, b.side)
	load := b.load[:len(b.entry)]
	for k, entry := range b.entry {
		load[k], _ = unpackLoad(entry)
	}
	return circuit.Pair{Load: b.load, Side: b.plan[:n], Fixed: [2]float64{b.ends[0].fixed, b.ends[1].fixed}}
}

// merge merges u and v, both in descending order, into entry. side[k] becomes 0 if entry[k] came from u, and 1 if from
// v.
func merge(u, v, entry []uint64, side []uint8) {
	// A branch on whether u or v has the next entry would often be mispredicted, so the loop has none. It merges from
	// both ends of the lists at once, because the processor can then work on two independent chains of steps. No entry
	// occurs twice, so both chains produce the same order.
	i, j, k := 0, 0, 0
	p, q, l := len(u)-1, len(v)-1, len(entry)-1
	for i < p && j < q {
		x, y, fromV := u[i], v[j], 1
		if x > y {
			fromV = 0
		}
		entry[k], side[k] = max(x, y), uint8(fromV)
		i, j, k = i+1-fromV, j+fromV, k+1

		x, y, fromV = u[p], v[q], 0
		if x > y {
			fromV = 1
		}
		entry[l], side[l] = min(x, y), uint8(fromV)
		p, q, l = p-1+fromV, q-fromV, l-1
	}
	mergeRest(u[i:p+1], v[j:q+1], entry[k:l+1], side[k:l+1])
}

// mergeRest merges one entry per step.
func mergeRest(u, v, entry []uint64, side []uint8) {
	for k := range entry {
		if len(v) == 0 || len(u) > 0 && u[0] > v[0] {
			entry[k], side[k], u = u[0], 0, u[1:]
		} else {
			entry[k], side[k], v = v[0], 1, v[1:]
		}
	}
}

// applyPlan carries out the plan. It reports whether anything moved.
func (s *Simulation) applyPlan(e circuit.Edge, b *scratch) bool {
	u, v := b.ends[0].leave[:0], b.ends[1].leave[:0]
	// Few loads move, so compare sides eight at a time.
	for first := 0; first < len(b.side); first += 8 {
		was := binary.LittleEndian.Uint64(b.side[first:])
		for changed := was ^ binary.LittleEndian.Uint64(b.plan[first:]); changed != 0; changed &= changed - 1 {
			bit := bits.TrailingZeros64(changed)
			entry := b.entry[first+bit/8]
			if was>>bit&1 == 0 {
				u = append(u, entry)
			} else {
				v = append(v, entry)
			}
		}
	}
	b.ends[0].leave, b.ends[1].leave = u, v
	if len(u)+len(v) == 0 {
		return false
	}
	s.exchange(e, b)
	return true
}

// exchange moves the loads that leave one end of e to the other, in both directions.
func (s *Simulation) exchange(e circuit.Edge, b *scratch) {
	u, v := b.ends[0].leave, b.ends[1].leave
	b.ends[0].arrive, b.ends[1].arrive = v, u
	b.moves += int64(len(u) + len(v))
	if s.rule != nil {
		change := s.rule.mark(e.V) - s.rule.mark(e.U)
		s.rule.addCounts(s.owners, u, change)
		s.rule.addCounts(s.owners, v, -change)
	}
	s.slabs[e.U] = b.rebuild(s.slabs[e.U], 0, s.inArrivalOrder)
	s.slabs[e.V] = b.rebuild(s.slabs[e.V], 1, s.inArrivalOrder)
}

// fewArrivals is the largest number of arriving loads that are inserted one by one. More loads are merged.
const fewArrivals = 4

// rebuild returns the slab of one end after the exchange: without the loads that leave, and with those that arrive.
func (b *scratch) rebuild(slab []uint64, side int, inArrivalOrder bool) []uint64 {
	arrive := b.ends[side].arrive
	slab = removeEntries(slab, b.ends[side].leave)
	stay := len(slab)
	if cap(slab) < stay+len(arrive) {
		slab = append(make([]uint64, 0, (stay+len(arrive))*5/4), slab...)
	}
	all := slab[:stay+len(arrive)]
	switch {
	case inArrivalOrder && side == 0:
		copy(all[stay:], arrive)
	case inArrivalOrder:
		copy(all[len(arrive):], slab)
		copy(all, arrive)
	case len(arrive) <= fewArrivals:
		insert(all, arrive)
	default:
		b.slab, b.from = roomFor(b.slab, len(all)), roomFor(b.from, len(all))
		merge(slab, arrive, b.slab, b.from)
		copy(all, b.slab)
	}
	return all
}

// removeEntries removes entries from slab and returns the rest. Both are in the same order.
func removeEntries(slab, entries []uint64) []uint64 {
	from, to := 0, 0
	for k, entry := range entries {
		at := from
		for slab[at] != entry {
			at++
		}
		if k > 0 {
			copy(slab[to:], slab[from:at])
		}
		to += at - from
		from = at + 1
	}
	if len(entries) > 0 {
		to += copy(slab[to:], slab[from:])
		slab = slab[:to]
	}
	return slab
}

// insert puts entries into slab, whose last len(entries) places are free. Both are in descending order.
func insert(slab, entries []uint64) {
	n := len(slab) - len(entries)
	for k := len(entries) - 1; k >= 0; k-- {
		at := 0
		for _, entry := range slab[:n] {
			if entry > entries[k] {
				at++
			}
		}
		copy(slab[at+k+1:], slab[at:n])
		slab[at+k] = entries[k]
		n = at
	}
}

// roomFor returns a slice of length n with undefined contents, in the memory of s if that is large enough.
func roomFor[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, 2*n)
	}
	return s[:n]
}
