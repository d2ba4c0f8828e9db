package kernel

import (
	"context"
	"errors"
	"math"
	"testing"
	"time"

	"lockstep/lb"
	"lockstep/vp/isa"
)

// Ten iterations take a microsecond alone. Balanced there are four, in 1.1
// microseconds: 0.7 more than they should, for two polygons.
func TestCostSample(t *testing.T) {
	set := costSet{tall: 2, rows: 6}
	set.unbalanced = timedLoop{scan: ScanConverter{Iterations: 10}, took: time.Microsecond}
	set.balanced = timedLoop{took: 1100, planning: 400, ranges: 600}
	b := &set.balanced.scan
	b.Iterations, b.IterationsUnbalanced = 4, 10
	b.Stats = RedistributionStats{Deferred: 2, Iterations: 3}
	got := *set.sample()
	want := CostSample{Tall: 2, Rows: 6, Saved: 3, Cost: 3.5, Dealing: 2, Full: 2, Iteration: 100}
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
		samples, err := MeasureCosts(t.Context(), Select(level))
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
			meant := float64(c.Rows-1) * (1/float64(tall) - 1.0/Lanes)
			// Groups may end in row ranges that do not fill the lanes.
			if c.Saved < 0.8*meant || c.Saved > 1.1*meant {
				t.Errorf("%v: %+v: want %g iterations saved", level, c, meant)
			}
			if c.Dealing < 0 || !(c.Full > 0) || !(c.Iteration > 0) || math.IsInf(c.Cost, 0) || math.IsNaN(c.Cost) {
				t.Errorf("%v: %+v", level, c)
			}
		}
		if tall != lookLanes {
			t.Errorf("%v: up to %d tall polygons", level, tall)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := MeasureCosts(ctx, Select(isa.Generic)); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

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
	for _, level := range isa.Available() {
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
	for _, level := range isa.Available() {
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
	p := costPolygons(1200, 1, 60)
	few := costPolygons(judgedLeast-1, 1, 60)
	for _, level := range isa.Available() {
		m := calibrator{scan: Select(level).ScanConvert, spans: MakeSpans(4096)}
		l := timedLoop{scan: ScanConverter{PlanningEstimate: 1e-9}}
		for range 10 {
			m.attempt(&l, few)
		}
		if l.scan.batch != (batch{}) || l.scan.Stats.Count != 1 {
			t.Errorf("%v: small redistributions came to %+v, %+v", level, l.scan.batch, l.scan.Stats)
		}
		unjudged := timedLoop{}
		m.attempt(&unjudged, p)
		if unjudged.scan.Stats.Times.Batches != 0 {
			t.Errorf("%v: without an estimate: %+v", level, unjudged.scan.Stats.Times)
		}
		m.attempt(&l, p)
		d := l.scan.Stats
		if d.Deferred != 1200 || d.Count != 3 || d.Times.Batches != 2 || d.Times.Underestimated != d.Times.Batches || d.Times.LeastUnderestimated <= 1e-9 {
			t.Errorf("%v: %+v", level, d)
		}
	}
}
