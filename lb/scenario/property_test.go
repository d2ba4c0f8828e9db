package scenario

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// drawCurves returns a random application with at most the given number of iterations. Its imbalance grows, is
// arbitrary, is periodic, dies out or is constant. Its load is constant or changes.
func drawCurves(t *rapid.T, most int) *Curves {
	n := rapid.IntRange(1, most).Draw(t, "iterations")
	cost := rapid.SampledFrom([]float64{0, 0.1, 1, 7, 30, 1000}).Draw(t, "cost")
	mean := make([]float64, n)
	static := rapid.Bool().Draw(t, "static")
	for i := range mean {
		mean[i] = 1
		if !static {
			mean[i] = rapid.Float64Range(0, 3).Draw(t, "mean")
		}
	}
	period := rapid.IntRange(1, 9).Draw(t, "period")
	step := rapid.Float64Range(-1, 1)
	peak := rapid.IntRange(0, 2*blockLength).Draw(t, "peak")
	kind := rapid.SampledFrom([]string{"growing", "any", "periodic", "dying", "flat"}).Draw(t, "kind")
	growth := make([]float64, n)
	for k := range growth {
		switch kind {
		case "growing":
			growth[k] = math.Abs(step.Draw(t, "growth"))
		case "any":
			growth[k] = step.Draw(t, "growth")
		case "periodic":
			growth[k] = 0.1 * float64(period-1-2*(k%period))
		case "dying":
			growth[k] = 0.05 * float64(period)
			if k > peak {
				growth[k] = -0.2
			}
		}
	}
	c, err := NewCurves(cost, mean, growth)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestSearchesAgree checks that three methods find the same cost to the last bit: the dynamic programme in blocks with
// pruning, the plain programme, and the search. Evaluate must confirm the costs of their scenarios. Runs are long
// enough for several blocks, so that rows are pruned.
func TestSearchesAgree(t *testing.T) {
	ctx := context.Background()
	rapid.Check(t, func(t *rapid.T) {
		app := drawCurves(t, 5*blockLength)
		slow, err := Exhaust(ctx, app)
		if err != nil {
			t.Fatal(err)
		}
		fast, err := Optimum(ctx, app)
		if err != nil {
			t.Fatal(err)
		}
		found, err := Search(ctx, app, 1)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range []Scenario{slow, fast, found.Scenarios[0]} {
			cost, err := Evaluate(app, s.Balances)
			if err != nil || cost != s.Cost || s.Cost != slow.Cost {
				t.Fatalf("%v evaluates to %v (%v), the optimum is %v", s, cost, err, slow.Cost)
			}
		}
	})
}

// brute returns all scenarios of app, cheapest first.
func brute(t testing.TB, app Application) []Scenario {
	n := app.Iterations()
	var all []Scenario
	for set := range 1 << max(0, n-1) {
		var balances []int
		for t := 1; t < n; t++ {
			if set>>(t-1)&1 == 1 {
				balances = append(balances, t)
			}
		}
		cost, err := Evaluate(app, balances)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, Scenario{balances, cost})
	}
	slices.SortFunc(all, func(a, b Scenario) int {
		switch {
		case a.Cost < b.Cost:
			return -1
		case a.Cost > b.Cost:
			return 1
		}
		return slices.Compare(a.Balances, b.Balances)
	})
	return all
}

// TestBestScenariosAgainstAll checks that the n best scenarios have the n least costs of all scenarios, and they
// differ from each other.
func TestBestScenariosAgainstAll(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		app := drawCurves(rt, 9)
		n := rapid.IntRange(1, 40).Draw(rt, "n")
		all := brute(t, app)
		got, err := Search(context.Background(), app, n)
		if err != nil {
			rt.Fatal(err)
		}
		if len(got.Scenarios) != min(n, len(all)) {
			rt.Fatalf("%d scenarios, want %d of %d", len(got.Scenarios), n, len(all))
		}
		seen := map[string]bool{}
		for i, s := range got.Scenarios {
			if s.Cost != all[i].Cost {
				rt.Fatalf("scenario %d costs %v, want %v", i, s.Cost, all[i].Cost)
			}
			if c, err := Evaluate(app, s.Balances); err != nil || c != s.Cost {
				rt.Fatalf("scenario %v evaluates to %v, %v", s, c, err)
			}
			key := fmt.Sprint(s.Balances)
			if seen[key] {
				rt.Fatalf("scenario %v twice", s)
			}
			seen[key] = true
		}
	})
}

// wobble is an application in which the cost of balancing depends on both ends of a run, and no quantity is monotone. A
// real program may behave in the same way.
type wobble struct {
	n    int
	salt uint64
}

func (w wobble) Iterations() int  { return w.n }
func (w wobble) Mean(int) float64 { return 0.25 }
func (w wobble) Balanced(t int) Run {
	return &wobbleRun{w, t, t}
}

type wobbleRun struct {
	w           wobble
	start, next int
}

// hash returns a fixed number in [0.25, 1.25).
func (r *wobbleRun) hash(kind uint64) float64 {
	h := (r.w.salt+uint64(r.start))*0x9e3779b97f4a7c15 ^ uint64(r.next)*0xbf58476d1ce4e5b9 ^ kind*0x94d049bb133111eb
	h ^= h >> 29
	h *= 0xbf58476d1ce4e5b9
	return 0.25 + float64(h>>40)/(1<<24)
}

func (r *wobbleRun) Step() Iteration {
	it := Iteration{Max: r.hash(1), Mean: 0.25}
	r.next++
	return it
}

func (r *wobbleRun) Cost() float64 { return r.hash(2) }

func TestGeneralApplicationsAgainstAll(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		app := wobble{rapid.IntRange(0, 10).Draw(rt, "n"), rapid.Uint64().Draw(rt, "salt")}
		best, err := Optimum(context.Background(), app)
		if err != nil {
			rt.Fatal(err)
		}
		all := brute(t, app)
		found, err := Search(context.Background(), app, 5)
		if err != nil {
			rt.Fatal(err)
		}
		if best.Cost != all[0].Cost {
			rt.Fatalf("optimum %v, want %v", best, all[0])
		}
		for i, s := range found.Scenarios {
			if s.Cost != all[i].Cost {
				rt.Fatalf("scenario %d is %v, want %v", i, s, all[i])
			}
		}
	})
}

func TestSearchReportsCancellation(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	app := synthetic(t, Linear, false, 600)
	if _, err := Search(ctx, app, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("Search: %v", err)
	}
	if _, err := Optimum(ctx, app); !errors.Is(err, context.Canceled) {
		t.Errorf("Optimum: %v", err)
	}
	if _, err := Exhaust(ctx, app); !errors.Is(err, context.Canceled) {
		t.Errorf("Exhaust: %v", err)
	}
}

func TestCurvesAreChecked(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		cost         float64
		mean, growth []float64
		want         string
	}{
		{-1, []float64{1}, nil, "cost of balancing is -1"},
		{inf, []float64{1}, nil, "cost of balancing is +Inf"},
		{1, nil, nil, "no iterations"},
		{1, []float64{1, -2}, []float64{1}, "iteration 1 is -2"},
		{1, []float64{1, math.NaN()}, []float64{1}, "iteration 1 is NaN"},
		{1, []float64{1, 1, 1}, []float64{1}, "has 1 elements; a run of 3 iterations needs 2"},
		{1, []float64{1, 1, 1}, []float64{1, math.NaN()}, "at age 1 is NaN"},
		{1, []float64{1e300, 1e300}, []float64{1e300}, "too large"},
	} {
		if _, err := NewCurves(c.cost, c.mean, c.growth); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("NewCurves(%v, %v, %v): %v, want %q", c.cost, c.mean, c.growth, err, c.want)
		}
	}
}

// TestImbalanceStaysPossible checks that the imbalance does not fall below 0, and grows again from 0.
func TestImbalanceStaysPossible(t *testing.T) {
	c, err := NewCurves(1, []float64{2, 2, 2, 2}, []float64{0.5, -2, 0.25})
	if err != nil {
		t.Fatal(err)
	}
	run := c.Balanced(0)
	for i, want := range []float64{2, 3, 2, 2.5} {
		if got := run.Step().Max; got != want {
			t.Errorf("iteration %d takes %v, want %v", i, got, want)
		}
	}
}

func TestEvaluateChecksScenarios(t *testing.T) {
	app := synthetic(t, Constant, false, 10)
	for _, bad := range [][]int{{0}, {10}, {3, 3}, {5, 2}, {-1}} {
		if _, err := Evaluate(app, bad); err == nil {
			t.Errorf("scenario %v was accepted", bad)
		}
	}
	// Each of the ten iterations takes 52, plus 5.2 for each iteration since the start or the balancing. The
	// balancing before iteration 4 costs 5200.
	want := 10*52 + 5200 + 5.2*(0+1+2+3) + 5.2*(0+1+2+3+4+5)
	if got, err := Evaluate(app, []int{4}); err != nil || !near(got, want) {
		t.Errorf("%v, %v; want %v", got, err, want)
	}
}

// The imbalance dies out in the end, but only after several balancings have saved time. Rows may be dominated by older
// rows only after the peak.
func TestLatePeak(t *testing.T) {
	const n, peak = 200, 100
	mean, growth := make([]float64, n), make([]float64, n)
	for k := range growth {
		mean[k], growth[k] = 1, 0.25
		if k >= peak {
			growth[k] = -1
		}
	}
	app, err := NewCurves(100, mean, growth)
	if err != nil {
		t.Fatal(err)
	}
	if d := newDominance(app); d.lag != 1 || d.from != peak {
		t.Fatalf("lag %d from %d, want 1 from %d", d.lag, d.from, peak)
	}
	want, _ := Exhaust(context.Background(), app)
	got, _ := Optimum(context.Background(), app)
	if got.Cost != want.Cost || len(want.Balances) < 3 {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestDriveWithin checks that DriveWithin returns the whole run if the limit is at least the cost of the run.
// Otherwise it stops where the cost exceeds the limit.
func TestDriveWithin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		app := drawCurves(t, 12)
		every := rapid.IntRange(1, 12).Draw(t, "every")
		balance := func(i int) bool { return i%every == 0 }
		costs := make([]float64, 0, app.Iterations()) // cost of the run after each iteration
		whole := Drive(app, balance, func(r Record) {
			cost := r.Cost + r.Max
			if r.Index > 0 {
				cost = costs[r.Index-1] + r.Cost
				cost += r.Max
			}
			costs = append(costs, cost)
		})
		if len(costs) != app.Iterations() {
			t.Fatalf("observed %d iterations of %d", len(costs), app.Iterations())
		}
		limit := whole.Cost * rapid.Float64Range(0, 1.2).Draw(t, "limit")
		if rapid.Bool().Draw(t, "exactly") {
			limit = whole.Cost
		}
		steps := 0
		s, ok := DriveWithin(app, limit, balance, func(Record) { steps++ })
		if ok != (whole.Cost <= limit) || ok && !slices.Equal(s.Balances, whole.Balances) {
			t.Fatalf("within %v: %v, %+v, in all %+v", limit, ok, s, whole)
		}
		if s.Cost != costs[steps-1] || !ok && (s.Cost <= limit || steps > 1 && costs[steps-2] > limit) {
			t.Fatalf("within %v it ended after %d iterations at %v: %v", limit, steps, s.Cost, costs)
		}
	})
}
