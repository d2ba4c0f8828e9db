package render

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"testing"

	"lockstep/lb"
	"lockstep/vp/isa"
)

// costSamples are measurements with known break-evens: 6 with one busy lane, at
// most 5 with two, at least 40 with four.
func costSamples() []CostSample {
	return []CostSample{
		{Tall: 1, Rows: 5, Saved: 4, Cost: 5, Dealing: 2, Full: 2, Iteration: 10},
		{Tall: 1, Rows: 9, Saved: 8, Cost: 7, Dealing: 4, Full: 1, Iteration: 20},
		{Tall: 2, Rows: 10, Saved: 6, Cost: 5, Dealing: 1, Full: 3, Iteration: 10},
		{Tall: 4, Rows: 100, Saved: 32, Cost: 40, Dealing: 10, Full: 1.5, Iteration: 10},
	}
}

func TestBreakEven(t *testing.T) {
	samples := costSamples()
	want := []CostSample{
		{Tall: 1, Rows: 7, Saved: 6, Cost: 6, Dealing: 3, Full: 1.5, Iteration: 15},
		samples[2], samples[3],
	}
	if got := BreakEven(samples); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	// By bad luck one that pays lies before one that does not.
	got := BreakEven([]CostSample{{Saved: 4, Cost: 3}, {Saved: 8, Cost: 9}, {Saved: 16, Cost: 15}})
	if len(got) != 1 || got[0].Saved != 12 || got[0].Cost != 12 {
		t.Errorf("got %+v", got)
	}
	if got := BreakEven(nil); len(got) != 0 {
		t.Errorf("nothing breaks even at %v", got)
	}
}

func TestNewCosts(t *testing.T) {
	c, err := newCosts(costSamples(), 48)
	if err != nil {
		t.Fatal(err)
	}
	// The dearest is that with four lanes: 30 cannot be measured again.
	if m := c.Model; m.Estimate() != 41 || m.Look() != 30 || m.Runs() != 3 || c.Full != 1.5 || c.Deal != 48 {
		t.Errorf("%+v: estimate %g, look %g, %d runs", c, m.Estimate(), m.Look(), m.Runs())
	}
	text, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	var again Costs
	if err := json.Unmarshal(text, &again); err != nil || !reflect.DeepEqual(&again, c) {
		t.Errorf("%s becomes %+v, %v", text, again, err)
	}
	good := CostSample{Tall: 1, Rows: 5, Saved: 4, Cost: 5, Dealing: 1, Full: 1, Iteration: 10}
	if _, err := newCosts([]CostSample{good}, 50); err != nil {
		t.Error(err)
	}
	for i, change := range []func(*CostSample){
		func(s *CostSample) { s.Dealing = 0 }, func(s *CostSample) { s.Cost = math.NaN() }, func(s *CostSample) { s.Full = 0 },
		func(s *CostSample) { s.Full = math.Inf(1) }, func(s *CostSample) { s.Rows = 0 }, func(s *CostSample) { s.Tall = 17 },
		func(s *CostSample) { s.Iteration = 1e9 }, func(s *CostSample) { s.Saved = math.Inf(-1) },
	} {
		bad := good
		change(&bad)
		if c, err := newCosts([]CostSample{bad}, 50); err == nil {
			t.Errorf("%d: %+v", i, c)
		}
	}
	for _, bad := range [][]CostSample{nil, {}} {
		if c, err := newCosts(bad, 50); err == nil {
			t.Errorf("%v: %+v", bad, c)
		}
	}
}

func TestCostsRefuseNonsense(t *testing.T) {
	for _, text := range []string{
		`{}`, `{"full":1}`, `{"model":null,"full":1}`, `{"model":{"constant":1},"full":1}`,
		`{"model":{"cost":4,"constant":1,"runs":1},"full":0}`, `{"model":{"cost":4,"constant":1,"runs":1},"full":-1}`,
		`{"model":{"cost":4,"constant":1,"runs":1},"full":1,"deal":-1}`,
		`{"model":{"cost":-4,"constant":1,"runs":1},"full":1}`, `[]`,
	} {
		var c Costs
		if err := json.Unmarshal([]byte(text), &c); err == nil {
			t.Errorf("%s was accepted", text)
		}
	}
	if r, err := New(Options{Costs: &Costs{}}); !errors.Is(err, lb.ErrCostModel) {
		if err == nil {
			r.Close()
		}
		t.Errorf("costs without a model: %v", err)
	}
}

// TestEstimate has the precedence of what an estimate may come from.
func TestEstimate(t *testing.T) {
	costs, err := newCosts(costSamples(), 48)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		o        Options
		cost     int32
		planning float64
	}{
		{Options{}, 24, 0},
		{Options{Costs: costs}, 41, 11 / 1.5},
		{Options{Costs: costs, BalanceCost: 2.5}, 3, 0},
		{Options{Costs: costs, Balance: BalanceAlways}, 0, 0},
		{Options{Costs: costs, Balance: BalanceNever}, 0, 0},
	} {
		if got := c.o.estimate(isa.Generic); got.policy != c.o.Balance || got.cost != c.cost || math.Abs(got.planning-c.planning) > 1e-9 {
			t.Errorf("%+v: got %+v, want cost %d, planning %g", c.o, got, c.cost, c.planning)
		}
	}
	// Nothing is too dear to be a cost.
	huge := CostSample{Tall: 1, Rows: 1, Saved: 1, Cost: 5e5, Dealing: 1, Full: 1, Iteration: 1}
	if costs, err = newCosts([]CostSample{huge}, 50); err != nil {
		t.Fatal(err)
	}
	o := Options{Costs: costs}
	if got := o.estimate(isa.Generic); got.cost != maxCost {
		t.Errorf("got %+v", got)
	}
}

// TestCalibrate checks what calibration makes, not how long anything took.
func TestCalibrate(t *testing.T) {
	for _, level := range isa.Available() {
		c, err := Calibrate(t.Context(), level.String())
		if err != nil {
			t.Fatal(err)
		}
		if m := c.Model; m.Runs() != 4 || !(m.Estimate() > lb.DefaultConstant) || math.IsInf(m.Estimate(), 0) || m.Look() > m.Estimate() || len(c.Samples) < 4 || !(c.Deal > 0) {
			t.Errorf("%v: %+v, estimate %g", level, c, m.Estimate())
		}
	}
	if _, err := Calibrate(t.Context(), "mmx"); err == nil {
		t.Error("an unknown instruction set was calibrated")
	}
}

// TestUnderestimated judges frames from counted batches.
func TestUnderestimated(t *testing.T) {
	r := &Renderer{workers: make([]worker, 2), estimate: estimate{cost: 9, look: 2, full: 1.5, planning: 4}}
	frame := func(batches, underestimated int, least float64) BalanceStats {
		for i := range r.workers {
			r.workers[i].scan.Clear()
		}
		d := &r.workers[1].scan.Stats
		d.Times.Batches, d.Times.Underestimated, d.Times.LeastUnderestimated = batches, underestimated, least
		d.Times.Ranges, d.Iterations, d.Times.Planning = 3000, 100, 800
		return r.balanceStats()
	}
	for i, c := range []struct {
		batches, underestimated int
		want                    string
	}{
		{2, 2, "0 0"}, // too few to say
		{1, 0, "1 8"}, // two of three, from the frame before
		{4, 2, "0 0"}, // half of them
		{3, 3, "1 8"}, // 2 + 4*1.5
		{0, 0, "0 0"},
	} {
		s := frame(c.batches, c.underestimated, 4)
		if got := fmt.Sprint(s.Underestimated, s.Measured); got != c.want {
			t.Errorf("%d: got %s, want %s", i, got, c.want)
		}
		// 30 ns an iteration on row ranges, 1.5 times what it takes alone; 800 ns by one of two.
		if math.Abs(s.Iteration-20e-9) > 1e-15 || math.Abs(s.Seconds-400e-9) > 1e-15 || s.Cost != 9 {
			t.Errorf("%+v", s)
		}
	}
}
