package criterion

import (
	"flag"
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

var long = flag.Bool("long", false, "test the bound on a million applications")

// TestBoundedNearOptimum checks that Bounded finds the best interval, and does not balance near the end of the run
// without need.
func TestBoundedNearOptimum(t *testing.T) {
	for _, c := range []struct {
		name      string
		imbalance func(int) float64
		most      float64 // upper limit of the cost, relative to the optimum
	}{
		{"growing", growing, 1.005},
		{"faster", func(k int) float64 { return 0.01 * float64(k) * float64(k-1) }, 1.005},
		{"slower", func(k int) float64 { return 2.5 * math.Log1p(0.4*float64(k)) }, 1.015},
		{"corrects itself", swinging, 1},
		{"cliff", func(k int) float64 { return max(0, min(8, float64(k-249))) }, 1.15},
	} {
		m := static(600, 100, c.imbalance)
		balances, total := m.run(&Bounded{Iterations: 600})
		if best := m.optimum(); total > c.most*best*(1+1e-12) {
			t.Errorf("%s: %.4f times the optimum, balances %v", c.name, total/best, balances)
		}
	}
}

// TestBoundedKnowsTheEnd checks that Bounded does not balance if the rest of the run cannot repay the cost.
func TestBoundedKnowsTheEnd(t *testing.T) {
	m := static(85, 100, growing)
	if balances, _ := m.run(&Bounded{Iterations: 85}); len(balances) != 1 {
		t.Errorf("with the end known: %v, want a single one", balances)
	}
	m = static(50, 100, growing) // costs 122.5 more than the mean loads, or 160 more with one balancing
	if balances, _ := m.run(&Bounded{Iterations: 50}); len(balances) != 0 {
		t.Errorf("at a short run's end: %v, want none", balances)
	}
}

// An event raises the imbalance from iteration at on. Only a balancing before iteration until, or before a later
// iteration, removes that imbalance or prevents it. until may be long before at.
type event struct {
	at, until int
	height    float64
}

// friendly returns a random application that meets the conditions of the bound: the imbalance grows with the age, with
// time and by events, until a balancing removes it.
func friendly(r *rand.Rand) model {
	n := 2 + r.IntN(60)
	byAge, byTime := make([]float64, n), make([]float64, n)
	steps := [][]float64{{0, 0, 0.01, 0.1, 0.3, 2}, {0, 0, 0, 0, 0, 0, 0, 8}, {0.1}, {0, 1e-3, 1}, {0}}
	age, time := steps[r.IntN(len(steps))], steps[r.IntN(len(steps))]
	for k := 1; k < n; k++ {
		byAge[k] = byAge[k-1] + age[r.IntN(len(age))]
		byTime[k] = byTime[k-1] + time[r.IntN(len(time))]
	}
	events := make([]event, r.IntN(4)*r.IntN(8))
	for i := range events {
		at := 1 + r.IntN(n-1)
		events[i] = event{at, r.IntN(at + 1), 3 * r.Float64()}
	}
	m := steady(n, 0.1+30*r.Float64(), func(t, start int) float64 {
		sum := byAge[t-start] + byTime[t] - byTime[start]
		for _, e := range events {
			if t >= e.at && start < e.until {
				sum += e.height
			}
		}
		return sum
	})
	if r.IntN(2) == 0 { // half of the applications have loads that change
		scale := 0.1 + 10*r.Float64()
		for i := range m.load {
			m.load[i] = scale * (1 + float64(i)*r.Float64()/float64(n))
		}
	}
	return m
}

// watched is a Bounded that fails the test if it expects a balancing to leave an imbalance.
type watched struct {
	*Bounded
	t *testing.T
}

func (w watched) Observe(s Sample) {
	w.Bounded.Observe(s)
	if left := w.s.residual(); left != 0 || w.s.Regret.noise() != 0 || w.s.filtersNoise() {
		w.t.Fatalf("after %d iterations a balancing is expected to leave %v; the proof needs 0", w.s.Seen, left)
	}
}

// TestBoundedExpectsNothingLeft checks that under the conditions of the bound the regret R contains all of the excess
// over the mean, as the proof assumes.
func TestBoundedExpectsNothingLeft(t *testing.T) {
	for seed := range uint64(500) {
		m := friendly(rand.New(rand.NewPCG(seed, 13)))
		m.run(watched{&Bounded{}, t})
		m.run(watched{&Bounded{Iterations: len(m.load)}, t})
	}
}

// excess returns the excess of a run over the mean loads, including the cost of its balancings. last is the part of the
// excess in the last iteration of every interval.
func excess(m model, c Criterion) (all, last float64) {
	balances, total := m.run(c)
	start := 0
	for _, end := range append(balances, len(m.load)) {
		last += m.load[end-1] * m.imbalance(end-1, start)
		start = end
	}
	return total - m.loads(), last
}

func (m model) loads() (sum float64) {
	for _, load := range m.load {
		sum += load
	}
	return sum
}

// The function breaks fails the test if the friendly application of a seed breaks the bound. Otherwise it returns the
// ratio of the excess to the optimum's excess.
func breaks(t *testing.T, seed uint64, told bool) (ratio float64) {
	t.Helper()
	m := friendly(rand.New(rand.NewPCG(seed, 13)))
	h := &Bounded{}
	if told {
		h.Iterations = len(m.load)
	}
	best := m.optimum() - m.loads()
	all, last := excess(m, h)
	if all > 3*best+last+1e-9*m.loads() {
		t.Fatalf("seed %d, end told %v: excess %v, of which %v in last iterations; the optimum's is %v", seed, told, all, last, best)
	}
	if best > 0 {
		return (all - last) / best
	}
	return 0
}

// TestBoundedHoldsItsBound checks that the excess is at most three times the optimum's, plus the last iteration of
// every interval.
func TestBoundedHoldsItsBound(t *testing.T) {
	count := 3000
	if *long {
		count = 1_000_000
	}
	worst := 0.0
	for seed := range uint64(count) {
		worst = max(worst, breaks(t, seed, false), breaks(t, seed, true))
	}
	t.Logf("at most %.3f times the optimum's excess, but for last iterations", worst)
	if worst < 1.2 {
		t.Errorf("the worst ratio is %v: the applications try nothing", worst)
	}
}

// Menon's criterion ends an interval as soon as the excess U exceeds the cost C. Its excess is at most twice the
// optimum's.
func TestMenonIsTwoCompetitive(t *testing.T) {
	for seed := range 3000 {
		m := friendly(rand.New(rand.NewPCG(uint64(seed), 14)))
		best := m.optimum() - m.loads()
		if all, last := excess(m, &Menon{}); all > 2*best+last+1e-9*m.loads() {
			t.Fatalf("seed %d: excess %v, of which %v in last iterations; the optimum's is %v", seed, all, last, best)
		}
	}
}

// Two applications look alike until they are balanced. In one application the imbalance heals by itself, and in the
// other a balancing removes it for good. A criterion that never balances in the first application costs many times the
// optimum in the second. So the bound needs the condition that no imbalance heals by itself.
func TestNoBoundWhereImbalanceHeals(t *testing.T) {
	heals := static(600, 100, swinging)
	removes := steady(600, 100, func(t, start int) float64 {
		if start > 0 {
			return 0
		}
		return swinging(t)
	})
	never, _ := heals.run(&Bounded{Iterations: 600})
	balances, total := removes.run(&Bounded{Iterations: 600})
	if len(never) != 0 || len(balances) != 0 {
		t.Fatalf("balances %v and %v; want none, as healing is the nearer guess", never, balances)
	}
	if ratio := (total - 600) / (removes.optimum() - 600); ratio < 10 {
		t.Errorf("the second costs %v times the optimum's excess; the example is too weak", ratio)
	}
}

// TestBoundedAnswersJumps checks that an imbalance that appears at a fixed time and stays is removed by one
// balancing.
func TestBoundedAnswersJumps(t *testing.T) {
	for _, at := range []int{5, 700, 3000} {
		m := steady(6000, 50, func(t, start int) float64 {
			if start < at && t >= at {
				return 1
			}
			return 0
		})
		balances, total := m.run(&Bounded{Iterations: 6000})
		if best := m.optimum(); len(balances) != 1 || total > 1.02*best {
			t.Errorf("at %d: %.3f times the optimum, balances %v", at, total/best, balances)
		}
	}
}

// TestBoundedForgetsAHiccup checks that a single iteration that takes a hundred times as long has no lasting effect.
func TestBoundedForgetsAHiccup(t *testing.T) {
	const n = 3000
	hiccup := func(with float64) model {
		return steady(n, 60, func(t, start int) float64 {
			i := 0.005 * float64(t-start)
			if t == 10 {
				i += with
			}
			return i
		})
	}
	_, calm := hiccup(0).run(&Bounded{Iterations: n})
	_, total := hiccup(99).run(&Bounded{Iterations: n})
	if total-99 > 1.02*calm {
		t.Errorf("%v with the hiccup, %v without", total-99, calm)
	}
}

// TestBoundedLeavesNoiseAlone checks that after a few attempts Bounded does not balance an imbalance that no
// balancing removes, with or without noise.
func TestBoundedLeavesNoiseAlone(t *testing.T) {
	for _, noise := range []float64{0, 0.1, 0.4} {
		r := rand.New(rand.NewPCG(1, 2))
		level := make([]float64, 2000)
		for i := range level {
			level[i] = max(0, 1+noise*r.NormFloat64())
		}
		m := steady(len(level), 10, func(t, _ int) float64 { return level[t] })
		if balances, _ := m.run(&Bounded{}); len(balances) > 3 {
			t.Errorf("noise %v: balances %v", noise, balances)
		}
	}
}

// TestBoundedEndsGrowingWaves checks that Bounded stops counting waves of imbalance as healed if the waves grow.
func TestBoundedEndsGrowingWaves(t *testing.T) {
	m := static(1200, 100, func(k int) float64 {
		return 0.02 * float64(k) * (1 - math.Cos(2*math.Pi*float64(k)/20))
	})
	if _, total := m.run(&Bounded{Iterations: 1200}); total > 1.25*m.optimum() {
		t.Errorf("%v times the optimum", total/m.optimum())
	}
}

// TestBoundedProbes checks that in a long run Bounded sometimes probes an imbalance that heals by itself: it balances
// to see whether a balancing removes the imbalance for good. Such probes cost at most a hundredth of the time.
func TestBoundedProbes(t *testing.T) {
	removes := steady(60_000, 100, func(t, start int) float64 {
		if start > 0 {
			return 0
		}
		return swinging(t)
	})
	if balances, _ := removes.run(&Bounded{}); len(balances) != 1 || balances[0] > 100*100 {
		t.Errorf("balances %v; want one, by the time that a hundredth of the time pays for", balances)
	}
	heals := static(60_000, 100, swinging)
	_, never := heals.run(Never{})
	balances, total := heals.run(&Bounded{})
	if total > 1.01*never || len(balances) == 0 {
		t.Errorf("%v times never's cost with probes at %v; want at most a hundredth more", total/never, balances)
	}
}

// TestBoundedBeyondWindow checks that the best interval is found at a coarser resolution if it is much longer than
// the window of the curve.
func TestBoundedBeyondWindow(t *testing.T) {
	const n, cost = 60_000, 20_000.0
	m := static(n, cost, func(k int) float64 { return 0.001 * float64(k) })
	best := math.Sqrt(2 * cost / 0.001) // 6325
	h := &Bounded{Iterations: n}
	balances, _ := m.run(h)
	if got := float64(n) / float64(len(balances)+1); got < 0.85*best || got > 1.2*best {
		t.Errorf("mean interval %v, want about %v: %v", got, best, balances)
	}
	if len(h.curve.Excess) > window {
		t.Errorf("%d ages", len(h.curve.Excess))
	}
}

// TestBoundedTakesAnySample checks that samples that are idle, impossible or extreme do no harm, and the rule still
// balances afterwards.
func TestBoundedTakesAnySample(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := &Bounded{Iterations: rapid.IntRange(0, 60).Draw(t, "iterations")}
		value := rapid.SampledFrom([]float64{0, 0, 1, 1e-300, 1e100, 0.5, -1, math.NaN(), math.Inf(1), math.Inf(-1)})
		until := rapid.SampledFrom([]int{0, 1, 1, 2, -5, math.MaxInt})
		for range rapid.IntRange(1, 80).Draw(t, "samples") {
			mean := value.Draw(t, "mean")
			h.Observe(Sample{Max: max(mean, value.Draw(t, "max")), Mean: mean, Balanced: rapid.Bool().Draw(t, "balanced"), Cost: value.Draw(t, "cost"),
				Until: until.Draw(t, "until")})
			if d := h.Decide(); math.IsNaN(d.Value) || math.IsNaN(d.Limit) {
				t.Fatalf("%+v", d)
			}
		}
	})
	h := &Bounded{}
	h.Observe(Sample{Max: 1, Mean: 1, Balanced: true, Cost: 10})
	h.Observe(Sample{Max: math.NaN(), Mean: 1})
	for range 100 {
		h.Observe(Sample{Max: 2, Mean: 1})
	}
	if d := h.Decide(); !d.Balance {
		t.Errorf("after a time that is no number: %v", d)
	}
}

func TestRecentMedian(t *testing.T) {
	var r lastValues
	for i, c := range []struct{ add, want float64 }{{5, 5}, {1, 1}, {100, 5}, {2, 2}, {3, 3}, {4, 3}, {4, 4}} {
		if r.add(c.add); r.median() != c.want {
			t.Errorf("after %d values: %v, want %v", i+1, r.median(), c.want)
		}
	}
}
