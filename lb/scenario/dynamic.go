package scenario

import (
	"context"
	"math"
)

// Optimum returns a scenario of least cost. Among equally cheap ones it returns the one whose last balancings are
// earliest. It uses dynamic programming over the last balancing. The cheapest history that balances before iteration t
// consists of two parts: the cheapest history that balances before some s < t, and a run from s to t. If ctx ends,
// Optimum returns the error of ctx.
//
// Let n be the number of iterations. For any Application this takes O(n^2) calls of Run.Step, and O(n) memory. In two
// cases it takes only O(n L) steps, where L is the largest age that is useful to reach. The first case is an Ager whose
// YoungerIsBetter is true. The second is Curves whose imbalance grows with the age, is periodic or falls to 0. See
// dominance.
func Optimum(ctx context.Context, app Application) (Scenario, error) {
	if err := checkArgs(ctx, app); err != nil {
		return Scenario{}, err
	}
	if c, ok := app.(*Curves); ok {
		return c.optimum(ctx)
	}
	if a, ok := app.(Ager); ok && a.YoungerIsBetter() {
		return optimumByAge(ctx, app)
	}
	return Exhaust(ctx, app)
}

// optimumByAge returns the same as Exhaust, for applications whose YoungerIsBetter is true. It advances all runs
// together. It drops a run that is no cheaper than a younger run, because the younger run will never be slower.
func optimumByAge(ctx context.Context, app Application) (Scenario, error) {
	type row struct {
		run   Run
		start int
		cost  float64
	}
	n := app.Iterations()
	best := newBestHistories(n)
	var live []row // rows in order of start; older rows are cheaper
	for t := range n {
		if err := ctx.Err(); err != nil {
			return Scenario{}, err
		}
		for len(live) > 0 && live[len(live)-1].cost >= best.cost[t] {
			live = live[:len(live)-1]
		}
		live = append(live, row{app.Balanced(t), t, best.cost[t]})
		for i := range live {
			r := &live[i]
			r.cost += r.run.Step().Max
			cost := r.cost
			if t+1 < n {
				cost += r.run.Cost()
			}
			best.offer(t+1, cost, r.start)
		}
		least, w := math.Inf(1), len(live)
		for i := len(live) - 1; i >= 0; i-- {
			if live[i].cost < least {
				least, w = live[i].cost, w-1
				live[w] = live[i]
			}
		}
		live = append(live[:0], live[w:]...)
	}
	return best.scenario(), nil
}

// Exhaust is Optimum without shortcuts. It makes all n(n+1)/2 steps. Tests compare it with Optimum.
func Exhaust(ctx context.Context, app Application) (Scenario, error) {
	if err := checkArgs(ctx, app); err != nil {
		return Scenario{}, err
	}
	n := app.Iterations()
	best := newBestHistories(n)
	for s := range n {
		if err := ctx.Err(); err != nil {
			return Scenario{}, err
		}
		run := app.Balanced(s)
		g := best.cost[s]
		for t := s; t < n; t++ {
			g += run.Step().Max
			cost := g
			if t+1 < n {
				cost += run.Cost()
			}
			best.offer(t+1, cost, s)
		}
	}
	return best.scenario(), nil
}

// A bestHistories holds the cheapest history that balances before iteration t, for every t from 1 to n-1, and the
// cheapest history of a whole run of n iterations.
type bestHistories struct {
	cost []float64 // cost[t] is the cost of iterations 0 to t-1, and of balancing before t unless t is n
	from []int32   // from[t] is the iteration of the last balancing before t, or 0 if there is none
}

func newBestHistories(n int) bestHistories {
	best := bestHistories{cost: make([]float64, n+1), from: make([]int32, n+1)}
	for t := 1; t <= n; t++ {
		best.cost[t] = math.Inf(1)
	}
	return best
}

func (best bestHistories) offer(t int, cost float64, from int) {
	if cost < best.cost[t] {
		best.cost[t], best.from[t] = cost, int32(from)
	}
}

// scenario returns the cheapest scenario. It follows the balancings back from the end.
func (best bestHistories) scenario() Scenario {
	n := len(best.cost) - 1
	if n == 0 {
		return Scenario{}
	}
	s := Scenario{Cost: best.cost[n]}
	for t := best.from[n]; t > 0; t = best.from[t] {
		s.Balances = append(s.Balances, int(t))
	}
	for i, j := 0, len(s.Balances)-1; i < j; i, j = i+1, j-1 {
		s.Balances[i], s.Balances[j] = s.Balances[j], s.Balances[i]
	}
	return s
}
