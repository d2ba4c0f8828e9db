package circuit

import (
	"slices"
	"testing"
)

// focusAt returns a Focus of two elements with the given predictions. In earlier rounds all predictions came true.
func focusAt(totals, predicted []float64) *Focus {
	f := NewFocus(len(totals))
	copy(f.totals, totals)
	copy(f.predicted, predicted)
	f.Limit()
	return f
}

// TestFocusMargins checks that each limit is narrowed by four times the gain that is predicted for the extreme total at
// that end. It is narrowed by at most 0.12 of the distance between the limits.
func TestFocusMargins(t *testing.T) {
	for _, c := range []struct {
		totals, predicted []float64
		high, low, spread float64
	}{
		{[]float64{200, 0}, []float64{150, 50}, 150 - 0.12*100, 50 + 0.12*100, 100},
		{[]float64{151, 49}, []float64{150, 50}, 146, 54, 100}, // a gain of 1 at both ends
		{[]float64{152, 50}, []float64{150, 50}, 142, 50, 100}, // gains of 2 and 0
		{[]float64{150, 48}, []float64{150, 50}, 150, 58, 100}, // gains of 0 and 2
		{[]float64{150, 40}, []float64{150, 50}, 150, 62, 100}, // a gain of 10, which is limited to the largest margin
		{[]float64{160, 50}, []float64{150, 50}, 138, 50, 100},
		{[]float64{100, 100}, []float64{100, 100}, 100, 100, 0},
	} {
		f := focusAt(c.totals, c.predicted)
		if f.high != c.high || f.low != c.low || f.spread != c.spread {
			t.Errorf("%v to %v: limits %v and %v, spread %v; want %v, %v, %v", c.totals, c.predicted, f.high, f.low, f.spread, c.high, c.low, c.spread)
		}
	}
}

// TestFocusMarginsOfFreeLoads checks the margins if the heaviest loads are known, so that Focus can afford more moves.
// A limit is then narrowed by three times the gain, but by at most a quarter of the distance between the limits.
func TestFocusMarginsOfFreeLoads(t *testing.T) {
	for _, c := range []struct {
		totals    []float64
		high, low float64
	}{
		{[]float64{200, 0}, 150 - 25, 50 + 25},
		{[]float64{151, 48}, 147, 56},
		{[]float64{150, 50}, 150, 50},
	} {
		f := NewFocus(2)
		copy(f.totals, c.totals)
		copy(f.predicted, []float64{150, 50})
		f.heaviest = []float64{1, 1}
		if f.Limit(); f.high != c.high || f.low != c.low {
			t.Errorf("%v: limits %v and %v, want %v and %v", c.totals, f.high, f.low, c.high, c.low)
		}
	}
}

// TestFocusIdles checks that a matching is left alone if both its elements are within the limits, or if their totals
// are equal.
func TestFocusIdles(t *testing.T) {
	f := &Focus{high: 10, low: 4}
	for _, c := range []struct {
		totals [2]float64
		want   bool
	}{
		{[2]float64{10, 4}, true}, {[2]float64{4, 10}, true}, {[2]float64{10.5, 5}, false}, {[2]float64{5, 10.5}, false},
		{[2]float64{10, 3.5}, false}, {[2]float64{3.5, 10}, false}, {[2]float64{20, 20}, true}, {[2]float64{20, 1}, false},
	} {
		if got := f.Idle(c.totals); got != c.want {
			t.Errorf("%v: %v", c.totals, got)
		}
	}
}

// TestFocusLearns checks how the yield of an element changes. If the element was beyond the limits, the yield moves
// half way towards the fraction of the prediction that came true. Otherwise it moves half way towards 1.
func TestFocusLearns(t *testing.T) {
	for _, c := range []struct{ was, predicted, now, yield, want float64 }{
		{20, 10, 10, 0.5, 0.75},
		{20, 10, 20, 0.5, 0.25},
		{20, 10, 15, 1, 0.75},
		{20, 10, 25, 1, 0.5}, // the total moved away from the prediction
		{20, 10, 0, 0.5, 0.75},
		{0, 5, 2.5, 1, 0.75},
		{0, 5, 5, 0.5, 0.75},
		{10, 5, 10, 0.5, 0.75}, // at the limits, not beyond them
		{4, 5, 4, 0.5, 0.75},
		{20, 20, 25, 0.5, 0.75}, // no change was predicted
	} {
		f := &Focus{high: 10, low: 4, totals: []float64{c.was}, predicted: []float64{c.predicted}, yield: []float64{c.yield}}
		if f.learn(0, c.now); f.yield[0] != c.want {
			t.Errorf("%+v: %v", c, f.yield[0])
		}
	}
}

// TestFocusReaches checks that later rounds ask for finer fits, down to a fifth of SortedGreedy's discrepancy. If the
// contraction is above a half, because loads have to travel far, a fit as good as SortedGreedy's is enough.
func TestFocusReaches(t *testing.T) {
	for _, c := range []struct {
		round            int
		contracts        float64
		reachable, relax float64
	}{
		{1, 0.9, 1, 1}, {2, 0, 0.7, 1}, {3, 0, 0.7 * 0.7, 1}, {5, 0, 0.2401, 1}, {6, 0, 0.2, 1}, {50, 0, 0.2, 1},
		{2, 0.5, 0.7, 1.1}, {2, 0.51, 1, 1.1}, {50, 0.51, 1, 2 / (1 + 0.7)}, {50, 1, 1, 1.5}, {3, 1, 1, 1.2},
	} {
		f := NewFocus(2)
		f.contraction = c.contracts
		f.Start(c.round, []float64{1, 2}, nil)
		if !near(f.allowedFraction, c.reachable) || !near(f.relaxation, c.relax) || !slices.Equal(f.predicted, []float64{1, 2}) {
			t.Errorf("%+v: reachable %v, factor %v, predicted %v", c, f.allowedFraction, f.relaxation, f.predicted)
		}
	}
}

func near(x, y float64) bool { return x-y < 1e-12 && y-x < 1e-12 }

// TestFocusPredicts checks that a prediction moves the relaxed share of the lead over an edge, but never the sender's
// heaviest load.
func TestFocusPredicts(t *testing.T) {
	for _, c := range []struct {
		relax    float64
		from     []float64
		heaviest []float64
		want     []float64
	}{
		{1, []float64{8, 0}, nil, []float64{4, 4}},
		{1.5, []float64{8, 0}, nil, []float64{2, 6}},
		{1.5, []float64{0, 8}, nil, []float64{6, 2}},
		{1, []float64{8, 0}, []float64{6, 99}, []float64{6, 2}},
		{1, []float64{0, 8}, []float64{99, 7}, []float64{1, 7}},
		{1, []float64{8, 0}, []float64{9, 0}, []float64{8, 0}},
		{1, []float64{8, 2}, []float64{5, 0}, []float64{5, 5}},
	} {
		f := &Focus{relaxation: c.relax, heaviest: c.heaviest, predicted: slices.Clone(c.from)}
		if f.Predict(Edge{0, 1}); !slices.Equal(f.predicted, c.want) {
			t.Errorf("%+v: %v", c, f.predicted)
		}
	}
}

// TestFocusSlack checks by how much a transfer may miss its amount: by half of the distance to the nearer limit. The
// slack is at least a tenth of the amount or a tenth of the distance between the limits, whichever is smaller.
func TestFocusSlack(t *testing.T) {
	for _, c := range []struct{ from, to, amount, high, low, spread, want float64 }{
		// The sender has to send at least 6, and the receiver may get at most 10. Both are 2 away from 8.
		{16, 0, 8, 10, 4, 100, 1},
		{16, 0, 8, 12, 4, 100, 2},   // from 4 to 12: both limits are 4 away
		{16, 0, 8, 12, 7, 100, 0.8}, // from 7 to 9: half of the distance 1 is less than a tenth of 8
		{16, 0, 8, 8, 8, 100, 0.8},
		{16, 0, 8, 8, 8, 4, 0.4}, // a tenth of the distance between the limits
		{20, 0, 8, 18, 6, 0, 1},  // the receiver needs at least 6, which is 2 away
		{20, 0, 12, 18, 6, 0, 1}, // the sender may send at most 14
		{20, 8, 12, 10, 4, 0, 0}, // the receiver may get at most 2
	} {
		f := &Focus{high: c.high, low: c.low, spread: c.spread}
		if got := f.slack(c.from, c.to, c.amount); !near(got, c.want) {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

// TestFocusBalanceKnown checks that Balance moves the heaviest loads that fit. It must move nothing if both elements
// are within the limits, or if SortedGreedy would leave as large a discrepancy.
func TestFocusBalanceKnown(t *testing.T) {
	pair := func(load ...float64) Pair { return Pair{Load: load, Side: make([]uint8, len(load))} }
	f := &Focus{relaxation: 1, allowedFraction: 1, contraction: 0.3, high: 8, low: 8, spread: 16}
	p := pair(8, 4, 2, 2)
	if f.Balance(p, nil); !slices.Equal(p.Side, []uint8{1, 0, 0, 0}) {
		t.Errorf("half goes: %v", p.Side)
	}
	f.high, f.low = 16, 0
	p = pair(8, 4, 2, 2)
	if f.Balance(p, nil); !slices.Equal(p.Side, make([]uint8, 4)) {
		t.Errorf("within the limits %v moved", p.Side)
	}
	// The only possible move sends the single load of 5 to the other element, so SortedGreedy also leaves a discrepancy
	// of 5.
	f.high, f.low = 2.5, 2.5
	p = pair(5)
	if f.Balance(p, nil); p.Side[0] != 0 {
		t.Error("a load changed side for nothing")
	}
	// With a relaxation of 1.5, three quarters of the lead of 16 go, and the discrepancy does not grow.
	f = &Focus{relaxation: 1.5, allowedFraction: 1, contraction: 0.9, high: 1, low: 1, spread: 1}
	p = pair(8, 4, 2, 2)
	if f.Balance(p, nil); !slices.Equal(p.Side, []uint8{1, 1, 0, 0}) {
		t.Errorf("three quarters go: %v", p.Side)
	}
}

// TestFocusSparesWhatIsEven checks a matching that is already as even as SortedGreedy would make it. It must be left
// alone, although overrelaxation asks for more than half the lead.
func TestFocusSparesWhatIsEven(t *testing.T) {
	f := &Focus{relaxation: 1.5, allowedFraction: 1, contraction: 0.9, high: 10, low: 10}
	p := Pair{Load: []float64{5, 5, 4, 3, 3}, Side: []uint8{0, 1, 1, 0, 0}} // totals 11 and 9; SortedGreedy leaves 2
	if f.Balance(p, nil); !slices.Equal(p.Side, []uint8{0, 1, 1, 0, 0}) {
		t.Errorf("%v moved", p.Side)
	}
	f.allowedFraction = 0.99
	if f.Balance(p, nil); slices.Equal(p.Side, []uint8{0, 1, 1, 0, 0}) {
		t.Error("a lead above what SortedGreedy leaves stays")
	}
}

// TestFocusMissesByHalf checks that a transfer may miss its amount by half of SortedGreedy's discrepancy if that
// saves moves.
func TestFocusMissesByHalf(t *testing.T) {
	for _, c := range []struct {
		load       []float64
		side, want []uint8
	}{
		{[]float64{13, 12, 11, 5, 2}, []uint8{0, 1, 0, 0, 1}, []uint8{0, 1, 1, 0, 0}}, // SortedGreedy leaves 3
		{[]float64{14, 14, 13, 2}, []uint8{0, 0, 0, 0}, []uint8{1, 0, 0, 1}},          // SortedGreedy leaves 11
		{[]float64{13, 9, 8, 5, 4}, []uint8{0, 1, 0, 0, 0}, []uint8{0, 1, 1, 0, 1}},   // SortedGreedy leaves 3
	} {
		p := Pair{Load: c.load, Side: slices.Clone(c.side)}
		mean := (p.Totals()[0] + p.Totals()[1]) / 2
		f := &Focus{relaxation: 1, allowedFraction: 1, contraction: 0.3, high: mean, low: mean}
		if f.Balance(p, nil); !slices.Equal(p.Side, c.want) {
			t.Errorf("%v on %v: %v, want %v", c.load, c.side, p.Side, c.want)
		}
	}
}

// TestFocusEscapes checks a pair that no move of one or two loads improves. Focus must send a heavy load and take light
// loads back, but only if a round of divisible loads would leave less than a tenth of the discrepancy.
func TestFocusEscapes(t *testing.T) {
	stuck := []uint8{0, 0, 1, 1, 1, 1}
	for _, c := range []struct {
		contracts float64
		want      []uint8
	}{{0.1, stuck}, {0.0999, []uint8{0, 1, 0, 1, 1, 0}}} {
		p := Pair{Load: []float64{23, 19, 14, 13, 12, 8}, Side: slices.Clone(stuck)}
		mean := (p.Totals()[0] + p.Totals()[1]) / 2
		f := &Focus{relaxation: 1, allowedFraction: 1, contraction: c.contracts, high: mean, low: mean}
		if f.Balance(p, nil); !slices.Equal(p.Side, c.want) {
			t.Errorf("levelled to %v: %v, want %v", c.contracts, p.Side, c.want)
		}
	}
}

// TestFocusKeepsAnEqualLead checks a transfer of more than half the lead. It must be carried out even if the other
// element then has an equal lead.
func TestFocusKeepsAnEqualLead(t *testing.T) {
	p := Pair{Load: []float64{12, 5, 1, 1}, Side: []uint8{0, 1, 1, 0}}
	f := &Focus{relaxation: 1.5, allowedFraction: 1, contraction: 0.9, high: 9.5, low: 9.5}
	if f.Balance(p, nil); !slices.Equal(p.Side, []uint8{1, 0, 1, 0}) || p.Discrepancy() != 7 {
		t.Errorf("%v, discrepancy %v", p.Side, p.Discrepancy())
	}
}
