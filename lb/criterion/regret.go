package criterion

import "math"

// regret is what a criterion within bounds knows of the iterations since the last
// balancing.
type regret struct {
	age    int     // iterations since the balancing
	known  int     // ages below this were seen in earlier intervals
	before float64 // imbalance before the balancing
	last   float64 // I of the last iteration
	least  float64
	top    float64 // greatest I since the imbalance healed last
	moved  float64 // sum of the changes of I from iteration to iteration
	fallen bool    // I was smaller than in the iteration before
	spent  float64 // time
	gain   float64 // time that the balancing has saved, had I stayed as before
	near   recent  // the last imbalances
	step   float64
	level  level // of I above what a balancing leaves

	excess float64 // removable: R
	cycle  cycle   // since the imbalance healed last
	kept   float64 // of the excess of healed cycles
	healed float64 // the greatest sum of a healed cycle
}

// cycle is what was added since the imbalance was as good as freshly balanced.
type cycle struct {
	excess float64 // removable
	sum    float64 // of I above what a balancing leaves
}

// healedBelow is the part of its greatest value to which the imbalance has to
// fall for a run to count as freshly balanced: a tenth is within what one
// iteration adds on a hill of ten iterations.
const healedBelow = 0.1

// add takes in an iteration. fresh is the imbalance that a balancing leaves.
func (r *regret) add(s Sample, fresh float64) {
	now := s.imbalance()
	removable := float64((now - fresh - r.noise()) * s.Mean)
	r.near.add(now)
	if r.age > 0 {
		r.step = now - r.last
		move := math.Abs(now - r.last)
		if r.age > len(r.near.values) {
			move = min(move, float64(outlier*r.moved/float64(r.age)))
		}
		r.moved += move
		r.fallen = r.fallen || now < r.last-float64(roundoff*(1+r.last)) // a quotient's rounding is no fall
	}
	r.cycle.excess = max(0, r.cycle.excess+removable)
	r.cycle.sum += max(0, now-fresh)
	r.excess = r.kept + r.cycle.excess
	r.level.add(max(0, now-fresh))
	r.gain += float64((r.before - now) * s.Mean)
	r.spent += s.Max
	r.top = max(r.top, now)
	if r.age < few || now < r.least {
		r.least = now
	}
	if r.age > 0 && r.top > fresh && now-fresh <= float64(healedBelow*(r.top-fresh)) {
		r.heal(now)
	}
	r.age++
	r.last = now
}

// heal forgives the excess of a cycle as far as an earlier one healed as well:
// waves that grow are no reason to wait for ever.
func (r *regret) heal(now float64) {
	if r.healed > 0 && r.cycle.sum > r.healed {
		r.kept += float64(r.cycle.excess * (1 - r.healed/r.cycle.sum))
	}
	r.healed = max(r.healed, r.cycle.sum)
	r.cycle, r.top, r.excess = cycle{}, now, r.kept
}

// outlier is the number of mean changes beyond which a change is clipped.
const outlier = 4.0

// noise returns the mean change of I from iteration to iteration. An imbalance
// that has only grown has no noise.
func (r *regret) noise() float64 {
	if !r.fallen {
		return 0
	}
	return r.moved / float64(r.age)
}

const (
	// surely is the number of standard errors that a rise must exceed. Of
	// independent noise one in 30,000 looks sees such a rise.
	surely = 4.0
	// visibleAbove is the number of mean changes by which the imbalance must exceed
	// what a balancing leaves for a probe: work that is cut by the loads of one
	// iteration carries the noise of two.
	visibleAbove = 3.0
	// absoluteToDeviation is the standard deviation of a difference of two normal
	// variables over its mean absolute value, over the square root of 2.
	absoluteToDeviation = 1 / 1.128
)

// rise returns by how much the last quarter of an interval exceeds the first, and
// what noise alone may make of that, given the mean change from iteration to
// iteration.
func (c *curve) rise(change float64) (rise, noise float64) {
	n := len(c.excess)/4 + 1
	last := c.mean(len(c.excess)-n, n)
	count := float64(n * max(1, c.width))
	return last - c.mean(0, n), surely * absoluteToDeviation * change * math.Sqrt(2/count)
}

// latest returns I in the last quarter of an interval.
func (c *curve) latest() float64 {
	n := len(c.excess)/4 + 1
	return c.mean(len(c.excess)-n, n)
}

// mean returns I over n buckets from the given one.
func (c *curve) mean(from, n int) float64 {
	excess, load := 0.0, 0.0
	for b := max(0, from); b < min(from+n, len(c.excess)); b++ {
		excess += c.excess[b]
		load += c.load[b]
	}
	if !(load > 0) {
		return 0
	}
	return excess / load
}
