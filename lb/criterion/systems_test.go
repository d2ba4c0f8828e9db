package criterion

import (
	"math"
	"testing"
)

// The periods are computed by hand from the two lines that MetaLB fits. The functions slow and all give the slowest
// time and the mean time of an interval, which begins just after a balancing that cost 30.
func TestMetaLBPeriods(t *testing.T) {
	for _, c := range []struct {
		name      string
		slow, all func(age float64) float64
		want      float64
	}{
		// The balancing left all of the excess.
		{"constant excess", func(float64) float64 { return 3 }, func(a float64) float64 { return 1 + 2*min(a, 0) }, math.Inf(1)},
		{"growth", func(a float64) float64 { return 1 + 0.6*a }, func(float64) float64 { return 1 }, 10},
		// The balancing left a ratio of 2, so the lines are 2 + 0.6 a and 2.
		{"growth above what is left", func(a float64) float64 { return 2 + 0.6*a }, func(float64) float64 { return 1 }, 10},
		// Both lines grow: 1.5 + 0.75 a, and the mean times the ratio 1.5, which is 1.5 + 0.15 a.
		{"both grow", func(a float64) float64 { return 1.5 + 0.75*a }, func(a float64) float64 { return 1 + 0.1*a }, 10},
		// The excess is 0.1 a until the mean falls below zero at age 5. So both times are taken as constant: the mean
		// of the excess is 0.2.
		{"the mean vanishes", func(a float64) float64 { return 5 - 0.9*a }, func(a float64) float64 { return 5 - a }, 30 / 0.2},
		{"the mean alone vanishes", func(float64) float64 { return 5 }, func(a float64) float64 { return 5 - a }, 15},
		// The lines meet at age 0, and then the line of the slowest times falls below the line of the mean times.
		{"excess falls", func(a float64) float64 { return 2 - 0.1*a }, func(float64) float64 { return 1 }, math.Inf(1)},
	} {
		m := &MetaLB{}
		for age := range 5 {
			if d := m.Decide(); d.Balance || d.Limit != 0 {
				t.Errorf("%s: %v after %d iterations", c.name, d, age)
			}
			m.Observe(Sample{Max: c.slow(float64(age)), Mean: c.all(float64(age)), Balanced: age == 0, Cost: 30})
		}
		if got := m.Decide().Limit; !(math.Abs(got-c.want) < 1e-9) && got != c.want {
			t.Errorf("%s: period %g, want %g", c.name, got, c.want)
		}
	}
}

// TestRepaid compares the result of the function repaid with a numerical integral.
func TestRepaid(t *testing.T) {
	for _, c := range []struct{ first, growth, cost float64 }{{2, 0, 30}, {0, 0.6, 30}, {5, -0.1, 30}, {-1, 0.5, 20}, {3, 2, 0.5}} {
		x, ok := repaid(c.first, c.growth, c.cost)
		sum, n := 0.0, 100000
		for i := range n {
			sum += (c.first + c.growth*x*(float64(i)+0.5)/float64(n)) * x / float64(n)
		}
		if !ok || math.Abs(sum-c.cost) > 1e-6*c.cost {
			t.Errorf("%v: %g iterations, %v, have an excess of %g", c, x, ok, sum)
		}
	}
	for _, c := range []struct{ first, growth, cost float64 }{{0, 0, 30}, {-2, 0, 30}, {1, -0.1, 30}, {-1, -1, 30}, {-10, -1, 30}} {
		if x, ok := repaid(c.first, c.growth, c.cost); ok {
			t.Errorf("%v: repaid after %g iterations", c, x)
		}
	}
}

// TestAMReXLooksBack checks that AMReX compares the efficiency since its last decision with the efficiency that
// balancings reached.
func TestAMReXLooksBack(t *testing.T) {
	a := &AMReX{Every: 3, Threshold: 1.2}
	decide := func(want bool, value, limit float64) {
		t.Helper()
		if d := a.Decide(); d.Balance != want || math.Abs(d.Value-value) > 1e-12 || math.Abs(d.Limit-limit) > 1e-12 {
			t.Errorf("%+v, want %v: %g against %g", d, want, value, limit)
		}
	}
	decide(false, 0, 0)
	for _, m := range []float64{1.25, 5, 5} { // the first iteration has an efficiency of 0.8
		a.Observe(Sample{Max: m, Mean: 1})
		if a.seen < 3 {
			decide(false, 0, 0)
		}
	}
	decide(true, 0.8, 1.2*3/11.25)
	for range 3 {
		a.Observe(Sample{Max: 1.4, Mean: 1})
	}
	decide(false, 0.8, 1.2/1.4)
	a.Observe(Sample{Max: 1, Mean: 1, Balanced: true}) // the mean efficiency after balancings is now 0.9
	a.Observe(Sample{Max: 1.4, Mean: 1})
	a.Observe(Sample{Max: 1.4, Mean: 1})
	decide(false, 0.9, 1.2*3/3.8)
	for range 3 {
		a.Observe(Sample{})
	}
	decide(false, 0, 0)
	a = &AMReX{Every: 1}
	a.Observe(Sample{Max: 1, Mean: 1})
	decide(false, 1, 1.1)
	a.Observe(Sample{Max: 2, Mean: 1})
	decide(true, 1, 0.55)
}
