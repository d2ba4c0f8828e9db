package criteria

import (
	"math"

	"lockstep/lb/criterion"
	"lockstep/lb/scenario"
)

// A measurement turns the true sample into the sample that a criterion is given. nil leaves the sample unchanged.
type measurement func(criterion.Sample) criterion.Sample

// follow runs app with the balancings for which c asks. start is the cost of the initial distribution: c is told this
// cost, but it is not charged.
func follow(app scenario.Application, c criterion.Criterion, start float64, measure measurement) scenario.Scenario {
	s, _ := followWithin(app, c, math.Inf(1), start, measure)
	return s
}

// followWithin is follow, but stops and returns false as soon as the cost exceeds limit.
func followWithin(app scenario.Application, c criterion.Criterion, limit, start float64, measure measurement) (s scenario.Scenario, ok bool) {
	return scenario.DriveWithin(app, limit,
		func(int) bool { return c.Decide().Balance },
		func(r scenario.Record) {
			s := criterion.Sample{Max: r.Max, Mean: r.Mean, Min: r.Min, Balanced: r.Balanced, Cost: r.Cost, Times: r.Times}
			if r.Index == 0 {
				s.Balanced, s.Cost = true, start
			}
			if measure != nil {
				s = measure(s)
			}
			c.Observe(s)
		})
}
