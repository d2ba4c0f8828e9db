package calibration

import (
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"testing"

	"lockstep/lb"
	"lockstep/render/internal/kernel/array"
	"lockstep/render/internal/kernel/scanline"
	"lockstep/vp/isa"
)

// knownTimings returns times of redistributions of one polygon. With 16 rows, an iteration takes 30 ticks and the
// redistribution 40 to 90. With 64 rows there are four such iterations, and the redistribution takes 50 to 70 ticks.
func knownTimings() []timings {
	return []timings{
		{tall: 1, rows: 16, counts: scanline.Counts{Redistributions: 1, Polygons: 1, Spread: 1, Saved: 15}, ticks: []int64{70, 120, 75}},
		{tall: 1, rows: 64, counts: scanline.Counts{Redistributions: 1, Polygons: 1, Spread: 4, Saved: 60}, ticks: []int64{170, 190, 175}},
		{tall: 2, rows: 8, counts: scanline.Counts{Polygons: 0}}, // redistributing saves nothing
	}
}

// TestNewCosts uses iterations of 10 ticks. An iteration of full lanes takes at most (190-70)/3 = 40 ticks, so the
// redistribution takes 120 - 40. The estimate is the longest such time divided by the shortest iteration, plus the
// constant.
func TestNewCosts(t *testing.T) {
	c, err := newCosts(knownTimings(), 10)
	if err != nil {
		t.Fatal(err)
	}
	if m := c.Model; m.Estimate() != 8+lb.DefaultConstant || m.Runs() != 2 || c.Full != 4 || c.Ticks != 10 {
		t.Errorf("%+v: estimate %g, %d runs", c, m.Estimate(), m.Runs())
	}
	want := []Sample{
		{Tall: 1, Rows: 16, Saved: 15, Cost: 11, Shortest: 6, Iterations: 1},
		{Tall: 1, Rows: 64, Saved: 60, Cost: 15, Shortest: 13, Iterations: 4},
	}
	if !reflect.DeepEqual(c.Samples, want) {
		t.Errorf("got %+v, want %+v", c.Samples, want)
	}
	text, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	var again Costs
	if err := json.Unmarshal(text, &again); err != nil || !reflect.DeepEqual(&again, c) {
		t.Errorf("%s becomes %+v, %v", text, again, err)
	}
	for _, iteration := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		if c, err := newCosts(knownTimings(), iteration); err == nil {
			t.Errorf("iteration %g: %+v", iteration, c)
		}
	}
	if c, err := newCosts(nil, 10); err == nil {
		t.Errorf("nothing measured: %+v", c)
	}
}

// TestFirstCost has an estimate of 9 iterations of 10 ticks per polygon, and iterations of full lanes that take 4 times
// as long. The longest first redistribution of one polygon with its 4 iterations takes 300 ticks, so it costs 30 - 4 -
// 9 - 4*3 = 5 iterations more than estimated. Interrupted times must be left out, and the result must not be negative.
func TestFirstCost(t *testing.T) {
	c, err := newCosts(knownTimings(), 10)
	if err != nil {
		t.Fatal(err)
	}
	first := knownTimings()[1]
	for _, k := range []struct {
		ticks []int64
		want  float64
	}{{[]int64{200, 300, 160}, 5}, {[]int64{300, 200, 190, 1000}, 5}, {[]int64{200, 180, 170}, 0}} {
		if first.ticks = k.ticks; c.firstExcess(first) != k.want {
			t.Errorf("%v: %g, want %g", k.ticks, c.firstExcess(first), k.want)
		}
	}
	// Every group must be redistributed once after the core has idled, and its time must be that of the redistribution.
	// The first call warms up.
	calls, idled := 0, 0
	got := timeFirst(func(s *scanline.Converter, p *array.Polygons, spans *array.Spans, w, h int32) bool {
		if calls++; idled != calls-1 {
			t.Errorf("call %d: the core has idled %d times", calls, idled)
		}
		return fakeLoop()(s, p, spans, w, h)
	}, func() { idled++ })
	if len(got.ticks) != firstGroups || calls != firstGroups+1 || got.counts.Polygons != 1 || got.longest() != 100 {
		t.Errorf("%d calls, %d times up to %g: %+v", calls, len(got.ticks), got.longest(), got.counts)
	}
}

// TestInterruptedTimes checks that interrupted redistributions do not count as the longest, and that dearerShare
// compares all times with the estimate.
func TestInterruptedTimes(t *testing.T) {
	known := knownTimings()[0]
	known.ticks = make([]int64, 400)
	for i := range known.ticks {
		known.ticks[i] = int64(100 + i%7)
	}
	known.ticks[17], known.ticks[99], known.ticks[5] = 5000, 7000, 200
	if got := known.longest(); got != 200 || known.shortest() != 100 {
		t.Errorf("from %g to %g", known.shortest(), got)
	}
	// An estimate of 5 allows 5+1 iterations for a polygon, and 3 more for one iteration of full lanes: 90 ticks.
	if got := known.dearerShare(Estimate{Cost: 5, Full: 4, Ticks: 10}); got != 1 {
		t.Errorf("%g are dearer than 90", got)
	}
	if got := known.dearerShare(Estimate{Cost: 8, Full: 4, Ticks: 10}); got != 3./400 {
		t.Errorf("%g are dearer than 120", got)
	}
	// Times equal to the estimate must not count.
	if got := known.dearerShare(Estimate{Cost: 6, Full: 4, Ticks: 10}); got != 342./400 {
		t.Errorf("%g are dearer than 100", got)
	}
}

func TestCostsRefuseNonsense(t *testing.T) {
	for _, text := range []string{
		`{}`, `{"full":1}`, `{"model":null,"full":1}`, `{"model":{"constant":1},"full":1}`,
		`{"model":{"cost":4,"constant":1,"runs":1},"full":0}`, `{"model":{"cost":4,"constant":1,"runs":1},"full":-1}`,
		`{"model":{"cost":4,"constant":1,"runs":1},"full":1,"ticks":-1}`,
		`{"model":{"cost":4,"constant":1,"runs":1},"full":1,"first":-1}`, `{"model":{"cost":4,"constant":1,"runs":1},"full":1,"first":1e9}`,
		`{"model":{"cost":-4,"constant":1,"runs":1},"full":1}`, `[]`,
	} {
		var c Costs
		if err := json.Unmarshal([]byte(text), &c); err == nil {
			t.Errorf("%s was accepted", text)
		}
	}
	if err := new(Costs).Check(); !errors.Is(err, lb.ErrCostModel) {
		t.Errorf("costs without a model: %v", err)
	}
}

func TestMeasure(t *testing.T) {
	for _, level := range isa.Available() {
		c, err := Measure(t.Context(), level.String())
		if err != nil {
			t.Fatal(err)
		}
		if m := c.Model; m.Runs() < 8 || !(m.Estimate() > lb.DefaultConstant) || math.IsInf(m.Estimate(), 0) || !(c.Ticks > 0) || c.Full < 1 || len(c.Samples) < 8 {
			t.Errorf("%v: %+v, estimate %g", level, c, m.Estimate())
		}
		for _, s := range c.Samples {
			if !(s.Shortest <= s.Cost) || !(s.Saved > 0) || !(s.Iterations > 0) || s.Dearer > 0.5 {
				t.Errorf("%v: %+v", level, s)
			}
		}
	}
	if _, err := Measure(t.Context(), "mmx"); err == nil {
		t.Error("an unknown instruction set was calibrated")
	}
}

// fakeLoop returns a loop with known times. Without redistributions an iteration takes 20 to 26 ticks, and 4 ticks less
// if there are 4 tall polygons.
func fakeLoop() scanline.Loop {
	calls := 0
	return func(s *scanline.Converter, p *array.Polygons, _ *array.Spans, _, _ int32) bool {
		calls++
		tall := int64(0)
		for _, rows := range p.Rows[:p.N] {
			if rows > 1 {
				tall++
			}
		}
		s.Iterations, s.Ticks = 10, int64(200+10*(calls/2%7))
		if tall == 4 {
			s.Ticks -= 40
		}
		if s.Policy == lb.Always {
			s.Redistributions, s.Polygons, s.Spread, s.Saved = 1, tall, 2*tall, 5*tall
			s.SpreadTicks, s.Ticks = 100*tall+int64(calls/2%5), 90
		}
		return true
	}
}

// TestTimingsAreThoseOfTheirPhases checks that the unit is the shortest iteration of any group without redistributions,
// and that only redistributions are timed.
func TestTimingsAreThoseOfTheirPhases(t *testing.T) {
	got, iteration := timeGroups(fakeLoop(), 2, 32)
	if iteration != 20 || got.shortest() != 200 || got.longest() != 204 {
		t.Errorf("an iteration takes %g ticks, redistributions %g to %g", iteration, got.shortest(), got.longest())
	}
	all, iteration, err := measureTimings(t.Context(), fakeLoop())
	if err != nil || iteration != 16 {
		t.Fatalf("%v: an iteration takes %g ticks, want that of four tall polygons", err, iteration)
	}
	costs, err := newCosts(all, iteration)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range costs.Samples {
		polygons := float64(s.Tall)
		if s.Shortest != 100./16-2 || s.Cost != (100+4/polygons)/16-2 || s.Iterations != 2 || s.Saved != 5 {
			t.Errorf("%+v", s)
		}
	}
	// The largest estimate is that of one polygon, minus its iterations.
	if want := 104./16 - 2 + lb.DefaultConstant; costs.Model.Estimate() != want || costs.Full != 1 {
		t.Errorf("estimate %g, want %g; full %g", costs.Model.Estimate(), want, costs.Full)
	}
}
