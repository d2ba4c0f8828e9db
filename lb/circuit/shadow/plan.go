package shadow

import (
	"cmp"
	"math"
	"slices"

	"lockstep/lb/circuit"
)

// A plan says on which element every load is after a round. The search tries to bring all totals into a window, the
// range from low to high.
type plan struct {
	paths      *paths
	load       []float64
	start      []int32   // element of each load before the round
	element    []int32   // element of each load after the round
	startLoads [][]int32 // loads of each element before the round
	held       [][]int32
	total      []float64
	low, high  float64
	tolerance  float64 // largest excess beyond the window that counts as rounding
	moves      int
	ws         circuit.Workspace
	seen       []bool // scratch memory of partners, all false between calls
	found      []int32
}

func newPlan(w *paths, load []float64, owner []int32, low, high float64) *plan {
	p := &plan{
		paths: w, load: load, start: slices.Clone(owner), element: slices.Clone(owner),
		startLoads: make([][]int32, w.elements), held: make([][]int32, w.elements),
		total: make([]float64, w.elements), seen: make([]bool, w.elements),
		low: low, high: high, tolerance: 1e-12 * high,
	}
	for i, u := range owner {
		p.startLoads[u], p.held[u] = append(p.startLoads[u], int32(i)), append(p.held[u], int32(i))
		p.total[u] += load[i]
	}
	return p
}

// excess returns how far element u's total, plus d, is outside the window.
func (p *plan) excess(u int32, d float64) float64 {
	x := p.total[u] + d
	return max(x-p.high, p.low-x, 0)
}

// price returns how many more moves the plan needs if load i ends on u. It is noPath/2 or more if load i cannot come to
// u within a round.
func (p *plan) price(i, u int32) float64 {
	return float64(p.paths.hops(p.start[i], u) - p.paths.hops(p.start[i], p.element[i]))
}

// partners returns the other elements with which u can exchange loads, in no particular order. If give is true, these
// elements can receive a load that is now on u. Otherwise u can receive a load that is now on them. The result is valid
// until the next call.
func (p *plan) partners(u int32, give bool) []int32 {
	p.found, p.seen[u] = p.found[:0], true
	add := func(v int32) {
		if !p.seen[v] {
			p.found, p.seen[v] = append(p.found, v), true
		}
	}
	if give {
		for _, i := range p.held[u] {
			for _, v := range p.paths.reachableFrom[p.start[i]] {
				add(v)
			}
		}
	} else {
		for _, home := range p.paths.reaching[u] {
			for _, i := range p.startLoads[home] {
				add(p.element[i])
			}
		}
	}
	p.seen[u] = false
	for _, v := range p.found {
		p.seen[v] = false
	}
	return p.found
}

// assign changes the plan so that load i ends on element u.
func (p *plan) assign(i, u int32) {
	from := p.element[i]
	p.moves += int(p.price(i, u))
	k := slices.Index(p.held[from], i)
	p.held[from] = slices.Delete(p.held[from], k, k+1)
	p.held[u] = append(p.held[u], i)
	p.total[from] -= p.load[i]
	p.total[u] += p.load[i]
	p.element[i] = u
}

// A change makes some loads end on other elements. gain is the amount by which the change lowers the sum of all
// elements' excesses, see method excess. price is the number of additional moves that the plan then needs.
type change struct {
	steps       []step
	gain, price float64
}

type step struct{ load, to int32 }

// worse reports whether c is worse than a change with this gain and price. Changes that need no further moves come
// first, ordered by gain. The others are compared by gain/price.
func (c *change) worse(gain, price float64) bool {
	switch {
	case len(c.steps) == 0:
		return true
	case price <= 0:
		return c.price > 0 || gain > c.gain
	}
	return c.price > 0 && gain*c.price > c.gain*price
}

// run seeks a plan and reports whether all totals came into the window. If best is not nil, run gives up once its plan
// needs as many moves as best.
//
// Each step takes the element that is farthest outside the window. It first tries to move or swap one of the element's
// loads, and then a relay of loads from element to element. If both fail, it divides the loads of the element and a
// neighbour anew, so that large and small loads mix.
func (p *plan) run(best *plan) bool {
	stuck, dealt := make([]bool, len(p.total)), map[circuit.Edge]bool{}
	for best == nil || p.moves < best.moves {
		u := p.farthest(stuck)
		if u < 0 {
			break
		}
		c := p.exchange(u)
		if len(c.steps) == 0 {
			c = p.relay(u)
		}
		for _, s := range c.steps {
			p.assign(s.load, s.to)
		}
		if len(c.steps) == 0 && !(len(dealt) < len(p.total) && p.rebalancePair(u, dealt)) {
			stuck[u] = true
			continue
		}
		clear(stuck)
	}
	p.shortenMoves()
	return p.farthest(nil) < 0
}

// farthest returns the element that is farthest outside the window and not stuck, or -1.
func (p *plan) farthest(stuck []bool) int32 {
	worst, most := int32(-1), p.tolerance
	for u := range int32(len(p.total)) {
		if d := p.excess(u, 0); d > most && (stuck == nil || !stuck[u]) {
			worst, most = u, d
		}
	}
	return worst
}

// exchange returns the best move of a load from u to another element, or the best swap of a load of u for a lighter
// one. If u lacks load, it returns the best move to u, or the best swap that gives u a heavier load.
func (p *plan) exchange(u int32) (best change) {
	lacks := p.total[u] < p.low
	partners := p.partners(u, !lacks)
	slices.Sort(partners)
	for _, v := range partners {
		from, to := u, v
		if lacks {
			from, to = v, u
		}
		before := p.excess(u, 0) + p.excess(v, 0)
		gain := func(d float64) float64 { return before - p.excess(from, -d) - p.excess(to, d) }
		for _, a := range p.held[from] {
			price := p.price(a, to)
			if price >= noPath/2 {
				continue
			}
			if g := gain(p.load[a]); g > p.tolerance && best.worse(g, price) {
				best = change{[]step{{a, to}}, g, price}
			}
			for _, b := range p.held[to] {
				d := p.load[a] - p.load[b]
				if d <= 0 {
					continue
				}
				if g := gain(d); g > p.tolerance {
					if both := price + p.price(b, from); both < noPath/2 && best.worse(g, both) {
						best = change{[]step{{a, to}, {b, from}}, g, both}
					}
				}
			}
		}
	}
	return best
}

// rebalancePair divides the loads of u and a neighbour anew by [circuit.SortedGreedy]. It takes the neighbour for which
// the mean of its total and u's total is farthest inside the window. It never takes the same neighbour twice. It
// returns false if no neighbour is left.
func (p *plan) rebalancePair(u int32, dealt map[circuit.Edge]bool) bool {
	best, least := int32(-1), math.Inf(1)
	for v := range int32(len(p.total)) {
		if v == u || dealt[circuit.Edge{U: u, V: v}] || p.paths.hops(u, v) != 1 || p.paths.hops(v, u) != 1 {
			continue
		}
		mean := (p.total[u] + p.total[v]) / 2
		if d := max(mean-p.high, p.low-mean); d < least {
			best, least = v, d
		}
	}
	if best < 0 {
		return false
	}
	dealt[circuit.Edge{U: u, V: best}] = true
	var pair circuit.Pair
	var loads []int32
	ends := [2]int32{u, best}
	for side, end := range ends {
		for _, i := range p.held[end] {
			if p.price(i, ends[1-side]) >= noPath/2 {
				pair.Fixed[side] += p.load[i]
				continue
			}
			pair.Load, pair.Side, loads = append(pair.Load, p.load[i]), append(pair.Side, uint8(side)), append(loads, i)
		}
	}
	circuit.SortedGreedy{}.Balance(pair, &p.ws)
	for k, i := range loads {
		if to := ends[pair.Side[k]]; to != p.element[i] {
			p.assign(i, to)
		}
	}
	return true
}

// shortenMoves lets loads end nearer to where they were before the round, as long as no total gets farther outside the
// window.
func (p *plan) shortenMoves() {
	for again := true; again; {
		again = false
		for i := range int32(len(p.element)) {
			from, w := p.element[i], p.load[i]
			if from == p.start[i] || p.excess(from, -w) > p.excess(from, 0) {
				continue
			}
			for _, v := range p.paths.reachableFrom[p.start[i]] {
				if p.price(i, v) < 0 && p.excess(v, w) <= p.excess(v, 0) {
					p.assign(i, v)
					again = true
					break
				}
			}
		}
	}
}

// hops returns the plan's moves in the order of the round's edges.
func (p *plan) hops(edges []circuit.Edge) (hops []circuit.Hop) {
	type visit struct {
		at int32
		circuit.Hop
	}
	var visits []visit
	for i := range int32(len(p.element)) {
		from := p.start[i]
		for _, at := range p.paths.path(from, p.element[i]) {
			to := edges[at].U + edges[at].V - from
			visits = append(visits, visit{at, circuit.Hop{Load: i, To: to}})
			from = to
		}
	}
	slices.SortStableFunc(visits, func(a, b visit) int { return cmp.Compare(a.at, b.at) })
	for _, v := range visits {
		hops = append(hops, v.Hop)
	}
	return hops
}
