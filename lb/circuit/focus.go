package circuit

import (
	"fmt"
	"math"
)

// Focus balances a whole network with few moves. The discrepancy depends on the heaviest and the lightest element
// alone, so evening out two neighbours in the middle gains nothing. Focus moves loads only where that lowers the
// discrepancy.
//
// Before each round the elements predict their totals after it, as if loads were divisible. For that they exchange
// numbers along the circuit, but no loads. An element at an extreme predicts a smaller change if it changed less than
// predicted in earlier rounds, because no load that may move fitted. The largest and the smallest prediction of the
// network are the limits: elements within the limits need not change. As loads are not divisible, the limits are
// narrowed by a margin at each end, in proportion to the predicted gain at that end. So no load moves for an end that
// cannot improve.
//
// In the round itself a matching is left alone in two cases: both its elements are within the limits, or its lead is at
// most a certain fraction of the discrepancy that [SortedGreedy] would leave. Any other matching transfers a fraction
// of its lead, and [Exchange] picks the loads. The fraction is 1/2 if the prediction levels the network within a round.
// It rises to 3/4 in later rounds if the imbalance is smooth in space, as in successive overrelaxation.
//
// No matching increases its discrepancy. Per round an element sends 8 bytes along each of its edges, and all elements
// agree on the extremes of two numbers.
//
// Several goroutines may use a Focus at once on edges that share no element.
type Focus struct {
	relaxation      float64 // twice the fraction of a lead that is transferred in this round
	allowedFraction float64 // fraction of SortedGreedy's discrepancy that may stay in this round
	contraction     float64 // predicted discrepancy divided by the discrepancy at the start of the round
	totals          []float64
	predicted       []float64
	heaviest        []float64 // heaviest load of each element; nil if they are not known
	yield           []float64 // by element: the fraction of predicted changes that came true
	high, low       float64   // this round's limits, narrowed by the margins
	spread          float64   // distance between the limits before they were narrowed
}

const (
	// focusGain and focusMargin give the margin by which limits are narrowed at an end. It is focusGain times the gain
	// that is predicted for the round there, but at most focusMargin times the distance between the limits.
	//
	// focusGain was measured on grids of 64 by 64 elements under the mobility rule, with all topologies and fields of
	// Demirel and Sbalzarini, in five repetitions with seed 11. With 2, 3 and 4 the discrepancy is above SortedGreedy's
	// after 6, 2 and 1 of 120 rounds. Each step lowers the figure of merit S by a fifth.
	focusGain   = 4.0
	focusMargin = 0.12
	// focusFreeGain and focusFreeMargin replace focusGain and focusMargin if the heaviest loads are known, which means
	// that all loads may move. Focus can then afford more moves, because Gradient needs two to three times as many.
	//
	// In 1,040 cases on thirteen graphs (three repetitions with seed 11), discrepancy and moves meet their targets in
	// 52 % with focusGain and focusMargin, and in 61 % with these constants. Gains of 2 to 5 with a margin of 0.25
	// differ by a hundredth. A gain of 4 with a margin of 0.35 reaches 55 %.
	focusFreeGain   = 3.0
	focusFreeMargin = 0.25
	// Overrelaxation rises to its limit in at least six rounds, because noise has to be removed first. Without
	// overrelaxation, only half as many rounds on slow graphs reach SortedGreedy's discrepancy. Limits of 1.2 to 1.5
	// differ little.
	focusRelaxStep  = 0.1
	focusRelaxLimit = 1.5
	// A transfer may miss its amount if that saves moves: by focusTolerance * min(amount, distance between the limits)
	// or by focusSlack * (distance to the nearer limit), whichever is larger.
	focusTolerance = 0.1
	focusSlack     = 0.5
	// In the first round a matching is even enough if its discrepancy is at most SortedGreedy's. Later rounds have less
	// to correct. So in each of them this bound is multiplied by focusReachable, down to focusLeast times the bound.
	focusReachable = 0.7
	focusLeast     = 0.2
	// focusFast is a fraction of the discrepancy. If a round of divisible loads would leave less, only pinned loads
	// keep the network from SortedGreedy's discrepancy.
	focusFast = 0.1
	// focusSlow is a fraction of the discrepancy. If a round of divisible loads would leave more, progress depends on
	// how far loads have to travel. Fits closer than SortedGreedy's then only cost moves.
	focusSlow = 0.5
	// focusLearning is the weight of a new observation. After each round an element's yield moves half of the distance
	// towards the fraction of its prediction that came true. If the element was left alone, it moves towards 1.
	focusLearning = 0.5
)

// NewFocus returns a Focus for a network of the given number of elements.
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

// Prepare makes the predictions for a round: it calls Start, Predict for every edge, and Limit. round counts from 1.
// totals are the elements' loads. heaviest is the heaviest single load of each element. It may be nil if all loads are
// light compared with the totals. A caller with several processors makes the same calls itself, matching by matching.
func (f *Focus) Prepare(c Circuit, round int, totals, heaviest []float64) {
	f.Start(round, totals, heaviest)
	for _, m := range c.Matchings {
		for _, e := range m {
			f.Predict(e)
		}
	}
	f.Limit()
}

// Start begins a round, see Prepare. It keeps the slice heaviest until the next Start.
func (f *Focus) Start(round int, totals, heaviest []float64) {
	f.heaviest = heaviest
	if len(totals) != len(f.predicted) {
		panic(fmt.Sprintf("circuit: %d totals for %d elements", len(totals), len(f.predicted)))
	}
	f.relaxation = min(1+focusRelaxStep*float64(round-1), focusRelaxLimit)
	f.allowedFraction = max(math.Pow(focusReachable, float64(round-1)), focusLeast)
	if round > 1 {
		if f.contraction > focusSlow {
			f.allowedFraction = 1
		}
		// The best relaxation factor of the Gauss-Seidel method for a given contraction per round. Source: D. M. Young,
		// 1954.
		f.relaxation = min(f.relaxation, 2/(1+math.Sqrt(1-f.contraction)))
		for e, now := range totals {
			f.learn(e, now)
		}
	}
	copy(f.totals, totals)
	copy(f.predicted, totals)
}

// learn compares the total of element e with the prediction for the last round, and updates e's yield.
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

// Predict balances the predicted totals of an edge's ends, but an element keeps its heaviest load. A load heavier than
// an even total would raise any other element just as much, so moving it gains nothing.
func (f *Focus) Predict(e Edge) {
	d := f.relaxation / 2 * (f.predicted[e.U] - f.predicted[e.V])
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

// Limit sets the limits to the extremes of the predictions and narrows them by the margins. Before that, each
// prediction is corrected by the element's yield.
func (f *Focus) Limit() {
	f.contraction = 0
	most, least := extremes(f.totals)
	if d := most - least; d > 0 {
		f.contraction = min(1, Discrepancy(f.predicted)/d)
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

// Idle reports whether the matching of two elements with these totals is left alone. It needs the totals only, so a
// caller can ask before it collects the loads.
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
	may := f.allowedFraction * ws.sortedGreedy(p)
	if lead <= may {
		return
	}
	amount, slack := f.share(t[sender], t[1-sender], may)
	ws.undo = append(ws.undo[:0], p.Side...)
	exchange := Exchange{MaxLoads: 2, Escape: f.contraction < focusFast}
	exchange.Transfer(p, sender, amount, slack, ws)
	if p.Discrepancy() > lead {
		copy(p.Side, ws.undo)
	}
}

// share returns how much a sender should transfer, and by how much it may miss that amount. from and to are the totals
// of sender and receiver. allowed is how much of their difference may remain.
func (f *Focus) share(from, to, allowed float64) (amount, slack float64) {
	amount = f.relaxation / 2 * (from - to)
	return amount, max(allowed/2, f.slack(from, to, amount))
}

// slack returns by how much a transfer may miss amount. from and to are the totals of sender and receiver. Both
// elements must still end well within the limits.
func (f *Focus) slack(from, to, amount float64) float64 {
	least := max(from-f.high, f.low-to)
	most := min(from-f.low, f.high-to)
	return max(focusSlack*min(amount-least, most-amount), focusTolerance*min(amount, f.spread))
}
