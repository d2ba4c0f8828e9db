package criterion

import "math"

// An intervalState is what [Bounded] knows about the iterations since the last balancing. I is the imbalance of an
// iteration: the largest load divided by the mean load, minus 1. An imbalance has healed when I has fallen, without a
// balancing, almost to the value that it had after the last balancing.
type intervalState struct {
	Age    int        // iterations since the balancing
	Known  int        // number of ages that were seen in earlier intervals
	Fresh  float64    // I of the first iteration
	Slope  float64    // growth of I per iteration, as forecast before the balancing
	Last   float64    // I of the last iteration
	Lowest float64    // least I since the balancing
	Near   lastValues // I of the last trendLen iterations
	Low    float64    // least median of I over trendLen successive iterations
	Top    float64    // largest I since the imbalance last healed
	Least  float64    // least I from iteration trendLen on
	Jitter jitter
	Sieved bool    // what the balancing left is known without noise
	Fallen bool    // I has fallen from one iteration to the next
	Spent  float64 // time of the iterations
	Level  level   // forecasts the part of I that a balancing removes

	Excess float64 // R, the removable excess
	Cycle  cycle   // sums since the imbalance last healed
	Kept   float64 // excess of healed cycles that still counts, see heal
	Healed float64 // largest cycle.Sum among the healed cycles
}

// A cycle holds sums over a rise and fall of the imbalance, from one healing to the next.
type cycle struct {
	Excess float64 // removable excess
	Sum    float64 // sum of the part of I that a balancing removes
}

const (
	// healedBelow is a fraction. The imbalance counts as healed when it has fallen to this fraction of its largest
	// value. With a tenth, an imbalance that rises evenly over ten iterations counts as healed when it has fallen to
	// its value after the first of them.
	healedBelow = 0.1
)

// add records an iteration. fresh is the imbalance that a balancing leaves.
func (r *intervalState) add(s Sample, fresh float64) {
	now := s.imbalance()
	removable := float64((now - fresh - r.noise()) * s.Mean)
	r.Jitter.add(now)
	r.Fallen = r.Fallen || r.falls(now)
	r.Cycle.Excess = max(0, r.Cycle.Excess+removable)
	r.Cycle.Sum += max(0, now-fresh)
	r.Excess = r.Kept + r.Cycle.Excess
	r.Level.add(max(0, now-fresh))
	r.Spent += s.Max
	r.Top = max(r.Top, now)
	r.Lowest = min(r.Lowest, now)
	r.Near.add(now)
	if near := r.Near.median(); r.Near.N == trendLen || r.Near.N > trendLen && near < r.Low {
		r.Low = near
	}
	if r.Age < trendLen || now < r.Least {
		r.Least = now
	}
	if r.Age > 0 && r.Top > fresh && now-fresh <= float64(healedBelow*(r.Top-fresh)) {
		r.heal(now)
	}
	r.Age++
	r.Last = now
}

// falls reports whether the imbalance now is less than in the last iteration.
func (r *intervalState) falls(now float64) bool {
	// A decrease within the rounding error of a quotient is no fall.
	return r.Age > 0 && now < r.Last-float64(roundoff*(1+r.Last))
}

// minLasting returns the smaller of two values: limit, and the least median of I over trendLen successive iterations.
// It returns limit if there were fewer iterations.
func (r *intervalState) minLasting(limit float64) float64 {
	if r.Near.N < trendLen {
		return limit
	}
	return min(limit, r.Low)
}

// heal ends a cycle of the imbalance and forgets its excess. If there were earlier cycles, and this cycle's Sum exceeds
// Healed, the largest of theirs, heal keeps the fraction (Sum-Healed)/Sum of the excess. So waves of imbalance that
// grow finally lead to a balancing.
func (r *intervalState) heal(now float64) {
	if r.Healed > 0 && r.Cycle.Sum > r.Healed {
		r.Kept += float64(r.Cycle.Excess * (1 - r.Healed/r.Cycle.Sum))
	}
	r.Healed = max(r.Healed, r.Cycle.Sum)
	r.Cycle, r.Top, r.Excess = cycle{}, now, r.Kept
}

// noise returns the mean absolute change of I from iteration to iteration, or 0 if the imbalance has only grown.
func (r *intervalState) noise() float64 {
	if !r.Fallen {
		return 0
	}
	return r.Jitter.Moved / float64(r.Age)
}

// resetExcess resets the excess to the part that heal has kept.
func (r *intervalState) resetExcess() { r.Cycle, r.Excess, r.Sieved = cycle{}, r.Kept, true }

const (
	// riseStdErrs is the number of standard errors that a rise must exceed. If the noise of iterations is independent,
	// one test in 30,000 shows a rise of 4 standard errors by chance.
	riseStdErrs = 4.0
	// visibleAbove is a condition for a probe. The imbalance must exceed the imbalance that a balancing leaves by
	// visibleAbove times the mean change of I from iteration to iteration. The factor is above 2 for this reason: if
	// work is divided by the loads of one iteration, its imbalance in the next has the noise of both iterations.
	visibleAbove = 3.0
	// absoluteToDeviation turns the mean absolute difference of two independent normal values into their standard
	// deviation: E|x-y| = (2/sqrt(pi)) sigma = 1.128 sigma, where x and y are the values, E the expectation and sigma
	// the standard deviation.
	absoluteToDeviation = 1 / 1.128
)

// rise compares the mean of the last quarter of an interval with that of its first quarter. It returns the difference,
// and the largest difference that noise alone may cause. change is the mean absolute change of I from iteration to
// iteration.
func (c *curve) rise(change float64) (rise, noise float64) {
	n := len(c.Excess)/4 + 1
	last := c.mean(len(c.Excess)-n, n)
	count := float64(n * c.width())
	return last - c.mean(0, n), riseStdErrs * absoluteToDeviation * change * math.Sqrt(2/count)
}

// latest returns the mean I in the last quarter of an interval.
func (c *curve) latest() float64 {
	n := len(c.Excess)/4 + 1
	return c.mean(len(c.Excess)-n, n)
}

// mean returns the mean I of n buckets, from bucket `first` on.
func (c *curve) mean(first, n int) float64 {
	excess, load := 0.0, 0.0
	for b := max(0, first); b < min(first+n, len(c.Excess)); b++ {
		excess += c.Excess[b]
		load += c.Load[b]
	}
	if !(load > 0) {
		return 0
	}
	return excess / load
}
