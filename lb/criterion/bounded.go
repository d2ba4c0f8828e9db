package criterion

import "math"

// Bounded balances by a plan learned from earlier intervals, and within a window of regret
// that bounds its cost whatever happens. It needs no parameter.
//
// R is the removable excess since the last balancing: the sum over the iterations of u
// without the part that a balancing leaves. That part is learned from the iterations right
// after balancings, and from the least imbalance that lasted for a few iterations since.
//
//   - While R is below C/2 it does not balance, and above 2C it does.
//   - In between it plans. The imbalance I = m/mu - 1 is learned as a function of
//     the age, and it balances when going on costs more per iteration than the
//     best cycle does on average. Where the curve predicts the imbalance worse
//     than the last value does, the imbalance depends on the time rather than on
//     the age, and it balances at R = C at the latest, which is Menon's rule.
//   - It plans below C/2 as well where the imbalance, if it stays, will cost more than 2C
//     before the end of the run, and within as many iterations as have passed since an
//     imbalance last fell. The window of the next interval then ends at C-R. Windows of
//     the intervals after it end at C until the imbalance would have cost C.
//   - Where the number of iterations is known, it does not balance for less than
//     the rest can repay.
//   - A balancing that gained less than C/2 before the next one doubles the window.
//   - Noise is no reason to balance: neither a rise within the noise of the
//     iterations, nor an imbalance that belongs to a different processing element in
//     every iteration, where the elements' times are known. Bounded does not balance
//     after an iteration with more noise than removable imbalance, because work is cut
//     by that iteration's times.
//   - An imbalance that falls back to what a balancing leaves has healed: R starts
//     anew. Probes find out whether a balancing would have prevented the excess. They
//     cost at most a hundredth of the time spent or a tenth of what they may save. The
//     pauses after useless probes double.
//
// Where the program can hand over a part, C is the price of the cheapest useful move,
// and u what that move would have saved.
//
// Until a cost was measured, balancing is taken to cost as much as an iteration
// without imbalance.
//
// # Bound
//
// Let C be constant, let a run that was balanced later never be slower, let a
// balancing leave no imbalance, let no imbalance fall within an interval, and let
// the mean loads to come be at least half of those before. Then the excess over the
// mean loads, with the balancings, is at most three times the optimum's, plus the
// excess of one iteration a balancing. docs/criteria.md has the proof, the reason for
// every condition, and the costs that no criterion with such a bound can avoid.
//
// State and work of an iteration are O(window).
//
// Sources: rent or buy: Karlin et al., "Competitive snoopy caching",
// Algorithmica 3, 1988; with predictions: Purohit, Svitkina and Kumar,
// "Improving online algorithms via ML predictions", NeurIPS 2018. Renewal-reward
// stopping: Barlow and Hunter, "Optimum preventive maintenance policies",
// Operations Research 8, 1960. The window, healing and probes are our own.
type Bounded struct {
	// Iterations is the length of the run; 0 when it is not known.
	Iterations int

	s     state
	curve curve // what is expected of a run that is balanced now; scratch space
}

// state is what Bounded keeps from one iteration to the next. Fields are exported for
// encoding alone.
type state struct {
	Seen     int // iterations so far
	Cost     level
	Price    float64 // of the cheapest useful move; 0 where none is offered
	Load     level
	Sieve    sieve
	Past     curve // of the intervals before
	Own      curve // of this interval
	Accuracy accuracy
	Regret   regret
	Fresh    recent  // imbalance right after balancings
	Growth   level   // of I from one iteration of an interval to the next
	Noise    level   // of I above its lasting part
	Useless  int     // useless balancings in a row
	Owed     float64 // how much earlier this window ends, in time
	Debt     float64 // Owed holds until the mean loads have summed up to this
	Calm     int     // iterations since the imbalance last fell other than by a balancing
	Next     Decision
}

const (
	// windowLow and windowHigh bound the removable excess at which an interval ends, in
	// costs of balancing. Both give the competitive ratio 3: (x+1)/min(x, 1).
	windowLow, windowHigh = 0.5, 2.0
	// premium is the part of the time spent that a probe may cost.
	premium = 0.01
	// stakes is the number of costs of balancing that a probe must be able to save.
	stakes = 10
	// few is the number of iterations that tell growth from noise: of five independent
	// values only one order in 120 is rising.
	few = 5
)

const (
	whatEarly = "removable excess since the last balancing against half of the cost of balancing"
	whatRent  = "removable excess since the last balancing against the cost of balancing"
	whatLate  = "removable excess since the last balancing against the end of its window"
	whatPlan  = "cost of going on against that of the best cycle in the same time"
	whatEnd   = "excess of going on to the end against the cost of balancing"
	whatNoise = "rise of the imbalance since the last balancing against its noise"
	whatLoud  = "imbalance that a balancing can remove against the noise of the iteration by which it would cut"
	whatFew   = "iterations since the last balancing against those that tell growth from noise"
	whatProbe = "premium of the time since the last balancing against the cost of a probe"
	whatStake = "excess until the end of an imbalance that has lasted against ten times the cost of a probe"
	whatTime  = "imbalance that a balancing can remove against its growth until the next balancing"
	whatBad   = "no decision on a sample that is negative or not finite"
)

// Observe learns from the iteration and decides about the next. A sample with a
// time that is negative or not finite is counted and teaches nothing.
func (h *Bounded) Observe(sample Sample) {
	s := &h.s
	s.Seen++
	if !sample.usable() {
		s.Next = Decision{What: whatBad}
		return
	}
	sample, s.Price = sample.offered(), sample.Price
	whole := sample.imbalance()
	sample.Max = float64(sample.Mean * (1 + s.Sieve.imbalance(sample)))
	if sample.Balanced {
		s.Cost.add(sample.Cost)
	}
	if sample.Balanced || s.Load.N == 0 {
		s.begin(sample)
	}
	s.Debt = max(0, s.Debt-sample.Mean)
	s.Load.add(sample.Mean)
	if s.Own.full(s.Regret.Age) {
		s.Past.halve()
		s.Own.halve()
	}
	s.Accuracy.judge(&s.Past, &s.Regret, sample)
	s.Own.add(s.Regret.Age, sample)
	if s.sieving() {
		s.Noise.add(max(0, whole-sample.imbalance()))
	}
	if s.Regret.Age > 0 {
		s.Growth.add(sample.imbalance() - s.Regret.Last)
	}
	if s.Calm++; s.Regret.falls(sample.imbalance()) {
		s.Calm = 0
	}
	s.Regret.add(sample, s.left())
	if s.Sieve.noisy() && s.Sieve.N >= few && !s.Regret.Sieved { // the imbalance left is known without noise only now
		s.Fresh.replace(s.Sieve.Early)
		s.Regret.forgive()
	}
	h.expect()
	s.Next = h.decide()
	if s.Next.Balance {
		s.Next = s.unlessLoud(whole)
	}
}

// sieving reports that the sieve takes noise away.
func (s *state) sieving() bool { return s.Sieve.noisy() && s.Sieve.N > 0 }

// left returns the imbalance that a balancing is expected to leave. It starts from the
// imbalance right after earlier balancings, or from a smaller one that has lasted for a few
// iterations. It is no less than the least of this interval. Amid noise it is no less than
// the noise, because work that is cut by the times of one iteration keeps that iteration's
// noise.
func (s *state) left() float64 {
	left := s.Fresh.median()
	if s.Fresh.N > 1 { // the first distribution was not cut by times
		left = s.Regret.lasted(left)
	}
	switch {
	case s.sieving():
		return max(left, s.Noise.forecast())
	case s.Fresh.N > 1:
		return max(left, s.Regret.Lowest)
	}
	return left
}

// begin starts an interval after a balancing.
func (s *state) begin(sample Sample) {
	before := 0.0
	if s.Load.N > 0 {
		left, cost := s.Fresh.median(), s.cost()
		outside := left > 0 || s.Regret.Fallen
		if s.Fresh.N > 1 && outside && s.Regret.Gain < cost/2 {
			s.Useless++
		} else {
			s.Useless = 0
		}
		s.settle(cost)
		before = s.Regret.Level.forecast() + left
		s.remember()
	}
	s.Fresh.add(sample.imbalance())
	now := sample.imbalance()
	s.Regret = regret{Before: before, Known: len(s.Past.Excess) * max(1, s.Past.Width),
		Fresh: now, Lowest: now, Slope: max(0, s.Growth.forecast())}
}

// settle records the debt of an interval that ended early. The optimum pays C for that
// interval before the mean loads of the iterations after it have summed up to Debt. Until
// then no other interval may end early, and none may run on beyond C.
func (s *state) settle(cost float64) {
	switch u := s.Regret.Excess; {
	case u < windowLow*cost && s.Regret.Last > 0:
		s.Owed, s.Debt = cost+u, min(cost/s.Regret.Last, math.MaxFloat64)
	case s.Debt > 0:
		s.Owed = cost
	default:
		s.Owed = 0
	}
}

// cost returns the expected cost of balancing: that of the move on offer, if there
// is one.
func (s *state) cost() float64 {
	if s.Price > 0 {
		return s.Price
	}
	if s.Cost.N == 0 {
		return s.Load.forecast()
	}
	return s.Cost.forecast()
}

// remember merges the curve of this interval into the curve of earlier intervals. Where the
// earlier curve forecast this interval badly it is replaced.
func (s *state) remember() {
	if len(s.Past.Excess) == 0 || s.Accuracy.failed() {
		s.Past.copy(&s.Own)
	} else {
		s.Past.merge(&s.Own)
	}
	s.Own.reset(s.Past.Width)
	s.Accuracy.begin()
}

// expect computes the imbalance curve to expect after a balancing now: that of this
// interval, merged with that of earlier intervals if those are trusted.
func (h *Bounded) expect() {
	h.curve.copy(&h.s.Own)
	if len(h.s.Past.Excess) > 0 && h.s.Accuracy.trusted() {
		h.curve.merge(&h.s.Past)
	}
	h.curve.subtract(h.s.left())
}

// Decide returns the decision that the last iteration led to.
func (h *Bounded) Decide() Decision { return h.s.Next }

func (h *Bounded) decide() Decision {
	s := &h.s
	cost, load, rest := s.cost(), s.Load.forecast(), math.Inf(1)
	if h.Iterations > 0 {
		rest = float64(max(0, h.Iterations-s.Seen))
	}
	ahead := float64(s.Regret.Level.forecast() * load * rest)
	switch {
	case rest == 0 || !(load > 0):
		return Decision{What: whatEnd}
	case s.sieving() && s.Regret.Age < few:
		return Decision{Value: float64(s.Regret.Age), Limit: few, What: whatFew}
	case !math.IsInf(rest, 1) && ahead <= cost && s.Regret.Excess+ahead <= windowHigh*cost-s.Owed:
		return Decision{Value: ahead, Limit: cost, What: whatEnd}
	}
	unit := math.Ldexp(cost, s.Useless)
	if d := s.probe(unit, load, min(rest, float64(s.Seen))); d.Balance && ahead > cost {
		return d
	}
	return h.within(unit, load, min(rest, float64(s.Calm)))
}

// within decides by the window of regret. soon is the number of iterations that the
// imbalance is expected to last.
func (h *Bounded) within(unit, load, soon float64) Decision {
	s := &h.s
	excess := s.Regret.Excess
	if excess < windowLow*unit && !(h.steady() && s.Regret.Last*load*soon > 2*unit) {
		return exceeds(excess, windowLow*unit, whatEarly)
	}
	if rise, noise := s.Own.rise(s.Regret.noise()); rise <= noise {
		return Decision{Value: rise, Limit: noise, What: whatNoise}
	}
	switch high := windowHigh*unit - s.Owed; {
	case excess > high:
		return exceeds(excess, high, whatLate)
	case excess > unit && !s.Accuracy.trusted():
		return exceeds(excess, unit, whatRent)
	case s.Regret.Known == 0 && s.Regret.Age < few:
		return Decision{Value: float64(s.Regret.Age), Limit: few, What: whatFew}
	case !s.Accuracy.trusted() && s.Accuracy.timely():
		return h.timed(s.cost(), load)
	}
	return h.planned(s.cost(), load)
}

// timed decides where the imbalance grows with the time. It balances when the imbalance
// exceeds its growth until the next balancing: to balance an iteration later costs this
// imbalance, and saves that growth in the interval to come. At a growth of g an iteration,
// intervals of sqrt(2C/g) iterations are best.
func (h *Bounded) timed(cost, load float64) Decision {
	s := &h.s
	now, growth := max(0, s.Regret.Last-s.left()), max(0, s.Growth.forecast())
	return exceeds(now, math.Sqrt(2*cost/load*growth), whatTime)
}

// steady reports that the imbalance can be expected to stay: the end of the run is known,
// no debt is left, and neither noise nor healing was seen.
func (h *Bounded) steady() bool {
	s := &h.s
	return h.Iterations > 0 && s.Debt == 0 && !s.Regret.Fallen && !s.Sieve.noisy() && s.Fresh.median() == 0
}

// probe balances to find out whether that helps. There are two reasons to probe. The
// imbalance has lasted long enough to cost as much as a balancing, and would cost stakes
// times as much in the rest of the run. Or the imbalance is more than noise, and the cost is
// below the premium part of the time spent. An imbalance that has only grown needs no probe:
// R decides about it, within the bound.
func (s *state) probe(cost, load, rest float64) Decision {
	left := 0.0 // the first distribution was not cut by times
	switch {
	case s.Fresh.N > 1:
		left = s.left()
	case s.sieving():
		left = s.Noise.forecast()
	}
	lasting := max(0, s.Regret.Least-left) * load
	d := exceeds(lasting*rest, stakes*cost, whatStake)
	if d.Balance && s.Regret.Fallen && lasting*float64(s.Regret.Age) > cost {
		return d
	}
	d = exceeds(premium*s.Regret.Spent, cost, whatProbe)
	visible := s.Own.latest()-s.left() > float64(visibleAbove*s.Regret.noise())
	d.Balance = d.Balance && s.Regret.Fallen && visible
	return d
}

// planned balances when going on without balancing, for any number of iterations, costs more
// than the best cycle does in the same time.
func (h *Bounded) planned(cost, load float64) Decision {
	c, r := &h.curve, &h.s.Regret
	unit := load * float64(max(1, c.Width))
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
	return Decision{Balance: cheapest > 0, Value: (cheapest + rate*best) * unit, Limit: rate * best * unit, What: whatPlan}
}

// unlessLoud postpones a balancing when the last iteration had more noise than removable
// imbalance. Work is cut by the times of that iteration, and would be cut badly.
func (s *state) unlessLoud(whole float64) Decision {
	noise, removable := whole-s.Regret.Last, s.Regret.Last-s.left()
	if s.Regret.Fallen && noise > 0 && noise >= removable {
		return Decision{Value: removable, Limit: noise, What: whatLoud}
	}
	return s.Next
}
