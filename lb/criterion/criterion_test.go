package criterion

import (
	"reflect"
	"slices"
	"strings"
	"testing"
)

// every returns the multiples of step below n.
func every(step, n int) []int {
	var out []int
	for t := step; t < n; t += step {
		out = append(out, t)
	}
	return out
}

// The intervals are computed by hand from the definitions, for C = 100 mean loads.
func TestIntervals(t *testing.T) {
	linear := func(age int) float64 { return 0.01 * float64(age) * float64(age-1) }
	for _, c := range []struct {
		name      string
		criterion Criterion
		imbalance func(int) float64
		interval  int
	}{
		// The first sum above 100 is 0.1 (0+1+...+45) = 103.5.
		{"Menon", &Menon{}, growing, 46},
		// The first area above 100 is 46*4.5 - 103.5 = 103.5.
		{"Boulmier", &Boulmier{}, growing, 46},
		{"Menon, faster growth", &Menon{}, linear, 33},
		{"Boulmier, faster growth", &Boulmier{}, linear, 26},
		{"Periodic", &Periodic{Period: 25}, growing, 25},
		{"Periodic, never", &Periodic{}, growing, 600},
		{"Never", Never{}, growing, 600},
		{"Always", Always{}, growing, 1},
		// 1 + 100 < 20 (1 + 0.1 k) holds from k = 41, which is known before iteration 42.
		{"Procassini", &Procassini{Rho: 20}, growing, 42},
		// 0.1 k > 2 holds from k = 21, because 0.1 * 20 does not exceed 2 with rounding either.
		{"Marquez", &Marquez{Tolerance: 2}, growing, 22},
		{"Marquez, no tolerance", &Marquez{}, growing, 2},
		// The medians 1, 1.05, 1.1, 1.2, ... minus the phase's mean 1.05 add up to 0.05 (k-1)^2 - 0.05. This exceeds
		// 100 from k = 46.
		{"Zhai, phase of 2", &Zhai{Phase: 2}, growing, 47},
		// The area 0.05 x^2 reaches 100 at x = 44.7.
		{"MetaLB", &MetaLB{}, growing, 45},
		// Over ten iterations the mean efficiency is 1/1.45, which is below 1/1.1.
		{"AMReX", &AMReX{}, growing, 10},
		{"AMReX, 1.5", &AMReX{Threshold: 1.5}, growing, 20},
		{"AMReX, every 7", &AMReX{Every: 7, Threshold: 2}, growing, 21},
	} {
		got, _ := static(600, 100, c.imbalance).run(c.criterion)
		if want := every(c.interval, 600); !slices.Equal(got, want) {
			t.Errorf("%s: balances %v, want every %d", c.name, got, c.interval)
		}
	}
}

// TestUnknownCost checks that a criterion that compares with the cost does not balance before the cost is known.
func TestUnknownCost(t *testing.T) {
	for _, c := range []Criterion{&Menon{}, &Boulmier{}, &Zhai{}, &MetaLB{}, &Procassini{Rho: 50}, &Bounded{}, &Bounded{Iterations: 100}} {
		if c.Decide().Balance {
			t.Errorf("%T balances before the first iteration", c)
		}
		for range 50 {
			c.Observe(Sample{Max: 100, Mean: 1})
			if d := c.Decide(); d.Balance {
				t.Errorf("%T: %v without a known cost", c, d)
			}
		}
	}
}

func TestMarquezSeesIdleElements(t *testing.T) {
	m := &Marquez{Tolerance: 0.5}
	m.Observe(Sample{Max: 1.1, Mean: 1, Min: 0.4})
	if d := m.Decide(); !d.Balance || d.Value != 0.6 || d.Limit != 0.5 {
		t.Errorf("%v", d)
	}
}

func TestProcassiniLearnsEfficiency(t *testing.T) {
	p := &Procassini{}
	p.Observe(Sample{Max: 1.25, Mean: 1, Balanced: true, Cost: 1}) // an efficiency of 80 %
	p.Observe(Sample{Max: 2.5, Mean: 1})
	if d := p.Decide(); d.Balance || d.Value != 0.9*2.5 || d.Limit != 1.25+1 {
		t.Errorf("%v: want 2.25 against 2.25", d)
	}
	p.Observe(Sample{Max: 2.75, Mean: 1})
	if d := p.Decide(); !d.Balance {
		t.Errorf("%v: want to balance", d)
	}
}

func TestOf(t *testing.T) {
	if got, want := Of([]float64{3, 1, 2}), (Sample{Max: 3, Mean: 2, Min: 1, Times: []float64{3, 1, 2}}); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// TestReplay checks that replaying recorded samples leads to the same decisions. Asking twice for a decision changes
// nothing.
func TestReplay(t *testing.T) {
	make := map[string]func() Criterion{
		"Menon": func() Criterion { return &Menon{} }, "Boulmier": func() Criterion { return &Boulmier{} },
		"Zhai": func() Criterion { return &Zhai{} }, "MetaLB": func() Criterion { return &MetaLB{} }, "AMReX": func() Criterion { return &AMReX{} },
		"Bounded": func() Criterion { return &Bounded{Iterations: 300} },
	}
	for name, fresh := range make {
		rec := &recorder{Criterion: fresh()}
		balances, _ := static(300, 100, growing).run(rec)
		again := Replay(fresh(), rec.samples)
		var got []int
		for i, d := range again {
			if d.Balance {
				got = append(got, i)
			}
		}
		if !slices.Equal(got, balances) || !reflect.DeepEqual(again[1:], rec.decisions) {
			t.Errorf("%s: replay balances %v, the run %v", name, got, balances)
		}
	}
}

type recorder struct {
	Criterion
	samples   []Sample
	decisions []Decision
}

func (r *recorder) Observe(s Sample) { r.samples = append(r.samples, s); r.Criterion.Observe(s) }
func (r *recorder) Decide() Decision {
	d := r.Criterion.Decide()
	if d2 := r.Criterion.Decide(); d2 != d {
		panic("a decision changed the criterion")
	}
	r.decisions = append(r.decisions, d)
	return d
}

func TestExplanation(t *testing.T) {
	m := &Menon{}
	m.Observe(Sample{Max: 3, Mean: 1, Balanced: true, Cost: 1.5})
	if got := m.Decide().String(); !strings.HasPrefix(got, "balance: 2 > 1.5 (") {
		t.Errorf("%q", got)
	}
	m.Observe(Sample{Max: 1, Mean: 1, Balanced: true, Cost: 1.5})
	if got := m.Decide().String(); !strings.HasPrefix(got, "go on: 0 <= 1.5 (") {
		t.Errorf("%q", got)
	}
}
