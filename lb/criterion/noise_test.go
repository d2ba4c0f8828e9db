package criterion

import "testing"

// TestJitterClips checks that a change of more than four mean changes counts as four, once a few changes are known.
func TestJitterClips(t *testing.T) {
	var j jitter
	for i := range 7 {
		j.add(float64(i % 2))
	}
	if j.Moved != 6 || j.Turned != 5 {
		t.Fatalf("%+v, want 6 changes, 5 of which turn back", j)
	}
	if j.add(100); j.Moved != 6+float64(4*6.0/7) || j.Turned != 6 {
		t.Errorf("%+v: the change to 100 is to count as %v", j, 4*6.0/7)
	}
}

// TestJitterNoisy checks that changes count as noise if more than a quarter of them turn back.
func TestJitterNoisy(t *testing.T) {
	for turned, want := range map[float64]bool{1: false, 1.01: true} {
		if j := (jitter{Moved: 4, Turned: turned}); j.noisy() != want {
			t.Errorf("%+v noisy: %v", j, !want)
		}
	}
}

// TestSieveNoisy checks that an imbalance counts as noise if less than half of it lasts, or if a balancing left more
// than half of it.
func TestSieveNoisy(t *testing.T) {
	for whole, want := range map[float64]bool{2: false, 2.01: true} {
		if v := (noiseFilter{Whole: whole, Lasting: 1}); v.noisy() != want {
			t.Errorf("%+v noisy: %v", v, !want)
		}
	}
	for left, want := range map[float64]bool{1: false, 1.25: true} {
		var v noiseFilter
		v.imbalance(Sample{Max: 10, Mean: 1, Balanced: true}) // what the first distribution leaves does not matter
		v.imbalance(Sample{Max: 3, Mean: 1})
		v.imbalance(Sample{Max: 1 + left, Mean: 1, Balanced: true})
		if v.Failed != want || v.noisy() != want {
			t.Errorf("a balancing leaves %v of 2: failed %v", left, v.Failed)
		}
	}
}

// TestSieveTakesTheMedian checks that if an element is always late, a single very late iteration does not count as
// lasting imbalance.
func TestSieveTakesTheMedian(t *testing.T) {
	v := noiseFilter{Failed: true}
	for i, late := range []float64{2, 2, 2, 2, 20, 2} {
		if got := v.imbalance(Sample{Max: late, Mean: 1, Times: []float64{0.5, late}}); got != 1 {
			t.Errorf("iteration %d: %v, want 1", i, got)
		}
	}
}

// TestDecideAmidNoise checks that under noise an interval has at least a few iterations, and does not end within the
// window unless the imbalance rises. At the end of the window it ends.
func TestDecideAmidNoise(t *testing.T) {
	for _, c := range []struct {
		age    int
		excess float64
		want   Decision
	}{
		{trendLen - 1, 100, Decision{Value: trendLen - 1, Limit: trendLen, What: reasonTooYoung}},
		{trendLen, 20, Decision{What: reasonNoise}},
		{trendLen, 20.5, Decision{Balance: true, Value: 20.5, Limit: 20, What: reasonLate}},
	} {
		h := &Bounded{}
		h.s.Sieve.Failed, h.s.Sieve.N = true, 1
		h.s.Regret = intervalState{Age: c.age, Excess: c.excess, Fallen: true}
		h.s.Cost.add(10)
		h.s.Load.add(1)
		if d := h.decide(); d != c.want {
			t.Errorf("%+v: %v", c, d)
		}
	}
}

// TestNoiseHidWhatWasLeft checks that the first few iterations after a balancing correct its residual, the imbalance
// that it left, if noise hid the residual at first. The excess then starts anew.
func TestNoiseHidWhatWasLeft(t *testing.T) {
	h := &Bounded{}
	h.s.Sieve.Failed = true
	for i := range trendLen {
		h.Observe(Sample{Max: 6, Mean: 1, Times: []float64{0, 0, 0, 0, 6, 0}, Balanced: i == 0, Cost: 10})
		if i == 0 {
			h.s.Fresh.replace(2) // as if a smaller imbalance had been seen
		}
		if i == trendLen-2 && !(h.s.Regret.Excess > 0) || h.s.Regret.Sieved != (i == trendLen-1) {
			t.Errorf("iteration %d: %+v", i, h.s.Regret)
		}
	}
	if h.s.Fresh.median() != 5 || h.s.Regret.Excess != 0 {
		t.Errorf("%v is left and %v in excess, want 5 and 0", h.s.Fresh.median(), h.s.Regret.Excess)
	}
}

// TestNoProbeNearTheEnd checks that a probe is left out if the rest of the run cannot repay it.
func TestNoProbeNearTheEnd(t *testing.T) {
	for level, want := range map[float64]string{0.5: reasonNoise, 2: reasonProbe} {
		h := &Bounded{Iterations: 1010, s: state{Seen: 1000}} // ten iterations must repay a cost of 10
		h.s.Cost.add(10)
		h.s.Load.add(1)
		h.s.Own = curve{Excess: []float64{1}, Load: []float64{1}}
		h.s.Regret = intervalState{Age: 10, Fallen: true, Excess: 16, Spent: 9000, Jitter: jitter{Moved: 1}}
		h.s.Regret.Level.add(level)
		if d := h.decide(); d.What != want || d.Balance != (want == reasonProbe) {
			t.Errorf("level %v: %v", level, d)
		}
	}
}

// TestGrowthLeavesOutBalancings checks that the fall of the imbalance at a balancing does not count as growth.
func TestGrowthLeavesOutBalancings(t *testing.T) {
	h := &Bounded{}
	for i, imbalance := range []float64{0, 1, 2, 0, 1} {
		h.Observe(Sample{Max: 1 + imbalance, Mean: 1, Balanced: i == 0 || i == 3, Cost: 10})
	}
	if g := h.s.Growth; g.N != 3 || g.forecast() != 1 {
		t.Errorf("%+v, want three times a growth of 1", g)
	}
}

// TestRegretLeast checks that Least is the least imbalance from iteration trendLen on. minLasting returns the least
// imbalance that has lasted for a few iterations.
func TestRegretLeast(t *testing.T) {
	var r intervalState
	for _, i := range []float64{1, 1, 1, 1, 3, 4, 2, 5} {
		r.add(Sample{Max: 1 + i, Mean: 1}, 0)
	}
	if r.Least != 2 {
		t.Errorf("least %v, want 2", r.Least)
	}
	r = intervalState{}
	for i, want := range []float64{9, 9, 9, 9, 8, 8, 8, 3, 3, 3} {
		r.add(Sample{Max: 1 + []float64{8, 8, 8, 8, 8, 3, 3, 3, 8, 8}[i], Mean: 1}, 0)
		if got := r.minLasting(9); got != want {
			t.Errorf("after %d iterations %v has lasted, want %v", i+1, got, want)
		}
	}
}
