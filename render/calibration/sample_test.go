package calibration

import (
	"context"
	"errors"
	"math"
	"testing"
	"time"

	"lockstep/render/internal/kernel"
	"lockstep/render/internal/kernel/array"
	"lockstep/render/internal/kernel/scanline"
	"lockstep/vp/isa"
)

// Ten iterations take a microsecond alone. Balanced there are four, in 1.1
// microseconds: 0.7 more than they should, for two polygons.
func TestCostSample(t *testing.T) {
	set := dataSet{tall: 2, rows: 6}
	set.unbalanced = timedLoop{scan: scanline.Converter{Iterations: 10}, took: time.Microsecond}
	set.balanced = timedLoop{took: 1100, planning: 400, ranges: 600}
	b := &set.balanced.scan
	b.Iterations, b.IterationsUnbalanced = 4, 10
	b.Stats = scanline.RedistributionStats{Deferred: 2, Iterations: 3}
	got := *set.sample()
	want := Sample{Tall: 2, Rows: 6, Saved: 3, Cost: 3.5, Planning: 2, Full: 2, Iteration: 100}
	if got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got.Pays() {
		t.Error("3 iterations are saved at a cost of 3.5")
	}
	fewer := set
	fewer.balanced.took = 900 // 2.5 a polygon too long
	if !fewer.sample().Pays() || !set.doubtful(&fewer) || fewer.doubtful(&set) || fewer.doubtful(&fewer) {
		t.Errorf("fewer rows: %+v, then %+v", fewer.sample(), got)
	}
	if fewer.tall = 1; set.doubtful(&fewer) {
		t.Error("other lanes say nothing")
	}
	// A clock that stood still.
	set.unbalanced.took = 0
	if got := set.sample(); math.IsNaN(got.Cost) || math.IsInf(got.Cost, 0) {
		t.Errorf("got %+v", got)
	}
}

// TestMeasureCosts does not look at times, but at what is measured: groups that
// save what they are meant to.
func TestMeasureCosts(t *testing.T) {
	for _, level := range isa.Available() {
		samples, err := measureSamples(t.Context(), kernel.Select(level))
		if err != nil {
			t.Fatal(err)
		}
		tall := 1
		for i, c := range samples {
			if i > 0 && c.Tall != samples[i-1].Tall {
				tall *= 2
			}
			if c.Tall != tall || i > 0 && c.Tall == samples[i-1].Tall && c.Saved <= samples[i-1].Saved {
				t.Errorf("%v: sample %d is %+v, after %+v", level, i, c, samples[max(i-1, 0)])
			}
			meant := float64(c.Rows-1) * (1/float64(tall) - 1.0/array.Lanes)
			// Groups may end in row ranges that do not fill the lanes.
			if c.Saved < 0.8*meant || c.Saved > 1.1*meant {
				t.Errorf("%v: %+v: want %g iterations saved", level, c, meant)
			}
			if c.Planning < 0 || !(c.Full > 0) || !(c.Iteration > 0) || math.IsInf(c.Cost, 0) || math.IsNaN(c.Cost) {
				t.Errorf("%v: %+v", level, c)
			}
		}
		if tall != scanline.LookLanes {
			t.Errorf("%v: up to %d tall polygons", level, tall)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := measureSamples(ctx, kernel.Select(isa.Generic)); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
