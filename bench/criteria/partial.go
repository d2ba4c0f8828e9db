package criteria

import (
	"fmt"
	"math"
	"slices"

	"lockstep/lb/criterion"
	"lockstep/lb/handover"
	"lockstep/lb/loads"
	"lockstep/lb/scenario"
)

// initialOwners returns the size of each block in bytes, and the processing element that owns it at first.
func (m *replay) initialOwners(f *loads.Recording) (bytes []float64, owner []int32) {
	bytes, owner = make([]float64, len(f.Triangles)), make([]int32, len(f.Triangles))
	cut := m.boundariesBefore(0)
	for p := range m.parts {
		for b := cut[p]; b < cut[p+1]; b++ {
			owner[b] = int32(p)
		}
	}
	for b, n := range f.Triangles {
		bytes[b] = float64(n) * bytesPerTriangle
	}
	return bytes, owner
}

// movePrice returns the price of moving blocks over the simulated network.
func (m *replay) movePrice() handover.Price {
	return handover.Price{Latency: m.latency, PerByte: 1 / m.bandwidth}
}

// runHandover replays a recording. It moves some blocks to other owners whenever that saves more than it costs, see
// [handover.Trial]. lengthKnown says whether the trial knows the number of iterations.
//
// The search for an optimum cannot find the best moves, because the owners depend on all earlier moves. So the result
// is compared with another optimum: that of balancings that divide all blocks anew.
func runHandover(f *loads.Recording, m *replay, lengthKnown bool) (scenario.Scenario, error) {
	bytes, owner := m.initialOwners(f)
	t, err := handover.NewTrial(bytes, owner, m.parts, m.movePrice())
	if err != nil {
		return scenario.Scenario{}, err
	}
	if lengthKnown {
		t.Iterations = m.frames
	}
	var s scenario.Scenario
	for i, seconds := range f.Seconds {
		s.Cost += max(m.Mean(i), slowestElement(t.Owner(), seconds, m.parts))
		moves, err := t.Observe(seconds)
		if err != nil {
			return s, err
		}
		if len(moves.Moves) > 0 && i+1 < m.frames {
			s.Cost += moves.Price
			s.Balances = append(s.Balances, i+1)
		}
	}
	return s, nil
}

// offerMemory is the weight of the latest iteration in a moving average of the loads. Moves are planned from this
// average. handover.Trial tries three such weights, of which this is the middle one.
const offerMemory = 0.25

// runCriterionHandover replays a recording as runHandover does, but a criterion decides when to move blocks. After
// every iteration its controller gets two numbers: the price of the moves that are planned now, and the time that the
// iteration would have taken if the moves planned before had been made.
func runCriterionHandover(f *loads.Recording, m *replay, k criterion.Criterion) (s scenario.Scenario, err error) {
	bytes, owner := m.initialOwners(f)
	var plan handover.Moves
	average := slices.Clone(f.Seconds[0])
	c := criterion.Controller{Criterion: k}
	c.Balanced(m.startCost())
	for i, seconds := range f.Seconds {
		if len(plan.Moves) > 0 && c.Decide().Balance {
			handover.Apply(owner, plan.Moves)
			c.Balanced(plan.Price)
			s.Cost += plan.Price
			s.Balances = append(s.Balances, i)
			plan.Moves = nil
		}
		times := elementTimes(owner, seconds, m.parts)
		s.Cost += max(m.Mean(i), slices.Max(times))
		after := slices.Clone(owner)
		handover.Apply(after, plan.Moves)
		kept := slowestElement(after, seconds, m.parts)
		for b, x := range seconds {
			average[b] = max(0, average[b]+float64(offerMemory*(x-average[b])))
		}
		plan, err = handover.Plan(handover.Work{Load: average, Bytes: bytes, Owner: owner, Owners: m.parts}, m.movePrice())
		if err != nil {
			return s, err
		}
		c.Offer(plan.Price, kept)
		if err := c.Observe(times...); err != nil {
			return s, fmt.Errorf("iteration %d: %w", i, err)
		}
	}
	return s, nil
}

// slowestElement returns the seconds of the processing element with the most work.
func slowestElement(owner []int32, seconds []float64, parts int) float64 {
	return slices.Max(elementTimes(owner, seconds, parts))
}

// elementTimes returns the seconds of every processing element. owner and seconds are those of every block.
func elementTimes(owner []int32, seconds []float64, parts int) []float64 {
	total := make([]float64, parts)
	for b, o := range owner {
		total[o] += seconds[b]
	}
	return total
}

// addHandovers appends the results of runHandover and of runCriterionHandover with our criterion to results. Each is
// run with a known and with an unknown number of iterations. The first element of results must be the optimum.
func addHandovers(f *loads.Recording, m *replay, results []result) ([]result, error) {
	for _, k := range []struct {
		name  string
		known bool
	}{{"handover", true}, {"handover-open", false}} {
		s, err := runHandover(f, m, k.known)
		if err != nil {
			return nil, err
		}
		results = append(results, result{k.name, math.NaN(), s, relativeCost(s.Cost, results[0].Cost)})
	}
	for _, k := range []struct {
		name       string
		iterations int
	}{{"ours-offered", m.frames}, {"ours-offered-open", 0}} {
		s, err := runCriterionHandover(f, m, &criterion.Bounded{Iterations: k.iterations})
		if err != nil {
			return nil, err
		}
		results = append(results, result{k.name, math.NaN(), s, relativeCost(s.Cost, results[0].Cost)})
	}
	return results, nil
}
