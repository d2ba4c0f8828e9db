package criteria

import (
	"context"
	"math"

	"lockstep/lb/criterion"
	"lockstep/lb/scenario"
)

// A paperCase is one of the eight synthetic benchmarks of Boulmier et al. (arXiv:2104.01688, Table 2).
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

// workload returns the paper's word for how the mean load changes over time.
func (k paperCase) workload() string {
	if k.irregular {
		return "irregular"
	}
	return "static"
}

func (k paperCase) application() (*scenario.Curves, error) {
	return scenario.Synthetic(k.growth, k.irregular, scenario.PaperIterations)
}

// A result is the schedule by which one criterion balanced an application, and its cost.
type result struct {
	criterion string
	parameter float64 // NaN if the criterion has no parameter
	scenario.Scenario
	relative float64 // cost divided by the optimum's cost
}

// A paperResult holds the results of all criteria for one benchmark.
type paperResult struct {
	paperCase
	app     *scenario.Curves
	results []result
}

// findResult returns the result of the named criterion. It panics if there is none.
func findResult(results []result, name string) result {
	for _, r := range results {
		if r.criterion == name {
			return r
		}
	}
	panic("criteria: no result for criterion " + name)
}

// A namedCriterion is a criterion's name, and a function that makes it for a run of the given number of iterations.
type namedCriterion struct {
	name string
	make func(iterations int) criterion.Criterion
}

// untunedCriteria returns the criteria that have no parameter to tune. "ours" knows the number of iterations of the
// run, and "ours-open" does not.
func untunedCriteria() []namedCriterion {
	plain := func(c func() criterion.Criterion) func(int) criterion.Criterion {
		return func(int) criterion.Criterion { return c() }
	}
	return []namedCriterion{
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

// runCriteria returns the optimum of app, followed by the result of every criterion. A criterion with a parameter gets
// the value that is best for app. start is the cost of the initial distribution of the work. The criteria learn start,
// but the costs of the results do not include it.
func runCriteria(ctx context.Context, app scenario.Application, start float64) ([]result, error) {
	best, err := scenario.Optimum(ctx, app)
	if err != nil {
		return nil, err
	}
	results := []result{{criterion: "optimum", parameter: math.NaN(), Scenario: best, relative: 1}}
	for _, t := range tunedCriteria(app.Iterations()) {
		parameter, s, err := t.findBest(ctx, app, start)
		if err != nil {
			return nil, err
		}
		results = append(results, result{t.name, parameter, s, relativeCost(s.Cost, best.Cost)})
	}
	return addUntuned(ctx, app, start, results)
}

// addUntuned appends the results of untunedCriteria to results. The first element of results is the optimum.
func addUntuned(ctx context.Context, app scenario.Application, start float64, results []result) ([]result, error) {
	best := results[0].Cost
	for _, k := range untunedCriteria() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		s := runCriterion(app, k.make(app.Iterations()), start, nil)
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
