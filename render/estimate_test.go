package render

import (
	"errors"
	"math"
	"testing"

	"lockstep/lb"
	"lockstep/render/calibration"
	"lockstep/render/internal/framebuffer"
	"lockstep/render/internal/kernel"
	"lockstep/render/internal/kernel/scanline"
	"lockstep/vp/isa"
)

// testCosts returns costs with an estimate of 41 iterations per polygon.
func testCosts(t *testing.T) *calibration.Costs {
	t.Helper()
	c := &calibration.Costs{Model: lb.NewCostModel(lb.DefaultConstant), Full: 1.5, Ticks: 20}
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

// TestEstimate checks which estimate is used if there are several: of the options, of a calibration, or built in.
func TestEstimate(t *testing.T) {
	costs := testCosts(t)
	for _, c := range []struct {
		o    Options
		cost scanline.Cost
	}{
		{Options{}, (*calibration.Costs)(nil).Estimate(isa.Generic).Converter()},
		{Options{Costs: costs}, scanline.Cost{Polygon: 41, Full: 8, Ticks: 320}},
		{Options{Costs: costs, BalanceCost: 2.5}, scanline.Cost{Polygon: 3}},
		{Options{Costs: costs, Balance: BalanceAlways}, scanline.Cost{}},
		{Options{Costs: costs, Balance: BalanceNever}, scanline.Cost{}},
	} {
		c.o.Width, c.o.Height, c.o.Workers, c.o.ISA = 10, 10, 2, "generic"
		r, err := New(c.o)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range r.engine.rasters {
			if s.Policy != c.o.Balance || s.Cost != c.cost {
				t.Errorf("%+v: policy %v, cost %+v, want %+v", c.o, s.Policy, s.Cost, c.cost)
			}
		}
		r.Close()
	}
}

// TestUnderestimated draws no picture, but sets the counts of three frames of 100 redistributions each. In each frame
// two redistributions are dearer than estimated. Redistributions are judged two hundred at a time.
func TestUnderestimated(t *testing.T) {
	r := &engine{rasters: []*framebuffer.Raster{new(framebuffer.Raster), new(framebuffer.Raster)}, kernels: kernel.Select(isa.Generic), options: Options{Costs: testCosts(t)}}
	r.setEstimate()
	for i, want := range []float64{0, 41 * 1.25, 0} {
		for _, w := range r.rasters {
			w.Clear()
			w.Scan = 500
		}
		w := r.rasters[1]
		w.Times = scanline.Times{Ticks: 2000, SpreadTicks: 800, Judged: 100, Dearer: 2}
		w.Counts = scanline.Counts{Polygons: 10, Spread: 6, Saved: 77}
		s := r.balanceStats()
		// Each of ten polygons costs 41 iterations, and each of six iterations of full lanes costs half an iteration more
		// than others. A tick is half a nanosecond.
		if s.PredictedCost != 410+3 || s.Predicted != 77 || s.Polygons != 10 || s.Judged != 100 || s.Dearer != 2 {
			t.Errorf("%+v", s)
		}
		if s.TooLow != want || math.Abs(s.Iteration-10e-9) > 1e-15 || math.Abs(s.Seconds-200e-9) > 1e-15 || s.Cost != 41 {
			t.Errorf("%d: want %g too low: %+v", i, want, s)
		}
	}
}
