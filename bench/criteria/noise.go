package criteria

import (
	"context"
	"math"
	"math/rand/v2"

	"lockstep/bench/report"
	"lockstep/lb/criterion"
	"lockstep/lb/scenario"
)

// noiseLevels are the relative standard deviations of the measurements in noisy copies.
var noiseLevels = [...]float64{0.05, 0.20}

// noisyMeasurement returns a measurement with random errors. The maximum, the mean and the cost are each multiplied by
// a factor max(0, 1 + sigma*z) of their own, with a normally distributed z. The minimum has the factor of the mean. The
// maximum is at least the mean.
func noisyMeasurement(r *rand.Rand, sigma float64) measurement {
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

// seeds returns how many copies of each noisy or random application are run.
func (c *Experiment) seeds() int {
	if c.Seeds == 0 {
		return 50
	}
	return c.Seeds
}

// runNoisy runs copies of the eight benchmarks in which the criteria get noisy measurements.
func (c *Experiment) runNoisy(ctx context.Context, out report.Output, p *printer) error {
	cases := paperCases()
	out.Begin("noisy copies", int64(len(cases)*len(noiseLevels)))
	defer out.End()
	for _, sigma := range noiseLevels {
		for _, k := range cases {
			if err := runNoisyCase(ctx, k, sigma, c.seeds(), p); err != nil {
				return err
			}
			out.Step(1)
		}
	}
	return p.printError()
}

// runShapes runs the applications that shapes returns.
func (c *Experiment) runShapes(ctx context.Context, out report.Output, p *printer) error {
	all := shapes()
	out.Begin("further shapes", int64(len(all)))
	defer out.End()
	for _, s := range all {
		if err := runShape(ctx, s, c.seeds(), p); err != nil {
			return err
		}
		out.Step(1)
	}
	return p.printError()
}

// A costTally adds up the costs of a criterion's runs. relative is the sum of the costs relative to the optimum. worst
// is the largest relative cost.
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

func (t *costTally) fillLine(l *averageLine) {
	n := float64(t.n)
	l.Seeds, l.Cost, l.Relative, l.Worst = t.n, t.cost/n, report.Number(t.relative/n), report.Number(t.worst)
}

// runNoisyCase runs one benchmark with noisy measurements. Criteria with a parameter get the value that is best without
// noise.
func runNoisyCase(ctx context.Context, k paperCase, sigma float64, seeds int, p *printer) error {
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
			t.add(runCriterion(app, make(), app.Cost(), noisyMeasurement(r, sigma)).Cost, best.Cost)
		}
		l := averageLine{Experiment: "criteria-noise", Workload: k.workload(), Imbalance: k.growth.String(),
			Noise: sigma, Criterion: name, Parameter: report.Number(parameter)}
		t.fillLine(&l)
		p.printAverage(l)
		return nil
	}
	for _, t := range tunedCriteria(app.Iterations()) {
		v, _, err := t.findBest(ctx, app, app.Cost())
		if err != nil {
			return err
		}
		if err := run(t.name, v, func() criterion.Criterion { return t.make(v) }); err != nil {
			return err
		}
	}
	for _, c := range untunedCriteria() {
		if err := run(c.name, math.NaN(), func() criterion.Criterion { return c.make(app.Iterations()) }); err != nil {
			return err
		}
	}
	return nil
}

// runShape runs a shape with untunedCriteria. It runs a random shape once for each seed.
func runShape(ctx context.Context, s shape, seeds int, p *printer) error {
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
		results, err = addUntuned(ctx, app, app.Cost(), results)
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
		tallies[i].fillLine(&l)
		p.printAverage(l)
	}
	return nil
}
