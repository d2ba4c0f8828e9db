package circuit

import (
	"cmp"
	"slices"
)

// Oriented returns a function for [Network.RoundOf] that plans matchings by m. In about half of the matchings it
// exchanges u and v. It chooses them by hashing seed, round and the edge's index. Rounds are counted from 1.
//
// The error of a matching is half the discrepancy that it leaves. Without exchanges, a method favours u every time, and
// the errors of many matchings add up. If m is [Greedy] or [SortedGreedy] and nothing is pinned, exchanges make the
// mean of this error 0, and the error is at most half the heaviest load. Theorem 2.14 of T. Sauerwald and H. Sun,
// "Tight bounds for randomized load balancing on arbitrary network topologies", FOCS 2012, then bounds how far the
// totals of the network are from those of a network with divisible loads. Demirel and Sbalzarini use this theorem
// without exchanges, but with a fixed order of the elements the mean is not 0.
func Oriented(m Method, seed uint64, round int, ws *Workspace) func(at int, e Edge, p Pair) {
	ws = orNew(ws)
	return func(at int, _ Edge, p Pair) {
		turn := hash64(hash64(seed^hash64(uint64(round)))^uint64(at))>>63 == 1
		if turn {
			p.Fixed[0], p.Fixed[1] = p.Fixed[1], p.Fixed[0]
			swapSides(p.Side)
		}
		m.Balance(p, ws)
		if turn {
			swapSides(p.Side)
		}
	}
}

func swapSides(side []uint8) {
	for i := range side {
		side[i] = 1 - side[i]
	}
}

// RandomMatching returns a maximal matching. It takes the edges in the order of a hash of seed and edge, and keeps each
// edge whose ends are both free. It costs O(e log e).
//
// Rounds of random matchings are the usual alternative to a fixed circuit: B. Ghosh and S. Muthukrishnan, "Dynamic load
// balancing by random matchings", 1996.
func (g *Graph) RandomMatching(seed uint64) []Edge {
	edges := g.Edges()
	key := func(e Edge) uint64 { return hash64(seed ^ hash64(uint64(e.U)<<32|uint64(e.V))) }
	slices.SortFunc(edges, func(a, b Edge) int { return cmp.Compare(key(a), key(b)) })
	taken := make([]bool, g.Elements())
	matching := edges[:0]
	for _, e := range edges {
		if !taken[e.U] && !taken[e.V] {
			taken[e.U], taken[e.V] = true, true
			matching = append(matching, e)
		}
	}
	return matching
}
