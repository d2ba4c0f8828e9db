package render

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"lockstep/lb"
	"lockstep/render/calibration"
	"lockstep/vp/isa"
)

func costsOf(t *testing.T, run lb.Timing, full float64) *calibration.Costs {
	t.Helper()
	c := &calibration.Costs{Model: lb.NewCostModel(lb.DefaultConstant), Full: full}
	if err := c.Model.Calibrate([]lb.Timing{run}); err != nil {
		t.Fatal(err)
	}
	return c
}

func TestNewRefusesNoCosts(t *testing.T) {
	if r, err := New(Options{Costs: new(calibration.Costs)}); !errors.Is(err, lb.ErrCostModel) {
		if err == nil {
			r.Close()
		}
		t.Errorf("costs without a model: %v", err)
	}
}

// TestEstimate has the precedence of what an estimate may come from.
func TestEstimate(t *testing.T) {
	// An estimate of 41, of which 30 cannot be measured again.
	costs := costsOf(t, lb.Timing{Gather: 30, Redistribution: 10, Solution: 1}, 1.5)
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
	o := Options{Costs: costsOf(t, lb.Timing{Redistribution: 5e5, Solution: 1}, 1)}
	if got := o.estimate(isa.Generic); got.cost != maxCost {
		t.Errorf("got %+v", got)
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
		d.Deferred, d.Count = 10, 2
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
		// Ten polygons at 9, and four times that for each of two redistributions.
		if s.PredictedCost != 162 {
			t.Errorf("cost %v was predicted, want 162", s.PredictedCost)
		}
		if math.Abs(s.Iteration-20e-9) > 1e-15 || math.Abs(s.Seconds-400e-9) > 1e-15 || s.Cost != 9 {
			t.Errorf("%+v", s)
		}
	}
}
