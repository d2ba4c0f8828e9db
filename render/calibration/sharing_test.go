package calibration

import (
	"encoding/json"
	"math"
	"testing"

	"lockstep/render/internal/kernel"
	"lockstep/vp/isa"
)

// TestNewSharing uses times in seconds. A sample takes 2 seconds. Eight row ranges of 16 polygons take 100 seconds more
// each than whole polygons, and row ranges of 256 polygons 820 more. That is 3 seconds per polygon and 52 per range. A
// transfer of 20 seconds is charged four times per range, and a line of 4 seconds three times for four polygons.
func TestNewSharing(t *testing.T) {
	few := rangeTimes{polygons: 16, whole: 1000, inRanges: 1000 + 8*100, samples: 500}
	many := rangeTimes{polygons: 256, whole: 16000, inRanges: 16000 + 8*820, samples: 8000}
	if got, want := newSharing(few, many, transferTimes{20, 4}), (Sharing{Band: (52 + 4*20) / 2, Piece: (3 + 0.75*4) / 2}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	// If row ranges take no longer than whole polygons, only the transfer is charged.
	few.inRanges, many.inRanges = 900, 15000
	if got, want := newSharing(few, many, transferTimes{20, 4}), (Sharing{Band: 40, Piece: 1.5}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if charge := (Sharing{Band: 10, Piece: 2}).Of(3, 5); charge != 4*(30+10) {
		t.Errorf("charge %g", charge)
	}
}

func TestMeasureSharing(t *testing.T) {
	for _, level := range isa.Available() {
		s, err := measureSharing(t.Context(), kernel.Select(level))
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%v: %+v", level, s)
	}
}

// TestCostsOfSharing checks that costs from an older file without sharing get the built-in costs, and that impossible
// costs are refused.
func TestCostsOfSharing(t *testing.T) {
	c, err := newCosts(knownTimings(), 10)
	if err != nil {
		t.Fatal(err)
	}
	if got := c.Estimate(isa.Generic).Sharing; got != builtInSharing {
		t.Errorf("built in: %+v", got)
	}
	c.Sharing = &Sharing{Band: 5, Piece: 6}
	text, err := json.Marshal(c)
	var again Costs
	if err != nil || json.Unmarshal(text, &again) != nil || again.Estimate(isa.Generic).Sharing != *c.Sharing {
		t.Errorf("%s: %v, %+v", text, err, again.Sharing)
	}
	for _, bad := range []Sharing{{}, {Band: 1}, {Band: 1, Piece: -1}, {Band: math.NaN(), Piece: 1}, {Band: 1, Piece: 1e9}} {
		if c.Sharing = &bad; c.Check() == nil {
			t.Errorf("%+v was accepted", bad)
		}
	}
}
