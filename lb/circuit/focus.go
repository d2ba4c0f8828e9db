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
// Before each round the elements exchange scalars along the circuit, no loads: they
// predict their totals, one round of the circuit as if loads were divisible. An
// element at an extreme that came down by less than was predicted in the rounds
// before, because nothing that fits may move, predicts less. The largest and the
// smallest prediction of the network are the limits within which no element need be
// moved. As loads are not divisible, the limits are narrowed by a margin: in
// proportion to what the round is predicted to gain at that end, so that nothing
// moves for the sake of an end that is stuck. In the round itself a matching whose
// elements both lie within the limits is left alone, and so is one that
// [SortedGreedy] would leave no more even than a part of what it is. Any other
// transfers its lead times a factor: 1/2 where the prediction levels the network
// within a round, up to 3/4 in later rounds where the imbalance is smooth in space,
// which is successive overrelaxation for the contraction that the last prediction
// showed. [Exchange] picks the loads.
//
// No matching increases its discrepancy. Per round an element sends 8 bytes along
// each of its edges, and all agree on the extremes of two scalars: this reduction is
// all that an element knows of those that are not its neighbours.
//
// A Focus may be used by several goroutines on edges that share no element.
type Focus struct {
	relax     float64 // this round's factor, times 2
	reachable float64 // this round's part of SortedGreedy's discrepancy that may stay
	contracts float64 // predicted discrepancy over that at the start of the round
	totals    []float64
	predicted []float64
	heaviest  []float64 // load of each element; nil where they are not known
	yield     []float64 // of each element: the part of predicted changes that came true
	high, low float64   // this round's limits, narrowed by the margins
	spread    float64   // between the limits before they were narrowed
}

const (
	// The margin at an end is this many times what the round is predicted to gain there,
	// and at most a part of what is between the limits. Measured on grids of 64 by 64
	// with all of the paper's topologies and fields under the mobility rule, five
	// repetitions of seed 11: with 2, 3 and 4 times the discrepancy is above
	// SortedGreedy's after 6, 2 and 1 of 120 rounds; S falls by a fifth each.
	focusGain   = 4.0
	focusMargin = 0.12
	// Where the heaviest loads are known, as all may move, there are moves to spare:
	// Gradient pays two to three times as many. Of 1,040 cells of thirteen graphs, three
	// repetitions of seed 11, discrepancy and moves are as they should be in 52 % with
	// the margins above, in 61 % with these; 2 to 5 with 0.25 differ by a hundredth, 4 with
	// 0.35 has 55 %.
	focusFreeGain   = 3.0
	focusFreeMargin = 0.25
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
)

// NewFocus returns a Focus for a network.
func NewFocus(elements int) *Focus {
	f := &Focus{
		totals:    make([]float64, elements),
		predicted: make([]float64, elements),
		yield:     make([]float64, elements),
	}
	for e := range f.yield {
		f.yield[e] = 1
	}
	return f
}

// Prepare does all exchanges of scalars before a round, counted from 1: it calls
// Start, Predict for every edge, and Limit. totals are the elements' loads, and heaviest
// is the heaviest single load of each; nil where all are light beside the totals. A caller with several processors does
// the same itself, matching by matching.
func (f *Focus) Prepare(c Circuit, round int, totals, heaviest []float64) {
	f.Start(round, totals, heaviest)
	for _, m := range c.Matchings {
		for _, e := range m {
			f.Predict(e)
		}
	}
	f.Limit()
}

// Start begins a round, see Prepare. It keeps heaviest until the next one.
func (f *Focus) Start(round int, totals, heaviest []float64) {
	f.heaviest = heaviest
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
	if was > f.high || was < f.low {
		if hoped := f.predicted[e] - was; hoped != 0 {
			came = min(max((now-was)/hoped, 0), 1)
		}
	}
	f.yield[e] += focusLearning * (came - f.yield[e])
}

// Predict balances the predictions of an edge's ends, except that an element keeps its
// heaviest load: one that exceeds what elements should have would lift any other as
// much, so its weight is nothing that the others must make room for.
func (f *Focus) Predict(e Edge) {
	d := f.relax / 2 * (f.predicted[e.U] - f.predicted[e.V])
	if f.heaviest != nil {
		sender := e.U
		if d < 0 {
			sender = e.V
		}
		d = math.Copysign(min(math.Abs(d), max(0, f.predicted[sender]-f.heaviest[sender])), d)
	}
	f.predicted[e.U] -= d
	f.predicted[e.V] += d
}

// Limit sets the limits: the extremes of the predictions, as far as such predictions
// come true.
func (f *Focus) Limit() {
	f.contracts = 0
	most, least := extremes(f.totals)
	if d := most - least; d > 0 {
		f.contracts = min(1, Discrepancy(f.predicted)/d)
	}
	f.high, f.low = math.Inf(-1), math.Inf(1)
	for e, now := range f.totals {
		expected := now + float64(f.yield[e]*(f.predicted[e]-now))
		f.high, f.low = max(f.high, expected), min(f.low, expected)
	}
	f.spread = f.high - f.low
	gain, widest := focusGain, focusMargin*f.spread
	if f.heaviest != nil {
		gain, widest = focusFreeGain, focusFreeMargin*f.spread
	}
	f.high, f.low = f.high-min(widest, gain*(most-f.high)), f.low+min(widest, gain*(f.low-least))
}

// Idle tells whether the matching of two elements is left alone when they have
// these totals. A caller may ask before it looks at their loads.
func (f *Focus) Idle(totals [2]float64) bool {
	return totals[0] == totals[1] || max(totals[0], totals[1]) <= f.high && min(totals[0], totals[1]) >= f.low
}

// Balance plans the matching of two elements.
func (f *Focus) Balance(p Pair, ws *Workspace) {
	p.check()
	t := p.Totals()
	if f.Idle(t) {
		return
	}
	ws = orNew(ws)
	sender, lead := uint8(0), t[0]-t[1]
	if t[1] >= t[0] {
		sender, lead = 1, t[1]-t[0]
	}
	may := f.reachable * ws.sortedGreedy(p)
	if lead <= may {
		return
	}
	amount, slack := f.share(t[sender], t[1-sender], may)
	ws.undo = append(ws.undo[:0], p.Side...)
	exchange := Exchange{MaxLoads: 2, Escape: f.contracts < focusFast}
	exchange.Transfer(p, sender, amount, slack, ws)
	if p.Discrepancy() > lead {
		copy(p.Side, ws.undo)
	}
}

// share returns how much a sender should transfer, and by how much it may miss that, given
// both totals and how much of their lead may stay.
func (f *Focus) share(from, to, may float64) (amount, slack float64) {
	amount = f.relax / 2 * (from - to)
	return amount, max(may/2, f.slack(from, to, amount))
}

// slack returns by how much a transfer may miss its amount, given the sender's and
// the receiver's total, so that both still come well within the limits.
func (f *Focus) slack(from, to, amount float64) float64 {
	least := max(from-f.high, f.low-to)
	most := min(from-f.low, f.high-to)
	return max(focusSlack*min(amount-least, most-amount), focusTolerance*min(amount, f.spread))
}
