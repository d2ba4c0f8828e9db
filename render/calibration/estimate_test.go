package calibration

import (
	"math"
	"testing"

	"lockstep/lb"
	"lockstep/render/internal/kernel/scanline"
	"lockstep/vp/isa"
)

func TestEstimateOfCosts(t *testing.T) {
	costs, err := newCosts(costSamples())
	if err != nil {
		t.Fatal(err)
	}
	if got := costs.Estimate(isa.Generic); got.Cost != 41 || got.Full != 1.5 || math.Abs(got.Planning-11/1.5) > 1e-9 {
		t.Errorf("%+v", got)
	}
	// No cost is too large for a decision.
	m := lb.NewCostModel(lb.DefaultConstant)
	if err := m.Calibrate([]lb.Timing{{Redistribution: 5e5, Solution: 1}}); err != nil {
		t.Fatal(err)
	}
	if got := (&Costs{Model: m, Full: 1}).Estimate(isa.Generic); got.Cost != MostIterations {
		t.Errorf("%+v", got)
	}
	for level, want := range map[isa.Level]Estimate{
		isa.Generic: {Cost: 24, Full: 2, Sharing: builtInSharing}, isa.AVX2: {Cost: 16, Full: 2.5, Sharing: builtInSharing}, isa.AVX512: {Cost: 8, Full: 1.2, Sharing: builtInSharing},
	} {
		if got := (*Costs)(nil).Estimate(level); got != want {
			t.Errorf("%v: built in is %+v, want %+v", level, got, want)
		}
	}
}

// TestJudgeFrames judges frames from counted batches.
func TestJudgeFrames(t *testing.T) {
	var j Judge
	e := Estimate{Cost: 9, Full: 1.5, Planning: 4, look: 2}
	for i, c := range []struct {
		batches, underestimated int
		want                    float64
	}{
		{2, 2, 0}, // too few to say
		{1, 0, 8}, // two of three, from the frame before: 2 + 4*1.5
		{4, 2, 0}, // half of them
		{3, 3, 8},
		{0, 0, 0},
	} {
		times := scanline.RedistributionTimes{Batches: c.batches, Underestimated: c.underestimated, LeastUnderestimated: 4}
		if got := j.Frame(&times, e); got != c.want {
			t.Errorf("%d: got %g, want %g", i, got, c.want)
		}
	}
}
