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
