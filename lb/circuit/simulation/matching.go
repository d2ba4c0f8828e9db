package simulation

import (
	"math"

	"lockstep/lb/circuit"
)

// A scratch is the memory of one worker, for one matching at a time.
type scratch struct {
	ws    circuit.Workspace
	entry []uint64 // both slabs merged
	side  []uint8  // of each entry
	load  []float64
	stays []uint8 // of each entry, 1 when it cannot move
	plan  []uint8 // Pair.Side
	at    []int32 // entry of each of Pair's loads
	moves int64
	_     [64]byte // keeps two workers' counters out of one cache line
}

func (s *Simulation) balance(at int, e circuit.Edge, m planner, b *scratch) {
	if m.idle(e, [2]float64{s.total[e.U], s.total[e.V]}) {
		return
	}
	s.merge(s.slabs[e.U], s.slabs[e.V], b)
	p := s.sort(e, b)
	if len(p.Load) == 0 {
		return
	}
	m.plan(at, e, p, &b.ws)
	if s.settle(e, b) {
		t := p.Totals()
		s.total[e.U], s.total[e.V] = t[0], t[1]
	}
}

// merge lays both slabs out in b.entry and b.side.
func (s *Simulation) merge(u, v []uint64, b *scratch) {
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
	// Which slab is next is a coin toss, so no branch depends on it. Merging
	// from both ends at once gives the processor two chains of steps to overlap;
	// entries differ, so both ends come to the one order.
	i, j, k := 0, 0, 0
	p, q, l := len(u)-1, len(v)-1, n-1
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

// mergeRest merges u and v into entry, and tells in side where each is from.
func mergeRest(u, v, entry []uint64, side []uint8) {
	for k := range entry {
		if len(v) == 0 || len(u) > 0 && u[0] > v[0] {
			entry[k], side[k], u = u[0], 0, u[1:]
		} else {
			entry[k], side[k], v = v[0], 1, v[1:]
		}
	}
}

// stay tells in b.stays which of the merged loads cannot move.
func (s *Simulation) stay(e circuit.Edge, b *scratch) {
	n := len(b.entry)
	if cap(b.stays) < n {
		b.stays = make([]uint8, n, 2*n)
	}
	b.stays = b.stays[:n]
	if s.rule != nil {
		s.rule.stay(s.marks, s.rule.keeping(e), b.entry, b.stays)
	} else {
		clear(b.stays)
	}
	if s.pinned != nil {
		for k, entry := range b.entry {
			_, load := unpackLoad(entry)
			b.stays[k] |= uint8(s.pinned[load/64] >> (load % 64) & 1)
		}
	}
}

// sort parts the merged loads into movable and pinned ones.
func (s *Simulation) sort(e circuit.Edge, b *scratch) circuit.Pair {
	s.stay(e, b)
	n := len(b.entry)
	if cap(b.load) < n {
		b.load, b.plan, b.at = make([]float64, n, 2*n), make([]uint8, n, 2*n), make([]int32, n, 2*n)
	}
	load, plan, at, sides, stay := b.load[:n], b.plan[:n], b.at[:n], b.side[:n], b.stays[:n]
	var fixedU, fixedV float64
	next := 0
	for k, entry := range b.entry {
		cost, _ := unpackLoad(entry)
		side, stays := sides[k]&1, stay[k]
		// Which loads stay is as good as random: all are written as movable and
		// added to both ends' pinned ones, as 0 unless they belong, without a branch.
		load[next], plan[next], at[next] = cost, side, int32(k)
		next += int(1 - stays)
		fixedU += math.Float64frombits(math.Float64bits(cost) & -uint64(stays&^side))
		fixedV += math.Float64frombits(math.Float64bits(cost) & -uint64(stays&side))
	}
	b.load, b.plan, b.at = load[:next], plan[:next], at[:next]
	return circuit.Pair{Load: b.load, Side: b.plan, Fixed: [2]float64{fixedU, fixedV}}
}

// settle carries the plan out and tells whether anything moved.
func (s *Simulation) settle(e circuit.Edge, b *scratch) bool {
	var mark [2]uint16
	if s.rule != nil {
		mark = [2]uint16{s.rule.mark(e.U), s.rule.mark(e.V)}
	}
	moved := int64(0)
	for i, k := range b.at {
		to := b.plan[i]
		if to == b.side[k] {
			continue
		}
		b.side[k] = to
		if s.rule != nil {
			_, load := unpackLoad(b.entry[k])
			s.marks[load] = mark[to&1]
		}
		moved++
	}
	if moved == 0 {
		return false
	}
	b.moves += moved
	s.part(e, b)
	return true
}

// part fills both slabs from the merged entries.
func (s *Simulation) part(e circuit.Edge, b *scratch) {
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
