package criterion

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// On growing imbalance the end of the run is used and the interval found.
func TestHindsightNearOptimum(t *testing.T) {
	for _, c := range []struct {
		name      string
		imbalance func(int) float64
		most      float64 // times the optimum
	}{
		{"growing", growing, 1.005},
		{"faster", func(k int) float64 { return 0.01 * float64(k) * float64(k-1) }, 1.005},
		{"slower", func(k int) float64 { return 2.5 * math.Log1p(0.4*float64(k)) }, 1.005},
		{"corrects itself", swinging, 1},
		{"cliff", func(k int) float64 { return max(0, min(8, float64(k-249))) }, 1.03},
	} {
		m := static(600, 100, c.imbalance)
		balances, total := m.run(&Hindsight{Iterations: 600})
		if best := m.optimum(); total > c.most*best*(1+1e-12) {
			t.Errorf("%s: %.4f times the optimum, balances %v", c.name, total/best, balances)
		}
	}
}

// A balancing that the rest of the run cannot repay is left out.
func TestHindsightKnowsTheEnd(t *testing.T) {
	m := static(85, 100, growing)
	if balances, _ := m.run(&Hindsight{Iterations: 85}); len(balances) != 1 {
		t.Errorf("with the end known: %v, want a single one", balances)
	}
	m = static(50, 100, growing) // never balancing costs 122.5 more than the loads, once in the middle 160
	if balances, _ := m.run(&Hindsight{Iterations: 50}); len(balances) != 0 {
		t.Errorf("at a short run's end: %v, want none", balances)
	}
}

// Patience is what jumping at once may save: a cliff after a long calm is
// answered within a few iterations, though regret comes much later.
func TestHindsightLosesPatience(t *testing.T) {
	m := static(600, 100, func(k int) float64 { return max(0, min(3, float64(k-149))) })
	told, _ := m.run(&Hindsight{Iterations: 600})
	open, _ := m.run(&Hindsight{})
	if len(told) == 0 || told[0] > 154 {
		t.Errorf("with patience: %v, want the first by 154", told)
	}
	if len(open) == 0 || open[0] < 180 {
		t.Errorf("by regret: %v, want the first after 180", open)
	}
}

// Intervals far beyond the window are found at a coarser resolution.
func TestHindsightBeyondWindow(t *testing.T) {
	const n, cost = 60_000, 20_000.0
	m := static(n, cost, func(k int) float64 { return 0.001 * float64(k) })
	best := math.Sqrt(2 * cost / 0.001) // 6325
	h := &Hindsight{Iterations: n}
	balances, _ := m.run(h)
	if got := float64(n) / float64(len(balances)+1); got < 0.85*best || got > 1.2*best {
		t.Errorf("mean interval %v, want about %v: %v", got, best, balances)
	}
	if len(h.curve.excess) > window || len(h.interval.rows) > window {
		t.Errorf("%d ages and %d rows", len(h.curve.excess), len(h.interval.rows))
	}
}

// Idle, impossible and extreme samples do no harm.
func TestHindsightTakesAnySample(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := &Hindsight{Iterations: rapid.IntRange(0, 60).Draw(t, "iterations")}
		value := rapid.SampledFrom([]float64{0, 0, 1, 1e-300, 1e100, 0.5})
		for range rapid.IntRange(1, 80).Draw(t, "samples") {
			mean := value.Draw(t, "mean")
			h.Observe(Sample{Max: max(mean, value.Draw(t, "max")), Mean: mean, Balanced: rapid.Bool().Draw(t, "balanced"), Cost: value.Draw(t, "cost")})
			h.Decide()
		}
	})
}

func TestLevelFollowsOrAverages(t *testing.T) {
	var trend, bursts level
	for i := range 200 {
		trend.add(float64(i))
		x := 1.0
		if i%20 == 19 {
			x = 100
		}
		bursts.add(x)
	}
	if got := trend.forecast(); got != 199 {
		t.Errorf("trend: %v, want the last value", got)
	}
	if got := bursts.forecast(); got > 20 {
		t.Errorf("bursts: %v just after one, want an average", got)
	}
}
