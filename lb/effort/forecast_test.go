package effort_test

import (
	"math"
	"testing"

	"lockstep/lb/effort"
)

// Imbalance that grows by a in every iteration costs sqrt(2 a C) an iteration at best,
// after sqrt(2C/a) iterations; balanced for the middle of the interval, sqrt(a C).
func TestForecastKnownAnswer(t *testing.T) {
	line := effort.Forecast{Age: []float64{0, 50, 100}, Imbalance: []float64{0, 25, 50}}
	got, length := line.Best(400)
	if want := math.Sqrt(2 * 0.5 * 400); math.Abs(got/want-1) > 0.01 {
		t.Errorf("growth: effort %v, want %v", got, want)
	}
	if want := math.Sqrt(2 * 400 / 0.5); math.Abs(length/want-1) > 0.1 {
		t.Errorf("growth: %v iterations, want %v", length, want)
	}
	valley := effort.Forecast{Age: []float64{0, 25, 50}, Imbalance: []float64{12.5, 0, 12.5}}
	if got, _ := valley.Best(312.5); math.Abs(got/math.Sqrt(0.5*312.5)-1) > 0.01 {
		t.Errorf("valley: effort %v, want %v", got, math.Sqrt(0.5*312.5))
	}
	flat := effort.Forecast{Age: []float64{0, 10}, Imbalance: []float64{3, 3}}
	if got, length := flat.Best(40); math.Abs(got-5) > 1e-9 || math.Abs(length-20) > 1e-9 {
		t.Errorf("no growth: effort %v in %v iterations, want 3+40/20", got, length)
	}
	if got, length := (effort.Forecast{Age: []float64{0}, Imbalance: []float64{3}}).Best(4); got != 7 || length != 1 {
		t.Errorf("one age: effort %v in %v iterations, want 3+4 in 1", got, length)
	}
}

// simulate runs a planner over intervals of which truth tells the effort of each way, and
// returns the forecasts made of each and the intervals of each.
func simulate(n int, price float64, truth func(interval, way int) float64, ways int) (foretold, used []int) {
	p := effort.NewPlanner(ways)
	foretold, used = make([]int, ways), make([]int, ways)
	var ended effort.Interval
	for i := range n {
		if p.Due(ended) {
			relative := make([]float64, ways)
			for w := range ways {
				relative[w] = math.NaN() // of a way that is not wanted nothing is looked at
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

// A way that is clearly worse is foretold seldom, one that is as good as the best where
// the price is a twentieth of the effort since the last forecast, and the best is always used.
func TestPlannerRests(t *testing.T) {
	foretold, used := simulate(400, 0.2, func(i, way int) float64 {
		return []float64{1, 0.97 + 0.04*float64(max(0, 1-i)), 2}[way]
	}, 3)
	if used[0] != 400 {
		t.Errorf("used %v: a gain of 3 %% is not worth a change", used)
	}
	if foretold[0] < 100 || foretold[0] > 145 || foretold[1] != foretold[0] {
		t.Errorf("forecasts %v, want one of the good ways in some 3 to 4 intervals", foretold)
	}
	if foretold[2] > 12 || foretold[2] < 4 {
		t.Errorf("forecasts %v, want few of the worst", foretold)
	}
}

// When the motion changes, a planner notices at once if its own way has become bad, and
// after a bounded number of intervals if another has become good.
func TestPlannerChanges(t *testing.T) {
	_, used := simulate(400, 0.2, func(i, way int) float64 {
		if (i < 200) == (way == 0) {
			return 1
		}
		return 2
	}, 2)
	if used[0] < 199 || used[1] < 180 {
		t.Errorf("used %v of 200 intervals each", used)
	}
	_, used = simulate(400, 0.2, func(i, way int) float64 {
		if i >= 200 && way == 1 {
			return 0.5
		}
		return 1 + float64(way)
	}, 2)
	if used[1] < 400-200-4*18 {
		t.Errorf("used %v: the better way was found late", used)
	}
}

// An interval of more effort than foretold calls for a forecast that the same effort, as foretold, does not.
func TestPlannerSurprise(t *testing.T) {
	for _, c := range []struct {
		mean float64
		due  bool
	}{{2.5, false}, {1, true}} {
		p := effort.NewPlanner(2)
		p.Choose([]float64{1, 1.01}, 0.8)
		if got := p.Due(effort.Interval{Length: 1, Mean: c.mean, Growth: 2.5}); got != c.due {
			t.Errorf("after an effort of 2.5 over a mean of %v, with 1 foretold, a forecast is due: %v", c.mean, got)
		}
	}
}
