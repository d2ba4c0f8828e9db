package criteria

import (
	"context"
	"math"
	"math/rand/v2"

	"lockstep/bench/report"
	"lockstep/lb/criterion"
	"lockstep/lb/scenario"
)

// noises are the relative standard deviations of the noisy copies.
var noises = [...]float64{0.05, 0.20}

// noisy returns a measurement that multiplies each measured maximum, mean and cost by its own random factor: 1 + sigma
// z with a normally distributed z, but at least 0. The minimum is multiplied by the factor of the mean. A measured
// maximum is never below the mean. The true times, which are charged, stay as they are.
func noisy(r *rand.Rand, sigma float64) measurement {
	factor := func() float64 { return max(0, 1+float64(sigma*r.NormFloat64())) }
	return func(s criterion.Sample) criterion.Sample {
		f := factor()
		s.Mean *= f
		s.Min *= f
		s.Max = max(s.Mean, s.Max*factor())
		s.Cost *= factor()
		return s
	}
}

// seeds returns the number of copies of each noisy and of each random application.
func (c *Experiment) seeds() int {
	if c.Seeds == 0 {
		return 50
	}
	return c.Seeds
}

// runNoisy runs the noisy copies of the eight benchmarks.
func (c *Experiment) runNoisy(ctx context.Context, out report.Output, p *printer) error {
	cases := paperCases()
	out.Begin("noisy copies", int64(len(cases)*len(noises)))
	defer out.End()
	for _, sigma := range noises {
		for _, k := range cases {
			if err := noisyCase(ctx, k, sigma, c.seeds(), p); err != nil {
				return err
			}
			out.Step(1)
		}
	}
	return p.failure()
}

// runShapes runs the further shapes.
func (c *Experiment) runShapes(ctx context.Context, out report.Output, p *printer) error {
	all := shapes()
	out.Begin("further shapes", int64(len(all)))
	defer out.End()
	for _, s := range all {
		if err := shapeCase(ctx, s, c.seeds(), p); err != nil {
			return err
		}
		out.Step(1)
	}
	return p.failure()
}

// costTally averages a criterion's runs.
type costTally struct {
	cost, relative, worst float64
	n                     int
}

func (t *costTally) add(cost, best float64) {
	q := relativeCost(cost, best)
	t.cost += cost
	t.relative += q
	t.worst = max(t.worst, q)
	t.n++
}

func (t *costTally) fill(l *averageLine) {
	n := float64(t.n)
	l.Seeds, l.Cost, l.Relative, l.Worst = t.n, t.cost/n, report.Number(t.relative/n), report.Number(t.worst)
}

// noisyCase runs one benchmark with noisy measurements. The tuned criteria keep the parameter that is best without
// noise.
func noisyCase(ctx context.Context, k paperCase, sigma float64, seeds int, p *printer) error {
	app, err := k.application()
	if err != nil {
		return err
	}
	best, err := scenario.Optimum(ctx, app)
	if err != nil {
		return err
	}
	run := func(name string, parameter float64, make func() criterion.Criterion) error {
		var t costTally
		for seed := range seeds {
			if err := ctx.Err(); err != nil {
				return err
			}
			r := rand.New(rand.NewPCG(uint64(seed), uint64(math.Float64bits(sigma))))
			t.add(follow(app, make(), app.Cost(), noisy(r, sigma)).Cost, best.Cost)
		}
		l := averageLine{Experiment: "criteria-noise", Workload: k.workload(), Imbalance: k.growth.String(),
			Noise: sigma, Criterion: name, Parameter: report.Number(parameter)}
		t.fill(&l)
		p.average(l)
		return nil
	}
	for _, t := range tunings(app.Iterations()) {
		v, _, err := t.best(ctx, app, app.Cost())
		if err != nil {
			return err
		}
		if err := run(t.name, v, func() criterion.Criterion { return t.make(v) }); err != nil {
			return err
		}
	}
	for _, c := range contenders() {
		if err := run(c.name, math.NaN(), func() criterion.Criterion { return c.make(app.Iterations()) }); err != nil {
			return err
		}
	}
	return nil
}

// shapeCase runs a further shape with the criteria that need no tuning. It runs a random shape once for each seed.
func shapeCase(ctx context.Context, s shape, seeds int, p *printer) error {
	if !s.random {
		seeds = 1
	}
	var names []string
	var tallies []costTally
	for seed := range seeds {
		app, err := s.application(uint64(seed))
		if err != nil {
			return err
		}
		best, err := scenario.Optimum(ctx, app)
		if err != nil {
			return err
		}
		results := []result{{criterion: "optimum", Scenario: best}}
		results, err = addContenders(ctx, app, app.Cost(), results)
		if err != nil {
			return err
		}
		for i, r := range results {
			if seed == 0 {
				names = append(names, r.criterion)
				tallies = append(tallies, costTally{})
			}
			tallies[i].add(r.Cost, results[0].Cost)
		}
	}
	for i := range tallies {
		l := averageLine{Experiment: "criteria-shapes", Name: s.name, Criterion: names[i], Parameter: report.Number(math.NaN())}
		tallies[i].fill(&l)
		p.average(l)
	}
	return nil
}
