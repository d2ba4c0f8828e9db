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
// numbers along the circuit, but no loads. An element may have changed less than predicted in earlier rounds, because
// none of its movable loads had the right size. If such an element has an extreme total, a smaller change is predicted
// for it. The largest and the smallest prediction of the network are the limits: elements within the limits need not
// change. As loads are not divisible, the limits are narrowed by a margin at each end, in proportion to the predicted
// gain at that end. So no load moves on account of an end that cannot improve.
//
// In the round itself a matching is left alone in two cases: both its elements are within the limits, or its lead is at
// most a certain fraction of the discrepancy that [SortedGreedy] would leave. Any other matching transfers part of its
// lead, and [Exchange] picks the loads. This part is half of the lead if the network is predicted to become even within
// a round. In later rounds it rises to 3/4 of the lead if the imbalance is smooth in space, as in successive
// overrelaxation.
//
// No matching increases its discrepancy. Per round an element sends 8 bytes along each of its edges, and the network
// computes the extremes, over all elements, of three numbers: the total, its prediction and the corrected prediction.
//
// Several goroutines may use a Focus at once on edges that share no element.
type Focus struct {
	relaxation      float64 // twice the fraction of a lead that is transferred in this round
	allowedFraction float64 // fraction of SortedGreedy's discrepancy that may stay in this round
	contraction     float64 // predicted discrepancy divided by the discrepancy at the start of the round
	totals          []float64
	predicted       []float64
	heaviest        []float64 // heaviest load of each element; nil if they are not known
	yield           []float64 // by element: the fraction of its predicted changes that came true
	high, low       float64   // this round's limits, narrowed by the margins
	spread          float64   // distance between the limits before they were narrowed
}

const (
	// focusGain and focusMargin give the margin by which limits are narrowed at an end. An end is the largest or the
	// smallest total. The margin is focusGain times the gain that is predicted for this end in the round, but at most
	// focusMargin times the distance between the limits.
	//
	// focusGain was measured on grids of 64 by 64 elements under the mobility rule, with all topologies and fields of
	// Demirel and Sbalzarini, in five repetitions with seed 11. The discrepancy that a round leaves exceeds
	// SortedGreedy's in 6 of 120 rounds with focusGain 2, in 2 with focusGain 3, and in 1 with focusGain 4. From 2 to
	// 3, and from 3 to 4, the figure of merit S falls by a fifth.
	focusGain   = 4.0
	focusMargin = 0.12
	// focusFreeGain and focusFreeMargin replace focusGain and focusMargin if the heaviest loads are known, which means
	// that all loads may move. Focus may then make more moves. It is compared with Gradient, which then needs two to
	// three times as many.
	//
	// Measured were 1,040 cases on thirteen graphs (three repetitions with seed 11). A case meets the target if Focus
	// leaves at most SortedGreedy's discrepancy and makes at most 1.2 times as many moves as Gradient. With focusGain
	// and focusMargin 52 % of the cases meet it, and with these constants 61 %. With a margin of 0.25, gains of 2 to 5
	// change this share by one percentage point. A gain of 4 with a margin of 0.35 reaches 55 %.
	focusFreeGain   = 3.0
	focusFreeMargin = 0.25
	// Relaxation is twice the fraction of a lead that is transferred. It rises by focusRelaxStep per round to at most
	// focusRelaxLimit. The rise is slow because noise has to be removed first. If it stays 1, only half as many rounds
	// on slow graphs reach SortedGreedy's discrepancy. The results of limits from 1.2 to 1.5 differ little.
	focusRelaxStep  = 0.1
	focusRelaxLimit = 1.5
	// A transfer may miss its amount if that saves moves: by focusTolerance * min(amount, distance between the limits)
	// or by focusSlack * (distance to the nearer limit), whichever is larger.
	focusTolerance = 0.1
	focusSlack     = 0.5
	// In the first round a matching is even enough if its discrepancy is at most the one that SortedGreedy would leave.
	// Later rounds have less to correct. So this bound is multiplied by focusReachable in each later round, until it is
	// focusLeast times the first bound.
	focusReachable = 0.7
	focusLeast     = 0.2
	// focusFast is a fraction of the discrepancy. If a round with divisible loads would leave less than this fraction,
	// the network could reach SortedGreedy's discrepancy within the round. Only pinned loads can then prevent it.
	focusFast = 0.1
	// focusSlow is a fraction of the discrepancy. If a round with divisible loads would leave more than this fraction,
	// progress depends on how far loads have to travel. Transfers that are more exact than SortedGreedy's then cost
	// moves and gain nothing.
	focusSlow = 0.5
	// focusLearning is the weight of a new observation. After each round an element's yield moves towards the fraction
	// of its predicted change that came true, by focusLearning times the difference. If the element was left alone, its
	// yield moves towards 1.
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

// Predict balances the predicted totals of an edge's ends. If the heaviest loads are known, the sender's total does not
// fall below its heaviest load: moving that load would only make the receiver as heavy.
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

// slack returns by how much a transfer may miss amount. from and to are the totals of sender and receiver. The result
// is so small that both elements end well within the limits.
func (f *Focus) slack(from, to, amount float64) float64 {
	least := max(from-f.high, f.low-to)
	most := min(from-f.low, f.high-to)
	return max(focusSlack*min(amount-least, most-amount), focusTolerance*min(amount, f.spread))
}
