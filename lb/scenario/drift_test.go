package scenario

import (
	"context"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func drawDrift(t *rapid.T, most int) *Drift {
	n := rapid.IntRange(1, most).Draw(t, "iterations")
	slice := func(name string, least float64) []float64 {
		if rapid.Bool().Draw(t, "no "+name) {
			return nil
		}
		return rapid.SliceOfN(rapid.Float64Range(least, 1), n, n).Draw(t, name)
	}
	mean := rapid.SliceOfN(rapid.Float64Range(0, 3), n, n).Draw(t, "mean")
	laws := Laws{slice("by age", rapid.SampledFrom([]float64{-1, 0}).Draw(t, "least")), slice("by time", -1), slice("floor", 0)}
	d, err := NewDrift(rapid.SampledFrom([]float64{0, 0.1, 1, 7}).Draw(t, "cost"), mean, laws)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestOptimumOfDrift checks that pruning by YoungerIsBetter does not change any bit of the optimum.
func TestOptimumOfDrift(t *testing.T) {
	pruned := 0
	rapid.Check(t, func(t *rapid.T) {
		d := drawDrift(t, 60)
		if d.YoungerIsBetter() {
			pruned++
		}
		slow, err := Exhaust(context.Background(), d)
		if err != nil {
			t.Fatal(err)
		}
		fast, err := Optimum(context.Background(), d)
		if err != nil {
			t.Fatal(err)
		}
		if cost, err := Evaluate(d, fast.Balances); err != nil || fast.Cost != slow.Cost || cost != slow.Cost {
			t.Fatalf("%v, evaluated %v (%v), the optimum is %v", fast, cost, err, slow)
		}
	})
	if pruned == 0 {
		t.Error("no application in which younger is better")
	}
}

// TestDriftByAge checks that a drift that grows by age alone equals the application of the corresponding curve.
func TestDriftByAge(t *testing.T) {
	growth := []float64{0.5, 0.25, 1, 0}
	mean := []float64{1, 2, 1, 3, 1}
	c, err := NewCurves(0.75, mean, growth)
	if err != nil {
		t.Fatal(err)
	}
	d, err := NewDrift(0.75, mean, Laws{ByAge: growth})
	if err != nil {
		t.Fatal(err)
	}
	for _, balances := range [][]int{nil, {2}, {1, 3}} {
		want, _ := Evaluate(c, balances)
		if got, err := Evaluate(d, balances); err != nil || got != want {
			t.Errorf("balanced before %v: %v (%v), want %v", balances, got, err, want)
		}
	}
}

// TestDriftByTime checks that a jump of the imbalance at a fixed time is removed by one balancing, and the floor
// remains.
func TestDriftByTime(t *testing.T) {
	mean := make([]float64, 100_000)
	jump := make([]float64, len(mean))
	for i := range mean {
		mean[i] = 1
	}
	jump[499] = 2
	d, err := NewDrift(10, mean, Laws{ByTime: jump})
	if err != nil {
		t.Fatal(err)
	}
	s, err := Optimum(context.Background(), d)
	if err != nil || s.Cost != 100_010 || len(s.Balances) != 1 || s.Balances[0] != 500 {
		t.Errorf("%v (%v), want one balancing before 500", s, err)
	}
}

func TestDriftRefuses(t *testing.T) {
	for want, make := range map[string]func() (*Drift, error){
		"cost of balancing":              func() (*Drift, error) { return NewDrift(math.NaN(), []float64{1}, Laws{}) },
		"no iterations":                  func() (*Drift, error) { return NewDrift(1, nil, Laws{}) },
		"element 1 of the mean load":     func() (*Drift, error) { return NewDrift(1, []float64{1, -1}, Laws{}) },
		"by time has 1 elements":         func() (*Drift, error) { return NewDrift(1, []float64{1, 1, 1}, Laws{ByTime: []float64{1}}) },
		"element 0 of the floor of the ": func() (*Drift, error) { return NewDrift(1, []float64{1}, Laws{Floor: []float64{-1}}) },
	} {
		if _, err := make(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v; want %q", err, want)
		}
	}
}
