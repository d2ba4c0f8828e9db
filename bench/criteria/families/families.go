// Package families draws random applications with which criteria for when to balance are compared. There are 78
// families of applications in seven sets. In each family the imbalance grows by a different law.
//
// Our criterion was developed with the first two sets. The others are test sets: no parameter was chosen with them.
// They were written before the criterion, or before a change of it.
package families

import (
	"fmt"
	"math/rand/v2"

	"lockstep/lb/scenario"
)

// A Family generates random applications of one kind.
type Family struct {
	Name string
	// Kind says on what the growth of the imbalance depends: "age", the number of iterations since a balancing; "time",
	// the iteration; or "both".
	Kind string
	// Draw returns the cost of a balancing, the mean load of every iteration and the laws of an application. In some
	// families seed selects how the loads change. Everything else is drawn from r.
	Draw func(r *rand.Rand, seed int) (cost float64, mean []float64, laws scenario.Laws)
}

// A Set is a group of families with a common range of seeds.
type Set struct {
	Name     string
	Tuned    bool // our criterion was developed with this set
	First    int  // first seed of the set
	Families []Family
}

// Sets returns all sets of families.
func Sets() []Set {
	return []Set{
		{"age", true, 0, ageFamilies()},
		{"time", true, 0, timeFamilies()},
		{"heldout", false, 0, heldOutFamilies()},
		{"applications", false, 0, applicationFamilies()},
		{"unseen", false, unseenSeeds, unseenFamilies()},
		{"reserve", false, reserveSeeds, reserveFamilies()},
		{"fresh", false, freshSeeds, freshFamilies()},
	}
}

// Application draws the application with a seed. It also returns the cost of the first distribution of the work, which
// equals the cost of a balancing. The seed should be at least the First of the family's set, so that sets do not share
// seeds.
func (f Family) Application(seed int) (*scenario.Drift, float64, error) {
	cost, mean, laws := f.Draw(rand.New(rand.NewPCG(uint64(seed), 17)), seed)
	app, err := scenario.NewDrift(cost, mean, laws)
	if err != nil {
		return nil, 0, fmt.Errorf("family %q, seed %d: %w", f.Name, seed, err)
	}
	return app, cost, nil
}

// Named returns the named family and the first seed of its set. ok is false if there is none.
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
