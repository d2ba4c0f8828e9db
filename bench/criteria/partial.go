package criteria

import (
	"math"

	"lockstep/lb/handover"
	"lockstep/lb/loads"
	"lockstep/lb/scenario"
)

// partial runs a recording that starts as the others do, but hands over some blocks
// where that repays, whichever owners that leads to; see [handover.Trial]. With
// known the trial is told how long the run is. The histories do not merge, so there
// is no optimum of this kind; it is compared with the one that cuts everything anew.
func partial(f *loads.Recording, m *replay, known bool) (scenario.Scenario, error) {
	cut, owner := m.cut(0), make([]int32, len(f.Triangles))
	for p := range m.parts {
		for b := cut[p]; b < cut[p+1]; b++ {
			owner[b] = int32(p)
		}
	}
	bytes := make([]float64, len(f.Triangles))
	for b, n := range f.Triangles {
		bytes[b] = float64(n) * bytesPerTriangle
	}
	t, err := handover.NewTrial(bytes, owner, m.parts, handover.Price{Latency: m.latency, PerByte: 1 / m.bandwidth})
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

// slowest returns the seconds of the element with the most work.
func slowest(owner []int32, seconds []float64, parts int) float64 {
	total := make([]float64, parts)
	for b, o := range owner {
		total[o] += seconds[b]
	}
	most := 0.0
	for _, t := range total {
		most = max(most, t)
	}
	return most
}

// handOver adds both kinds of trial to results, the first of which is the optimum.
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
	return results, nil
}
