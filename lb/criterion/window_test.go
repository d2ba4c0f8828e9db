package criterion

import "testing"

// No interval runs on beyond twice the cost of balancing, whatever the plan says: where
// the imbalance saturates to go on is cheapest, and the window alone ends it.
func TestWindowEnds(t *testing.T) {
	for _, level := range []float64{0.01, 0.04, 0.3} {
		const cost = 10.0
		c := &Bounded{}
		excess, most, age, ended := 0.0, 0.0, 0, 0
		for i := range 20_000 {
			balanced := i == 0
			if i > 0 && c.Decide().Balance {
				before := excess - level // the last iteration's excess comes on top
				most, excess, age, balanced = max(most, before), 0, 0, true
				ended++
			}
			imbalance := level
			if age == 0 {
				imbalance = 0
			}
			c.Observe(Sample{Max: 1 + imbalance, Mean: 1, Min: 1, Balanced: balanced, Cost: cost})
			excess += imbalance
			age++
		}
		if ended < 5 || most > 2*cost*(1+1e-9) || most < 1.9*cost {
			t.Errorf("level %v: %d intervals, the longest with an excess of %v; want nearly %v", level, ended, most, 2*cost)
		}
	}
}

// The slowest rank's cost counts, whichever report it comes with.
func TestReportsMerge(t *testing.T) {
	a, b := Report{Max: 1, Sum: 1, Min: 1, Count: 1, Cost: 2}, Report{Max: 3, Sum: 5, Min: 2, Count: 2, Cost: 4, Balanced: true, Bad: 1}
	want := Report{Max: 3, Sum: 6, Min: 1, Count: 3, Cost: 4, Balanced: true, Bad: 1}
	if x, y := a.Merge(b), b.Merge(a); x != want || y != want {
		t.Errorf("%+v and %+v, want %+v", x, y, want)
	}
	if got := (Report{}).Merge(b); got != b {
		t.Errorf("with no report %+v", got)
	}
}
