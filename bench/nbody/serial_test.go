package nbody

import (
	"flag"
	"testing"

	"lockstep/bench/internal/racetest"
)

var noise = flag.Float64("nbody-noise", 0, "`deviation` of the elements' times in TestSerialBalancesLess")

// As the paper balances, at the price of its authors' program, NoRCB balances at least five times less often than
// RCB and HSFC, and at equal prices not: most of the factor is the price's.
func TestSerialBalancesLess(t *testing.T) {
	racetest.Alone(t)
	e := defaults()
	e.Setups, e.Particles, e.PEs, e.Iterations, e.Every = []string{"contraction"}, 2000, 128, 5000, 5
	if *long {
		e.Particles = 5000
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
