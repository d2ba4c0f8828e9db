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

// distribution returns the sizes and the first owners of the blocks.
func (m *replay) distribution(f *loads.Recording) (bytes []float64, owner []int32) {
	bytes, owner = make([]float64, len(f.Triangles)), make([]int32, len(f.Triangles))
	cut := m.cut(0)
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

func (m *replay) price() handover.Price {
	return handover.Price{Latency: m.latency, PerByte: 1 / m.bandwidth}
}

// partial runs a recording with the usual first owners. After that it hands over some blocks whenever that pays for
// itself, whichever owners result; see [handover.Trial]. If known is set, the trial knows how long the run is. Here
// histories that balance at the same time do not lead to the same owners, so an optimum of this kind cannot be found.
// The result is compared with the optimum that divides all blocks anew.
func partial(f *loads.Recording, m *replay, known bool) (scenario.Scenario, error) {
	bytes, owner := m.distribution(f)
	t, err := handover.NewTrial(bytes, owner, m.parts, m.price())
	if err != nil {
		return scenario.Scenario{}, err
	}
	if known {
		t.Iterations = m.frames
	}
	var s scenario.Scenario
	for i, seconds := range f.Seconds {
		s.Cost += max(m.Mean(i), slowest(t.Owner(), seconds, m.parts))
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

// offerMemory is the weight of the last iteration in the average of the loads from which offered moves are planned. It
// is the middle one of the weights that handover.Trial tries.
const offerMemory = 0.25

// runOffered runs a recording as partial does, but a criterion decides when to move blocks. Before every iteration its
// controller is told the price of the cheapest useful moves, and the time that the iteration would have taken if the
// moves offered before had been made.
func runOffered(f *loads.Recording, m *replay, k criterion.Criterion) (s scenario.Scenario, err error) {
	bytes, owner := m.distribution(f)
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
		kept := slowest(after, seconds, m.parts)
		for b, x := range seconds {
			average[b] = max(0, average[b]+float64(offerMemory*(x-average[b])))
		}
		plan, err = handover.Plan(handover.Work{Load: average, Bytes: bytes, Owner: owner, Owners: m.parts}, m.price())
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

// slowest returns the seconds of the element with the most work.
func slowest(owner []int32, seconds []float64, parts int) float64 {
	return slices.Max(elementTimes(owner, seconds, parts))
}

// elementTimes returns the seconds of every element.
func elementTimes(owner []int32, seconds []float64, parts int) []float64 {
	total := make([]float64, parts)
	for b, o := range owner {
		total[o] += seconds[b]
	}
	return total
}

// handOver adds both kinds of trial, and our criterion with offered moves, to results. The first result is the optimum.
func handOver(f *loads.Recording, m *replay, results []result) ([]result, error) {
	for _, k := range []struct {
		name  string
		known bool
	}{{"handover", true}, {"handover-open", false}} {
		s, err := partial(f, m, k.known)
		if err != nil {
			return nil, err
		}
		results = append(results, result{k.name, math.NaN(), s, relativeCost(s.Cost, results[0].Cost)})
	}
	for _, k := range []struct {
		name       string
		iterations int
	}{{"ours-offered", m.frames}, {"ours-offered-open", 0}} {
		s, err := runOffered(f, m, &criterion.Bounded{Iterations: k.iterations})
		if err != nil {
			return nil, err
		}
		results = append(results, result{k.name, math.NaN(), s, relativeCost(s.Cost, results[0].Cost)})
	}
	return results, nil
}
