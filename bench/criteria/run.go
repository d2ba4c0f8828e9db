package criteria

import (
	"math"

	"lockstep/lb/criterion"
	"lockstep/lb/scenario"
)

// A measurement returns the sample that a criterion is given in place of the true
// one. nil gives it the true one.
type measurement func(criterion.Sample) criterion.Sample

// follow runs app with the balancings that c decides on. start is the cost of
// the initial distribution, which c is told but which is not charged.
func follow(app scenario.Application, c criterion.Criterion, start float64, measure measurement) scenario.Scenario {
	s, _ := followWithin(app, c, math.Inf(1), start, measure)
	return s
}

// followWithin is follow that gives up, and says so, as soon as the cost is above limit.
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
