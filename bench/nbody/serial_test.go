package nbody

import (
	"flag"
	"testing"

	"lockstep/bench/internal/racetest"
)

var noise = flag.Float64("nbody-noise", 0, "`deviation` of the elements' times in TestSerialBalancesLess")

// TestSerialBalancesLess balances as the paper does. With the cost of its authors' serial program, NoRCB balances at
// least five times less often than RCB and HSFC. With equal costs for all methods the factor is smaller, so the cost
// explains most of it.
func TestSerialBalancesLess(t *testing.T) {
	racetest.Alone(t)
	e := defaults()
	e.Setups, e.Particles, e.PEs, e.Iterations, e.Every = []string{"contraction"}, 800, 128, 5000, 10
	if *long {
		e.Particles, e.Every = 5000, 5
	}
	e.Partitioners, e.Weights, e.CostFactor, e.Noise = []string{"rcb", "hsfc", "norcb", "norcb-serial"}, "particles", []float64{0.1}, *noise
	if *long {
		e.CostFactor = []float64{0.1, 0.01}
	}
	all := lines(t, e)
	for k, factor := range e.CostFactor {
		l := all[4*k : 4*k+4]
		for _, m := range l {
			t.Logf("costs %v, %s: %d balancings, %.3f of the ideal", factor, m.Partitioner, m.Balances, m.ParallelSeconds/m.IdealSeconds)
		}
		if fewest := min(l[0].Balances, l[1].Balances); *noise == 0 && (fewest < 5*l[3].Balances && factor == 0.1 || fewest > 3*l[2].Balances) {
			t.Errorf("costs %v: %d and %d balancings at the least, NoRCB %d and at its authors' price %d", factor, l[0].Balances, l[1].Balances, l[2].Balances, l[3].Balances)
		}
	}
}

// TestShortContraction moves particles over the distance of the authors' note, where NoRCB saves the most time. All
// methods balance the number of particles. With the cost of its authors' program, NoRCB balances at least five times
// less often than the other methods. The saving grows with the number of particles.
func TestShortContraction(t *testing.T) {
	if !*long {
		t.Skip("three seconds; run with -long")
	}
	racetest.Alone(t)
	e := defaults()
	e.Setups, e.Particles, e.PEs, e.Iterations, e.Every = []string{"contraction-short"}, 4000, 64, 5000, 25
	e.Partitioners, e.Weights, e.CostFactor = []string{"rcb", "hsfc", "norcb", "norcb-serial"}, "particles", []float64{0.02}
	l := lines(t, e)
	for _, m := range l {
		t.Logf("%s: %d balancings, %.3f of the ideal", m.Partitioner, m.Balances, m.ParallelSeconds/m.IdealSeconds)
		if m.HeldOut {
			t.Errorf("%s counts as held out", m.Setup)
		}
	}
	fastest := min(l[0].ParallelSeconds, l[1].ParallelSeconds)
	if l[2].ParallelSeconds > 0.7*fastest || l[3].ParallelSeconds > 0.75*fastest || min(l[0].Balances, l[1].Balances) < 5*l[3].Balances {
		t.Error("NoRCB saves less than elsewhere, or balances as often")
	}
}
