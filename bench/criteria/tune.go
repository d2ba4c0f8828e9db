package criteria

import (
	"context"
	"math"

	"lockstep/lb/criterion"
	"lockstep/lb/scenario"
)

// A tuning finds the best parameter of a criterion by trying many values.
type tuning struct {
	name string
	grid []float64 // values in increasing order
	make func(parameter float64) criterion.Criterion
	// next returns, from the decision d of a run with the given parameter, the smallest greater parameter for which
	// that decision could be different. If next is nil, the next value of the grid is tried.
	next func(parameter float64, d criterion.Decision) float64
}

// The paper tries 5000 values of rho from 0.5 to 50.
const (
	rhoLeast = 0.5
	rhoMost  = 50.0
	rhoTries = 5000
)

// tuningTries returns how many of the wanted parameters may be tried. For long runs it is fewer, so that an application
// takes a few seconds at some 50 ns per iteration. For the paper's 600 iterations it is all 5000 values.
func tuningTries(iterations, wanted int) int {
	const steps = 30_000_000
	return max(16, min(wanted, steps/max(1, iterations)))
}

func tunings(iterations int) []tuning {
	rho := make([]float64, tuningTries(iterations, rhoTries))
	for i := range rho {
		rho[i] = rhoLeast + float64(float64(i)*(rhoMost-rhoLeast)/float64(len(rho)-1))
	}
	return []tuning{
		{
			name: "procassini", grid: rho,
			make: func(rho float64) criterion.Criterion { return &criterion.Procassini{Rho: rho} },
			next: func(rho float64, d criterion.Decision) float64 {
				if d.Balance || d.Value <= 0 {
					return math.Inf(1)
				}
				return d.Limit / (d.Value / rho) * (1 - 1e-12) // slightly less, because of rounding
			},
		},
		{
			name: "periodic", grid: periods(iterations),
			make: func(p float64) criterion.Criterion { return &criterion.Periodic{Period: int(p)} },
		},
		{
			name: "marquez", grid: tolerances(),
			make: func(xi float64) criterion.Criterion { return &criterion.Marquez{Tolerance: xi} },
		},
	}
}

// periods returns all periods up to the run's length. If these are more than may be tried, it returns as many as may,
// in steps of equal ratio.
func periods(iterations int) []float64 {
	n := tuningTries(iterations, iterations)
	var out []float64
	for i := range n {
		p := float64(i + 1)
		if n < iterations {
			p = math.Round(math.Pow(float64(iterations), float64(i+1)/float64(n)))
		}
		if len(out) == 0 || p > out[len(out)-1] {
			out = append(out, p)
		}
	}
	return out
}

// tolerances returns 400 values from 0.01 to 100 in steps of equal ratio.
func tolerances() []float64 {
	out := make([]float64, 400)
	for i := range out {
		out[i] = math.Pow(10, -2+4*float64(i)/float64(len(out)-1))
	}
	return out
}

// best returns the first parameter with the least cost, and the scenario that it leads to.
func (t tuning) best(ctx context.Context, app scenario.Application, start float64) (float64, scenario.Scenario, error) {
	var parameter float64
	least := scenario.Scenario{Cost: math.Inf(1)}
	from := math.Inf(-1)
	for _, v := range t.grid {
		if v < from {
			continue
		}
		if err := ctx.Err(); err != nil {
			return 0, least, err
		}
		w := &watched{Criterion: t.make(v), value: v, next: t.next, least: math.Inf(1)}
		// Parameters that would make the same decisions up to the point where this run is stopped would be stopped as
		// well.
		if s, ok := followWithin(app, w, least.Cost, start, nil); ok && s.Cost < least.Cost {
			parameter, least = v, s
		}
		if t.next != nil {
			from = w.least
		}
	}
	return parameter, least, nil
}

// watched records the smallest parameter with which the criterion could have decided differently.
type watched struct {
	criterion.Criterion
	value float64
	next  func(float64, criterion.Decision) float64
	least float64
}

// Decide returns the decision of the criterion, after it has updated least.
func (w *watched) Decide() criterion.Decision {
	d := w.Criterion.Decide()
	if w.next != nil {
		w.least = min(w.least, w.next(w.value, d))
	}
	return d
}
