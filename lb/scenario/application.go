package scenario

import (
	"context"
	"errors"
	"fmt"
	"math"
)

// An Application is a program for which a search finds the iterations before which balancing is best. A run can start
// at any iteration, with balanced work. What happens after a balancing must not depend on earlier decisions. So the
// search can merge histories that balance before the same iteration.
type Application interface {
	// Iterations returns the number of iterations, at least 0.
	Iterations() int
	// Mean returns the mean load of the processing elements in iteration t. This is a lower bound of the iteration's
	// time, however the work is distributed.
	Mean(t int) float64
	// Balanced starts a run at iteration t, before which the work was just balanced.
	Balanced(t int) Run
}

// A Run is a running application, from a balancing on.
type Run interface {
	// Step runs the next iteration.
	Step() Iteration
	// Cost returns the cost of balancing before the next iteration. The first Step comes before the first call.
	Cost() float64
}

// An Iteration holds the measurable times of one iteration, all in one unit.
type Iteration struct {
	Max  float64 // time of the slowest processing element, for which all others wait
	Mean float64 // mean time of the processing elements
	Min  float64 // time of the fastest processing element
	// Times are the times of all processing elements, or nil if they are not known. They are valid until the run's next
	// Step.
	Times []float64
}

// An Ager is an application that knows how its imbalance depends on its age, the number of iterations since it was
// balanced. Searches then drop more candidates.
type Ager interface {
	// YoungerIsBetter compares two runs, one of which was balanced later than the other. It reports whether the run
	// that was balanced later takes at most as long in every iteration, and costs at most as much to balance.
	YoungerIsBetter() bool
}

// A Scenario holds the iterations before which an application is balanced, and the cost of the whole run. The
// iterations are in increasing order, without iteration 0.
type Scenario struct {
	Balances []int
	Cost     float64
}

// Evaluate runs app, balances it before the given iterations, and returns the cost of the run. It returns an error
// unless balances are strictly increasing and from 1 to app.Iterations()-1.
func Evaluate(app Application, balances []int) (float64, error) {
	n := app.Iterations()
	for i, t := range balances {
		if t < 1 || t >= n || (i > 0 && t <= balances[i-1]) {
			return 0, fmt.Errorf("balancing %d of %d, at iteration %d: expected increasing iterations from 1 to %d", i, len(balances), t, n-1)
		}
	}
	next := 0
	s := Drive(app, func(t int) bool {
		if next == len(balances) || balances[next] != t {
			return false
		}
		next++
		return true
	}, nil)
	return s.Cost, nil
}

// A Record describes an iteration of a run for an observer.
type Record struct {
	Index int // number of the iteration, from 0
	Iteration
	// Balanced says that the work was balanced just before this iteration, at cost Cost. It is false in iteration 0.
	Balanced bool
	Cost     float64
}

// Drive runs app and returns the resulting scenario. Before every iteration but the first it calls balance, which
// decides whether to balance. After every iteration it passes a Record to observe, which may be nil.
func Drive(app Application, balance func(t int) bool, observe func(Record)) Scenario {
	s, _ := DriveWithin(app, math.Inf(1), balance, observe)
	return s
}

// DriveWithin is like Drive, but stops and returns false as soon as the cost exceeds limit. Costs only grow, so such a
// run cannot be the cheapest.
func DriveWithin(app Application, limit float64, balance func(t int) bool, observe func(Record)) (s Scenario, ok bool) {
	n := app.Iterations()
	if n == 0 {
		return s, true
	}
	run := app.Balanced(0)
	for t := range n {
		r := Record{Index: t}
		if t > 0 && balance(t) {
			r.Balanced, r.Cost = true, run.Cost()
			s.Cost += r.Cost
			s.Balances = append(s.Balances, t)
			run = app.Balanced(t)
		}
		r.Iteration = run.Step()
		s.Cost += r.Max
		if observe != nil {
			observe(r)
		}
		if s.Cost > limit {
			return s, false
		}
	}
	return s, true
}

// checkArgs returns an error if ctx or app is nil.
func checkArgs(ctx context.Context, app Application) error {
	if ctx == nil || app == nil {
		return errors.New("expected a context and an application, not nil")
	}
	return nil
}
