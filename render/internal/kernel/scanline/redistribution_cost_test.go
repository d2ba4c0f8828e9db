package scanline

import (
	"math"
	"testing"

	"lockstep/render/internal/kernel/array"
	"lockstep/vp/isa/isatest"
)

// TestJudge counts batches that cost more than estimated.
func TestJudge(t *testing.T) {
	s := Converter{PlanningEstimate: 2}
	// 300 polygons in 9 microseconds are 30 ns a polygon; an iteration takes 10 ns.
	s.batch = batch{weight: 300, planning: 9000, iterations: 100, stepping: 1000}
	s.judge()
	if got := s.Stats.Times; got.Batches != 1 || got.Underestimated != 1 || math.Abs(got.LeastUnderestimated-3) > 1e-9 || s.batch != (batch{}) {
		t.Errorf("%+v", got)
	}
	s.batch = batch{weight: 300, planning: 6000, iterations: 100, stepping: 1000} // 2 exactly
	s.judge()
	if got := s.Stats.Times; got.Batches != 2 || got.Underestimated != 1 {
		t.Errorf("%+v", got)
	}
	sum := RedistributionStats{Times: RedistributionTimes{Batches: 1, Underestimated: 1, LeastUnderestimated: 2.5}}
	sum.Add(&s.Stats)
	if got := sum.Times; got.Batches != 3 || got.Underestimated != 2 || got.LeastUnderestimated != 2.5 {
		t.Errorf("%+v", got)
	}
}

// TestRedistributionsAreJudged redistributes enough polygons for batches, with and
// without an estimate to judge by, and never enough in small redistributions.
func TestRedistributionsAreJudged(t *testing.T) {
	p := UnevenPolygons(1200, 1, 60)
	few := UnevenPolygons(judgedLeast-1, 1, 60)
	for _, level := range isatest.Levels(t) {
		loop, spans := Select(level), array.MakeSpans(4096)
		convert := func(s *Converter, p *array.Polygons) {
			s.Clear()
			s.Start()
			for finished := false; !finished; {
				spans.N = 0
				finished = loop(s, p, spans, UnevenSize, UnevenSize)
			}
		}
		s := Converter{PlanningEstimate: 1e-9}
		for range 10 {
			convert(&s, few)
		}
		if s.batch != (batch{}) || s.Stats.Count != 1 {
			t.Errorf("%v: small redistributions came to %+v, %+v", level, s.batch, s.Stats)
		}
		var unjudged Converter
		convert(&unjudged, p)
		if unjudged.Stats.Times.Batches != 0 {
			t.Errorf("%v: without an estimate: %+v", level, unjudged.Stats.Times)
		}
		convert(&s, p)
		d := s.Stats
		if d.Deferred != 1200 || d.Count != 3 || d.Times.Batches != 2 || d.Times.Underestimated != d.Times.Batches || d.Times.LeastUnderestimated <= 1e-9 {
			t.Errorf("%v: %+v", level, d)
		}
	}
}
