package criteria

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"lockstep/bench/criteria/families"
	"lockstep/bench/report"
	"lockstep/lb/criterion"
	"lockstep/lb/scenario"
)

// A ranking holds the costs of a criterion on all families, relative to the exact optimum. A family is a set of random
// applications of one kind.
type ranking struct {
	name      string
	sets      []float64 // for each set of families: the mean cost over its families
	mean      float64   // mean cost over the families that were not used to develop a criterion
	family    string    // family with the largest mean cost
	worstMean float64   // mean cost of this family
	worst     float64   // largest cost on a single application
	families  []familyCost
}

// A familyCost is the cost of a criterion on one family.
type familyCost struct {
	name string
	costTally
}

// leaderboardCriteria returns the criteria that are ranked:
//   - those of untunedCriteria,
//   - those of Procassini, MetaLB and AMReX with their original parameters,
//   - those of Boulmier and Zhai in guards of bound 3.
func leaderboardCriteria() []namedCriterion {
	guarded := func(advisor func() criterion.Criterion) func(int) criterion.Criterion {
		return func(int) criterion.Criterion { return newGuard(advisor(), 3) }
	}
	return append(untunedCriteria(),
		namedCriterion{"procassini", func(int) criterion.Criterion { return &criterion.Procassini{} }},
		namedCriterion{"metalb", func(int) criterion.Criterion { return &criterion.MetaLB{} }},
		namedCriterion{"amrex", func(int) criterion.Criterion { return &criterion.AMReX{} }},
		namedCriterion{"guard-boulmier", guarded(func() criterion.Criterion { return &criterion.Boulmier{} })},
		namedCriterion{"guard-zhai", guarded(func() criterion.Criterion { return &criterion.Zhai{} })})
}

// runLeaderboard runs every criterion on every family. It prints the criteria in ascending order of ranking.mean.
func (c *Experiment) runLeaderboard(ctx context.Context, out report.Output, p *printer) error {
	sets := families.Sets()
	total := 0
	for _, s := range sets {
		total += len(s.Families)
	}
	out.Begin("families", int64(total))
	defer out.End()
	rules := leaderboardCriteria()
	table := make([]ranking, len(rules))
	for _, s := range sets {
		for _, f := range s.Families {
			costs, err := familyCosts(ctx, f, s.First, c.seeds(), rules)
			if err != nil {
				return err
			}
			for i := range rules {
				table[i].families = append(table[i].families, familyCost{f.Name, costs[i]})
			}
			out.Step(1)
		}
	}
	for i, k := range rules {
		table[i].name = k.name
		table[i].summarize(sets)
	}
	slices.SortStableFunc(table, func(a, b ranking) int { return cmp.Compare(a.mean, b.mean) })
	p.printLeaderboard(table, sets, c.seeds())
	return p.printError()
}

// familyCosts returns the costs of each criterion on applications of a family. The applications have the seeds first to
// first+seeds-1.
func familyCosts(ctx context.Context, f families.Family, first, seeds int, rules []namedCriterion) ([]costTally, error) {
	costs := make([]costTally, len(rules))
	for seed := first; seed < first+seeds; seed++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		app, start, err := f.Application(seed)
		if err != nil {
			return nil, err
		}
		best, err := scenario.Optimum(ctx, app)
		if err != nil {
			return nil, err
		}
		for i, k := range rules {
			costs[i].add(runCriterion(app, k.make(app.Iterations()), start, nil).Cost, best.Cost)
		}
	}
	return costs, nil
}

// summarize sets the means and the worst values of s from s.families.
func (s *ranking) summarize(sets []families.Set) {
	s.sets, s.worstMean, s.worst = make([]float64, len(sets)), math.Inf(-1), 0
	at, untuned := 0, 0
	for i, set := range sets {
		for range set.Families {
			f := s.families[at]
			at++
			mean := f.relative / float64(f.n)
			s.sets[i] += mean / float64(len(set.Families))
			if !set.Tuned {
				s.mean += mean
				untuned++
			}
			if mean > s.worstMean {
				s.family, s.worstMean = f.name, mean
			}
			s.worst = max(s.worst, f.worst)
		}
	}
	s.mean /= float64(untuned)
}

// printLeaderboard prints a line for each criterion. In JSON it prints an object for each criterion and family.
func (p *printer) printLeaderboard(table []ranking, sets []families.Set, seeds int) {
	if p.json {
		for _, s := range table {
			for _, f := range s.families {
				l := averageLine{Experiment: "criteria-leaderboard", Name: f.name, Criterion: s.name, Parameter: report.Number(math.NaN())}
				f.fillLine(&l)
				p.printJSON(l)
			}
		}
		return
	}
	var columns strings.Builder
	for _, s := range sets {
		name := s.Name
		if s.Tuned {
			name += "*"
		}
		fmt.Fprintf(&columns, " %12s", name)
	}
	p.startTable(fmt.Sprintf("cost over the exact optimum's, %d applications of each family; by sets marked * ours was developed", seeds),
		fmt.Sprintf("%-15s %8s%s %8s  %s", "rule", "mean", columns.String(), "worst", "worst family"))
	for _, s := range table {
		p.printf("%-15s %8.4f", s.name, s.mean)
		for _, mean := range s.sets {
			p.printf(" %12.4f", mean)
		}
		p.printf(" %8.2f  %s %.3f\n", s.worst, s.family, s.worstMean)
	}
}
