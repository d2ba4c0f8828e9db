package criterion

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestTimedKnown checks an imbalance that grows with time by g per iteration. An interval must end when the imbalance
// exceeds its expected growth until the next balancing, sqrt(2 C g).
func TestTimedKnown(t *testing.T) {
	for _, c := range []struct {
		last, growth float64
		want         Decision
	}{
		// A balancing leaves 0.5.
		{3.5, 0.5, Decision{Value: 3, Limit: math.Sqrt(2 * 10 / 2 * 0.5), What: reasonTimeGrowth, Balance: true}},
		{2.5, 0.5, Decision{Value: 2, Limit: math.Sqrt(5), What: reasonTimeGrowth}},
		{0.75, 0, Decision{Value: 0.25, Limit: 0, What: reasonTimeGrowth, Balance: true}}, // without growth
		{0.75, -1, Decision{Value: 0.25, Limit: 0, What: reasonTimeGrowth, Balance: true}},
		{0.25, 0, Decision{What: reasonTimeGrowth}},
	} {
		h := &Bounded{}
		h.s.Fresh.add(0.5)
		h.s.Growth.add(c.growth)
		h.s.Regret.Last = c.last
		if got := h.decideByTime(10, 2); got != c.want {
			t.Errorf("%+v: %+v", c, got)
		}
	}
}

// TestLeftKnown checks an imbalance that never falls below a certain level within an interval. The balancing before the
// interval has not removed that part of the imbalance. This does not apply to the first distribution.
func TestLeftKnown(t *testing.T) {
	var s state
	s.Fresh.add(1)
	s.Regret.Lowest = 3
	if got := s.residual(); got != 1 {
		t.Errorf("after the first distribution %v is left", got)
	}
	s.Fresh.add(2)
	if got := s.residual(); got != 3 {
		t.Errorf("%v is left, want the least of the interval", got)
	}
	s.Regret.Lowest = 0.5
	if got := s.residual(); got != 1 {
		t.Errorf("%v is left, want the median", got)
	}
}

// TestAccuracyKnowsTimes checks that the line and the curve of earlier intervals are compared by the errors of their
// forecasts.
func TestAccuracyKnowsTimes(t *testing.T) {
	for _, c := range []struct {
		slope float64 // slope of the line, which is 1 at age 0
		want  bool
	}{{0.5, true}, {1, true}, {1.75, false}} { // I is 2 at age 1, where the curve forecasts 2.5
		var m forecastErrors
		past := curve{Excess: []float64{0, 2.5}, Load: []float64{1, 1}}
		r := intervalState{Age: 1, Known: 2, Fresh: 1, Slope: c.slope}
		m.addErrors(&past, &r, Sample{Max: 3, Mean: 1})
		if m.growsWithTime() != c.want || m.All.Line != math.Abs(1-c.slope) {
			t.Errorf("%+v: %+v", c, m.All)
		}
		all := m.All
		if m.begin(); m.All.Line != all.Line/2 || m.Here != (errorSums{}) {
			t.Errorf("%+v after an interval: %+v", all, m)
		}
	}
}

// phases returns a model whose imbalance grows for a while and then rests for a while, whenever the work is balanced.
func phases(n int, rate float64, on, off int) model {
	level := make([]float64, n+1)
	for t := range n {
		level[t+1] = level[t]
		if t%(on+off) < on {
			level[t+1] += rate
		}
	}
	return steady(n, 50, func(t, start int) float64 { return level[t] - level[start] })
}

// TestBoundedFollowsPhases checks that if the imbalance grows with time, intervals follow the present growth. A quiet
// time before does not count as part of a repeating cycle.
func TestBoundedFollowsPhases(t *testing.T) {
	for _, c := range []struct {
		on, off int
		most    float64
	}{{80, 120, 1.07}, {40, 60, 1.13}} {
		m := phases(600, 0.1, c.on, c.off)
		_, total := m.run(&Bounded{})
		_, boulmier := m.run(&Boulmier{})
		if best := m.optimum(); total > c.most*best || total > boulmier {
			t.Errorf("%+v: %.3f times the optimum, Boulmier's %.3f", c, total/best, boulmier/best)
		}
	}
}

// TestBoundedNoticesWhatStays checks a period of imbalance that no balancing removes. Bounded must recognize it at the
// first balancing within the period.
func TestBoundedNoticesWhatStays(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	floor := make([]float64, 600)
	for begin := 30; begin < len(floor); begin += 90 {
		height := 0.3 + r.Float64()
		for t := begin; t < min(begin+45, len(floor)); t++ {
			floor[t] = height
		}
	}
	m := steady(len(floor), 3, func(t, start int) float64 { return 0.01*float64(t-start) + floor[t] })
	balances, total := m.run(&Bounded{})
	if best := m.optimum(); total > 1.08*best {
		t.Errorf("%.3f times the optimum, balances %v", total/best, balances)
	}
}
