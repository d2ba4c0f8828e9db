package criteria

import (
	"context"
	"math"
	"testing"

	"lockstep/bench/criteria/families"
	"lockstep/bench/internal/racetest"
	"lockstep/lb/criterion"
	"lockstep/lb/scenario"
)

// TestPriceOfTheBound checks applications whose imbalance saturates. Every criterion with the bound of Bounded costs
// nearly as much there as Bounded. Its cost is more than 1 % above the cost of the better of Menon's and Boulmier's
// criteria, which have no such bound.
//
// docs/criteria-method.md says why a criterion with the bound has to balance before its excess, without the last
// iteration of each interval, exceeds 2C for each of its intervals. boundPrice is the cost of the cheapest such
// schedule if the future is known.
func TestPriceOfTheBound(t *testing.T) {
	racetest.Alone(t)
	for _, c := range []struct {
		name        string
		short, long int // numbers of seeds
	}{{"saturating", 14, 140}, {"mixing", 0, 35}, {"settling particles", 0, 35}} {
		family, first, ok := families.Named(c.name)
		if !ok {
			t.Fatalf("no family %s", c.name)
		}
		seeds := c.short
		if *long {
			seeds = c.long
		}
		var price, ours, better costTally
		for seed := first; seed < first+seeds; seed++ {
			app, cost, err := family.Application(seed)
			if err != nil {
				t.Fatal(err)
			}
			if !keepsHalf(app) {
				continue
			}
			best, err := scenario.Optimum(context.Background(), app)
			if err != nil {
				t.Fatal(err)
			}
			own := runCriterion(app, &criterion.Bounded{Iterations: app.Iterations()}, cost, nil).Cost
			least := boundPrice(app, 1.05*own)
			if own < least*(1-1e-9) {
				t.Errorf("%s, seed %d: ours costs %v; no criterion with its bound can fall below %v", c.name, seed, own, least)
			}
			price.add(least, best.Cost)
			ours.add(own, best.Cost)
			better.add(min(runCriterion(app, &criterion.Menon{}, cost, nil).Cost, runCriterion(app, &criterion.Boulmier{}, cost, nil).Cost), best.Cost)
		}
		if seeds == 0 {
			continue
		}
		t.Logf("%s, %d applications, times the optimum: with the bound at least %.4f, ours %.4f, better of two %.4f",
			c.name, price.n, price.mean(), ours.mean(), better.mean())
		if price.mean() < 1.01*better.mean() || ours.mean() > 1.01*price.mean() {
			t.Errorf("%s: the bound is no longer what an imbalance that saturates costs", c.name)
		}
	}
}

// keepsHalf reports whether every load is at least half of each earlier load.
func keepsHalf(app *scenario.Drift) bool {
	most := 0.0
	for t := range app.Iterations() {
		m := app.Mean(t)
		most = max(most, m)
		if m < most/2 {
			return false
		}
	}
	return true
}

// A paid schedule is a schedule of the iterations so far, at the end of an interval. all is its excess, including the
// costs of balancing. counted is its excess without the last iteration of each interval.
type paid struct{ all, counted float64 }

// boundPrice returns the cost of the cheapest schedule that keeps the bound: its counted excess is at most 2C for each
// interval begun, except in the last two iterations of the run. If that cost is more than most, boundPrice returns
// most.
func boundPrice(app *scenario.Drift, most float64) float64 {
	n, c := app.Iterations(), app.Cost()
	open := make([]map[int][]paid, n) // schedules by the iteration of the last balancing, then by the number of balancings
	open[0] = map[int][]paid{0: {{}}}
	best := most
	for t := range n {
		best -= app.Mean(t)
	}
	for s := range n {
		if len(open[s]) == 0 {
			continue
		}
		run, excess := app.Balanced(s), make([]float64, n-s)
		for i := range excess {
			it := run.Step()
			excess[i] = it.Max - it.Mean
		}
		for k, all := range open[s] {
			for _, p := range all {
				sum := 0.0
				for i, x := range excess {
					t := s + i
					if i > 0 && t < n-1 && p.counted+sum > 2*float64(k+1)*c*(1+1e-12) {
						sum = math.Inf(1) // the bound required a balancing before this iteration
						break
					}
					counted := p.counted + sum
					sum += x
					if next := (paid{p.all + sum + c, counted}); t+1 < n && next.all < best {
						if open[t+1] == nil {
							open[t+1] = map[int][]paid{}
						}
						open[t+1][k+1] = keep(open[t+1][k+1], next)
					}
				}
				best = min(best, p.all+sum)
			}
		}
	}
	for t := range n {
		best += app.Mean(t)
	}
	return best
}

// The function keep adds a schedule unless another schedule is at least as good in both costs. It removes schedules
// that are worse in both costs.
func keep(all []paid, p paid) []paid {
	kept := all[:0]
	for _, q := range all {
		if q.all <= p.all && q.counted <= p.counted {
			return all
		}
	}
	for _, q := range all {
		if p.all > q.all || p.counted > q.counted {
			kept = append(kept, q)
		}
	}
	return append(kept, p)
}
