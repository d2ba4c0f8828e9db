package criterion

import "math"

// Bounded balances when the pattern of earlier intervals shows that balancing saves time. An interval is the time from
// one balancing to the next. Bounded never balances much too early or too late, so its cost is bounded whatever
// happens. It needs no parameter.
//
// The symbols m, mu, u, I and C are those of the package comment. R is the removable excess since the last balancing:
// the sum of u over the iterations, without the part of u that a balancing leaves. That part is learned from the
// iterations right after balancings, and from the least imbalance that has lasted for a few iterations since. A cycle
// is a schedule that balances at regular intervals. The best cycle is the cheapest one. The rules of Bounded are:
//
//   - Bounded does not balance while R is below C/2. It always balances when R is above 2C.
//   - In between Bounded plans. It learns the imbalance I = m/mu - 1 as a function of the age. It balances if going on
//     costs more per iteration than the best cycle costs on average.
//   - If the imbalance grows with time rather than with the age, Bounded balances when I exceeds the growth of I that
//     it expects until the next balancing.
//   - Bounded plans below C/2 too if a lasting imbalance will probably cost more than 2C and the bound allows it. It
//     expects the imbalance to last for as many more iterations as have passed since the imbalance last fell, but not
//     beyond the end of the run. To know what the bound allows, Bounded compares its own cost since the start of the
//     run with the least cost that any schedule could have had by then.
//   - The program may announce when its work will change, and the imbalance may change mostly at these changes. Then
//     Bounded balances if the imbalance until the next change will cost more than the best cycle costs from one change
//     to the next. It does so below C/2 too if the bound allows it.
//   - If the number of iterations is known, Bounded balances only if the remaining iterations can repay the cost.
//   - Noise is no reason to balance before R exceeds 2C. A rise of the imbalance within the noise of the iterations is
//     noise. If the elements' times are known, an imbalance of a different processing element in every iteration is
//     noise, too.
//   - An imbalance that falls back to what a balancing leaves has healed, and R starts anew. Now and then Bounded
//     balances as a probe, to find out whether that prevents such an imbalance. Probes cost at most a hundredth of the
//     time spent, or a tenth of what they may save.
//
// If the program offers moves of a part of the work, C is the price of the cheapest useful move, and u is what that
// move would have saved.
//
// Before a cost is measured, balancing is assumed to cost as much as an iteration without imbalance.
//
// # Bound
//
// The bound holds under these conditions:
//
//   - C is constant and known.
//   - The excess of an iteration depends on the last balancing alone. Of two runs, the one that was balanced more
//     recently is never slower.
//   - Neither a balancing nor the first distribution leaves an imbalance, and no imbalance falls between two
//     balancings.
//   - Iterations is right or 0.
//   - If elements' times are given, the slowest element of an interval stays the slowest.
//
// Let the total be the sum of the excess of all iterations and the cost of all balancings. Then the total of Bounded is
// at most three times the total of the best schedule, plus the excess of the last iteration of every interval. Loads
// may change and vanish, and announcements may be false. docs/criteria-method.md has the proof, what each condition
// costs, and the costs that no criterion with such a bound can avoid. [Guard] needs fewer conditions.
//
// The state, and the work per iteration, are O(window).
//
// Sources: rent or buy: Karlin et al., "Competitive snoopy caching", Algorithmica 3, 1988; with predictions: Purohit,
// Svitkina and Kumar, "Improving online algorithms via ML predictions", NeurIPS 2018. Renewal-reward stopping: Barlow
// and Hunter, "Optimum preventive maintenance policies", Operations Research 8, 1960. The ledger, healing and probes
// are our own.
type Bounded struct {
	// Iterations is the length of the run, or 0 if it is not known. After that many iterations Bounded never balances.
	Iterations int

	s     state
	curve curve // scratch space: imbalance that is expected after a balancing now
	past  curve // scratch space: copy of the curve of earlier intervals
}

// A state is everything that Bounded keeps from one iteration to the next. Its fields are exported so that they can be
// encoded.
type state struct {
	Seen     int // iterations so far
	Cost     level
	Price    float64 // price of the cheapest useful move, or 0 if no move is offered
	Load     level
	Sieve    noiseFilter
	Past     curve // imbalance of earlier intervals
	Own      curve // imbalance of this interval
	Accuracy forecastErrors
	Regret   intervalState
	Fresh    lastValues // imbalance right after balancings
	Growth   level      // change of the imbalance I from one iteration to the next
	Noise    level      // part of I that is noise: it differs from iteration to iteration
	Ledger   ledger     // ledger of costs, which counts the removable excess only
	Steps    announced  // changes of the work that the program announces
	Calm     int        // iterations since the imbalance last fell, other than by a balancing
	Missed   missedBalancing
	Next     Decision
}

const (
	// bound is the largest ratio of the excess of Bounded to the excess of the best schedule. The values 2, 2.25, 2.5,
	// 3, 4 and 5 were compared on families of applications. 3 is the smallest whose mean cost is within half a percent
	// of the least.
	bound = 3.0
	// Let x be the removable excess of an interval, divided by the cost of balancing. If the ledger has no credit, the
	// interval may end only when x is between windowLow and windowHigh. The interval then costs x+1, and any other
	// schedule costs at least min(x, 1). So the ratio (x+1)/min(x, 1) is at most bound.
	windowLow, windowHigh = 1 / (bound - 1), bound - 1
	// maxProbeCost is the largest cost of a probe, as a fraction of the time spent so far. A probe is a balancing to
	// find out whether balancing helps.
	maxProbeCost = 0.01
	// minProbeGain says which lasting imbalance is worth a probe. Its excess until the end of the run must be at least
	// minProbeGain times the cost of a balancing.
	minProbeGain = 10
	// trendLen is the number of iterations that distinguish growth from noise. Of sequences of five independent values,
	// only one in 120 rises all the time.
	trendLen = 5
)

const (
	reasonEarly      = "removable excess since the last balancing against half of the cost of balancing"
	reasonLate       = "removable excess since the last balancing against the end of its window"
	reasonCycle      = "cost of going on against that of the best cycle in the same time"
	reasonRunEnd     = "excess of going on to the end against the cost of balancing"
	reasonNoise      = "rise of the imbalance since the last balancing against its noise"
	reasonTooYoung   = "iterations since the last balancing against the number that tells growth from noise"
	reasonProbe      = "hundredth of the time since the last balancing against the cost of a probe"
	reasonLasting    = "excess until the end of an imbalance that has lasted against ten times the cost of a probe"
	reasonTimeGrowth = "imbalance that a balancing can remove against its growth until the next balancing"
	reasonAnnounced  = "excess until the next announced change against the cost of the best cycle from change to change"
	reasonUnusable   = "no decision on a sample that is negative or not finite"
)

// Observe learns from the iteration and decides about the next. A sample with a negative or infinite time is only
// counted. If its Balanced is set, the next valid sample counts as balanced.
func (h *Bounded) Observe(sample Sample) {
	s := &h.s
	if !sample.usable() {
		s.Missed.note(sample, s.cost(), s.Load.N > 0)
		h.skip()
		return
	}
	s.Seen++
	sample = s.Missed.restore(sample)
	if !(sample.Mean > 0) && !sample.Balanced && s.Load.N > 0 {
		return // without work there is no imbalance to learn from
	}
	sample, s.Price = sample.offered(), sample.Price
	whole := sample.imbalance()
	sample.Max = float64(sample.Mean * (1 + s.Sieve.imbalance(sample)))
	s.learn(sample, whole)
	h.updateExpected()
	s.Next = h.decide()
}

// learn records an iteration. The noise has been removed from sample. whole is the iteration's imbalance before the
// noise was removed.
func (s *state) learn(sample Sample, whole float64) {
	if sample.Balanced {
		s.Cost.add(sample.Cost)
	}
	if sample.Balanced || s.Load.N == 0 {
		s.begin(sample)
	}
	s.Load.add(sample.Mean)
	s.Steps.observe(sample, &s.Regret)
	if s.Own.full(s.Regret.Age) {
		s.Own.halve()
	}
	s.Accuracy.addErrors(&s.Past, &s.Regret, sample)
	s.Own.add(s.Regret.Age, sample)
	if s.filtersNoise() {
		s.Noise.add(max(0, whole-sample.imbalance()))
	}
	if s.Regret.Age > 0 {
		s.Growth.add(sample.imbalance() - s.Regret.Last)
	}
	if s.Calm++; s.Regret.falls(sample.imbalance()) {
		s.Calm = 0
	}
	begins := s.Regret.Age == 0
	s.Regret.add(sample, s.residual())
	// only now is it known which imbalance, without noise, the balancing has left
	if s.Sieve.noisy() && s.Sieve.N >= trendLen && !s.Regret.Sieved {
		s.Fresh.replace(s.Sieve.Early)
		s.Regret.resetExcess()
	}
	s.updateLedger(sample, begins)
}

// skip counts an iteration whose times are not known.
func (h *Bounded) skip() {
	h.s.Seen++
	h.s.Next = Decision{What: reasonUnusable}
}

// filtersNoise reports whether noise is removed from samples.
func (s *state) filtersNoise() bool { return s.Sieve.noisy() && s.Sieve.N > 0 }

// residual returns the imbalance that a balancing is expected to leave. That is the imbalance right after earlier
// balancings, or a smaller one that has lasted for a few iterations. After the first balancing it is at least the
// lowest imbalance of this interval.
//
// If the times are noisy, residual returns at least the noise. A balancing divides the work by the measured times of
// one iteration. It leaves an imbalance as large as the noise in these times.
func (s *state) residual() float64 {
	left := s.Fresh.median()
	if s.Fresh.N > 1 { // not the first interval, so the work was divided by measured times
		left = s.Regret.minLasting(left)
	}
	switch {
	case s.filtersNoise():
		return max(left, s.Noise.forecast())
	case s.Fresh.N > 1:
		return max(left, s.Regret.Lowest)
	}
	return left
}

// begin starts an interval with its first iteration.
func (s *state) begin(sample Sample) {
	if s.Load.N > 0 {
		cost := s.cost()
		s.Ledger.settle(s.Ledger.after(bound, cost), cost)
		s.mergeIntoPast()
	}
	s.Fresh.add(sample.imbalance())
	now := sample.imbalance()
	s.Regret = intervalState{Known: len(s.Past.Excess) * s.Past.width(),
		Fresh: now, Lowest: now, Slope: max(0, s.Growth.forecast())}
}

// updateLedger adds the removable excess of an iteration to the ledger. begins is true in the first iteration of an
// interval.
func (s *state) updateLedger(sample Sample, begins bool) {
	s.Ledger.Excess = s.Regret.Excess
	if s.Ledger.Payers == nil {
		s.Ledger.Payers = &payers{}
	}
	removable := max(0, sample.imbalance()-s.residual())
	if begins {
		s.Ledger.Payers.begin(removable, sample.Mean, s.cost())
	} else {
		s.Ledger.Payers.add(removable, sample.Mean)
	}
}

// cost returns the expected cost of balancing. If a move is offered, it is the move's price. Before a cost is measured,
// it is the mean time of an iteration.
func (s *state) cost() float64 {
	if s.Price > 0 {
		return s.Price
	}
	if s.Cost.N == 0 {
		return s.Load.forecast()
	}
	return s.Cost.forecast()
}

// mergeIntoPast merges the curve of this interval, Own, into the curve of earlier intervals, Past. If Past predicted
// this interval badly, Own replaces it. If the buckets of Past are wider, each is first split in two, because intervals
// may have become much shorter.
func (s *state) mergeIntoPast() {
	if s.Past.width() > s.Own.width() {
		s.Past.split()
	}
	if len(s.Past.Excess) == 0 || s.Accuracy.failed() {
		s.Past.copy(&s.Own)
	} else {
		s.Past.merge(&s.Own)
	}
	s.Own.reset()
	s.Accuracy.begin()
}

// updateExpected computes the imbalance curve to expect if the work is balanced now. It is the curve of this interval,
// merged with that of earlier intervals if the latter is trusted.
func (h *Bounded) updateExpected() {
	h.curve.copy(&h.s.Own)
	if len(h.s.Past.Excess) > 0 && h.s.Accuracy.trusted() {
		h.past.copy(&h.s.Past)
		h.curve.merge(&h.past)
	}
	h.curve.subtract(h.s.residual())
}

// Decide returns the decision that Observe made after the last iteration.
func (h *Bounded) Decide() Decision { return h.s.Next }

func (h *Bounded) decide() Decision {
	s := &h.s
	cost, load, rest := s.cost(), s.Load.forecast(), math.Inf(1)
	if h.Iterations > 0 {
		rest = float64(max(0, h.Iterations-s.Seen))
	}
	ahead := float64(s.Regret.Level.forecast() * load * rest)
	switch excess := s.Regret.Excess; {
	case rest == 0:
		return Decision{What: reasonRunEnd}
	case s.filtersNoise() && s.Regret.Age < trendLen:
		return Decision{Value: float64(s.Regret.Age), Limit: trendLen, What: reasonTooYoung}
	case excess > windowHigh*cost:
		return balanceAbove(excess, windowHigh*cost, reasonLate)
	case !(load > 0):
		return Decision{What: reasonRunEnd}
	case !math.IsInf(rest, 1) && ahead <= cost && excess+ahead <= windowHigh*cost:
		return Decision{Value: ahead, Limit: cost, What: reasonRunEnd}
	}
	if d := s.probe(cost, load, min(rest, float64(s.Seen))); d.Balance && ahead > cost {
		return d
	}
	return h.decideInWindow(cost, load, min(rest, float64(s.Calm)))
}

// decideInWindow makes the decision when no rule of method decide applies. soon is the number of iterations for which
// the imbalance is expected to last.
func (h *Bounded) decideInWindow(cost, load, soon float64) Decision {
	s := &h.s
	if excess := s.Regret.Excess; excess < windowLow*cost {
		if !(s.Steps.dominates() || h.steady() && s.Regret.Last*load*soon > windowHigh*cost) {
			return balanceAbove(excess, windowLow*cost, reasonEarly)
		}
		if d := s.Ledger.allows(bound, cost); !d.Balance {
			return d
		}
	}
	if s.Steps.dominates() {
		return h.decideAnnounced(cost, load)
	}
	if rise, noise := s.Own.rise(s.Regret.noise()); rise <= noise {
		return Decision{Value: rise, Limit: noise, What: reasonNoise}
	}
	if !s.Accuracy.trusted() && s.Accuracy.growsWithTime() {
		return h.decideByTime(cost, load)
	}
	return h.decideByCycle(cost, load)
}

// decideByTime makes the decision when the imbalance grows with time rather than with the age. To balance one iteration
// later costs the present imbalance once. It saves the amount by which the imbalance grows from this balancing to the
// next. So decideByTime balances if the present imbalance exceeds that growth. If the imbalance time grows by g per
// iteration, intervals of sqrt(2C/g) iterations are best.
func (h *Bounded) decideByTime(cost, load float64) Decision {
	s := &h.s
	now, growth := max(0, s.Regret.Last-s.residual()), max(0, s.Growth.forecast())
	return balanceAbove(now, math.Sqrt(2*cost/load*growth), reasonTimeGrowth)
}

// steady reports whether the imbalance can be expected to stay. The end of the run must be known, balancings must leave
// no imbalance, and neither noise nor a fall of the imbalance was seen.
func (h *Bounded) steady() bool {
	s := &h.s
	return h.Iterations > 0 && !s.Regret.Fallen && !s.Sieve.noisy() && s.Fresh.median() == 0
}

// probe decides whether to balance in order to find out whether that helps, for either of two reasons:
//   - The imbalance has lasted long enough to cost as much as a balancing, and would cost minProbeGain times as much in
//     the rest of the run.
//   - The imbalance exceeds the noise, and a balancing costs less than the fraction maxProbeCost of the time spent.
//
// An imbalance that has only grown needs no probe, because the rules about the removable excess R keep the bound for
// it.
func (s *state) probe(cost, load, rest float64) Decision {
	left := 0.0 // the first distribution was not made from times, and leaves no noise
	switch {
	case s.Fresh.N > 1:
		left = s.residual()
	case s.filtersNoise():
		left = s.Noise.forecast()
	}
	lasting := max(0, s.Regret.Least-left) * load
	d := balanceAbove(lasting*rest, minProbeGain*cost, reasonLasting)
	if d.Balance && s.Regret.Fallen && lasting*float64(s.Regret.Age) > cost {
		return d
	}
	d = balanceAbove(maxProbeCost*s.Regret.Spent, cost, reasonProbe)
	visible := s.Own.latest()-s.residual() > float64(visibleAbove*s.Regret.noise())
	d.Balance = d.Balance && s.Regret.Fallen && visible
	return d
}

// decideByCycle balances if, for every n, to go on for n iterations without balancing costs more than n iterations of
// the best cycle. The best cycle is the cheapest schedule of regular balancings.
func (h *Bounded) decideByCycle(cost, load float64) Decision {
	c, r := &h.curve, &h.s.Regret
	unit := load * float64(c.width())
	from, beyond := c.bucket(r.Age), c.at(window)
	if r.Age >= r.Known {
		from, beyond = max(from, len(c.Excess)), r.Level.forecast()
	}
	rate := c.cycle(cost / unit)
	cheapest, best, sum := math.Inf(1), 0.0, 0.0
	for j := 1; j == 1 || from+j <= len(c.Excess)+1; j++ {
		next := beyond
		if from+j <= len(c.Excess) {
			next = c.at(from + j - 1)
		}
		sum += next
		if less := sum - rate*float64(j); less < cheapest {
			cheapest, best = less, float64(j)
		}
	}
	return Decision{Balance: cheapest > 0, Value: (cheapest + rate*best) * unit, Limit: rate * best * unit, What: reasonCycle}
}
