package criteria

import (
	"context"
	"math/rand/v2"
	"testing"

	"lockstep/bench/criteria/families"
	"lockstep/bench/internal/racetest"
	"lockstep/lb/criterion"
	"lockstep/lb/scenario"
)

// announcing has the families of programs that know in advance when their work changes. Each is mapped to a function
// that reports whether a change is known in advance.
var announcing = map[string]func(change float64) bool{
	"adaptive refinement":        anyChange,
	"refinement and coarsening":  anyChange,
	"refinement on demand":       anyChange,
	"refinement every few steps": anyChange,
	"settling and refinement":    anyChange,
	"injection":                  func(change float64) bool { return change > 0 }, // starts of pulses, not their decay
	"in situ analysis":           anyChange,
}

func anyChange(change float64) bool { return change != 0 }

// announcedBy returns a measurement that tells our criterion when the next known change happens.
func announcedBy(byTime []float64, known func(change float64) bool) measurement {
	t := 0
	return func(s criterion.Sample) criterion.Sample {
		for i := t; i < len(byTime) && s.Until == 0; i++ {
			if known(byTime[i]) {
				s.Until = i - t + 1
			}
		}
		t++
		return s
	}
}

// TestAnnouncedChanges runs families of programs that know when their work changes. In the mean over each family, the
// cost with announcements must not exceed the cost without announcements.
func TestAnnouncedChanges(t *testing.T) {
	racetest.Alone(t)
	seeds := 12
	if *long {
		seeds = 140
	}
	for name, known := range announcing {
		f, first, ok := families.Named(name)
		if !ok {
			t.Fatalf("no family %q", name)
		}
		var told, plain, toldOpen, plainOpen costTally
		for seed := first; seed < first+seeds; seed++ {
			app, cost, err := f.Application(seed)
			if err != nil {
				t.Fatal(err)
			}
			best, err := scenario.Optimum(context.Background(), app)
			if err != nil {
				t.Fatal(err)
			}
			_, _, laws := f.Draw(rand.New(rand.NewPCG(uint64(seed), 17)), seed)
			for n, tallies := range map[int][2]*costTally{app.Iterations(): {&plain, &told}, 0: {&plainOpen, &toldOpen}} {
				tallies[0].add(runCriterion(app, &criterion.Bounded{Iterations: n}, cost, nil).Cost, best.Cost)
				tallies[1].add(runCriterion(app, &criterion.Bounded{Iterations: n}, cost, announcedBy(laws.ByTime, known)).Cost, best.Cost)
			}
		}
		t.Logf("%-26s ours %.4f (%.2f), told %.4f (%.2f); end unknown %.4f (%.2f), told %.4f (%.2f)", name, plain.mean(), plain.worst,
			told.mean(), told.worst, plainOpen.mean(), plainOpen.worst, toldOpen.mean(), toldOpen.worst)
		if told.mean() > plain.mean()*1.005 || toldOpen.mean() > plainOpen.mean()*1.005 {
			t.Errorf("%s: what is known costs something", name)
		}
	}
}
