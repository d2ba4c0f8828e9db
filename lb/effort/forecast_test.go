package effort_test

import (
	"math"
	"testing"

	"lockstep/lb/effort"
)

// TestForecastKnownAnswer checks that imbalance that grows by a per iteration costs at least sqrt(2 a C) per
// iteration, with intervals of sqrt(2C/a) iterations. If the work is balanced for the middle of the interval, the
// cost is sqrt(a C).
func TestForecastKnownAnswer(t *testing.T) {
	line := effort.Forecast{Age: []float64{0, 50, 100}, Imbalance: []float64{0, 25, 50}}
	got, length := line.Best(400, 400, math.Inf(1))
	if want := math.Sqrt(2 * 0.5 * 400); math.Abs(got/want-1) > 0.01 {
		t.Errorf("growth: effort %v, want %v", got, want)
	}
	if want := math.Sqrt(2 * 400 / 0.5); math.Abs(length/want-1) > 0.1 {
		t.Errorf("growth: %v iterations, want %v", length, want)
	}
	valley := effort.Forecast{Age: []float64{0, 25, 50}, Imbalance: []float64{12.5, 0, 12.5}}
	if got, _ := valley.Best(312.5, 312.5, math.Inf(1)); math.Abs(got/math.Sqrt(0.5*312.5)-1) > 0.01 {
		t.Errorf("valley: effort %v, want %v", got, math.Sqrt(0.5*312.5))
	}
	flat := effort.Forecast{Age: []float64{0, 10}, Imbalance: []float64{3, 3}}
	if got, length := flat.Best(40, 40, math.Inf(1)); math.Abs(got-5) > 1e-9 || math.Abs(length-20) > 1e-9 {
		t.Errorf("no growth: effort %v in %v iterations, want 3+40/20", got, length)
	}
	if got, length := (effort.Forecast{Age: []float64{0}, Imbalance: []float64{3}}).Best(4, 4, math.Inf(1)); got != 7 || length != 1 {
		t.Errorf("one age: effort %v in %v iterations, want 3+4 in 1", got, length)
	}
}

// The imbalance grows by 0.5 in each of 70 iterations, and a balancing costs 400. The cost of imbalance is 1225 with
// one interval, 612.5 with two intervals, and 408 with three.
func TestForecastUntilTheEnd(t *testing.T) {
	line := effort.Forecast{Age: []float64{0, 50, 100}, Imbalance: []float64{0, 25, 50}}
	for _, c := range []struct{ first, rest, effort, length float64 }{
		{0, 70, (400 + 612.5) / 70, 35}, {400, 70, (800 + 612.5) / 70, 35}, {0, 30, 225.0 / 30, 30}, {0, 0.5, 400, 1},
	} {
		if got, length := line.Best(400, c.first, c.rest); math.Abs(got-c.effort) > 1e-9 || math.Abs(length-c.length) > 1e-9 {
			t.Errorf("%+v: effort %v in intervals of %v", c, got, length)
		}
	}
}

func TestForecastUntil(t *testing.T) {
	valley := effort.Forecast{Age: []float64{0, 10, 20}, Imbalance: []float64{6, 0, 4}}
	falling := effort.Forecast{Age: []float64{0, 10, 20}, Imbalance: []float64{9, 8, 4}}
	for _, c := range []struct {
		f         effort.Forecast
		age, want float64
	}{
		{valley, 0, 0}, {valley, 5, 22.5}, {valley, 15, 35}, {valley, 30, 30 + 80}, {falling, 20, 85 + 60}, {falling, 25, 85 + 75},
		{falling, 40, 85 + 80}, {effort.Forecast{Age: []float64{0}, Imbalance: []float64{3}}, 4, 12},
	} {
		if got := c.f.Until(c.age); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%+v: %v up to %v, want %v", c.f, got, c.age, c.want)
		}
	}
}

// TestDivide checks the best number of intervals. It changes from one to two if the rest of the run is the square root
// of 2 times the best length, because one and two intervals then cost the same.
func TestDivide(t *testing.T) {
	for _, c := range []struct{ rest, length, want float64 }{
		{141, 100, 141}, {142, 100, 71}, {244, 100, 122}, {246, 100, 82}, {30, 100, 30}, {math.Inf(1), 7, 7}, {0, 7, 7},
	} {
		if got := effort.Divide(c.rest, c.length); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%v in lengths of %v: %v, want %v", c.rest, c.length, got, c.want)
		}
	}
}

// TestPlannerNearTheEnd checks that near the end of a run a forecast can save only a part of the effort that is left.
func TestPlannerNearTheEnd(t *testing.T) {
	for rest, due := range map[float64]bool{1: true, 0.5: false} {
		p := effort.NewPlanner(2)
		p.Choose([]float64{1, 1.01}, 0.15)
		if got := p.Due(effort.Interval{Length: 1, Mean: 1, Growth: 1}, rest); got != due {
			t.Errorf("with %v intervals left a forecast is due: %v", rest, got)
		}
	}
}

// The function simulate runs a planner over n intervals. truth returns the effort of a method in an interval. The
// results are the number of forecasts of each method, and the number of intervals that used it.
func simulate(n int, price float64, truth func(interval, method int) float64, methods int) (foretold, used []int) {
	p := effort.NewPlanner(methods)
	foretold, used = make([]int, methods), make([]int, methods)
	var ended effort.Interval
	for i := range n {
		if p.Due(ended, math.Inf(1)) {
			relative := make([]float64, methods)
			for w := range methods {
				relative[w] = math.NaN() // the planner must not read the efforts of methods for which Wanted is false
				if p.Wanted(w) {
					relative[w] = truth(i, w)
					foretold[w]++
				}
			}
			if got := p.Choose(relative, price); got != p.Used() {
				panic("Choose and Used differ")
			}
		}
		used[p.Used()]++
		ended = effort.Interval{Length: 1, Mean: 1, Growth: truth(i, p.Used())}
	}
	return foretold, used
}

// TestPlannerRests checks three methods. A clearly worse method is forecast seldom. The two good methods are forecast
// when the price of a forecast is a twentieth of the effort since the last forecast. The best method is always used.
func TestPlannerRests(t *testing.T) {
	foretold, used := simulate(400, 0.2, func(i, method int) float64 {
		return []float64{1, 0.97 + 0.04*float64(max(0, 1-i)), 2}[method]
	}, 3)
	if used[0] != 400 {
		t.Errorf("used %v: a gain of 3 %% is not worth a change", used)
	}
	if foretold[0] < 100 || foretold[0] > 145 || foretold[1] != foretold[0] {
		t.Errorf("forecasts %v, want one of the good methods in some 3 to 4 intervals", foretold)
	}
	if foretold[2] > 12 || foretold[2] < 4 {
		t.Errorf("forecasts %v, want few of the worst", foretold)
	}
}

// TestPlannerChanges checks a motion that changes. The planner notices at once that its own method has become bad.
// After a bounded number of intervals it notices that another method has become good.
func TestPlannerChanges(t *testing.T) {
	_, used := simulate(400, 0.2, func(i, method int) float64 {
		if (i < 200) == (method == 0) {
			return 1
		}
		return 2
	}, 2)
	if used[0] < 199 || used[1] < 180 {
		t.Errorf("used %v of 200 intervals each", used)
	}
	_, used = simulate(400, 0.2, func(i, method int) float64 {
		if i >= 200 && method == 1 {
			return 0.5
		}
		return 1 + float64(method)
	}, 2)
	if used[1] < 400-200-4*18 {
		t.Errorf("used %v: the better method was found late", used)
	}
}

// TestPlannerSurprise checks that an interval with more effort than forecast leads to a forecast. The same effort
// does not if it was forecast.
func TestPlannerSurprise(t *testing.T) {
	for _, c := range []struct {
		mean float64
		due  bool
	}{{2.5, false}, {1, true}} {
		p := effort.NewPlanner(2)
		p.Choose([]float64{1, 1.01}, 0.8)
		if got := p.Due(effort.Interval{Length: 1, Mean: c.mean, Growth: 2.5}, math.Inf(1)); got != c.due {
			t.Errorf("after an effort of 2.5 over a mean of %v, with 1 foretold, a forecast is due: %v", c.mean, got)
		}
	}
}

// TestPlannerLeavesOutTheHopeless checks that a method is left out of the next forecast if its forecast is more than
// a quarter worse than the best.
func TestPlannerLeavesOutTheHopeless(t *testing.T) {
	p := effort.NewPlanner(3)
	p.Choose([]float64{1, 1.24, 1.26}, 1)
	if !p.Wanted(0) || !p.Wanted(1) || p.Wanted(2) {
		t.Errorf("wanted: %v %v %v", p.Wanted(0), p.Wanted(1), p.Wanted(2))
	}
}
