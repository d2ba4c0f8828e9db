package criterion

import "testing"

// TestWindowEnds checks that no interval continues beyond an excess of twice the cost of balancing, whatever the plan
// says. If the imbalance reaches a constant level, continuing is cheapest, and only the window ends the interval.
func TestWindowEnds(t *testing.T) {
	for _, level := range []float64{0.01, 0.04, 0.3} {
		const cost = 10.0
		c := &Bounded{}
		excess, most, age, ended := 0.0, 0.0, 0, 0
		for i := range 20_000 {
			balanced := i == 0
			if i > 0 && c.Decide().Balance {
				before := excess - level // the last iteration's excess is left out, because the bound adds it
				most, excess, age, balanced = max(most, before), 0, 0, true
				ended++
			}
			imbalance := level
			if age == 0 {
				imbalance = 0
			}
			c.Observe(Sample{Max: 1 + imbalance, Mean: 1, Min: 1, Balanced: balanced, Cost: cost})
			excess += imbalance
			age++
		}
		if ended < 5 || most > 2*cost*(1+1e-9) || most < 1.9*cost {
			t.Errorf("level %v: %d intervals, the longest with an excess of %v; want nearly %v", level, ended, most, 2*cost)
		}
	}
}

// TestReportsMerge checks that the cost of the slowest rank counts, whichever report has it.
func TestReportsMerge(t *testing.T) {
	a, b := Report{Max: 1, Sum: 1, Min: 1, Count: 1, Cost: 2}, Report{Max: 3, Sum: 5, Min: 2, Count: 2, Cost: 4, Balanced: true, Bad: 1}
	want := Report{Max: 3, Sum: 6, Min: 1, Count: 3, Cost: 4, Balanced: true, Bad: 1}
	if x, y := a.Merge(b), b.Merge(a); x != want || y != want {
		t.Errorf("%+v and %+v, want %+v", x, y, want)
	}
	if got := (Report{}).Merge(b); got != b {
		t.Errorf("with no report %+v", got)
	}
}

// refined returns an application of n iterations whose imbalance rises by height at every multiple of every, until
// the work is balanced.
func refined(n, every int, height, cost float64) model {
	return steady(n, cost, func(t, start int) float64 { return height * float64(t/every-start/every) })
}

// TestBoundedEndsEarlyWhereNothingFalls checks that an imbalance that has just risen is removed at once, if no
// imbalance has fallen before. The interval alone was too short to show that balancing saves time.
func TestBoundedEndsEarlyWhereNothingFalls(t *testing.T) {
	m := refined(500, 18, 0.5, 5)
	balances, total := m.run(&Bounded{Iterations: 500})
	late := 0
	for _, at := range balances {
		if at%18 != 1 && at > 100 && at < 450 {
			late++
		}
	}
	if best := m.optimum(); late > 0 || total > 1.03*best {
		t.Errorf("%.3f times the optimum, balances %v", total/best, balances)
	}
}

// TestBoundedCountsFromTheLastFall checks that after a fall of the imbalance, in any interval, the imbalance is
// expected to last for a shorter time.
func TestBoundedCountsFromTheLastFall(t *testing.T) {
	c := &Bounded{Iterations: 100}
	for i, s := range []struct {
		imbalance float64
		balanced  bool
		calm      int
	}{
		{0, true, 1}, {0.5, false, 2}, {0.5, false, 3}, {0.4, false, 0}, {0.4, false, 1},
		{0, true, 2}, {0.3, false, 3}, {0.3 - 1e-12, false, 4}, {0.2, false, 0},
	} {
		if c.Observe(Sample{Max: 1 + s.imbalance, Mean: 1, Balanced: s.balanced, Cost: 50}); c.s.Calm != s.calm {
			t.Errorf("after iteration %d: %d calm iterations, want %d", i, c.s.Calm, s.calm)
		}
	}
	// 50 iterations at 0.5 cost more than twice the cost of a balancing, which is 10; 30 iterations do not.
	for _, w := range []struct {
		calm, left int
		early      bool
	}{{50, 400, true}, {30, 400, false}, {400, 50, true}, {400, 30, false}} {
		b := &Bounded{Iterations: 69 + w.left, s: state{Seen: 60, Calm: w.calm}}
		b.s.Fresh.add(0)
		b.s.Cost.add(10)
		for range 8 {
			b.Observe(Sample{Max: 1, Mean: 1})
		}
		b.s.Calm, b.s.Ledger.Credit = w.calm, 20 // set here, because otherwise the ledger would forbid balancing
		b.Observe(Sample{Max: 1.5, Mean: 1})
		if d := b.Decide(); (d.What != reasonEarly) != w.early {
			t.Errorf("%+v: %v", w, d)
		}
	}
}

// TestBoundedKeepsItsLedger checks the two sums in the ledger of Bounded. One is the removable excess: imbalance that
// balancings leave does not count. The other is the credit of earlier intervals.
func TestBoundedKeepsItsLedger(t *testing.T) {
	h := &Bounded{}
	for _, c := range []struct {
		imbalance      float64
		balanced       bool
		credit, excess float64
		least          float64
	}{
		// The interval costs 17 and may cost 21.
		{0, true, 0, 0, 0}, {7, false, 0, 7, 7},
		// A schedule that balanced in the first interval has paid 3 more. The interval costs 14 and may cost 21 plus
		// the credit of 4. The remaining 11 exceed the cost of a balancing, so only this cost is kept as credit.
		{0, true, 4, 0, 3}, {4, false, 4, 4, 7},
		// A schedule that did not balance pays 4 in the first iteration. It has paid 10 less than a schedule that
		// balances now.
		{0, true, 10, 0, 4}, {15, false, 10, 15, 14},
		// The imbalance that this balancing left cannot be removed.
		{2, true, 10, 0, 0}, {5, false, 10, 3, 3},
	} {
		h.Observe(Sample{Max: 1 + c.imbalance, Mean: 1, Balanced: c.balanced, Cost: 10})
		if l := h.s.Ledger; l.Credit != c.credit || l.Excess != c.excess || l.gain(10) != c.least {
			t.Errorf("%+v: %+v, gain %v", c, l, l.gain(10))
		}
	}
	for range 4 { // each balancing leaves 2, so their median becomes 2
		for _, i := range []float64{2, 3} {
			h.Observe(Sample{Max: 1 + i, Mean: 1, Balanced: i == 2, Cost: 10})
		}
	}
	if l := h.s.Ledger; l.Excess != 1 || l.Payers.Old[0].Has != 1 {
		t.Errorf("%+v, payers %+v; want an excess and an imbalance of 1", l, *l.Payers)
	}
}

// TestBoundedWithoutLoad checks that there is nothing to save without load.
func TestBoundedWithoutLoad(t *testing.T) {
	h := &Bounded{s: state{Regret: intervalState{Age: 3, Excess: 15}}}
	h.s.Cost.add(10)
	h.s.Load.add(0)
	if d := h.decide(); d != (Decision{What: reasonRunEnd}) {
		t.Errorf("%v", d)
	}
	h.s.Regret.Excess = 25
	if d := h.decide(); !d.Balance {
		t.Errorf("beyond the window: %v", d)
	}
}

// TestWindowBegins checks that below half of the cost of balancing, an interval ends only if three conditions hold:
// the imbalance can be expected to stay, it costs more than two balancings until the end, and the ledger allows it.
// Above that the plan decides.
func TestWindowBegins(t *testing.T) {
	for _, c := range []struct {
		iterations           int
		excess, last, credit float64
		what                 string
	}{
		{0, 4.5, 3, 10, reasonEarly}, // the end is unknown, so the imbalance may not stay
		{100, 4.5, 2, 10, reasonEarly},
		{100, 4.5, 3, 1, reasonCredit}, // the bound is not exceeded: 1 + 3*4.5 = 4.5 + 10
		{100, 4.5, 3, 1.5, reasonCycle},
		{100, 5, 3, 0, reasonCycle},
		{0, 5, 3, 0, reasonCycle},
	} {
		h := &Bounded{Iterations: c.iterations, s: state{Own: curve{Excess: []float64{0, 1, 9}, Load: []float64{1, 1, 1}}}}
		h.s.Regret = intervalState{Age: 3, Excess: c.excess, Last: c.last}
		h.s.Ledger = ledger{Credit: c.credit, Excess: c.excess}
		h.updateExpected()
		if d := h.decideInWindow(10, 1, 10); d.What != c.what {
			t.Errorf("%+v: %v", c, d)
		}
	}
}
