package criteria

import (
	"math"
	"math/rand/v2"

	"lockstep/lb/scenario"
)

// A shape is an application that is not among the eight benchmarks of Boulmier et al. (arXiv:2104.01688). It has their
// scale: scenario.PaperIterations iterations, a mean load of about PaperMean, and the cost PaperCost.
type shape struct {
	name   string
	random bool // a different application for every seed
	// imbalance returns I = max/mean - 1 at age k, in iterations since a balancing. nil means 0.1*k.
	imbalance func(k float64, r *rand.Rand) float64
	// load returns the mean load of iteration t, in units of PaperMean. nil means 1.
	load func(t float64, r *rand.Rand) float64
}

// shapes returns the applications of the experiment besides the benchmarks. Each violates, on purpose, an assumption
// that criteria make:
//   - the imbalance grows smoothly,
//   - the imbalance grows at all,
//   - the growth lasts,
//   - the load can be predicted.
func shapes() []shape {
	bursty := func(height, width, every float64) func(float64, *rand.Rand) float64 {
		return func(k float64, _ *rand.Rand) float64 {
			in := math.Mod(k, every) - (every - width)
			return float64(0.05*k) + float64(height*max(0, min(1, in)))
		}
	}
	return []shape{
		{name: "steps", imbalance: func(k float64, _ *rand.Rand) float64 { return math.Floor(k / 20) }},
		{name: "growth-bursts", imbalance: func(k float64, _ *rand.Rand) float64 {
			return float64(0.03*k) + float64(1.5*math.Floor((k+10)/40))
		}},
		{name: "passing-bursts", imbalance: bursty(2, 4, 30)},
		{name: "random-walk", random: true, imbalance: randomWalk(0, 0.1)},
		{name: "wild-walk", random: true, imbalance: randomWalk(0, 0.25)},
		{name: "drifting-walk", random: true, imbalance: randomWalk(0.08, 0.25)},
		{name: "two-periods", imbalance: func(k float64, _ *rand.Rand) float64 {
			return float64(1.2*(1-math.Cos(2*math.Pi*k/17))) + float64(0.8*(1-math.Cos(2*math.Pi*k/60)))
		}},
		{name: "decay", imbalance: func(k float64, _ *rand.Rand) float64 { return 9 * (1 - math.Exp(-k/25)) }},
		{name: "late-cliff", imbalance: func(k float64, _ *rand.Rand) float64 {
			if k < 250 {
				return 0.002 * k
			}
			return 8
		}},
		{name: "load-steps", load: func(t float64, _ *rand.Rand) float64 { return 1 + 2*math.Mod(math.Floor(t/90), 2) }},
		{name: "load-bursts", random: true, load: func(_ float64, r *rand.Rand) float64 {
			if r.Float64() < 0.04 {
				return 4
			}
			return 1
		}},
		{name: "load-walk", random: true, load: randomLoadWalk(0.03)},
		{name: "load-decay", load: func(t float64, _ *rand.Rand) float64 { return 0.2 + float64(1.8*math.Exp(-t/200)) }},
	}
}

// randomWalk returns an imbalance that is a random walk, reflected at 0. Call the function for the ages 0, 1, 2 and so
// on.
func randomWalk(drift, step float64) func(float64, *rand.Rand) float64 {
	level := 0.0
	return func(k float64, r *rand.Rand) float64 {
		if k == 0 {
			level = 0
		} else {
			level = math.Abs(level + drift + float64(step*r.NormFloat64()))
		}
		return level
	}
}

// randomLoadWalk returns a load whose logarithm is a random walk. Call the function for the iterations 0, 1, 2 and so
// on.
func randomLoadWalk(step float64) func(float64, *rand.Rand) float64 {
	level := 1.0
	return func(t float64, r *rand.Rand) float64 {
		if t == 0 {
			level = 1
		}
		level *= math.Exp(float64(step * r.NormFloat64()))
		return level
	}
}

// application returns the application with the given seed.
func (s shape) application(seed uint64) (*scenario.Curves, error) {
	r := rand.New(rand.NewPCG(seed, 2104))
	n := scenario.PaperIterations
	mean, growth := make([]float64, n), make([]float64, n)
	before := 0.0
	for k := range n {
		mean[k] = scenario.PaperMean
		if s.load != nil {
			mean[k] *= s.load(float64(k), r)
		}
		growth[k] = 0.1
		if s.imbalance != nil {
			now := s.imbalance(float64(k), r)
			if k > 0 {
				growth[k-1] = now - before
			}
			before = now
		}
	}
	return scenario.NewCurves(scenario.PaperCost, mean, growth)
}
