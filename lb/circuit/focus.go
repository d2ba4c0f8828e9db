package circuit

import (
	"fmt"
	"math"
)

// Focus balances a whole network with few moves: only what decides the
// discrepancy moves. The discrepancy hangs on the heaviest and the lightest
// element alone, so exact balance between two middling neighbours, on which
// the paper's methods spend most of their moves, gains nothing.
//
// Before each round the elements exchange scalars along the circuit, no loads.
// First they predict their totals: one round of the circuit as if loads were
// divisible. An element at an extreme that came down by less than was predicted in
// the rounds before, because nothing that fits may move, predicts less. Then they
// spread the largest and the smallest prediction, Reach rounds far; these are the
// limits within which an element need not be moved. In the round itself a matching
// whose elements both lie within their limits, narrowed by a margin, is left alone,
// and so is one that [SortedGreedy] would leave no more even than a part of what it
// is. Any other transfers its lead times a factor: 1/2 where the prediction levels
// the network within a round, up to 3/4 in later rounds where the imbalance is
// smooth in space, which is successive overrelaxation for the contraction that the
// last prediction showed. [Exchange] picks the loads.
//
// No matching increases its discrepancy. Per round an element sends
// 8 bytes + Reach times 16 bytes along each of its edges, and all agree on the
// extremes of two scalars.
//
// A Focus may be used by several goroutines on edges that share no element.
type Focus struct {
	reach     int
	relax     float64 // this round's factor, times 2
	reachable float64 // this round's part of SortedGreedy's discrepancy that may stay
	contracts float64 // predicted discrepancy over that at the start of the round
	totals    []float64
	predicted []float64
	yield     []float64 // of each element: the part of predicted changes that came true
	high, low []float64
}

const (
	// Measured on grids of 64 by 64 with all of the paper's topologies and fields
	// under the mobility rule, seed 11: of 0.05 to 0.3 the margin with the highest S
	// that still had a lower discrepancy than SortedGreedy's in 19 of 20 rounds.
	focusMargin = 0.12
	// Overrelaxation rises to its limit over six rounds at the earliest: noise goes
	// first. Without it half as many rounds on slow graphs reach SortedGreedy's
	// discrepancy; 1.2 to 1.5 differ little.
	focusRelaxStep  = 0.1
	focusRelaxLimit = 1.5
	// Part of the lead, and of the range between the limits, that may stay when this
	// spares moves, as for Exchange; and part of the way to the nearer limit.
	focusTolerance = 0.1
	focusSlack     = 0.5
	// A matching is as even as it need be with the discrepancy that SortedGreedy would
	// leave, in the first round. Later ones have to correct less and ask for more.
	focusReachable = 0.7
	focusLeast     = 0.2
	// Where a round levels divisible loads to less than this part, nothing but stuck
	// loads is left between the network and SortedGreedy's discrepancy.
	focusFast = 0.1
	// Where a round leaves more than this part, distances in space decide, and fits that
	// are finer than SortedGreedy's only cost moves.
	focusSlow = 0.5
	// How fast an element learns what part of a prediction comes true, and forgets it
	// while it is left alone: half of what is new in each round.
	focusLearning = 0.5
	// Spreading 8 rounds instead of 4 changed nothing that could be measured.
	focusReach = 4
)

// NewFocus returns a Focus for a network. reach is how
// many rounds the limits are spread; 0 means 4.
func NewFocus(elements, reach int) *Focus {
	if reach <= 0 {
		reach = focusReach
	}
	f := &Focus{
		reach:     reach,
		totals:    make([]float64, elements),
		predicted: make([]float64, elements),
		yield:     make([]float64, elements),
		high:      make([]float64, elements),
		low:       make([]float64, elements),
	}
	for e := range f.yield {
		f.yield[e] = 1
	}
	return f
}

// Reach returns how many rounds the limits must be spread.
func (f *Focus) Reach() int { return f.reach }

// Prepare does all scalar exchanges before a round, counted from 1: it calls
// Start, Predict for every edge, Limit, and Reach times Spread for every edge.
// A caller with several processors does the same itself, matching by matching.
func (f *Focus) Prepare(c Circuit, round int, totals []float64) {
	f.Start(round, totals)
	for _, m := range c.Matchings {
		for _, e := range m {
			f.Predict(e)
		}
	}
	f.Limit()
	for range f.reach {
		for _, m := range c.Matchings {
			for _, e := range m {
				f.Spread(e)
			}
		}
	}
}

// Start begins a round with the elements' totals.
func (f *Focus) Start(round int, totals []float64) {
	if len(totals) != len(f.predicted) {
		panic(fmt.Sprintf("circuit: %d totals for %d elements", len(totals), len(f.predicted)))
	}
	f.relax = min(1+focusRelaxStep*float64(round-1), focusRelaxLimit)
	f.reachable = max(math.Pow(focusReachable, float64(round-1)), focusLeast)
	if round > 1 {
		if f.contracts > focusSlow {
			f.reachable = 1
		}
		// The best factor for the contraction of a round of Gauss and Seidel: D. M.
		// Young, 1954.
		f.relax = min(f.relax, 2/(1+math.Sqrt(1-f.contracts)))
		for e, now := range totals {
			f.learn(e, now)
		}
	}
	copy(f.totals, totals)
	copy(f.predicted, totals)
}

// learn compares an element's total with what the last round predicted.
func (f *Focus) learn(e int, now float64) {
	was := f.totals[e]
	came := 1.0
	if high, low := f.limits(int32(e)); was > high || was < low {
		if hoped := f.predicted[e] - was; hoped != 0 {
			came = min(max((now-was)/hoped, 0), 1)
		}
	}
	f.yield[e] += focusLearning * (came - f.yield[e])
}

// Predict balances the predictions of an edge's ends.
func (f *Focus) Predict(e Edge) {
	d := f.relax / 2 * (f.predicted[e.U] - f.predicted[e.V])
	f.predicted[e.U] -= d
	f.predicted[e.V] += d
}

// Limit makes each element's prediction, as far as such predictions come true, its
// own limits.
func (f *Focus) Limit() {
	f.contracts = 0
	if d := Discrepancy(f.totals); d > 0 {
		f.contracts = min(1, Discrepancy(f.predicted)/d)
	}
	for e, now := range f.totals {
		f.high[e] = now + float64(f.yield[e]*(f.predicted[e]-now))
	}
	copy(f.low, f.high)
}

// Spread makes the limits of an edge's ends the wider of both.
func (f *Focus) Spread(e Edge) {
	h, l := max(f.high[e.U], f.high[e.V]), min(f.low[e.U], f.low[e.V])
	f.high[e.U], f.high[e.V], f.low[e.U], f.low[e.V] = h, h, l, l
}

// Idle tells whether the matching of e is left alone when its elements have
// these totals. A caller may ask before it looks at their loads.
func (f *Focus) Idle(e Edge, totals [2]float64) bool {
	uHigh, uLow := f.limits(e.U)
	vHigh, vLow := f.limits(e.V)
	return totals[0] == totals[1] ||
		totals[0] <= uHigh && totals[0] >= uLow && totals[1] <= vHigh && totals[1] >= vLow
}

// Balance plans the matching of e.
func (f *Focus) Balance(e Edge, p Pair, ws *Workspace) {
	p.check()
	t := p.Totals()
	if f.Idle(e, t) {
		return
	}
	ws = orNew(ws)
	sender, lead := p.heavier()
	may := f.reachable * ws.sortedGreedy(p)
	if lead <= may {
		return
	}
	amount := f.relax / 2 * lead
	ws.undo = append(ws.undo[:0], p.Side...)
	exchange := Exchange{MaxLoads: 2, Escape: f.contracts < focusFast}
	exchange.Transfer(p, sender, amount, max(may/2, f.slack(e, sender, t, amount)), ws)
	if p.Discrepancy() > lead {
		copy(p.Side, ws.undo)
	}
}

// slack returns by how much a transfer may miss its amount, given the elements'
// totals, so that both still come well within their limits.
func (f *Focus) slack(e Edge, sender uint8, t [2]float64, amount float64) float64 {
	from, to := e.U, e.V
	if sender == 1 {
		from, to = to, from
	}
	fromHigh, fromLow := f.limits(from)
	toHigh, toLow := f.limits(to)
	least := max(t[sender]-fromHigh, toLow-t[1-sender])
	most := min(t[sender]-fromLow, toHigh-t[1-sender])
	spread := max(f.high[from]-f.low[from], f.high[to]-f.low[to])
	return max(focusSlack*min(amount-least, most-amount), focusTolerance*min(amount, spread))
}

// limits returns an element's limits, narrowed by the margin.
func (f *Focus) limits(e int32) (high, low float64) {
	margin := focusMargin * (f.high[e] - f.low[e])
	return f.high[e] - margin, f.low[e] + margin
}
