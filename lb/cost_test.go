package lb_test

import (
	"encoding/json"
	"errors"
	"math"
	"testing"

	"pgregory.net/rapid"

	"lockstep/lb"
)

// The ratios of the two runs are (3+8)/2 = 5.5 and (1+9)/1 = 10 iterations. In each run the longest and the shortest
// time come from different iterations.
func TestCalibrateKnownAnswer(t *testing.T) {
	m := lb.NewCostModel(1)
	if e := m.Estimate(); !math.IsInf(e, 1) {
		t.Errorf("uncalibrated estimate %v", e)
	}
	runs := [][]lb.Timing{
		{{Gather: 3, Solution: 4}, {Gather: 1, Redistribution: 8, Solution: 5}, {Gather: 1, Solution: 2}},
		{{Gather: 1, Redistribution: 9, Solution: 3}, {Gather: 0.5, Solution: 1}},
	}
	for i, want := range []float64{6.5, 11} {
		if err := m.Calibrate(runs[i]); err != nil || m.Estimate() != want || m.Look() != 1.5 {
			t.Errorf("run %d: estimate %v, look %v, error %v; want %v, 1.5", i, m.Estimate(), m.Look(), err, want)
		}
	}
	if m.Runs() != 2 {
		t.Errorf("%d runs", m.Runs())
	}
}

func TestObserve(t *testing.T) {
	m := lb.NewCostModel(1)
	if m.Observe(3) || m.Underestimated() != 0 {
		t.Error("an uncalibrated model cannot underestimate")
	}
	if err := m.Calibrate([]lb.Timing{{Gather: 1, Redistribution: 4, Solution: 1}}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		measured, estimate float64
		tooLow             bool
		count              int
	}{
		{6, 6, false, 0}, {8, 9, true, 1}, {9, 9, false, 1}, {9.5, 10.5, true, 2},
		{math.Inf(1), 10.5, false, 2}, {math.NaN(), 10.5, false, 2}, {-3, 10.5, false, 2},
	} {
		if tooLow := m.Observe(c.measured); tooLow != c.tooLow || m.Estimate() != c.estimate || m.Underestimated() != c.count {
			t.Errorf("observed %v: %v, estimate %v, count %d; want %+v", c.measured, tooLow, m.Estimate(), m.Underestimated(), c)
		}
	}
}

func TestCalibrateRefuses(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, run := range [][]lb.Timing{
		nil,
		{{Gather: 1, Solution: 1}},
		{{Gather: 1, Redistribution: 1}},
		{{Gather: 1, Redistribution: 1, Solution: -1}},
		{{Gather: -1, Redistribution: 3, Solution: 1}},
		{{Gather: 1, Redistribution: -3, Solution: 1}},
		{{Gather: nan, Redistribution: 1, Solution: 1}},
		{{Gather: 1, Redistribution: inf, Solution: 1}},
		{{Gather: 1, Redistribution: 1, Solution: nan}},
		{{Gather: 1, Redistribution: 1e300, Solution: 1e-300}},
	} {
		m := lb.NewCostModel(2)
		if err := m.Calibrate(run); !errors.Is(err, lb.ErrTiming) || m.Runs() != 0 {
			t.Errorf("%v: error %v", run, err)
		}
	}
}

// TestEstimateIsNeverTooLow checks that the estimate is never below the cost of any iteration. It also checks that a
// model is unchanged after encoding as JSON and decoding.
func TestEstimateIsNeverTooLow(t *testing.T) {
	time := rapid.Float64Range(0, 1e6)
	timing := rapid.Custom(func(t *rapid.T) lb.Timing {
		return lb.Timing{Gather: time.Draw(t, "gather"), Redistribution: 1 + time.Draw(t, "redistribution"),
			Solution: rapid.Float64Range(1e-3, 1e6).Draw(t, "solution")}
	})
	rapid.Check(t, func(t *rapid.T) {
		m := lb.NewCostModel(rapid.Float64Range(0, 10).Draw(t, "constant"))
		for _, run := range rapid.SliceOfN(rapid.SliceOfN(timing, 1, 5), 1, 4).Draw(t, "runs") {
			if err := m.Calibrate(run); err != nil {
				t.Fatal(err)
			}
			for _, i := range run {
				if own := (i.Gather + i.Redistribution) / i.Solution; own > m.Estimate() {
					t.Fatalf("%+v costs %v, estimate %v", i, own, m.Estimate())
				}
			}
		}
		m.Observe(rapid.Float64Range(0, 1e10).Draw(t, "measured"))
		text, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		var back lb.CostModel
		if err := json.Unmarshal(text, &back); err != nil || back != *m {
			t.Fatalf("%s: %+v, error %v", text, back, err)
		}
	})
}

func TestStoredModelIsChecked(t *testing.T) {
	for _, text := range []string{
		`{}`, `{"constant":3}`,
		`{"gather":1,"cost":4,"constant":1,"runs":2,"underestimated":0}`,
		`{"gather":1,"cost":4,"constant":1,"runs":2,"underestimated":1,"raised":7}`,
		`{"cost":4,"runs":1,"underestimated":1}`, // an estimate was too low, and its raised value has been lowered since
	} {
		var m lb.CostModel
		if err := json.Unmarshal([]byte(text), &m); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
	for _, text := range []string{
		`{"constant":-1}`, `{"cost":4}`, `{"runs":1}`, `{"runs":-1}`, `{"gather":5,"cost":4,"runs":1}`,
		`{"gather":-1,"cost":4,"runs":1}`, `{"cost":-4,"runs":1}`, `{"cost":4,"runs":1,"underestimated":-1}`,
		`{"cost":4,"runs":1,"raised":1}`,
	} {
		m := *lb.NewCostModel(7)
		if err := json.Unmarshal([]byte(text), &m); !errors.Is(err, lb.ErrCostModel) || m != *lb.NewCostModel(7) {
			t.Errorf("%s: error %v", text, err)
		}
	}
	var m lb.CostModel
	if err := json.Unmarshal([]byte(`{"cost":"dear"}`), &m); err == nil {
		t.Error("a text was taken for a cost")
	}
}

func TestNewCostModelPanics(t *testing.T) {
	for _, constant := range []float64{-1, math.NaN(), math.Inf(1)} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("constant %v was accepted", constant)
				}
			}()
			lb.NewCostModel(constant)
		}()
	}
}
