package criterion

// Hindsight is this package's own criterion. It needs no parameter, and beats
// the published ones because it remembers, is slow to believe what it has not
// seen, and knows where the run ends if it is told.
//
//   - It remembers. What follows a balancing depends above all on how long ago
//     it was, so the imbalance I = m/mu - 1 is learned as a function of the age,
//     for as long as that predicts better than the last value does.
//     Up to the greatest age seen before, that curve replaces guesses about the
//     future, and the best next balancing is found by planning: dynamic
//     programming over what is left of the run, or for a long or unknown rest
//     the rule that renewal-reward theory gives, to stop when going on would cost
//     more per iteration than the best cycle does on average.
//   - It is slow to believe. At ages never seen before, an imbalance may as well
//     correct itself as last. There it balances, when its plan does, for one of
//     three reasons. By now it would have been cheaper to have balanced before,
//     the cost of that included, by the best of all scenarios in hindsight: this
//     is regret, the rule of rent or buy. Or the plan would stand were the
//     imbalance to fall as far as it ever fell in this run, and as far as it rose
//     in any one iteration of this interval. Or the plan would stand after such a
//     fall but not after such a drop, and waiting for more has cost as much as
//     patience may. The last two need the end of the run to be known.
//   - Where the number of iterations is known, it never balances for less than
//     what is left can repay.
//
// Noise is met by sums and averages: the curve is averaged over all visits of
// an age; the cost and the mean load are predicted by whichever of several
// moving averages has done so best; regret is a sum.
//
// # No bound
//
// It has none. Six iterations whose imbalances are 0, 0, 0.3, 0.3, 0.3, 0.3 by age,
// under the loads 0.5, 1, 0.5, 1.875, 1, 1 and a cost of 0.375, end an interval at
// more than twice its optimum, and an imbalance that comes at an absolute time and
// stays is never removed. [Bounded] is within three times the optimum's excess.
//
// The state is O(window), and so is the work of an iteration but for planning,
// which takes O(window) for a long rest and at most O(rest times the longest
// interval worth having) near the end.
//
// Sources: rent or buy: Karlin et al., "Competitive snoopy caching",
// Algorithmica 3, 1988. Work functions: Borodin, Linial and Saks, "An optimal
// on-line algorithm for metrical task system", J. ACM 39, 1992. Renewal-reward
// stopping: Barlow and Hunter, "Optimum preventive maintenance policies",
// Operations Research 8, 1960. The combination is our own.
type Hindsight struct {
	// Iterations is the length of the run; 0 when it is not known.
	Iterations int

	seen     int // iterations so far
	spent    float64
	cost     level
	load     level
	past     curve // of the intervals before
	own      curve // of this interval
	curve    curve // what is expected of a run that is balanced now
	interval interval
	accuracy accuracy
	waited   float64 // what patience has cost
	waiting  float64 // what it costs to go on for the next iteration
	next     Decision
	plan     plan // scratch space
}

// patience is the part of the run's predicted total that may be spent on waiting
// to see whether a jump of the imbalance passes: what one is willing to lose
// against a rule that balances at once. A quarter of a percent and one percent
// decide alike on the paper's benchmarks; on random curves more patience helps
// with bursts and costs at cliffs (TestSurvey in package bench).
const patience = 1.0 / 200

// Observe learns from the iteration and plans for the next.
func (h *Hindsight) Observe(s Sample) {
	if s.Balanced {
		h.cost.add(s.Cost)
		if h.seen > 0 {
			h.spent += s.Cost
		}
	} else {
		h.waited += h.waiting
	}
	if s.Balanced || h.seen == 0 {
		h.begin()
	}
	h.seen++
	h.spent += s.Max
	h.load.add(s.Mean)
	if h.own.full(h.interval.age) {
		h.past.halve()
		h.own.halve()
		h.interval.halve()
		h.plan.forget()
	}
	h.interval.lower(s.imbalance())
	h.accuracy.judge(&h.past, h.interval.age, h.interval.known, h.interval.last, s)
	h.own.add(h.interval.age, s)
	h.expect()
	h.interval.add(&h.curve, s, h.cost)
	h.waiting = 0
	h.next = h.decide()
}

// begin starts an interval. What the last one taught joins what was known, or
// replaces it where that was no guide to it.
func (h *Hindsight) begin() {
	first := h.past.excess == nil
	if first {
		h.own.subtract(h.interval.least)
	}
	if first || h.accuracy.failed() {
		h.past.copy(&h.own)
	} else {
		h.past.merge(&h.own)
	}
	h.own.reset(h.past.width)
	h.accuracy.begin()
	h.plan.forget()
	h.interval.begin(len(h.past.excess) * max(1, h.past.width))
}

// expect works out the curve of a run that is balanced now: what was learned in
// this interval, with what is remembered if that is trusted. The first interval
// may have started from any distribution, so what its imbalance never fell below
// says nothing about a balanced run.
func (h *Hindsight) expect() {
	h.curve.copy(&h.own)
	switch {
	case len(h.past.excess) == 0:
		h.curve.subtract(h.interval.least)
	case h.accuracy.trusted():
		h.curve.merge(&h.past)
	}
}

// Decide returns the decision that the last iteration led to.
func (h *Hindsight) Decide() Decision { return h.next }

const (
	whatPlan   = "cost of the best plan that goes on against the best that balances now"
	whatEnd    = "excess of going on to the end against the cost of balancing"
	whatRegret = "excess since the last balancing against the best scenario in hindsight with a balancing"
	whatFall   = "cost of going on if the imbalance falls as it did before against balancing now"
	whatWait   = "cost of waiting for a jump to pass against what patience allows"
)

// outlook is what a decision is made from.
type outlook struct {
	f     forecast
	load  float64 // expected mean load of an iteration
	unit  float64 // of the plan's costs
	ratio float64 // cost of balancing in that unit
	rest  int     // buckets to the end; -1 where it is unknown
	stale bool    // within a bucket
}

func (h *Hindsight) outlook() outlook {
	width := max(1, h.curve.width)
	o := outlook{load: h.load.forecast(), rest: -1}
	o.unit = o.load * float64(width)
	o.ratio = h.cost.forecast() / o.unit
	if h.Iterations > h.seen {
		o.rest = max(1, (h.Iterations-h.seen)/width)
	}
	o.f = forecast{c: &h.curve, b: h.curve.bucket(h.interval.age), beyond: h.curve.at(window)}
	o.stale = h.interval.age%width != 0
	if !h.familiar() {
		o.f.b, o.f.beyond = max(o.f.b, len(h.curve.excess)), h.interval.last
	}
	return o
}

// familiar reports that the next iteration's age was seen before and that what
// was seen can be relied on.
func (h *Hindsight) familiar() bool {
	return h.interval.age < h.interval.known && h.accuracy.trusted()
}

func (h *Hindsight) decide() Decision {
	if h.cost.n == 0 || h.seen == h.Iterations || !(h.load.forecast() > 0) {
		return Decision{What: whatPlan}
	}
	o := h.outlook()
	if o.rest > 0 {
		if stay := o.f.sum(o.rest); stay <= o.ratio {
			return Decision{Value: stay * o.unit, Limit: h.cost.forecast(), What: whatEnd}
		}
	}
	v := h.plan.decide(o.f, o.ratio, o.rest, o.stale)
	d := Decision{Balance: v.balance, Value: v.wait * o.unit, Limit: v.now * o.unit, What: whatPlan}
	if !d.Balance || h.familiar() {
		return d
	}
	return h.believe(o, v)
}

// believe decides in new territory, where the plan balances.
func (h *Hindsight) believe(o outlook, v verdict) Decision {
	regret := exceeds(h.interval.stay, h.interval.best(), whatRegret)
	if regret.Balance || o.rest < 0 {
		return regret
	}
	o.f.drop = h.interval.fall
	low := h.plan.decide(o.f, o.ratio, o.rest, true)
	d := Decision{Balance: low.balance, Value: low.wait * o.unit, Limit: low.now * o.unit, What: whatFall}
	if !low.balance {
		return d
	}
	o.f.drop = max(h.interval.fall, h.interval.jump)
	if h.plan.decide(o.f, o.ratio, o.rest, true).balance {
		return d
	}
	h.waiting = max(0, v.loss) * o.load
	total := h.spent + float64((v.now+float64(o.rest))*o.unit)
	d = exceeds(h.waited+h.waiting, patience*total, whatWait)
	if d.Balance {
		h.waiting = 0
	}
	return d
}
