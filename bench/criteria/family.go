package criteria

import (
	"context"
	"math"
	"strings"

	"lockstep/bench/report"
	"lockstep/lb/scenario"
)

// runFamilies prints the costs of every criterion relative to the optimum: for each family of a file of curves the mean
// and the worst cost. It prints the same for the better one of Menon and Boulmier on each application. The family is
// the part of a name before "#"; the applications of a family may be anywhere in the file.
func runFamilies(ctx context.Context, all []curve, p *printer) error {
	var families []string
	members := map[string][]curve{}
	for _, k := range all {
		family, _, _ := strings.Cut(k.name, "#")
		if members[family] == nil {
			families = append(families, family)
		}
		members[family] = append(members[family], k)
	}
	for _, family := range families {
		if err := runFamily(ctx, family, members[family], p); err != nil {
			return err
		}
	}
	return p.failure()
}

func runFamily(ctx context.Context, family string, members []curve, p *printer) error {
	var names []string
	var tallies []costTally
	var better costTally
	for i, k := range members {
		best, err := scenario.Optimum(ctx, k.app)
		if err != nil {
			return err
		}
		results, err := addContenders(ctx, k.app, k.cost, []result{{criterion: "optimum", Scenario: best}})
		if err != nil {
			return err
		}
		for j, r := range results {
			if i == 0 {
				names, tallies = append(names, r.criterion), append(tallies, costTally{})
			}
			tallies[j].add(r.Cost, best.Cost)
		}
		better.add(min(find(results, "menon").Cost, find(results, "boulmier").Cost), best.Cost)
	}
	names, tallies = append(names, "better"), append(tallies, better)
	for i := range tallies {
		l := averageLine{Experiment: "criteria-family", Name: family, Criterion: names[i], Parameter: report.Number(math.NaN())}
		tallies[i].fill(&l)
		p.average(l)
	}
	return nil
}
