package scenario

import (
	"context"
	"math"
	"slices"
	"testing"
)

// wantOptimum holds the least costs of the static benchmarks. An independent dynamic programme and the authors' own
// program computed them.
var wantOptimum = map[Growth]struct {
	cost     float64
	balances int
}{
	Constant:    {164044.4, 12},
	Linear:      {208208, 23},
	Sublinear:   {270999.9096829663, 12},
	Autocorrect: {105820, 0},
}

func synthetic(t testing.TB, g Growth, irregular bool, n int) *Curves {
	t.Helper()
	c, err := Synthetic(g, irregular, n)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*math.Abs(b) }

func TestOptimumOfPaper(t *testing.T) {
	for _, g := range Growths {
		app := synthetic(t, g, false, PaperIterations)
		got, err := Optimum(context.Background(), app)
		if err != nil {
			t.Fatal(err)
		}
		want := wantOptimum[g]
		if !near(got.Cost, want.cost) || len(got.Balances) != want.balances {
			t.Errorf("static %v: %v with %d balancings, want %v with %d", g, got.Cost, len(got.Balances), want.cost, want.balances)
		}
	}
}

// TestIrregularWorkload checks that the irregular workload peaks at 166.6 and returns to 52 after a period. The
// optimum for sublinear growth has longer intervals where the load is low.
func TestIrregularWorkload(t *testing.T) {
	app := synthetic(t, Sublinear, true, PaperIterations)
	if app.Mean(0) != 52 || app.Mean(2) != 52 || math.Abs(app.Mean(180)-166.6) > 0.05 || math.Abs(app.Mean(362)-52) > 1e-9 {
		t.Fatalf("mean loads %v %v %v %v", app.Mean(0), app.Mean(2), app.Mean(180), app.Mean(362))
	}
	got, err := Optimum(context.Background(), app)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.Index(got.Balances, 270)
	if i < 0 || !slices.Equal(got.Balances[i:i+4], []int{270, 297, 334, 379}) {
		t.Errorf("balances %v, want 270 297 334 379 among them", got.Balances)
	}
}

// TestSearchesAgreeOnPaper checks that all three searches agree to the last bit, and Evaluate confirms the costs of
// their scenarios.
func TestSearchesAgreeOnPaper(t *testing.T) {
	ctx := context.Background()
	for _, g := range Growths {
		for _, irregular := range []bool{false, true} {
			app := synthetic(t, g, irregular, PaperIterations)
			slow, _ := Exhaust(ctx, app)
			fast, _ := Optimum(ctx, app)
			found, err := Search(ctx, app, 1)
			if err != nil {
				t.Fatal(err)
			}
			if fast.Cost != slow.Cost || found.Scenarios[0].Cost != slow.Cost {
				t.Errorf("%v irregular=%v: %b, %b and %b", g, irregular, slow.Cost, fast.Cost, found.Scenarios[0].Cost)
			}
			for _, s := range []Scenario{slow, fast, found.Scenarios[0]} {
				if c, err := Evaluate(app, s.Balances); err != nil || c != s.Cost {
					t.Errorf("%v irregular=%v: %v evaluates to %v, %v", g, irregular, s, c, err)
				}
			}
			t.Logf("%v irregular=%v: %v expanded %d", g, irregular, slow, found.Expanded)
		}
	}
}
