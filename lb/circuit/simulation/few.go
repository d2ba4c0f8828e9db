package simulation

import (
	"math"

	"lockstep/lb/circuit"
)

// balanceFew balances an edge by circuit.Focus.Few. It returns false if the edge needs the full planner. t holds the
// totals of the edge's ends. barred is the mask of owners for selectMovable.
func (s *Simulation) balanceFew(e circuit.Edge, t [2]float64, barred uint64, b *scratch) bool {
	grain := grainOf(s.slabs[e.U], s.slabs[e.V])
	if grain == 0 {
		return false
	}
	from, to, sender := e.U, e.V, 0
	if t[1] >= t[0] {
		from, to, sender = e.V, e.U, 1
	}
	lead := b.layOutLead(s.slabs[from], s.slabs[to], s.owners, barred)
	lead.From, lead.To, lead.Grain = t[sender], t[1-sender], grain
	moves, at, ok := s.fewPlanner.few(lead)
	if !ok || moves == 0 {
		return ok
	}
	send, back := b.ends[sender].leave[:0], b.ends[1-sender].leave[:0]
	// The sender's loads ascend in Signed but descend in a slab. So take them in reverse order.
	for k := moves - 1; k >= 0; k-- {
		w := lead.Signed[at[k]]
		if entry := b.entry[at[k]+1]; at[k] < lead.Receiver {
			back = append(back, entry)
		} else {
			send = append(send, entry)
		}
		s.total[from] -= w
		s.total[to] += w
	}
	b.ends[sender].leave, b.ends[1-sender].leave = send, back
	s.exchange(e, b)
	return true
}

// grainOf returns a power of two that divides all costs in two slabs, or 0 if a slab is empty.
func grainOf(u, v []uint64) float64 {
	if len(u) == 0 || len(v) == 0 {
		return 0
	}
	exponent := min(u[len(u)-1], v[len(v)-1]) >> (32 + 23)
	// The last bit of a float32 is worth 2^(exponent-127-23), or twice as much if exponent is 0.
	return math.Float64frombits((exponent - 127 - 23 + 1023) << 52)
}

// layOutLead stores the movable loads of two slabs as a circuit.Lead. b.entry[k+1] is the entry of the load Signed[k].
// The first and the last element of b.entry are sentinels, heavier than any load.
func (b *scratch) layOutLead(sender, receiver, owners []uint64, barred uint64) circuit.Lead {
	most := len(sender) + len(receiver)
	b.entry, b.load, b.signed = roomFor(b.entry, most+2), roomFor(b.load, most), roomFor(b.signed, most)
	n := 0
	entries, signed := b.entry[1:], b.signed
	for _, entry := range receiver {
		// A branch on which loads may move would often be mispredicted. So every load is written, and the next load
		// overwrites it if it may not move.
		entries[n], signed[n] = entry, -costOf(entry)
		n += 1 - int(nonzero(owners[^uint32(entry)]&barred))
	}
	middle := n
	for k := len(sender) - 1; k >= 0; k-- {
		entry := sender[k]
		entries[n], signed[n] = entry, costOf(entry)
		n += 1 - int(nonzero(owners[^uint32(entry)]&barred))
	}
	b.entry[0], entries[n] = math.MaxUint64, math.MaxUint64
	mergeEnds(b.entry[:n+2], middle+1, b.load[:n])
	return circuit.Lead{Signed: signed[:n], Receiver: middle, Descending: b.load[:n]}
}

func costOf(entry uint64) float64 { return float64(math.Float32frombits(uint32(entry >> 32))) }

// mergeEnds writes the costs of two lists to cost, from the heaviest to the lightest. The part entry[:middle] descends
// and entry[middle:] ascends. The first and the last entry are sentinels, heavier than any other.
func mergeEnds(entry []uint64, middle int, cost []float64) {
	// Like merge, the loop has no branch, and two chains of steps run at once: one from the heaviest entries, one from
	// the lightest. When the first chain has used up one list, its index in that list goes on to the lightest entries
	// of the other list. These entries are no heavier than the entries still to come, so they are not taken too early.
	// The sentinels stop the second chain.
	i, j := 1, len(entry)-2
	p, q := middle-1, middle
	for k, l := 0, len(cost)-1; k < l; k, l = k+1, l-1 {
		x, y, first := entry[i], entry[j], 0
		if x > y {
			first = 1
		}
		cost[k] = costOf(max(x, y))
		i, j = i+first, j-1+first

		x, y, first = entry[p], entry[q], 0
		if x < y {
			first = 1
		}
		cost[l] = costOf(min(x, y))
		p, q = p-first, q+1-first
	}
	if len(cost)%2 == 1 {
		cost[len(cost)/2] = costOf(max(entry[i], entry[j]))
	}
}
