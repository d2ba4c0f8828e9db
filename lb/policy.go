package lb

import (
	"fmt"
	"math"
)

// State is all that a decision is made from.
type State struct {
	Iteration   int // of the loop, from 0
	Information     // about the workload before the decision
	// NewMax is MAX(new workload) of the trial plan.
	NewMax int32
	// Savings is Max-NewMax, in iterations.
	Savings float64
	// Cost is the cost model's estimate for one look and one redistribution, in
	// iterations; +Inf without a calibration.
	Cost float64
}

// Decision says whether to redistribute before the next iteration, and why.
type Decision struct {
	Redistribute  bool
	Savings, Cost float64 // in iterations; both finite, the cost 0 where it is unknown
	What          string  // the rule that compared them
}

// String explains the decision in a line.
func (d Decision) String() string {
	verdict := "go on"
	if d.Redistribute {
		verdict = "redistribute"
	}
	return fmt.Sprintf("%s: savings %.6g, cost %.6g iterations (%s)", verdict, d.Savings, d.Cost, d.What)
}

// Policy is the decision phase. Any type with this method will do. One that is no
// [Limiter] is asked at every look, and only its refusals make looks rarer.
type Policy interface {
	Decide(State) Decision
}

// Limiter is what a policy may implement as well to be spared looks in
// vain.
type Limiter interface {
	// Limit returns the number of iterations that the savings must exceed, at
	// this cost, for the policy to redistribute. It is at least 0 and must not
	// depend on anything else, or worthwhile looks are missed.
	Limit(cost float64) float64
}

// Never is the policy of the paper's Figure 1.
type Never struct{}

// Decide implements [Policy].
func (Never) Decide(s State) Decision {
	return Decision{Savings: s.Savings, Cost: finite(s.Cost), What: "never"}
}

// Limit implements [Limiter]: no savings are enough.
func (Never) Limit(float64) float64 { return math.Inf(1) }

// Always redistributes whenever that saves an iteration, whatever it costs.
type Always struct{}

// Decide implements [Policy].
func (Always) Decide(s State) Decision {
	return Decision{Redistribute: s.Savings > 0, Savings: s.Savings, Cost: finite(s.Cost), What: "always"}
}

// Limit implements [Limiter].
func (Always) Limit(float64) float64 { return 0 }

// CostEffective redistributes when the savings exceed the cost (section 2.1 of
// the paper). If no redistribution costs more than its estimate, a loop is never
// slower than without redistributions but for the looks that were in vain.
type CostEffective struct{}

// Decide implements [Policy].
func (CostEffective) Decide(s State) Decision {
	return Decision{Redistribute: s.Savings > s.Cost, Savings: s.Savings, Cost: finite(s.Cost), What: "savings above cost"}
}

// Limit implements [Limiter].
func (CostEffective) Limit(cost float64) float64 { return cost }

// finite returns 0 for a cost that is unknown.
func finite(cost float64) float64 {
	if math.IsInf(cost, 1) {
		return 0
	}
	return cost
}

// PolicyByName returns the policy called never, always or cost.
func PolicyByName(name string) (Policy, error) {
	switch name {
	case "never":
		return Never{}, nil
	case "always":
		return Always{}, nil
	case "cost":
		return CostEffective{}, nil
	}
	return nil, fmt.Errorf("lb: no balancing policy %q; never, always or cost", name)
}
