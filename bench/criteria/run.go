package criteria

import (
	"math"

	"lockstep/lb/criterion"
	"lockstep/lb/scenario"
)

// A measurement returns the sample that a criterion gets in place of the true one, for example with noise. A nil
// measurement means that the criterion gets the true sample.
type measurement func(criterion.Sample) criterion.Sample

// runCriterion runs app and balances it whenever c says so. start is the cost of the initial distribution. The
// criterion c learns start, but the cost of the result does not include it.
func runCriterion(app scenario.Application, c criterion.Criterion, start float64, measure measurement) scenario.Scenario {
	s, _ := runCriterionWithin(app, c, math.Inf(1), start, measure)
	return s
}

// runCriterionWithin is like runCriterion, but stops and returns false as soon as the cost exceeds limit.
func runCriterionWithin(app scenario.Application, c criterion.Criterion, limit, start float64, measure measurement) (s scenario.Scenario, ok bool) {
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
