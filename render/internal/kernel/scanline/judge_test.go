package scanline

import (
	"testing"
	"time"

	"lockstep/lb"
	"lockstep/render/internal/kernel/array"
)

// fakeTimes are what a loop takes by a clock that goes on only where the loop is observed.
type fakeTimes struct{ gather, iteration, redistribution, spread time.Duration }

// scanByFakeClock scan-converts groups with a tall polygon each, with room for some spans at a
// time. Every group takes 1 iteration, then a redistribution and 4 iterations of 64 rows. It
// is gathered for the look before the redistribution, and once more for the observer of the
// iteration.
func scanByFakeClock(f fakeTimes, policy lb.Policy, cost Cost, groups, room int) *Converter {
	now := time.Unix(0, 0)
	s := &Converter{Policy: policy, Cost: cost, clock: func() time.Time { return now }}
	s.gather = func(workload []int32) lb.Summary {
		now = now.Add(f.gather)
		return lb.Gather(workload)
	}
	s.Observe = func(step *Step) {
		switch {
		case step.Event == Redistributed:
			now = now.Add(f.redistribution)
		case step.Spread:
			now = now.Add(f.spread)
		default:
			now = now.Add(f.iteration)
		}
	}
	p, spans := UnevenPolygons(groups, 1, 65), array.MakeSpans(room)
	s.Start()
	for finished := false; !finished; {
		spans.N = 0
		finished = s.Run(p, spans, UnevenSize, UnevenSize)
		now = now.Add(time.Hour) // what others do with the spans
	}
	return s
}

// TestJudgedByFakeClock has redistributions of known time: that of the look, one gather
// included, and of all
// iterations of the rows, whether the loop was interrupted or not, and no other. They may
// take the cost of a polygon, that of full iterations and the iterations.
func TestJudgedByFakeClock(t *testing.T) {
	const groups = 3
	f := fakeTimes{gather: 7, iteration: 100, redistribution: 993, spread: 10}
	for _, room := range []int{array.Lanes, 1000} {
		for _, c := range []struct {
			name   string
			policy lb.Policy
			cost   Cost
			judged int64
			dearer int64
		}{
			// 20 for the polygon, 16/16 for each of four iterations, and the iterations: 28.
			{"enough", lb.CostEffective, Cost{Polygon: 20, Full: 16, Ticks: 16 * 1040 / 28}, groups, groups},
			{"enough by a sixteenth", lb.CostEffective, Cost{Polygon: 20, Full: 16, Ticks: 16*1040/28 + 1}, groups, 0},
			{"without the polygon's cost", lb.CostEffective, Cost{Full: 16, Ticks: 16*1040/28 + 1}, groups, groups},
			{"without that of full iterations", lb.CostEffective, Cost{Polygon: 20, Ticks: 16*1040/28 + 1}, groups, groups},
			{"more polygons", lb.CostEffective, Cost{Polygon: 24, Ticks: 16*1040/28 + 1}, groups, 0},
			// The first of the three may take 6 iterations more: the others are a tick too dear.
			{"but the first", lb.CostEffective, Cost{Polygon: 20, Full: 16, First: 6, Ticks: 16 * 1040 / 28}, groups, groups - 1},
			{"without what the first costs more", lb.CostEffective, Cost{Polygon: 20, Full: 16, First: 1, Ticks: 16 * 1040 / 30}, groups, groups},
			{"not timed", lb.CostEffective, Cost{Polygon: 20, Full: 16}, 0, 0},
			{"no estimate", lb.Always, Cost{Polygon: 20, Full: 16, Ticks: 1}, 0, 0},
		} {
			s := scanByFakeClock(f, c.policy, c.cost, groups, room)
			if s.Judged != c.judged || s.Dearer != c.dearer || s.Redistributions != groups {
				t.Errorf("%s, %d spans at a time: %d of %d dearer, want %d of %d", c.name, room, s.Dearer, s.Judged, c.dearer, c.judged)
			}
			if charged := int64(min(c.cost.First, 1)); s.First != charged {
				t.Errorf("%s, %d spans at a time: %d were charged as the first, want %d", c.name, room, s.First, charged)
			}
			if s.SpreadTicks != groups*1040 || s.Ticks != groups*(100+7+1040) || s.Looks != groups {
				t.Errorf("%s, %d spans at a time: %d ticks, %d of redistributions, %d looks", c.name, room, s.Ticks, s.SpreadTicks, s.Looks)
			}
		}
	}
	if s := scanByFakeClock(f, lb.Never, Cost{Ticks: 1}, groups, 1000); s.Judged != 0 || s.SpreadTicks != 0 || s.Ticks != groups*65*(100+7) {
		t.Errorf("never: %+v", s.Times)
	}
}

// TestJudgedTwins has limits that every redistribution exceeds, or none: the twins' clock
// cannot be replaced.
func TestJudgedTwins(t *testing.T) {
	for name, loop := range twinLoops() {
		for _, room := range []int{array.Lanes, 1000} {
			for _, c := range []struct {
				cost   Cost
				dearer int64
			}{{Cost{Ticks: 1}, 8}, {Cost{First: 20, Ticks: 16 << 20}, 0}, {Cost{First: 1, Ticks: 1}, 8}, {Cost{Ticks: 1 << 40}, 0}, {Cost{Polygon: 40, Full: 16, Ticks: 1 << 40}, 0}} {
				s := &Converter{Cost: c.cost}
				scanAll(loop, s, room)
				if s.Judged != 8 || s.Dearer != c.dearer || s.SpreadTicks <= 0 || s.SpreadTicks >= s.Ticks {
					t.Errorf("%s, %+v, %d spans at a time: %+v", name, c.cost, room, s.Times)
				}
			}
			for _, policy := range []lb.Policy{lb.Always, lb.Never} {
				s := &Converter{Policy: policy, Cost: Cost{Ticks: 1}}
				if scanAll(loop, s, room); s.Judged != 0 || s.Dearer != 0 || s.SpreadTicks > 0 != (policy == lb.Always) {
					t.Errorf("%s, %v: %+v", name, policy, s.Times)
				}
			}
		}
	}
}

// scanAll scan-converts eight groups with two tall polygons each.
func scanAll(loop Loop, s *Converter, room int) {
	p, spans := UnevenPolygons(8, 2, 200), array.MakeSpans(room)
	s.Start()
	for finished := false; !finished; {
		spans.N = 0
		finished = loop(s, p, spans, UnevenSize, UnevenSize)
	}
}
