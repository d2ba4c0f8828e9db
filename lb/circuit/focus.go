package circuit

import (
	"fmt"
)

// Focus balances a whole network with few moves: only what decides the
// discrepancy moves. The discrepancy hangs on the heaviest and the lightest
// element alone, so exact balance between two middling neighbours, on which
// the paper's methods spend most of their moves, gains nothing.
//
// Before each round the elements exchange scalars along the circuit, no loads.
// First they predict their totals: one round of the circuit as if loads were
// divisible. Then they spread the largest and the smallest prediction, Reach
// rounds far; these are the limits within which an element need not be moved.
// In the round itself a matching whose elements both lie within their limits,
// narrowed by a margin, is left alone. Any other transfers its lead times a
// factor, which rises from 1/2 in round 1 to 3/4: more than half damps an
// imbalance that is smooth in space faster, as successive overrelaxation does,
// while even halves damp noise at once. [Exchange] picks the loads.
//
// No matching increases its discrepancy. Per round an element sends
// 8 bytes + Reach times 16 bytes along each of its edges.
//
// A Focus may be used by several goroutines on edges that share no element.
type Focus struct {
	reach     int
	relax     float64 // this round's factor, times 2
	predicted []float64
	high, low []float64
}

const (
	// Measured on grids of 64 by 64 with all of the paper's topologies and
	// fields under the mobility rule: of 0.1 to 0.3 the margin that had the
	// lower discrepancy than SortedGreedy's most often while moves stayed
	// under 1.2 times Gradient's.
	focusMargin = 0.2
	// Overrelaxation rises to its limit over six rounds; 1.2 to 1.5 differ
	// little, 1.5 is better from round 5 on.
	focusRelaxStep  = 0.1
	focusRelaxLimit = 1.5
	// Part of the lead that may stay when this spares moves, as for Exchange;
	// and part of the way to the nearer limit.
	focusTolerance = 0.1
	focusSlack     = 0.5
	// Spreading 8 rounds instead of 4 changed nothing that could be measured.
	focusReach = 4
)

// NewFocus returns a Focus for a network. reach is how
// many rounds the limits are spread; 0 means 4.
func NewFocus(elements, reach int) *Focus {
	if reach <= 0 {
		reach = focusReach
	}
	return &Focus{
		reach:     reach,
		predicted: make([]float64, elements),
		high:      make([]float64, elements),
		low:       make([]float64, elements),
	}
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
	copy(f.predicted, totals)
}

// Predict balances the predictions of an edge's ends.
func (f *Focus) Predict(e Edge) {
	d := f.relax / 2 * (f.predicted[e.U] - f.predicted[e.V])
	f.predicted[e.U] -= d
	f.predicted[e.V] += d
}

// Limit makes each element's prediction its own limits.
func (f *Focus) Limit() {
	copy(f.high, f.predicted)
	copy(f.low, f.predicted)
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
	from, to := e.U, e.V
	if sender == 1 {
		from, to = to, from
	}
	up, down := t[sender], t[1-sender]
	fromHigh, fromLow := f.limits(from)
	toHigh, toLow := f.limits(to)
	amount := f.relax / 2 * lead
	least := max(up-fromHigh, toLow-down)
	most := min(up-fromLow, toHigh-down)
	slack := max(focusSlack*min(amount-least, most-amount), focusTolerance*amount)
	ws.undo = append(ws.undo[:0], p.Side...)
	Exchange{MaxLoads: 2}.Transfer(p, sender, amount, slack, ws)
	if p.Discrepancy() > lead {
		copy(p.Side, ws.undo)
	}
}

// limits returns an element's limits, narrowed by the margin.
func (f *Focus) limits(e int32) (high, low float64) {
	margin := focusMargin * (f.high[e] - f.low[e])
	return f.high[e] - margin, f.low[e] + margin
}
