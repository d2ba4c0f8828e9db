package circuit

import (
	"cmp"
	"math"
	"slices"
)

// Route balances a network in which every load may move, and whose elements know the
// totals of all others at the start of a round: 16 bytes an element, its total and its
// heaviest load. [Focus] knows its neighbours alone, so that on a graph of few edges
// tokens of about one load stay on slopes for ever, and loads go round by several ways.
//
// Before a round all elements compute the same plan. Each total is to come into a
// window, and the flow over edges that brings them there with the least sum is sought,
// as if loads were divisible; such a flow has the edges of a forest at most, so that
// most matchings need no move. In the round a matching carries its edge's flow, and
// corrects what earlier ones have missed: it looks at what its elements will have when
// the flows to come are through, not at what they have. [Exchange] picks the loads. Where
// that ends beyond the window, and both elements have saved as many moves as it takes,
// [SortedGreedy] deals out what they have anew, even where this only mixes large and small
// loads that nothing else would part: a matching earns one move, which is what [Gradient]
// pays in the mean.
//
// The window is what circuits of matchings can be expected to have reached: the levels
// that divisible loads would have after as many rounds, narrowed by a part. An element
// with a load above the window keeps that load and nothing else. A network that is
// within those levels, from having been narrowed before, is left alone.
//
// A Route belongs to one network and may be used by several goroutines on edges that
// share no element.
type Route struct {
	edges    []Edge // of a round, in its order
	network  *routing
	level    []float64 // totals that divisible loads would have by now
	top      []float64 // heaviest load of each element at first, which it keeps there
	low      []float64 // this round's window of each element
	high     []float64
	flow     []float64 // from U to V still to come, by edge
	expected []float64 // what each element will have when all flow has come
	saved    []float64 // moves that each element has earned and not used
	finer    float64   // part of SortedGreedy's discrepancy that may stay
}

const (
	// Of the levels' distance from the mean this part is the window, and it is aimed at
	// once what there is exceeds routeHold of the levels. Uniform loads on a path, three
	// repetitions of seed 11, need 541 moves in ten rounds with 0.8 and 886 with 0.9, as
	// that is aimed at more often; with 0.8 in each round 1,023.
	routeNarrow = 0.8
	routeHold   = 0.97
	// Least distance of the window's ends from the mean, as a part of that: well under
	// what SortedGreedy leaves of loads of one size with some fifteen on an element.
	routeFinest = 2e-4
	// As for Focus: what may stay of SortedGreedy's discrepancy of a pair becomes less
	// from round to round, down to a fifth.
	routeFiner = 0.7
	routeLeast = 0.2
	// Part of the way to the window's nearer end by which a transfer may miss.
	routeSlack = 0.5
)

// NewRoute returns a Route for a network on g whose rounds visit these edges in this
// order, see [Network.Edges].
func NewRoute(g *Graph, edges []Edge) *Route {
	return &Route{edges: edges, network: newRouting(g.Elements(), edges), saved: make([]float64, g.Elements())}
}

// Prepare plans a round, counted from 1: totals are the elements' loads and heaviest the
// heaviest single load of each. Cost O(phases edges), phases being about the length of
// the longest way that a load goes.
func (r *Route) Prepare(round int, totals, heaviest []float64) {
	if round == 1 {
		r.level, r.top = slices.Clone(totals), slices.Clone(heaviest)
	}
	for _, e := range r.edges {
		r.even(e)
	}
	r.finer = max(math.Pow(routeFiner, float64(round-1)), routeLeast)
	r.frame(totals, heaviest)
	r.flow = r.network.least(totals, r.low, r.high)
	r.expected = slices.Clone(totals)
	for at, e := range r.edges {
		r.expected[e.U] -= r.flow[at]
		r.expected[e.V] += r.flow[at]
	}
}

// even levels an edge's ends, except that each keeps its heaviest load.
func (r *Route) even(e Edge) {
	u, v := e.U, e.V
	if r.level[u] < r.level[v] {
		u, v = v, u
	}
	d := max(0, min((r.level[u]-r.level[v])/2, r.level[u]-r.top[u]))
	r.level[u] -= d
	r.level[v] += d
}

// frame sets the window of each element.
func (r *Route) frame(totals, heaviest []float64) {
	mean := evenLevel(totals, heaviest)
	low, high := reached(r.level, r.top, mean)
	if least, most := reached(totals, heaviest, mean); most-least <= routeHold*(high-low) {
		low, high = least, most
	} else {
		low, high = mean-routeNarrow*(mean-low), mean+routeNarrow*(high-mean)
	}
	low, high = min(low, mean-routeFinest*mean), max(high, mean+routeFinest*mean)
	r.low, r.high = make([]float64, len(totals)), make([]float64, len(totals))
	for u, h := range heaviest {
		r.low[u], r.high[u] = low, high
		if h > high {
			r.low[u], r.high[u] = h, h
		}
	}
}

// reached returns the least and the greatest level, mean included, leaving out those that
// are due to a single load.
func reached(level, heaviest []float64, mean float64) (least, most float64) {
	least, most = mean, mean
	for u, x := range level {
		least = min(least, x)
		if x > heaviest[u] {
			most = max(most, x)
		}
	}
	return least, most
}

// evenLevel returns the level of divisible loads when every element keeps its heaviest
// load: the mean of those whose heaviest load is no higher than that.
func evenLevel(totals, heaviest []float64) float64 {
	h := slices.Clone(heaviest)
	slices.SortFunc(h, func(a, b float64) int { return cmp.Compare(b, a) })
	sum := 0.0
	for _, t := range totals {
		sum += t
	}
	for k, x := range h {
		if level := sum / float64(len(h)-k); x <= level {
			return level
		}
		sum -= x
	}
	return 0 // of no elements
}

// Balance plans the matching of the at-th edge of the round.
func (r *Route) Balance(at int, p Pair, ws *Workspace) {
	p.check()
	e, ends := r.edges[at], [2]int32{r.edges[at].U, r.edges[at].V}
	v := visit{before: p.Totals()}
	for k, u := range ends {
		v.due[k] = r.expected[u]
		v.low[k], v.high[k] = r.low[u], r.high[u]
		r.saved[u] += 0.5
	}
	v.due[0] += r.flow[at]
	v.due[1] -= r.flow[at]
	moves := 0
	if v.miss(v.before[0]) > 0 {
		moves = v.plan(p, r.flow[at], r.finer, r.saved[e.U]+r.saved[e.V], orNew(ws))
	}
	went := v.before[0] - p.Totals()[0]
	r.expected[e.U], r.expected[e.V] = v.due[0]-went, v.due[1]+went
	for _, u := range ends {
		r.saved[u] -= float64(moves) / 2
	}
}

// A visit is what Balance knows of a matching.
type visit struct {
	before    [2]float64 // totals of both ends
	due       [2]float64 // what they will have when nothing goes now and all other flow has come
	low, high [2]float64 // the windows
}

// miss returns by how much an end would be beyond its window if the total of end 0 were
// total.
func (v *visit) miss(total float64) float64 {
	d := total - v.before[0]
	x, y := v.due[0]+d, v.due[1]-d
	return max(x-v.high[0], v.low[0]-x, y-v.high[1], v.low[1]-y, 0)
}

// plan overwrites p.Side and returns the moves.
func (v *visit) plan(p Pair, flow, finer, saved float64, ws *Workspace) (moves int) {
	least := max(v.due[0]-v.high[0], v.low[1]-v.due[1]) // that should go from end 0
	most := min(v.due[0]-v.low[0], v.high[1]-v.due[1])
	amount := flow
	if amount < least || amount > most {
		amount = (least + most) / 2
	}
	sender := uint8(0)
	if amount < 0 {
		sender, amount, least, most = 1, -amount, -most, -least
	}
	amount = min(amount, v.before[sender])
	may := finer * avoidable(p, ws)
	ws.undo = append(ws.undo[:0], p.Side...)
	if amount > 0 {
		slack := max(may/2, routeSlack*min(amount-least, most-amount))
		Exchange{MaxLoads: 2}.Transfer(p, sender, amount, slack, ws)
	}
	miss := v.miss(p.Totals()[0])
	if miss > v.miss(v.before[0]) {
		copy(p.Side, ws.undo)
		miss = v.miss(v.before[0])
	}
	if miss > may {
		v.deal(p, miss, saved, ws)
	}
	return changed(p.Side, ws.undo)
}

// deal deals out all loads anew, so that what the ends will have is even, when that takes
// no more moves than have been saved and is better than miss, or as good and loads of
// several sizes are mixed by it.
func (v *visit) deal(p Pair, miss, saved float64, ws *Workspace) {
	q := p
	q.Side = append([]uint8(nil), p.Side...)
	q.Fixed[0] += v.due[0] - v.before[0]
	q.Fixed[1] += v.due[1] - v.before[1]
	SortedGreedy{}.Balance(q, ws)
	q.Fixed = p.Fixed
	now := v.miss(q.Totals()[0])
	mixes := len(p.Load) > 0 && slices.Min(p.Load) < slices.Max(p.Load)
	if (now < miss || now == miss && mixes) && float64(changed(q.Side, ws.undo)) <= saved {
		copy(p.Side, q.Side)
	}
}

// avoidable returns the discrepancy that SortedGreedy would leave, less what the heaviest
// load alone makes inevitable.
func avoidable(p Pair, ws *Workspace) float64 {
	heaviest, sum := max(p.Fixed[0], p.Fixed[1]), p.Fixed[0]+p.Fixed[1]
	for _, w := range p.Load {
		heaviest = max(heaviest, w)
		sum += w
	}
	return max(0, ws.sortedGreedy(p)-max(0, 2*heaviest-sum))
}

func changed(a, b []uint8) (n int) {
	for i := range a {
		if a[i] != b[i] {
			n++
		}
	}
	return n
}
