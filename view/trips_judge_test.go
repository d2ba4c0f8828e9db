package view

import (
	"math"
	"slices"
	"testing"
)

// A judge replays what chooses the level of movements over recorded times of drawing and modelled networks. A trip is
//
//	drawing and encoding at the level + bytes / bandwidth + the rest of the way
//
// and the first one at another level takes longer, as recorded. It is simpler than the page's in one respect: a drawing does
// not wait for that of the picture before it. A good controller has a lateness of at most 1.02 of that of the best fixed
// level, and a third of the changes of a threshold rule. That can be read in two ways, and the judge tells both.
//
// Literally, lateness is the sum of what trips take beyond 33 ms. The fastest level nearly always has the least of it, so a
// controller that is literally good draws at that level alone, except where others are in time, too.
//
// Fairly, only that is late which a level could have avoided and a user would notice. A picture is due after 33 ms, or,
// where the network alone takes as long, within a fifth of the fastest level's trip: people do not notice that something
// takes less than a fifth longer (Seow, Designing and Engineering Time, 2008). So a drawing may take some 25
// ms beside a browser that takes 8 and beside a network that takes 100. What counts is
//
//	milliseconds beyond what is due + 150 a change of level + 5 a picture and level of coarseness
//
// The viewer's own price of a visible jump is 150 ms. Five follow from it: to draw a second of thirty pictures one level
// finer is worth one jump. So the fastest level costs 25 ms a picture, less than a picture takes that is late by a frame.
// The oracle knows all trips, and has the levels of least cost. The fair bar is 1.02 of the cost of the best fixed level, which
// one must know beforehand; a controller that begins at another level may beside it have, for every level between them, the
// price of a jump, of a second at the wrong level and of the time that a level takes to begin. It may change a third as often as the threshold rule (which changes
// seldom where it is stuck at the fastest level), or as often as the oracle does or the way to the best fixed level takes.
const (
	punctual   = 33.0  // ms, thirty pictures a second
	visible    = 150.0 // ms, a change of level
	coarseness = 5.0   // ms, a level a picture
	share      = 1.02  // of the best fixed level
	learning   = visible + 30*coarseness
)

// ahead is how many pictures are on their way: the page asks for a picture when the one before the last is shown, so that
// the last one's trip is not known yet.
const ahead = 2

// A chooser chooses the level of the next movement.
type chooser interface {
	Level() int
	Observe(s sight)
}

// A sight is what the server knows of a movement when its picture has been shown.
type sight struct {
	level                 int
	trip, drawn, kilobyte float64 // milliseconds; drawn is with encoding
}

// A dragged mesh is a recording over a network.
type dragged struct {
	name         string
	triangles    int
	drawn, bytes [][]float64 // milliseconds and bytes for each level and movement
	begin        []float64   // milliseconds that a level's first picture takes beyond that
	hops         hops
}

// trip returns the milliseconds of a movement from the request to the screen.
func (d *dragged) trip(level, i int, changed bool) float64 {
	h := d.hops[i]
	took := d.drawn[level][i] + d.bytes[level][i]*8/(1000*h.mbit) + h.wait
	if changed {
		took += d.begin[level]
	}
	return took
}

// due returns after how many milliseconds a picture is late that another level could have shown in time.
func (d *dragged) due(i int) float64 {
	fastest := math.Inf(1)
	for level := range d.drawn {
		fastest = min(fastest, d.trip(level, i, false))
	}
	return max(punctual, noticeFactor*fastest)
}

// price is what a picture costs in the fair reading, without its change of level.
func (d *dragged) price(level, i int, changed bool) float64 {
	return max(d.trip(level, i, changed)-d.due(i), 0) + coarseness*float64(level)
}

// A verdict is what a chooser makes of a drag.
type verdict struct {
	name                  string
	levels                []int
	late, avoidable, cost float64 // milliseconds: literally, in the fair reading, and with changes and coarseness
	pictures, changes     int     // that are literally late; of level
}

// coarse returns the mean level.
func (v *verdict) coarse() (mean float64) {
	for _, level := range v.levels {
		mean += float64(level) / float64(len(v.levels))
	}
	return mean
}

// replay has a chooser choose the levels of a drag.
func (d *dragged) replay(name string, c chooser) verdict {
	v := verdict{name: name}
	var seen []sight
	for i := range d.hops {
		if i >= ahead {
			c.Observe(seen[i-ahead])
		}
		level := c.Level()
		changed := i > 0 && level != v.levels[i-1]
		if changed {
			v.changes++
			v.cost += visible
		}
		trip := d.trip(level, i, changed)
		v.levels = append(v.levels, level)
		v.late += max(trip-punctual, 0)
		v.avoidable += max(trip-d.due(i), 0)
		v.cost += d.price(level, i, changed)
		if trip > punctual {
			v.pictures++
		}
		drawn := d.drawn[level][i]
		if changed {
			drawn += d.begin[level]
		}
		seen = append(seen, sight{level, trip, drawn, d.bytes[level][i] / 1000})
	}
	return v
}

// best returns the levels of least cost for one who knows all trips: from the best ways to each level of a movement follow
// those of the next one.
func (d *dragged) best() []int {
	cost := make([]float64, len(d.drawn))
	for level := range cost {
		cost[level] = d.price(level, 0, false)
	}
	from := make([][]int, len(d.hops))
	for i := 1; i < len(d.hops); i++ {
		next := make([]float64, len(cost))
		from[i] = make([]int, len(cost))
		for level := range next {
			next[level], from[i][level] = cost[level]+d.price(level, i, false), level
			changed := visible + d.price(level, i, true)
			for before := range cost {
				if sum := cost[before] + changed; before != level && sum < next[level] {
					next[level], from[i][level] = sum, before
				}
			}
		}
		cost = next
	}
	levels := make([]int, len(d.hops))
	level := slices.Index(cost, slices.Min(cost))
	for i := len(levels) - 1; i >= 0; i-- {
		levels[i] = level
		if i > 0 {
			level = from[i][level]
		}
	}
	return levels
}

// A planned chooser has its levels, and stays at the last one.
type planned struct {
	levels []int
	next   int
}

func (p *planned) Observe(sight) {}

func (p *planned) Level() int {
	p.next++
	return p.levels[min(p.next, len(p.levels))-1]
}

// A threshold is the usual rule: coarser when pictures are late, finer when they take less than half of what is wanted, once
// there have been more than patience of them in a row.
type threshold struct{ level, most, patience, late, early int }

func (t *threshold) Level() int { return t.level }

func (t *threshold) Observe(s sight) {
	switch {
	case s.trip > punctual:
		t.late, t.early = t.late+1, 0
	case s.trip < punctual/2:
		t.late, t.early = 0, t.early+1
	default:
		t.late, t.early = 0, 0
	}
	if t.late > t.patience {
		t.level, t.late = min(t.level+1, t.most), 0
	}
	if t.early > t.patience {
		t.level, t.early = max(t.level-1, 0), 0
	}
}

// A viewers chooser is the viewer's.
type viewers struct{ q *quality }

func (v viewers) Level() int      { return v.q.level }
func (v viewers) Observe(s sight) { v.q.observe(movement{s.level, s.trip, s.drawn}) }

// viewers returns a chooser as a session has it.
func (d *dragged) viewers(t *testing.T) chooser {
	t.Helper()
	q, err := newQuality("", d.triangles)
	if err != nil {
		t.Fatal(err)
	}
	return viewers{q}
}
