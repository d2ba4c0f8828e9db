package kernel

import (
	"math"
	"testing"

	"lockstep/lb"
	"lockstep/vp/isa/isatest"
)

// TestRedistributionStats defers one polygon with 160 rows left, which ten iterations
// do, and leaves a group without a tall one alone.
func TestRedistributionStats(t *testing.T) {
	p := MakePolygons(2 * Lanes)
	for n := range int32(2 * Lanes) {
		rows := int32(1)
		if n == 3 {
			rows = 161
		}
		p.push(Vertex{X: 0, Y: 0}, Vertex{X: 9 * Sub, Y: 0}, Vertex{X: 0, Y: rows * Sub},
			pixelBox{0, 9, 0, rows}, Ambient, int(n))
	}
	for _, level := range isatest.Levels(t) {
		_, s := allSpans(Select(level).ScanConvert, balance{policy: lb.Always}, p, 4096, 300)
		d := s.Stats
		if d.Deferred != 1 || d.Weight != 2 || d.Saved != 150 || d.Iterations != 10 || d.Count != 1 || d.Times.Batches != 0 {
			t.Errorf("%v: %+v", level, d)
		}
		_, never := allSpans(Select(level).ScanConvert, balance{policy: lb.Never}, p, 4096, 300)
		if never.Stats != (RedistributionStats{}) {
			t.Errorf("%v, never: %+v", level, never.Stats)
		}
	}
}

// TestSaved has groups with known answers: they are spared the rows of their
// tallest polygon, and all lanes share all rows.
func TestSaved(t *testing.T) {
	for _, level := range isatest.Levels(t) {
		p := MakePolygons(4 * Lanes)
		for n := range 4 * Lanes {
			height := int32(1)
			switch n {
			case 3:
				height = 1 + 17 // alone: 17 are left
			case 16:
				height = 1 + 40 // together 60 are
			case 31:
				height = 1 + 20
			}
			if !pushTriangle(p, height) {
				t.Fatal("a polygon is not visible")
			}
		}
		_, s := allSpans(Select(level).ScanConvert, balance{policy: lb.Always}, p, 4096, 300)
		// ceil(77/16) are done on the row ranges.
		if d := s.Stats; d.Deferred != 3 || d.Saved != 17+40-5 || d.Count != 1 {
			t.Errorf("%v: %+v", level, d)
		}
	}
}

// pushTriangle appends a triangle with so many rows.
func pushTriangle(p *Polygons, height int32) bool {
	v := View{Width: 300, Height: 300}
	a, b, c := Vertex{X: 0, Y: 0, E: 0.5}, Vertex{X: 3 * Sub, Y: 0, E: 0.5}, Vertex{X: Sub, Y: height * Sub, E: 0.5}
	box, ok := v.visible(a, b, c)
	if ok {
		p.push(a, b, c, box, Ambient, p.N)
	}
	return ok && box.y1-box.y0 == height
}

// TestJudge counts batches that cost more than estimated.
func TestJudge(t *testing.T) {
	s := ScanConverter{PlanningEstimate: 2}
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
		loops, spans := Select(level), MakeSpans(4096)
		convert := func(s *ScanConverter, p *Polygons) {
			s.Clear()
			s.Start()
			for finished := false; !finished; {
				spans.N = 0
				finished = loops.ScanConvert(s, p, spans, UnevenSize, UnevenSize)
			}
		}
		s := ScanConverter{PlanningEstimate: 1e-9}
		for range 10 {
			convert(&s, few)
		}
		if s.batch != (batch{}) || s.Stats.Count != 1 {
			t.Errorf("%v: small redistributions came to %+v, %+v", level, s.batch, s.Stats)
		}
		var unjudged ScanConverter
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
