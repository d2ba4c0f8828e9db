package scanline

import (
	"testing"

	"lockstep/lb"
	"lockstep/render/internal/kernel/array"
)

// TestWarmUp warms a converter up before an array: what it counts stays the same, and the loop
// has redistributed, in the converter's own memory.
func TestWarmUp(t *testing.T) {
	for name, loop := range twinLoops() {
		cost := Cost{Polygon: 3, First: 9}
		want, s, spans, warm := &Converter{Cost: cost}, &Converter{Cost: cost}, array.MakeSpans(array.Lanes), int64(0)
		spans.N = 5
		s.WarmUp(func(other *Converter, p *array.Polygons, spans *array.Spans, width, stride int32) bool {
			finished := loop(other, p, spans, width, stride)
			warm += other.Redistributions
			return finished
		}, spans)
		if warm == 0 || spans.N != 0 || name != "generic" && s.state == nil {
			t.Errorf("%s: %d redistributions to warm up, %d spans are left, memory %p", name, warm, spans.N, s.state)
		}
		scanAll(loop, want, array.Lanes)
		scanAll(loop, s, array.Lanes)
		if s.Counts != want.Counts || s.Policy != lb.CostEffective || s.First != 1 {
			t.Errorf("%s: %+v, want %+v", name, s.Counts, want.Counts)
		}
	}
}
