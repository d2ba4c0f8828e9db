package calibration

import (
	"testing"

	"lockstep/lb"
	"lockstep/render/internal/kernel/scanline"
	"lockstep/vp/isa"
)

func TestEstimateOfCosts(t *testing.T) {
	costs, err := newCosts(knownTimings(), 10)
	if err != nil {
		t.Fatal(err)
	}
	e := costs.Estimate(isa.Generic)
	if e != (Estimate{Cost: 9, Full: 4, Ticks: 10, Sharing: builtInSharing}) {
		t.Errorf("%+v", e)
	}
	if got := e.Converter(); got != (scanline.Cost{Polygon: 9, Full: 48, Ticks: 160}) {
		t.Errorf("%+v", got)
	}
	if got := e.Predicted(&scanline.Counts{Polygons: 3, Spread: 10}); got != 3*9+10*3 {
		t.Errorf("predicted %g", got)
	}
	if got := (Estimate{}).Converter(); got != (scanline.Cost{}) {
		t.Errorf("nothing costs %+v", got)
	}
	// No cost is too large for a decision.
	m := lb.NewCostModel(lb.DefaultConstant)
	if err := m.Calibrate([]lb.Timing{{Redistribution: 5e5, Solution: 1}}); err != nil {
		t.Fatal(err)
	}
	if got := (&Costs{Model: m, Full: 1}).Estimate(isa.Generic); got.Cost != MostIterations {
		t.Errorf("%+v", got)
	}
	for _, level := range []isa.Level{isa.Generic, isa.AVX2, isa.AVX512} {
		if got := (*Costs)(nil).Estimate(level); got.Cost < 1 || got.Full < 1 || got.Ticks != 0 || got.Sharing != builtInSharing {
			t.Errorf("%v: built in is %+v", level, got)
		}
	}
}

// Redistributions are judged some two hundred together, and one in a hundred may be
// dearer.
func TestJudgeFrames(t *testing.T) {
	var j Judge
	for i, c := range []struct {
		judged, dearer int64
		want           float64
	}{
		{150, 150, 0}, // too few to say
		{50, 0, 10},
		{1000, 10, 0},
		{1000, 11, 10},
		{0, 0, 0},
	} {
		if got := j.Frame(&scanline.Times{Judged: c.judged, Dearer: c.dearer}, Estimate{Cost: 8}); got != c.want {
			t.Errorf("%d: got %g, want %g", i, got, c.want)
		}
	}
}
