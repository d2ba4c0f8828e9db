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

// A ranking has the costs of a rule on all families, relative to the exact optimum.
type ranking struct {
	name      string
	sets      []float64 // for each set the mean over its families
	mean      float64   // mean over the families with which nothing was tuned
	family    string    // family with the greatest mean
	worstMean float64   // mean of this family
	worst     float64   // greatest cost on a single application
	families  []familyCost
}

// A familyCost is the cost of a rule on one family.
type familyCost struct {
	name string
	costTally
}

// ranked returns the rules of the leaderboard: the rules without a parameter, the rules of Procassini and AMReX with
// their original parameters, and two of the papers' rules within guards.
func ranked() []contender {
	guarded := func(advisor func() criterion.Criterion) func(int) criterion.Criterion {
		return func(int) criterion.Criterion { return newGuard(advisor(), 3) }
	}
	return append(contenders(),
		contender{"procassini", func(int) criterion.Criterion { return &criterion.Procassini{} }},
		contender{"metalb", func(int) criterion.Criterion { return &criterion.MetaLB{} }},
		contender{"amrex", func(int) criterion.Criterion { return &criterion.AMReX{} }},
		contender{"guard-boulmier", guarded(func() criterion.Criterion { return &criterion.Boulmier{} })},
		contender{"guard-zhai", guarded(func() criterion.Criterion { return &criterion.Zhai{} })})
}

// runLeaderboard runs every rule on every family. It prints the rules in ascending order of their mean cost over the
// families with which nothing was tuned.
func (c *Experiment) runLeaderboard(ctx context.Context, out report.Output, p *printer) error {
	sets := families.Sets()
	total := 0
	for _, s := range sets {
		total += len(s.Families)
	}
	out.Begin("families", int64(total))
	defer out.End()
	rules := ranked()
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
		table[i].sum(sets)
	}
	slices.SortStableFunc(table, func(a, b ranking) int { return cmp.Compare(a.mean, b.mean) })
	p.leaderboard(table, sets, c.seeds())
	return p.failure()
}

// familyCosts runs all rules on the applications of a family and returns the costs of each rule.
func familyCosts(ctx context.Context, f families.Family, first, seeds int, rules []contender) ([]costTally, error) {
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
			costs[i].add(follow(app, k.make(app.Iterations()), start, nil).Cost, best.Cost)
		}
	}
	return costs, nil
}

// sum computes the means and the worst values of s from its costs on the families.
func (s *ranking) sum(sets []families.Set) {
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

// leaderboard prints a line for each rule, or with JSON a line for each rule and family.
func (p *printer) leaderboard(table []ranking, sets []families.Set, seeds int) {
	if p.json {
		for _, s := range table {
			for _, f := range s.families {
				l := averageLine{Experiment: "criteria-leaderboard", Name: f.name, Criterion: s.name, Parameter: report.Number(math.NaN())}
				f.fill(&l)
				p.object(l)
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
	p.title(fmt.Sprintf("cost over the exact optimum's, %d applications of each family; by sets marked * ours was developed", seeds),
		fmt.Sprintf("%-15s %8s%s %8s  %s", "rule", "mean", columns.String(), "worst", "worst family"))
	for _, s := range table {
		p.printf("%-15s %8.4f", s.name, s.mean)
		for _, mean := range s.sets {
			p.printf(" %12.4f", mean)
		}
		p.printf(" %8.2f  %s %.3f\n", s.worst, s.family, s.worstMean)
	}
}
