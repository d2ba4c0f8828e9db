package criteria

import (
	"lockstep/lb/criterion"
	"lockstep/lb/scenario"
)

// lens is what lies between an application and the criterion that watches it:
// it returns the sample that the criterion gets to see. nil shows it the truth.
type lens func(criterion.Sample) criterion.Sample

// follow runs app with the balancings that c decides on. start is the cost of
// the initial distribution, which c is told but which is not charged.
func follow(app scenario.Application, c criterion.Criterion, start float64, see lens) scenario.Scenario {
	return scenario.Drive(app,
		func(int) bool { return c.Decide().Balance },
		func(r scenario.Record) {
			s := criterion.Sample{Max: r.Max, Mean: r.Mean, Min: r.Min, Balanced: r.Balanced, Cost: r.Cost}
			if r.Index == 0 {
				s.Balanced, s.Cost = true, start
			}
			if see != nil {
				s = see(s)
			}
			c.Observe(s)
		})
}
