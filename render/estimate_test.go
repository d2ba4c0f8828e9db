package render

import (
	"errors"
	"math"
	"testing"

	"lockstep/lb"
	"lockstep/render/calibration"
	"lockstep/render/internal/kernel"
	"lockstep/vp/isa"
)

// testCosts have an estimate of 41 iterations, of which 30 cannot be measured again.
func testCosts(t *testing.T) *calibration.Costs {
	t.Helper()
	c := &calibration.Costs{Model: lb.NewCostModel(lb.DefaultConstant), Full: 1.5}
	if err := c.Model.Calibrate([]lb.Timing{{Gather: 30, Redistribution: 10, Solution: 1}}); err != nil {
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
	costs := testCosts(t)
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
		c.o.Width, c.o.Height, c.o.Workers, c.o.ISA = 10, 10, 2, "generic"
		r, err := New(c.o)
		if err != nil {
			t.Fatal(err)
		}
		for i := range r.workers {
			s := &r.workers[i].scan
			if s.Policy != c.o.Balance || s.Cost != c.cost || math.Abs(s.PlanningEstimate-c.planning) > 1e-9 {
				t.Errorf("%+v: policy %v, cost %d, planning %g, want cost %d, planning %g", c.o, s.Policy, s.Cost, s.PlanningEstimate, c.cost, c.planning)
			}
		}
		r.Close()
	}
}

// TestUnderestimated has two frames of one batch each, then one of two: batches are
// judged three at a time.
func TestUnderestimated(t *testing.T) {
	r := &Renderer{workers: make([]worker, 2), kernels: kernel.Select(isa.Generic), options: Options{Costs: testCosts(t)}}
	r.setEstimate()
	for i, want := range []float64{0, 0, 30 + 9*1.5} {
		for w := range r.workers {
			r.workers[w].scan.Clear()
		}
		d := &r.workers[1].scan.Stats
		d.Times.Batches, d.Times.Underestimated, d.Times.LeastUnderestimated = 1, 1, 9
		d.Times.Ranges, d.Iterations, d.Times.Planning = 3000, 100, 800
		d.Deferred, d.Count = 10, 2
		s := r.balanceStats()
		// 30 ns an iteration on row ranges, 1.5 times what it takes alone; 800 ns by one of two.
		// Ten polygons at 41, and four times that for each of two redistributions.
		if s.PredictedCost != 41*18 {
			t.Errorf("cost %v was predicted, want %d", s.PredictedCost, 41*18)
		}
		if s.Measured != want || math.Abs(s.Iteration-20e-9) > 1e-15 || math.Abs(s.Seconds-400e-9) > 1e-15 || s.Cost != 41 {
			t.Errorf("%d: want %g measured: %+v", i, want, s)
		}
	}
}
