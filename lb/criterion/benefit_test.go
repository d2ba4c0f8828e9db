package criterion

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// Balancing saves 1 per iteration over n iterations, at a cost of 5.
func TestPearceKnown(t *testing.T) {
	p := &Pearce{}
	p.Observe(Sample{Max: 2, Mean: 2, Balanced: true, Cost: 5})
	for i := 2; i <= 6; i++ {
		p.Observe(Sample{Max: 3, Mean: 2})
		if d := p.Decide(); d.Balance != (i > 5) || d.Value != float64(i) || d.Limit != 5 {
			t.Errorf("after %d iterations: %v", i, d)
		}
	}
	// The mean efficiency after balancings is now 0.75, so an iteration would take 2/0.75 instead of 3 if balanced.
	p.Observe(Sample{Max: 4, Mean: 2, Balanced: true, Cost: 5}) // the efficiencies so far are 1 and 1/2
	p.Observe(Sample{Max: 3, Mean: 2})
	if d := p.Decide(); math.Abs(d.Value-float64(2*(3-2/0.75))) > 1e-12 {
		t.Errorf("%v", d)
	}
	if d := (&Pearce{}).Decide(); d.Balance || d.Value != 0 {
		t.Errorf("without a sample: %v", d)
	}
}

// TestRhoByTau checks Remark 2. If the imbalance grows linearly, Procassini's rule with the given rho balances at the
// same iterations as Menon's rule. At a tie the two may differ by one iteration.
func TestRhoByTau(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cost := rapid.Float64Range(100, 5000).Draw(t, "cost")
		slope := rapid.Float64Range(0.01, 1).Draw(t, "slope")
		load := rapid.Float64Range(1, 50).Draw(t, "load")
		tau, rho := LinearInterval(cost, slope, load)
		first := func(c Criterion) int {
			for k := 0; ; k++ {
				c.Observe(Sample{Max: load + slope*float64(k), Mean: load, Min: load, Balanced: k == 0, Cost: cost})
				if c.Decide().Balance {
					return k + 1
				}
			}
		}
		menon, procassini := first(&Menon{}), first(&Procassini{Rho: rho})
		if math.Abs(float64(menon)-tau) > 2 || math.Abs(float64(procassini)-tau) > 2 {
			t.Fatalf("tau %v, rho %v: Menon's after %d, Procassini's after %d", tau, rho, menon, procassini)
		}
	})
}
