package criteria

import (
	"context"
	"math"

	"lockstep/lb/criterion"
	"lockstep/lb/scenario"
)

// A paperCase is one of the eight synthetic benchmarks.
type paperCase struct {
	irregular bool
	growth    scenario.Growth
}

func paperCases() []paperCase {
	var cases []paperCase
	for _, irregular := range []bool{false, true} {
		for _, g := range scenario.Growths {
			cases = append(cases, paperCase{irregular, g})
		}
	}
	return cases
}

func (k paperCase) workload() string {
	if k.irregular {
		return "irregular"
	}
	return "static"
}

func (k paperCase) application() (*scenario.Curves, error) {
	return scenario.Synthetic(k.growth, k.irregular, scenario.PaperIterations)
}

// A result is the cost of an application that was balanced by one criterion.
type result struct {
	criterion string
	parameter float64 // NaN if the criterion has no parameter
	scenario.Scenario
	relative float64 // cost divided by the optimum's cost
}

type paperResult struct {
	paperCase
	app     *scenario.Curves
	results []result
}

// find returns the result of the criterion with the given name, which must be among results.
func find(results []result, name string) result {
	for _, r := range results {
		if r.criterion == name {
			return r
		}
	}
	panic("criteria: no result for criterion " + name)
}

// A contender is a criterion whose parameter, if any, is fixed.
type contender struct {
	name string
	make func(iterations int) criterion.Criterion
}

// contenders are the criteria that need no tuning. "ours" knows how long the run is; "ours-open" does not.
func contenders() []contender {
	plain := func(c func() criterion.Criterion) func(int) criterion.Criterion {
		return func(int) criterion.Criterion { return c() }
	}
	return []contender{
		{"menon", plain(func() criterion.Criterion { return &criterion.Menon{} })},
		{"boulmier", plain(func() criterion.Criterion { return &criterion.Boulmier{} })},
		{"zhai", plain(func() criterion.Criterion { return &criterion.Zhai{} })},
		{"pearce", plain(func() criterion.Criterion { return &criterion.Pearce{} })},
		{"ours", func(n int) criterion.Criterion { return &criterion.Bounded{Iterations: n} }},
		{"ours-open", plain(func() criterion.Criterion { return &criterion.Bounded{} })},
		{"never", plain(func() criterion.Criterion { return criterion.Never{} })},
		{"always", plain(func() criterion.Criterion { return criterion.Always{} })},
	}
}

// compare runs app with every criterion, and returns the optimum as the first result. A criterion with a parameter gets
// its best parameter. start is the cost of the initial distribution: the criteria are told this cost, but it is not
// charged.
func compare(ctx context.Context, app scenario.Application, start float64) ([]result, error) {
	best, err := scenario.Optimum(ctx, app)
	if err != nil {
		return nil, err
	}
	results := []result{{criterion: "optimum", parameter: math.NaN(), Scenario: best, relative: 1}}
	for _, t := range tunings(app.Iterations()) {
		parameter, s, err := t.best(ctx, app, start)
		if err != nil {
			return nil, err
		}
		results = append(results, result{t.name, parameter, s, relativeCost(s.Cost, best.Cost)})
	}
	return addContenders(ctx, app, start, results)
}

// addContenders adds the contenders to results. The first result is the optimum.
func addContenders(ctx context.Context, app scenario.Application, start float64, results []result) ([]result, error) {
	best := results[0].Cost
	for _, k := range contenders() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		s := follow(app, k.make(app.Iterations()), start, nil)
		results = append(results, result{k.name, math.NaN(), s, relativeCost(s.Cost, best)})
	}
	return results, nil
}

// relativeCost returns cost/best, or 1 if both are 0.
func relativeCost(cost, best float64) float64 {
	if cost == best {
		return 1
	}
	return cost / best
}
