package criterion

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestPayersKnown follows three intervals that were computed by hand, with C = 4 and loads of 1, 2 and 0.5.
func TestPayersKnown(t *testing.T) {
	var p payers
	see := func(begins bool, imbalance, load, least float64, want ...payer) {
		t.Helper()
		if begins {
			p.begin(imbalance, load, 4)
		} else {
			p.add(imbalance, load)
		}
		if got := append(slices.Clone(p.Old), p.Fresh); !slices.Equal(got, want) || p.least() != least {
			t.Errorf("%v, at least %v; want %v and %v", got, p.least(), want, least)
		}
	}
	see(true, 0, 1, 0, payer{0, 0}, payer{4, 0})
	see(false, 3, 1, 3, payer{3, 3}, payer{4, 0})
	// The work is balanced, and every schedule has paid at least 3. A schedule that did not balance pays 3 per
	// iteration. A schedule that balanced has paid 1 more than that minimum so far.
	see(true, 0, 1, 1, payer{1, 0}, payer{5, 0}) // {3, 3} is dropped, because {1, 0} has paid less and has no imbalance
	see(false, 1, 1, 2, payer{2, 1}, payer{5, 0})
	see(false, 1, 2, 4, payer{4, 1}, payer{5, 0})
	// The work is balanced. One payer has paid nothing beyond the minimum and has an imbalance of 1. Another payer has
	// paid 1 more and has no imbalance.
	see(true, 0, 0.5, 0.5, payer{0.5, 1}, payer{1, 0}, payer{4.5, 0})
	see(false, 0.25, 1, 1.25, payer{1.5, 1}, payer{1.25, 0.25}, payer{4.5, 0})
	if p.Fell {
		t.Error("nothing fell")
	}
	// After a fall of the imbalance, payers no longer keep their own imbalances. All payers have the observed
	// imbalance.
	see(false, 0.125, 1, 1.375, payer{1.625, 0.125}, payer{1.375, 0.125}, payer{4.5, 0})
	if !p.Fell {
		t.Error("the fall was not seen")
	}
}

// TestPayersMerge checks that if there are too many payers, those with nearly equal payments are merged.
func TestPayersMerge(t *testing.T) {
	p := payers{Fresh: payer{1000, 0}}
	for i := range mostPayers {
		p.Old = append(p.Old, payer{float64(i * i), 20 - float64(i)})
	}
	p.begin(0, 0, 1)
	want := []payer{{0, 18}, {9, 17}, {16, 16}, {25, 15}, {36, 14}, {49, 13}, {1000, 0}} // merged: 0, 1 and 4
	if !slices.Equal(p.Old, want) || p.Fresh != (payer{1, 0}) {
		t.Errorf("%v, want %v", p.Old, want)
	}
}

// TestPayersStandForAll checks payers that are dropped or merged. For each of them, a payer must remain that has paid
// no more and has no greater imbalance.
func TestPayersStandForAll(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		small := rapid.Map(rapid.IntRange(0, 12), func(i int) float64 { return float64(i) })
		all := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) payer { return payer{small.Draw(t, "paid"), small.Draw(t, "has")} }), 1, 30).Draw(t, "payers")
		p := payers{Old: slices.Clone(all)}
		if p.thin(); len(p.Old) >= mostPayers {
			t.Fatalf("%d payers", len(p.Old))
		}
		for _, a := range all {
			if !slices.ContainsFunc(p.Old, func(b payer) bool { return b.Paid <= a.Paid && b.Has <= a.Has }) {
				t.Fatalf("%v of %v has nobody in %v", a, all, p.Old)
			}
		}
		for i, b := range p.Old {
			if i > 0 && (p.Old[i-1].Paid >= b.Paid || p.Old[i-1].Has <= b.Has) {
				t.Fatalf("%v is no worse than %v", p.Old[i-1], b)
			}
			if len(all) < mostPayers && !slices.Contains(all, b) {
				t.Fatalf("%v is none of %v", b, all)
			}
		}
	})
}

// lasting returns an application in which no imbalance falls and a run balanced later is never slower. It has many
// kinds of schedules that need payers of their own.
func lasting(r *rand.Rand) world {
	n := 3 + r.IntN(50)
	w := world{n: n, cost: 0.2 + 5*r.Float64(), laws: []law{{0.05 * r.Float64(), r.IntN(2) == 0, r.IntN(n), n, 1 + r.IntN(4)}}}
	for range r.IntN(20) {
		w.events = append(w.events, event{1 + r.IntN(n), r.IntN(n + 1), math.Exp(-3 * r.Float64())})
	}
	for range r.IntN(4) {
		w.loads = append(w.loads, change{r.IntN(n), 3 * r.Float64() * float64(r.IntN(3))})
	}
	return w
}

// TestPayersAreABound checks that the least payment of any payer never exceeds the optimum's excess. It also checks
// that within an interval this payment grows by at least the smaller of the interval's excess and C. Both statements
// hold whenever the rule balances.
func TestPayersAreABound(t *testing.T) {
	seeds := uint64(1500)
	if *long {
		seeds = 300_000
	}
	most := 0
	for seed := range seeds {
		r := rand.New(rand.NewPCG(seed, 31))
		m := lasting(r).core()
		often := 0.5 * r.Float64()
		var p payers
		start, before, excess := 0, 0.0, 0.0
		for i, load := range m.load {
			if i > 0 && r.Float64() < often {
				before += p.least()
				start, excess = i, 0
			}
			if now := m.imbalance(i, start); i == start {
				p.begin(now, load, m.cost)
			} else {
				p.add(now, load)
			}
			excess += load * m.imbalance(i, start)
			most = max(most, len(p.Old))
			short := model{m.cost, m.load[:i+1], m.imbalance}
			best, rounding := short.optimum()-short.loads(), 1e-9*(1+short.loads())
			if before+p.least() > best+rounding || p.least() < min(excess, m.cost)-rounding {
				t.Fatalf("seed %d, iteration %d: %v and %v since %d; the optimum's excess is %v, the interval's %v, C %v",
					seed, i, before, p.least(), start, best, excess, m.cost)
			}
		}
	}
	if most < 3 || most > mostPayers {
		t.Errorf("%d payers at most", most)
	}
	t.Logf("%d payers at most", most)
}

// TestCurveSplits checks a curve of earlier intervals that a long interval has made coarse. Each following short
// interval must double the resolution of the curve.
func TestCurveSplits(t *testing.T) {
	c := curve{Width: 4, Excess: []float64{8, 4, 2}, Load: []float64{4, 4, 2}}
	c.split()
	if want := (curve{2, []float64{4, 4, 2, 2, 1, 1}, []float64{2, 2, 2, 2, 1, 1}}); c.Width != want.Width ||
		!slices.Equal(c.Excess, want.Excess) || !slices.Equal(c.Load, want.Load) {
		t.Errorf("%+v, want %+v", c, want)
	}
	full := curve{Width: 2, Excess: make([]float64, window), Load: make([]float64, window)}
	if full.split(); len(full.Excess) != window || full.Width != 1 {
		t.Errorf("%d buckets of %d", len(full.Excess), full.Width)
	}
	h := &Bounded{}
	observe := func(iterations int) {
		for i := range iterations {
			h.Observe(Sample{Max: 1 + float64(i)/1000, Mean: 1, Balanced: i == 0, Cost: 1e9})
		}
	}
	observe(4 * window)
	for _, width := range []int{4, 2, 1, 1} {
		observe(10)
		if h.s.Past.width() != width || h.s.Own.width() != 1 {
			t.Errorf("widths %d and %d, want %d and 1", h.s.Past.width(), h.s.Own.width(), width)
		}
		if got := h.s.Past.at(h.s.Past.bucket(8)); math.Abs(got-0.008) > 0.002 {
			t.Errorf("an imbalance of %v at age 8, want about 0.008", got)
		}
	}
}

// TestCurveMergesWidths checks that curves of different widths are averaged at the larger width.
func TestCurveMergesWidths(t *testing.T) {
	fine := curve{Width: 1, Excess: []float64{1, 2, 3}, Load: []float64{1, 1, 1}}
	coarse := curve{Width: 2, Excess: []float64{10, 20}, Load: []float64{2, 2}}
	a, b := curve{}, curve{}
	a.copy(&fine)
	b.copy(&coarse)
	a.merge(&b)
	c, d := curve{}, curve{}
	c.copy(&coarse)
	d.copy(&fine)
	c.merge(&d)
	for _, got := range []curve{a, c} {
		if got.Width != 2 || !slices.Equal(got.Excess, []float64{13, 23}) || !slices.Equal(got.Load, []float64{4, 3}) {
			t.Errorf("%+v", got)
		}
	}
}

// TestPayersPauseWithoutLoad checks that an iteration without load is not a fall of the imbalance.
func TestPayersPauseWithoutLoad(t *testing.T) {
	var p payers
	p.begin(0, 1, 4)
	p.add(2, 1)
	p.add(0, 0)
	if p.add(2, 1); p.Fell || p.least() != 4 {
		t.Errorf("%+v", p)
	}
}

// TestPayersForgiveRounding checks that a decrease within the rounding error of a quotient is not a fall of the
// imbalance.
func TestPayersForgiveRounding(t *testing.T) {
	var p payers
	p.begin(0, 1, 4)
	p.add(2, 1)
	if p.add(2-1e-12, 1); p.Fell {
		t.Errorf("%+v", p)
	}
	if p.add(2-1e-6, 1); !p.Fell {
		t.Errorf("a fall by a millionth is none: %+v", p)
	}
}

// TestPayersStayFinite checks that payments stay finite, because a stored state must be finite.
func TestPayersStayFinite(t *testing.T) {
	var p payers
	p.begin(0, 1, 1)
	p.add(1e200, 1e200)
	if p.add(1e200, 1e200); p.Old[0].Paid != math.MaxFloat64 {
		t.Errorf("%+v", p)
	}
}
