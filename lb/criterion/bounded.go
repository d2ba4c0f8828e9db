package criterion

import "math"

// Bounded plans where the past repeats itself, and stays within a window of regret
// whatever happens. It needs no parameter, and it has a proven bound, which
// Hindsight has not; docs/criteria.md compares the two.
//
// R is the removable excess since the last balancing: the sum over the
// iterations of u less the part that a balancing leaves, which is learned from
// the iterations right after balancings.
//
//   - While R is below C/2 it never balances, and above 2C it does.
//   - In between it plans. The imbalance I = m/mu - 1 is learned as a function of
//     the age, and the best next balancing follows by dynamic programming over
//     the rest of the run, or for a long or unknown rest by the rule of
//     renewal-reward theory: stop when going on costs more per iteration than the
//     best cycle does on average. Where the curve predicts the imbalance worse
//     than the last value does, the imbalance depends on the time rather than on
//     the age, and it balances at R = C at the latest, which is Menon's rule.
//   - Where the number of iterations is known, it does not balance for less than
//     the rest can repay.
//   - A balancing that gained less than C/2 until the next one doubles the window.
//   - A rise within the noise of the iterations is no reason to balance.
//   - An imbalance that falls back to what a balancing leaves has healed: R starts
//     anew. Whether a balancing would have prevented the excess is asked rarely, by
//     a probe that costs at most a hundredth of the time spent since the last
//     balancing; the pauses after useless probes double.
//
// # Bound
//
// Let C be constant, let a run that was balanced later never be slower, let a
// balancing leave no imbalance, let no imbalance heal and no balancing be
// useless. Then the excess over the mean loads, with the balancings, is at most
// three times the optimum's, plus the excess of one iteration a balancing. In a
// interval that ends at R it is R + C, and every schedule pays at least min(R, C)
// there: C if it balances inside the interval, and at least R if not, since its run
// is the older one. With R from C/2 to 2C the ratio is at most 3, and it is 3 at
// both ends: this is the widest window with that bound.
//
// docs/criteria.md has the proof, the reason for every condition, and what no
// criterion can promise.
//
// The state is O(window), and so is the work of an iteration but for planning,
// which takes O(window) for a long rest and at most O(rest times the longest
// interval worth having) near the end.
//
// Sources: rent or buy: Karlin et al., "Competitive snoopy caching",
// Algorithmica 3, 1988; with predictions: Purohit, Svitkina and Kumar,
// "Improving online algorithms via ML predictions", NeurIPS 2018. Renewal-reward
// stopping: Barlow and Hunter, "Optimum preventive maintenance policies",
// Operations Research 8, 1960. The window, healing and probes are our own.
type Bounded struct {
	// Iterations is the length of the run; 0 when it is not known.
	Iterations int

	seen     int // iterations so far
	sieve    sieve
	cost     level
	load     level
	past     curve // of the intervals before
	own      curve // of this interval
	curve    curve // what is expected of a run that is balanced now
	accuracy accuracy
	regret   regret
	fresh    recent // imbalance right after balancings
	owed     float64
	useless  int  // useless balancings in a row
	plan     plan // scratch space
	next     Decision
}

const (
	// windowLow and windowHigh bound the removable excess at which an interval ends, in
	// costs of balancing. Both give the competitive ratio 3: (x+1)/min(x, 1).
	windowLow, windowHigh = 0.5, 2.0
	// few is the number of iterations of which noise alone is in rising order once in
	// 120 times.
	few = 5
	// premium is the part of the time spent that may pay for probes.
	premium = 0.01
)

const (
	whatEarly  = "removable excess since the last balancing against half of the cost of balancing"
	whatRent   = "removable excess since the last balancing against the cost of balancing"
	whatLate   = "removable excess since the last balancing against twice the cost of balancing"
	whatNoise  = "rise of the imbalance since the last balancing against its noise"
	whatProbe  = "premium of the time since the last balancing against the cost of balancing"
	whatStake  = "excess of an imbalance that has lasted, until the end, against ten times the cost of balancing"
	whatLoud   = "usual imbalance of the last iterations and its noise against the last one's, by which the work would be cut"
	whatNew    = "iterations since the last balancing against those that tell growth from noise"
	whatNoCost = "no cost of balancing is known"
)

// Observe learns from the iteration and decides about the next. A sample with a
// time that is negative or not finite is counted and teaches nothing.
func (h *Bounded) Observe(s Sample) {
	h.seen++
	if !s.usable() {
		h.next = Decision{What: whatNoise}
		return
	}
	if s.Balanced {
		h.cost.add(s.Cost)
	}
	whole := s.imbalance()
	s.Max = float64(s.Mean * (1 + h.sieve.imbalance(s)))
	if s.Balanced || h.load.n == 0 {
		h.begin(s)
	}
	h.load.add(s.Mean)
	if h.own.full(h.regret.age) {
		h.past.halve()
		h.own.halve()
		h.plan.forget()
	}
	h.accuracy.judge(&h.past, h.regret.age, h.regret.known, h.regret.last, s)
	h.own.add(h.regret.age, s)
	if h.regret.age == few-1 && h.sieve.fallen && s.Times != nil {
		h.fresh.values[(h.fresh.n-1)%len(h.fresh.values)] = s.imbalance()
		h.regret.excess = 0
		h.regret.cycle = cycle{}
	}
	h.regret.add(s, h.fresh.median())
	h.expect()
	h.next = h.decide(s)
	if h.next.Balance && h.regret.fallen && whole-h.regret.last >= h.regret.last-h.fresh.median() && whole > h.regret.last {
		h.next = Decision{Value: h.regret.last - h.fresh.median(), Limit: whole - h.regret.last, What: whatLoud}
	}
}

// begin starts an interval after a balancing.
func (h *Bounded) begin(s Sample) {
	before := 0.0
	if h.load.n > 0 {
		left := h.fresh.median()
		outside := left > 0 || h.regret.fallen
		if h.fresh.n > 1 && outside && h.regret.gain < h.cost.forecast()/2 {
			h.useless++
		} else {
			h.useless = 0
		}
		before = h.regret.level.forecast() + left
		h.remember()
		if u, c := h.regret.excess, h.cost.forecast(); u < windowLow*c {
			h.owed = c + u
		} else {
			h.owed = 0
		}
	}
	h.fresh.add(s.imbalance())
	h.regret = regret{before: before}
	h.regret.known = len(h.past.excess) * max(1, h.past.width)
}

// remember lets the curve of this interval join what was known, or replace it where
// that was no guide to it.
func (h *Bounded) remember() {
	if len(h.past.excess) == 0 || h.accuracy.failed() {
		h.past.copy(&h.own)
	} else {
		h.past.merge(&h.own)
	}
	h.own.reset(h.past.width)
	h.accuracy.begin()
	h.plan.forget()
}

// expect works out the curve of a run that is balanced now: what was learned in
// this interval, with what is remembered if that is trusted.
func (h *Bounded) expect() {
	h.curve.copy(&h.own)
	if len(h.past.excess) > 0 && h.accuracy.trusted() {
		h.curve.merge(&h.past)
	}
	h.curve.subtract(h.fresh.median())
}

// Decide returns the decision that the last iteration led to.
func (h *Bounded) Decide() Decision { return h.next }

func (h *Bounded) decide(s Sample) Decision {
	cost, load := h.cost.forecast(), h.load.forecast()
	switch {
	case h.sieve.fallen && h.regret.age < few && s.Times != nil:
		return Decision{Value: float64(h.regret.age), Limit: few, What: whatNew}
	case h.cost.n == 0:
		return Decision{What: whatNoCost}
	case h.seen == h.Iterations || !(load > 0):
		return Decision{What: whatEnd}
	}
	excess, rest := h.regret.excess, h.Iterations-h.seen
	ahead := math.Inf(1)
	if rest > 0 {
		ahead = float64(h.regret.level.forecast() * load * float64(rest))
		if ahead <= cost && excess+ahead <= windowHigh*cost {
			return Decision{Value: ahead, Limit: cost, What: whatEnd}
		}
	}
	if d := h.probe(cost, ahead); d.Balance {
		return d
	}
	unit := math.Ldexp(cost, h.useless)
	if excess < windowLow*unit && !h.certain(cost, load, rest) {
		return exceeds(excess, windowLow*unit, whatEarly)
	}
	if rise, noise := h.own.rise(h.regret.noise()); rise <= noise {
		return Decision{Value: rise, Limit: noise, What: whatNoise}
	}
	if high := windowHigh*unit - h.owed; excess > high {
		return exceeds(excess, high, whatLate)
	}
	if excess > unit && !h.accuracy.trusted() {
		return exceeds(excess, unit, whatRent)
	}
	if h.regret.known == 0 && h.regret.age < few {
		return Decision{Value: float64(h.regret.age), Limit: few, What: whatNew}
	}
	return h.planned(cost, load, rest)
}

// certain reports that the imbalance would cost twice as much as a balancing in as
// long as the interval has lasted, and before the end.
func (h *Bounded) certain(cost, load float64, rest int) bool {
	if h.regret.fallen || h.sieve.fallen || h.fresh.median() > 0 || h.Iterations == 0 {
		return false
	}
	d := min(rest, h.regret.age)
	return h.regret.last*load*float64(d) > 2*cost
}

// probe balances to see whether that helps, when it is cheap beside the time
// spent and the imbalance is more than noise. One that has only grown needs no
// probe: R decides about it, within the bound.
func (h *Bounded) probe(cost, ahead float64) Decision {
	left, rest := 0.0, h.seen
	if h.fresh.n > 1 {
		left = h.fresh.median()
	}
	if h.Iterations > 0 {
		rest = h.Iterations - h.seen
	}
	stake := (h.regret.least - left) * h.load.forecast() * float64(rest)
	if d := exceeds(stake, 10*math.Ldexp(cost, h.useless), whatStake); d.Balance && h.regret.fallen && (h.regret.least-left)*h.load.forecast()*float64(h.regret.age) > math.Ldexp(cost, h.useless) {
		return d
	}
	d := exceeds(premium*h.regret.spent, math.Ldexp(cost, h.useless), whatProbe)
	visible := h.own.latest()-h.fresh.median() > float64(visibleAbove*h.regret.noise())
	d.Balance = d.Balance && h.regret.fallen && visible && ahead > cost
	return d
}

// planned compares the best plan that goes on with the best that balances now.
func (h *Bounded) planned(cost, load float64, rest int) Decision {
	width := max(1, h.curve.width)
	unit := load * float64(width)
	f := forecast{c: &h.curve, b: h.curve.bucket(h.regret.age), beyond: h.curve.at(window)}
	if h.regret.age >= h.regret.known {
		f.b, f.beyond = max(f.b, len(h.curve.excess)), h.regret.level.forecast()
	}
	buckets := -1
	if rest > 0 {
		buckets = max(1, rest/width)
	}
	v := h.plan.decide(f, cost/unit, buckets, h.regret.age%width != 0)
	return Decision{Balance: v.balance, Value: v.wait * unit, Limit: v.now * unit, What: whatPlan}
}
