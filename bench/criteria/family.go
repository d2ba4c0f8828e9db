package criteria

import (
	"context"
	"math"
	"strings"

	"lockstep/bench/report"
	"lockstep/lb/scenario"
)

// runFamilies prints, for each family of a file of curves and for every criterion, the mean and the worst cost relative
// to the optimum. The family of an application is the part of its name before "#". The members of a family need not be
// neighbours in the file.
//
// A line "better" has these figures for the better one of Menon's and Boulmier's criteria, chosen for each application.
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
	return p.printError()
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
		results, err := addUntuned(ctx, k.app, k.cost, []result{{criterion: "optimum", Scenario: best}})
		if err != nil {
			return err
		}
		for j, r := range results {
			if i == 0 {
				names, tallies = append(names, r.criterion), append(tallies, costTally{})
			}
			tallies[j].add(r.Cost, best.Cost)
		}
		better.add(min(findResult(results, "menon").Cost, findResult(results, "boulmier").Cost), best.Cost)
	}
	names, tallies = append(names, "better"), append(tallies, better)
	for i := range tallies {
		l := averageLine{Experiment: "criteria-family", Name: family, Criterion: names[i], Parameter: report.Number(math.NaN())}
		tallies[i].fillLine(&l)
		p.printAverage(l)
	}
	return nil
}
