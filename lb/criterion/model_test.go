package criterion

import "math"

// model is an application. imbalance returns the imbalance of iteration t in a run that was last balanced before
// iteration start.
type model struct {
	cost      float64
	load      []float64
	imbalance func(t, start int) float64
}

// static returns a model whose imbalance depends only on the age.
func static(n int, cost float64, imbalance func(age int) float64) model {
	return steady(n, cost, func(t, start int) float64 { return imbalance(t - start) })
}

// steady returns a model with a mean load of 1 in every iteration.
func steady(n int, cost float64, imbalance func(t, start int) float64) model {
	m := model{cost: cost, load: make([]float64, n), imbalance: imbalance}
	for i := range m.load {
		m.load[i] = 1
	}
	return m
}

// run lets c decide, and returns the balancings and the total cost. The work is balanced before the first iteration
// at no cost.
func (m model) run(c Criterion) (balances []int, total float64) {
	start := 0
	for t, load := range m.load {
		s := Sample{Mean: load, Min: load, Balanced: t == 0, Cost: m.cost}
		if t > 0 && c.Decide().Balance {
			s.Balanced, start = true, t
			balances = append(balances, t)
			total += m.cost
		}
		s.Max = load * (1 + m.imbalance(t, start))
		total += s.Max
		if !s.Balanced {
			s.Cost = 0
		}
		c.Observe(s)
	}
	return balances, total
}

// optimum returns the least cost that any scenario has.
func (m model) optimum() float64 {
	n := len(m.load)
	least := make([]float64, n+1) // least cost before iteration t, where the run is about to be balanced
	for t := 1; t <= n; t++ {
		least[t] = math.Inf(1)
	}
	for s := range n {
		g := least[s]
		if s > 0 {
			g += m.cost
		}
		for t := s; t < n; t++ {
			g += m.load[t] * (1 + m.imbalance(t, s))
			least[t+1] = min(least[t+1], g)
		}
	}
	return least[n]
}

func growing(age int) float64 { return 0.1 * float64(age) }

// swinging is an imbalance that returns to 0 every 17 iterations.
func swinging(age int) float64 {
	k := float64(age % 17)
	return 0.05 * k * (17 - k)
}
