package lb

import (
	"fmt"
	"math"
)

// A Policy decides which savings are worth a redistribution.
type Policy uint8

// Policies for redistributing tasks.
const (
	// CostEffective redistributes if the savings exceed the cost (Ahrens and Hansen 1995, section 2.1). If no
	// redistribution costs more than its estimate, a loop loses at most the time of the checks that led to no
	// redistribution.
	CostEffective Policy = iota
	Never                // never redistribute
	Always               // redistribute whenever that saves an iteration
)

var policyNames = [...]string{CostEffective: "cost", Never: "never", Always: "always"}

// Valid reports whether p is one of the policies.
func (p Policy) Valid() bool { return int(p) < len(policyNames) }

// String returns "cost", "never" or "always".
func (p Policy) String() string {
	if !p.Valid() {
		return fmt.Sprintf("policy %d", uint8(p))
	}
	return policyNames[p]
}

// UnmarshalText sets p to the policy whose String is name. It returns an error for other names.
func (p *Policy) UnmarshalText(name []byte) error {
	for i, known := range policyNames {
		if string(name) == known {
			*p = Policy(i)
			return nil
		}
	}
	return fmt.Errorf("no balancing policy %q: expected never, always or cost", name)
}

// Threshold returns the number of iterations that the savings of a redistribution must exceed, if it has the given
// cost. The threshold is cost for CostEffective, 0 for Always and infinity for Never.
func (p Policy) Threshold(cost float64) float64 {
	switch p {
	case Never:
		return math.Inf(1)
	case Always:
		return 0
	}
	return cost
}

// Decide decides whether to redistribute a workload with summary s. newMax is the largest workload after the
// redistribution. cost is in iterations. No plan has a smaller newMax than [Summary.Balanced]. So if Decide refuses
// that value, it refuses every plan.
func (p Policy) Decide(s Summary, newMax int32, cost float64) Decision {
	d := Decision{Savings: float64(s.Max - newMax), Cost: p.Threshold(cost)}
	d.Redistribute = d.Savings > d.Cost
	return d
}

// A Decision says whether to redistribute before the next iteration, and why.
type Decision struct {
	Redistribute bool
	Savings      float64 // iterations that the redistribution saves
	Cost         float64 // iterations that Savings must exceed; may be +Inf
	Reason       string  // why a cycle refused, in a word or two; "" if Savings and Cost decided
}

// String explains the decision in one line.
func (d Decision) String() string {
	verdict, reason := "go on", ""
	if d.Redistribute {
		verdict = "redistribute"
	}
	if d.Reason != "" {
		reason = " (" + d.Reason + ")"
	}
	return fmt.Sprintf("%s: savings %.6g, cost %.6g iterations%s", verdict, d.Savings, d.Cost, reason)
}
