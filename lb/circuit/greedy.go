package circuit

// Greedy gives each load, in storage order, to the element that is lighter so far, and to element 0 if both are equal.
// The pinned loads count from the start. Loads of element 0 should precede those of element 1. The cost is O(n).
// Source: Demirel and Sbalzarini, Algorithm 2.1.
type Greedy struct{}

// Balance implements [Method].
func (Greedy) Balance(p Pair, _ *Workspace) {
	p.check()
	t := p.Fixed
	for i, w := range p.Load {
		side := uint8(0)
		if t[1] < t[0] {
			side = 1
		}
		t[side] += w
		p.Side[i] = side
	}
}

// SortedGreedy is Greedy applied to the loads from the heaviest to the lightest, a rule also known as longest
// processing time first. If no load is pinned, the final discrepancy is at most the heaviest load. The cost is O(n log
// n), or O(n) if the loads are stored in descending order. Source: Demirel and Sbalzarini, Algorithm 2.2.
type SortedGreedy struct{}

// Balance implements [Method].
func (SortedGreedy) Balance(p Pair, ws *Workspace) {
	p.check()
	t := p.Fixed
	for _, i := range orNew(ws).descending(p.Load) {
		side := uint8(0)
		if t[1] < t[0] {
			side = 1
		}
		t[side] += p.Load[i]
		p.Side[i] = side
	}
}

// sortedGreedy returns the discrepancy that SortedGreedy would leave.
func (ws *Workspace) sortedGreedy(p Pair) float64 {
	low, high := min(p.Fixed[0], p.Fixed[1]), max(p.Fixed[0], p.Fixed[1])
	for _, i := range ws.descending(p.Load) {
		// A branch on the element with the larger sum would often be mispredicted. min and max need none.
		x := low + p.Load[i]
		low, high = min(x, high), max(x, high)
	}
	return high - low
}
