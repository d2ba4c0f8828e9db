package calibration

import (
	"math"
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
	costs.First = 12.5
	if e = costs.Estimate(isa.Generic); e.First != 12.5 {
		t.Errorf("%+v", e)
	}
	if got := e.Converter(); got != (scanline.Cost{Polygon: 9, First: 13, Full: 48, Ticks: 160}) {
		t.Errorf("%+v", got)
	}
	if got := e.Predicted(&scanline.Counts{Polygons: 3, Spread: 10, First: 2}); got != 3*9+10*3+2*13 {
		t.Errorf("predicted %g", got)
	}
	// Costs must be rounded up, and times down.
	if got := (Estimate{Cost: 8.25, Full: 1.01, Ticks: 0.99}).Converter(); got != (scanline.Cost{Polygon: 9, Full: 1, Ticks: 15}) {
		t.Errorf("%+v", got)
	}
	if got := (Estimate{}).Converter(); got != (scanline.Cost{}) {
		t.Errorf("nothing costs %+v", got)
	}
	// Very large costs must be limited to MostIterations.
	m := lb.NewCostModel(lb.DefaultConstant)
	if err := m.Calibrate([]lb.Timing{{Redistribution: 5e5, Solution: 1}}); err != nil {
		t.Fatal(err)
	}
	if got := (&Costs{Model: m, Full: 1, First: 5e5}).Estimate(isa.Generic); got.Cost != MostIterations || got.First != MostIterations {
		t.Errorf("%+v", got)
	}
	for _, level := range []isa.Level{isa.Generic, isa.AVX2, isa.AVX512} {
		if got := (*Costs)(nil).Estimate(level); got.Cost < 1 || got.Full < 1 || got.Ticks != 0 || got.Sharing != builtInSharing {
			t.Errorf("%v: built in is %+v", level, got)
		}
	}
}

// TestJudgeFrames checks that redistributions are judged two hundred at a time, and that one in a hundred may be
// dearer. They are judged earlier if so many dearer ones would be improbable.
func TestJudgeFrames(t *testing.T) {
	var j Judge
	for i, c := range []struct {
		judged, dearer int64
		want           float64
	}{
		{150, 2, 0}, // a probability of 44 %
		{50, 0, 0},  // together 2 of 200, which is one in a hundred
		{1000, 10, 0},
		{1000, 11, 10},
		{1, 1, 10},
		{5, 1, 10},  // a probability of 4.9 %
		{6, 1, 0},   // a probability of 5.9 %
		{29, 1, 10}, // with the frame before 2 of 35, a probability of 4.8 %
		{190, 3, 0}, // a probability of 29 %
		{11, 0, 10}, // together 3 of 201
		{0, 0, 0},
	} {
		if got := j.Frame(&scanline.Times{Judged: c.judged, Dearer: c.dearer}, Estimate{Cost: 8}); got != c.want {
			t.Errorf("%d: got %g, want %g", i, got, c.want)
		}
	}
}

// TestChance compares binomialTail with the known probabilities of a die with a hundred sides.
func TestChance(t *testing.T) {
	for _, c := range []struct {
		dearer, judged int64
		want           float64
	}{{0, 10, 1}, {1, 1, 0.01}, {2, 2, 0.0001}, {1, 100, 0.633968}, {3, 199, 0.3206}, {2, 36, 0.0504}} {
		if got := binomialTail(c.dearer, c.judged); math.Abs(got-c.want) > 1e-3*c.want+1e-4 {
			t.Errorf("%d of %d: %g, want %g", c.dearer, c.judged, got, c.want)
		}
	}
}
