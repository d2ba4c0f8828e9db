//go:build amd64 && !purego

package scanline

import (
	"testing"

	"lockstep/render/internal/kernel/array"
	"lockstep/vp/isa"
)

// A redistribution that waits for room again and again is judged by its whole time.
func TestInterruptedRedistributionIsJudgedWhole(t *testing.T) {
	for _, level := range isa.Available() {
		if level == isa.Generic {
			continue
		}
		loop, s := Select(level), &Converter{Cost: Cost{Ticks: 1 << 40}}
		p, spans := UnevenPolygons(1, 1, 512), array.MakeSpans(array.Lanes)
		s.Start()
		calls := 0
		for finished := false; !finished; calls++ {
			spans.N = 0
			finished = loop(s, p, spans, UnevenSize, UnevenSize)
			if s.args.spent != s.SpreadTicks {
				t.Fatalf("%v, call %d: %d ticks to be judged, %d spent", level, calls, s.args.spent, s.SpreadTicks)
			}
		}
		if calls < 5 || s.Judged != 1 || s.SpreadTicks == 0 {
			t.Errorf("%v: %d calls, %+v", level, calls, s.Times)
		}
	}
}

// TestRedistributionsAreJudgedOneByOne wants the time by which the last of three
// redistributions is judged to be less than that of all.
func TestRedistributionsAreJudgedOneByOne(t *testing.T) {
	for _, level := range isa.Available() {
		if level == isa.Generic {
			continue
		}
		s := &Converter{Cost: Cost{Ticks: 1 << 40}}
		p, spans := UnevenPolygons(3, 1, 512), array.MakeSpans(1<<12)
		s.Start()
		if !Select(level)(s, p, spans, UnevenSize, UnevenSize) || s.Judged != 3 || s.args.spent <= 0 || s.args.spent >= s.SpreadTicks {
			t.Errorf("%v: %d ticks to be judged of %+v", level, s.args.spent, s.Times)
		}
	}
}
