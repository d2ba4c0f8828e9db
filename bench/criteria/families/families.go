// Package families draws random applications, by which criteria for when to balance are compared: 78 laws of how an
// imbalance grows, in seven sets.
//
// The sets differ in what their authors knew. By the first two our criterion was developed. The others were written
// before the criterion, or before a change of it, and kept: nothing is tuned by them.
package families

import (
	"fmt"
	"math/rand/v2"

	"lockstep/lb/scenario"
)

// A Family draws applications of one law.
type Family struct {
	Name string
	// Kind says on what the imbalance depends: age, time, or both.
	Kind string
	// Draw returns the cost of balancing, the mean loads and the laws of an application.
	// seed chooses among kinds of loads; r has its own state.
	Draw func(r *rand.Rand, seed int) (cost float64, mean []float64, laws scenario.Laws)
}

// A Set is some families with seeds of their own.
type Set struct {
	Name     string
	Tuned    bool // our criterion was developed by them
	First    int  // of the seeds
	Families []Family
}

// Sets returns all families.
func Sets() []Set {
	return []Set{
		{"age", true, 0, ageFamilies()},
		{"time", true, 0, timeFamilies()},
		{"heldout", false, 0, heldOut()},
		{"applications", false, 0, applications()},
		{"unseen", false, unseenSeeds, unseen()},
		{"reserve", false, reserveSeeds, reserve()},
		{"fresh", false, freshSeeds, fresh()},
	}
}

// Application draws the application of a seed, at least the First of the family's set, and
// returns it with the cost of its first distribution.
func (f Family) Application(seed int) (*scenario.Drift, float64, error) {
	cost, mean, laws := f.Draw(rand.New(rand.NewPCG(uint64(seed), 17)), seed)
	app, err := scenario.NewDrift(cost, mean, laws)
	if err != nil {
		return nil, 0, fmt.Errorf("family %q, seed %d: %w", f.Name, seed, err)
	}
	return app, cost, nil
}

// Named returns the family of a name and the first seed of its set.
func Named(name string) (f Family, first int, ok bool) {
	for _, s := range Sets() {
		for _, f := range s.Families {
			if f.Name == name {
				return f, s.First, true
			}
		}
	}
	return Family{}, 0, false
}
