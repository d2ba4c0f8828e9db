package view

import (
	"math"
	"slices"
	"testing"
)

// These constants define how a controller of quality levels is judged: it is replayed over recorded times of drawing
// and over models of networks. A round trip takes
//
//	drawing and encoding at the level + bytes / bandwidth + the rest of the transfer
//
// and the first round trip at another level takes longer, as recorded. The model is simpler than the page in one
// respect: drawing does not wait until the previous picture is drawn. The lateness of a good controller is at most 1.02
// times that of the best fixed level, and it makes at most a third of the changes of a threshold rule. That can be read
// in two ways, and the test prints both.
//
// In the literal reading, lateness is the sum of the times by which round trips exceed 33 ms. The fastest level nearly
// always has the least lateness. So a controller that is good in this reading draws only at that level, except if other
// levels are in time too.
//
// In the fair reading, a picture is late only if another level could have avoided it and if a user would notice it. A
// picture is due after 33 ms, or after 1.2 times the round trip of the fastest level if that is longer: people do not
// notice that something takes less than a fifth longer (Seow, Designing and Engineering Time, 2008). So drawing may
// take about 25 ms both with a browser that takes 8 ms and with a network that takes 100 ms. The cost of a drag is
//
//	milliseconds beyond the due times + 150 per change of level + 5 per picture and level of coarseness
//
// 150 ms is the price of a visible jump in the viewer's own controller. The 5 ms follow from it: drawing the thirty
// pictures of a second one level finer is worth one jump. So the fastest level costs 20 ms per picture, less than a
// picture that is late by a frame. The oracle knows all round-trip times and chooses the levels of least cost. In the
// fair reading a controller may cost 1.02 times as much as the best fixed level, which is known only after the drag. If
// it begins at another level, it may also cost, for each level of the difference, a jump, a second at the wrong level,
// and the time that a level takes to begin. It may change a third as often as the threshold rule (which changes seldom
// if it stays at the fastest level), or as often as the oracle, or once for each level between its first level and the
// best fixed level.
const (
	punctual   = 33.0  // ms: thirty pictures per second
	visible    = 150.0 // ms per change of level
	coarseness = 5.0   // ms per picture and level
	share      = 1.02  // times the best fixed level
	learning   = visible + 30*coarseness
)

// ahead is the number of pictures in transit. The page requests a picture when the last picture but one has been shown.
// At that time the round-trip time of the last picture is not known.
const ahead = 2

// A chooser chooses the level of the next movement.
type chooser interface {
	Level() int
	Observe(s sight)
}

// A sight holds all that the server knows about a movement whose picture has been shown.
type sight struct {
	level                 int
	trip, drawn, kilobyte float64 // trip and drawn are in milliseconds; drawn includes encoding
}

// A dragged is a recording of a mesh over a network.
type dragged struct {
	name         string
	triangles    int
	drawn, bytes [][]float64 // milliseconds and bytes for each level and movement
	begin        []float64   // milliseconds by which a level's first picture takes longer
	hops         hops
}

// trip returns the milliseconds from the request to the screen for movement i at a level. The parameter changed is set
// if the level has just changed.
func (d *dragged) trip(level, i int, changed bool) float64 {
	h := d.hops[i]
	took := d.drawn[level][i] + d.bytes[level][i]*8/(1000*h.mbit) + h.wait
	if changed {
		took += d.begin[level]
	}
	return took
}

// due returns the milliseconds after which a movement's picture is late, see punctual.
func (d *dragged) due(i int) float64 {
	fastest := math.Inf(1)
	for level := range d.drawn {
		fastest = min(fastest, d.trip(level, i, false))
	}
	return max(punctual, noticeFactor*fastest)
}

// price returns the cost of a picture, without the cost of a change of level.
func (d *dragged) price(level, i int, changed bool) float64 {
	return max(d.trip(level, i, changed)-d.due(i), 0) + coarseness*float64(level)
}

// A verdict is the result of a drag with the levels of a chooser.
type verdict struct {
	name                  string
	levels                []int
	late, avoidable, cost float64 // milliseconds of lateness in both readings (literal and fair), and cost; see punctual
	pictures, changes     int     // numbers of pictures that are late in the literal reading, and of changes of level
}

// coarse returns the mean number of the level. Levels with larger numbers are coarser.
func (v *verdict) coarse() (mean float64) {
	for _, level := range v.levels {
		mean += float64(level) / float64(len(v.levels))
	}
	return mean
}

// replay drags with the levels that a chooser chooses.
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

// best returns the levels of least cost if all round-trip times are known. It computes the least cost up to each
// movement for every level of that movement, from the least costs up to the movement before.
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

// A planned chooser has a list of levels, and stays at the last one.
type planned struct {
	levels []int
	next   int
}

func (p *planned) Observe(sight) {}

func (p *planned) Level() int {
	p.next++
	return p.levels[min(p.next, len(p.levels))-1]
}

// A threshold is the usual rule: coarser after more than `patience` late pictures in a row, and finer after more than
// `patience` pictures in a row that take less than half of the allowed time.
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

// A viewers is a chooser that uses the viewer's own controller of quality levels.
type viewers struct{ q *quality }

func (v viewers) Level() int      { return v.q.level }
func (v viewers) Observe(s sight) { v.q.observe(movement{s.level, s.trip, s.drawn}) }

// viewers returns the controller of a new session.
func (d *dragged) viewers(t *testing.T) chooser {
	t.Helper()
	q, err := newQuality("", d.triangles)
	if err != nil {
		t.Fatal(err)
	}
	return viewers{q}
}
