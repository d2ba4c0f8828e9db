package criterion

import (
	"math"
	"slices"
	"testing"
)

// TestOfferedKnown checks that an offered move counts for the time that it would have saved in the iteration. A move
// that would have cost time counts as 0.
func TestOfferedKnown(t *testing.T) {
	s := Sample{Max: 5, Mean: 2, Min: 1, Cost: 9, Times: []float64{5, 1}, Price: 1, Kept: 3.5}
	got := s.offered()
	if got.Max != 3.5 || got.Mean != 2 || got.Times != nil || got.Price != 1 || got.Cost != 9 {
		t.Errorf("%+v", got)
	}
	s.Kept = 6
	if got := s.offered(); got.Max != 2 {
		t.Errorf("a move that costs time: %+v", got)
	}
	s.Price = 0
	if got := s.offered(); got.Max != 5 || len(got.Times) != 2 {
		t.Errorf("without an offer: %+v", got)
	}
}

// TestBoundedSumsWhatOffersSave checks that the regret of an interval is the time that the offered moves would have
// saved. It starts at 0 again after a balancing.
func TestBoundedSumsWhatOffersSave(t *testing.T) {
	c := &Bounded{}
	c.Observe(Sample{Max: 2, Mean: 2, Min: 2, Balanced: true, Cost: 1e3, Price: 100, Kept: 2})
	for i, saved := range []float64{0, 0.5, 0.5, 1, 2} {
		c.Observe(Sample{Max: 9, Mean: 2, Min: 1, Price: 100, Kept: 9 - saved})
		if want := []float64{0, 0.5, 1, 2, 4}[i]; c.s.Regret.Excess != want || c.s.cost() != 100 {
			t.Errorf("iteration %d: regret %v at a cost of %v, want %v at 100", i, c.s.Regret.Excess, c.s.cost(), want)
		}
	}
	c.s.Regret.Kept, c.s.Regret.Healed = 7, 8
	c.Observe(Sample{Max: 2, Mean: 2, Min: 2, Balanced: true, Cost: 1, Price: 100, Kept: 2})
	if r := c.s.Regret; r.Excess != 0 || r.Kept != 0 || r.Healed != 0 || r.Age != 1 || r.Known != 6 || r.Spent != 2 || r.Top != 0 {
		t.Errorf("after a balancing: %+v", r)
	}
}

// TestRegretHeals checks that after a cycle has healed, the regret keeps only the part of the cycle's excess that is
// above the greatest excess of earlier cycles.
func TestRegretHeals(t *testing.T) {
	for _, c := range []struct{ healed, sum, kept, after float64 }{
		{0, 8, 1, 8},
		{4, 8, 1 + 6*0.5, 8},
		{2, 8, 1 + 6*0.75, 8},
		{8, 8, 1, 8},
		{9, 8, 1, 9},
	} {
		r := intervalState{Cycle: cycle{Excess: 6, Sum: c.sum}, Kept: 1, Healed: c.healed, Top: 5, Excess: 7}
		r.heal(0.25)
		want := intervalState{Kept: c.kept, Excess: c.kept, Healed: c.after, Top: 0.25}
		if r != want {
			t.Errorf("%+v: %+v, want %+v", c, r, want)
		}
		// The part that was kept counts together with the next cycle.
		r.add(Sample{Max: 3, Mean: 2}, 0)
		if r.Excess != c.kept+1 || r.Cycle != (cycle{1, 0.5}) {
			t.Errorf("%+v: an excess of 1 leads to %+v", c, r)
		}
		r.resetExcess()
		if r.Excess != c.kept || r.Kept != c.kept || r.Cycle != (cycle{}) || !r.Sieved {
			t.Errorf("%+v: forgiven but for what was kept: %+v", c, r)
		}
	}
}

// TestRegretHealsBelowATenth checks that the imbalance has healed if it exceeds what a balancing leaves by at most a
// tenth of its greatest value.
func TestRegretHealsBelowATenth(t *testing.T) {
	for _, c := range []struct {
		last   float64
		healed bool
	}{{1.125, true}, {1.5, false}, {1.25, true}, {1.375, false}} {
		r := intervalState{}
		for _, i := range []float64{1, 2, 3.5, c.last} { // a balancing leaves 1, so an imbalance of at most 1.25 has healed
			r.add(Sample{Max: 1 + i, Mean: 1}, 1)
		}
		if healed := r.Healed > 0; healed != c.healed || r.Age != 4 || r.Last != c.last || !r.Fallen {
			t.Errorf("%v: %+v", c, r)
		}
	}
}

// TestRegretSums checks that the excess is the part of the imbalance above what a balancing leaves. Before the first
// fall there is no noise.
func TestRegretSums(t *testing.T) {
	r := intervalState{}
	for _, m := range []float64{2, 3, 5} { // the imbalances are 0, 0.5 and 1.5
		r.add(Sample{Max: m, Mean: 2}, 0.25)
	}
	// A balancing leaves 0.25 of the imbalances 0.5 and 1.5, and the mean time is 2.
	if r.Spent != 10 || r.Excess != 2*(0.25+1.25) || r.Cycle.Sum != 1.5 || r.Top != 1.5 || r.Fallen || r.noise() != 0 {
		t.Errorf("%+v", r)
	}
	r.add(Sample{Max: 4, Mean: 2}, 0.25) // the changes add up to 2 in 4 iterations
	if !r.Fallen || r.noise() != 0.5 || r.Excess != 2*(0.25+1.25+0.75) {
		t.Errorf("%+v, noise %v", r, r.noise())
	}
}

// TestSieveKnown checks that noiseFilter measures the imbalance at the element that was the slowest before.
func TestSieveKnown(t *testing.T) {
	var v noiseFilter
	for i, c := range []struct {
		times []float64
		want  float64
	}{
		{[]float64{1, 1, 2, 0}, 1},
		{[]float64{2, 1, 1, 0}, 0}, // element 2 was the slowest before
		{[]float64{0, 1, 3, 0}, 0},
		{[]float64{0, 3, 0, 1}, 0},
	} {
		v.imbalance(Of(c.times))
		if got := v.Near.Values[i]; got != c.want {
			t.Errorf("iteration %d: lasting %v, want %v", i, got, c.want)
		}
	}
	if !slices.Equal(v.Shares[1], []float64{2, 1, 1, 0}) || v.N != 4 || v.Whole != 1+2+2 {
		t.Errorf("%+v", v)
	}
	if got := v.imbalance(Sample{Max: 3, Mean: 2}); got != 0.5 || v.N != 0 {
		t.Errorf("without times %v", got)
	}
}

// TestProbeKnown checks the two conditions of a probe, a balancing that tests whether a lasting imbalance can be
// removed. The imbalance must have cost more than one balancing, and it must be expected to cost more than ten
// balancings in the rest of the run.
func TestProbeKnown(t *testing.T) {
	for _, c := range []struct {
		age  int
		rest float64
		want bool
	}{{5, 41, true}, {5, 40, false}, {4, 41, false}} {
		s := state{Regret: intervalState{Age: c.age, Least: 0.5, Fallen: true}}
		if d := s.probe(2, 1, c.rest); (d.Balance && d.What == reasonLasting) != c.want {
			// An imbalance of 0.5 costs more than 20 in 41 iterations, and more than 2 in 5 iterations.
			t.Errorf("%+v: %v", c, d)
		}
	}
}

// TestSteadyKnown checks that the imbalance is expected to stay if the end of the run is known and no fall was seen.
func TestSteadyKnown(t *testing.T) {
	h := &Bounded{Iterations: 5}
	if !h.steady() {
		t.Error("not steady at the start")
	}
	for name, spoil := range map[string]func(*Bounded){
		"end":   func(h *Bounded) { h.Iterations = 0 },
		"fall":  func(h *Bounded) { h.s.Regret.Fallen = true },
		"left":  func(h *Bounded) { h.s.Fresh.add(1) },
		"noise": func(h *Bounded) { h.s.Sieve.Failed = true },
	} {
		h := &Bounded{Iterations: 5}
		if spoil(h); h.steady() {
			t.Errorf("steady in spite of %s", name)
		}
	}
}

// TestRiseKnown checks that the limit of noise is four standard errors of the difference of two means. Each mean is
// taken over n normal values, whose mean change is given.
func TestRiseKnown(t *testing.T) {
	c := curve{Excess: []float64{1, 1, 2, 2, 2, 6, 7, 8}, Load: []float64{1, 1, 1, 1, 1, 1, 1, 1}}
	rise, noise := c.rise(0.5)
	if want := 4 * 0.5 / 1.128 * math.Sqrt(2.0/3); math.Abs(rise-(7-4.0/3)) > 1e-12 || math.Abs(noise-want) > 1e-12 {
		t.Errorf("rise %v, noise %v; want %v and %v", rise, noise, 7-4.0/3, want)
	}
	c.Width = 4
	if _, noise := c.rise(0.5); math.Abs(noise-4*0.5/1.128*math.Sqrt(2.0/12)) > 1e-12 {
		t.Errorf("of buckets of 4 iterations: noise %v", noise)
	}
}

// TestProbeNeedsAVisibleImbalance checks a probe that is cheap, because the run has already taken a hundred times as
// long as a balancing. The probe also needs an imbalance that exceeds the residual of balancings by more than three
// mean changes.
func TestProbeNeedsAVisibleImbalance(t *testing.T) {
	for _, c := range []struct {
		latest, spent float64
		want          bool
	}{{1.51, 201, true}, {1.5, 201, false}, {1.51, 200, false}} {
		s := state{Own: curve{Excess: []float64{c.latest}, Load: []float64{1}}}
		s.Regret = intervalState{Age: 10, Fallen: true, Spent: c.spent, Jitter: jitter{Moved: 5}} // a mean change of 0.5
		if d := s.probe(2, 1, 0); d.Balance != c.want || d.What != reasonProbe {
			t.Errorf("%+v: %v", c, d)
		}
		s.Fresh.add(1) // balancings leave an imbalance of 1, so a probe would not remove it
		s.Fresh.add(1)
		if d := s.probe(2, 1, 0); d.Balance {
			t.Errorf("%+v: %v, though a balancing leaves 1", c, d)
		}
	}
}

// TestLeftForgets checks that the residual of a balancing is at most the least imbalance that has lasted since. A
// lower imbalance in a few iterations in a row reduces the residual, but a single iteration does not. The first
// distribution keeps its own residual, because it was not made from measured times.
func TestLeftForgets(t *testing.T) {
	fill := func(balancings int, values ...float64) *state {
		s := &state{Fresh: lastValues{}, Regret: intervalState{Lowest: values[0]}}
		for range balancings {
			s.Fresh.add(12)
		}
		for _, v := range values {
			s.Regret.add(Sample{Max: 1 + v, Mean: 1}, 0)
		}
		return s
	}
	for _, c := range []struct {
		balancings int
		values     []float64
		want       float64
	}{
		{2, []float64{12, 8, 8, 8}, 12},
		{2, []float64{12, 8, 8, 8, 9}, 8},
		{2, []float64{12, 8, 12, 12, 12, 12, 12}, 12},
		{2, []float64{8, 8, 9, 10, 10, 11, 12, 13}, 9},
		{2, []float64{14, 14, 14, 14, 15, 16}, 14},
		{1, []float64{12, 8, 8, 8, 9}, 12},
	} {
		if got := fill(c.balancings, c.values...).residual(); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%d balancings, then %v: %v, want %v", c.balancings, c.values, got, c.want)
		}
	}
}
