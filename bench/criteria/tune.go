package criteria

import (
	"context"
	"math"

	"lockstep/lb/criterion"
	"lockstep/lb/scenario"
)

// A tunedCriterion is a criterion whose parameter is tuned for each application, by trying many values.
type tunedCriterion struct {
	name string
	grid []float64 // values in increasing order
	make func(parameter float64) criterion.Criterion
	// next is called for every decision d of a run with a parameter. It returns a larger parameter: the smallest with
	// which that decision could be different. Values between the two parameters need not be tried. If next is nil, all
	// values of the grid are tried.
	next func(parameter float64, d criterion.Decision) float64
}

// minRho and maxRho are the range of values of rho, the parameter of Procassini's criterion. Boulmier et al.
// (arXiv:2104.01688) try 5000 values from 0.5 to 50, and so do we.
const (
	minRho   = 0.5
	maxRho   = 50.0
	rhoTries = 5000
)

// maxTries returns how many parameters are tried: as many as `wanted`, or fewer if the run is long, but at least 16.
// All tries together then take a few seconds, because an iteration takes some 50 ns.
func maxTries(iterations, wanted int) int {
	const steps = 30_000_000
	return max(16, min(wanted, steps/max(1, iterations)))
}

func tunedCriteria(iterations int) []tunedCriterion {
	rho := make([]float64, maxTries(iterations, rhoTries))
	for i := range rho {
		rho[i] = minRho + float64(float64(i)*(maxRho-minRho)/float64(len(rho)-1))
	}
	return []tunedCriterion{
		{
			name: "procassini", grid: rho,
			make: func(rho float64) criterion.Criterion { return &criterion.Procassini{Rho: rho} },
			next: func(rho float64, d criterion.Decision) float64 {
				if d.Balance || d.Value <= 0 {
					return math.Inf(1)
				}
				// slightly smaller than the exact value, because of rounding
				return d.Limit / (d.Value / rho) * (1 - 1e-12)
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

// periods returns the periods to try, in increasing order. These are all periods up to the number of iterations, if
// maxTries allows so many. Otherwise they are in steps of equal ratio.
func periods(iterations int) []float64 {
	n := maxTries(iterations, iterations)
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

// findBest returns the smallest parameter of the grid with the least cost, and the run with this parameter.
func (t tunedCriterion) findBest(ctx context.Context, app scenario.Application, start float64) (float64, scenario.Scenario, error) {
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
		w := &decisionWatcher{Criterion: t.make(v), value: v, next: t.next, least: math.Inf(1)}
		// The run is stopped when it costs more than the best so far. Parameters with the same decisions up to that
		// point can still be skipped, because their runs would be stopped there too.
		if s, ok := runCriterionWithin(app, w, least.Cost, start, nil); ok && s.Cost < least.Cost {
			parameter, least = v, s
		}
		if t.next != nil {
			from = w.least
		}
	}
	return parameter, least, nil
}

// A decisionWatcher is a criterion that also updates the field `least`. This is the smallest parameter above its own
// with which a decision could have been different.
type decisionWatcher struct {
	criterion.Criterion
	value float64
	next  func(float64, criterion.Decision) float64
	least float64
}

// Decide updates the field `least` and returns the decision of the criterion.
func (w *decisionWatcher) Decide() criterion.Decision {
	d := w.Criterion.Decide()
	if w.next != nil {
		w.least = min(w.least, w.next(w.value, d))
	}
	return d
}
