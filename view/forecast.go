package view

import (
	"math"
	"slices"
)

// A forecast tells what trips would take at other levels, from those that were seen. A trip is what the server takes, which
// depends on the level and on what else its processors do, and the way, which depends on the bytes where the bandwidth is short.
type forecast struct {
	// work is how long the server takes at each level, where the fastest takes 1. Before a level was drawn it is a guess.
	work  [len(levels)]float64
	load  float64   // milliseconds that the fastest level would take now; 0: unknown
	ways  []float64 // milliseconds of the last trips that the server did not take
	last  float64   // the load by the last movement alone
	free  float64   // milliseconds of a way without bytes, as the last change of level has told; +Inf: it has not
	from  int       // the level before
	left  float64   // the way there
	seen  int       // movements at the level
	judge bool      // the level was changed while the load was steady: its first movements tell its work
}

// What levels take in parts of the fastest, and the bytes of their pictures in parts of the finest's: measured for meshes of
// 70 thousand to ten million triangles at 1280x720.
var usualWork, usualSize = [len(levels)]float64{4.4, 2.4, 2.1, 1.4, 1}, [len(levels)]float64{1, 0.95, 0.77, 0.24, 0.12}

const (
	lately   = 4   // trips whose shortest way counts: one of them may have waited for something else than bandwidth
	trial    = 6   // movements at a new level by which its work is judged, while the load is taken to stay
	renewing = 0.2 // weight of the last movement in the load
	// cautious overestimates finer levels, since one that takes longer than forecast costs two jumps, there and back.
	cautious = 1.25
	// unsteady is by what part the last movement may differ from the load for that to be taken to stay.
	unsteady = 0.25
	// doubt is by what part of the difference work comes nearer to the usual with each movement: it was judged wrongly where
	// the load changed while it was judged, and a level that seems to take too little makes all others seem to take too long.
	doubt = 0.005
	// clearly is by how much usual sizes differ, so that what ways vary by themselves is not taken for that of bytes.
	clearly = 0.2
	// trust is by which factor the work of a level may differ from the usual.
	trust = 2
)

func newForecast() forecast { return forecast{work: usualWork, free: math.Inf(1)} }

// changed says that movements have another level from now on.
func (f *forecast) changed(from int) {
	f.left, f.from = f.way(), from
	f.seen, f.judge = 0, f.load > 0 && math.Abs(f.last-f.load) < unsteady*f.load
}

// way returns what ways take now: the shortest of the last ones, as others have met something else.
func (f *forecast) way() float64 { return slices.Min(f.ways[max(len(f.ways)-lately, 0):]) }

// learn finds what a way takes without bytes, by the last ones at two levels of clearly different sizes. Ways that
// differ less than one would notice say that it is not bytes that take the time.
func (f *forecast) learn(level int) {
	now, fewer := f.way(), usualSize[f.from]-usualSize[level]
	if math.Abs(fewer) < clearly {
		return
	}
	f.free = math.Inf(1)
	if per := (f.left - now) / fewer; per > 0 && max(f.left, now) > noticed*min(f.left, now) {
		f.free = max(now-per*usualSize[level], 0)
	}
}

// observe takes in a movement, and reports whether it was drawn at a level that is judged.
func (f *forecast) observe(m movement, level int) bool {
	if len(f.ways) == maxTrips {
		f.ways = append(f.ways[:0], f.ways[1:]...)
	}
	f.ways = append(f.ways, max(m.trip-m.made, 0))
	if m.level != level {
		return false
	}
	if f.seen++; f.seen == lately && f.left > 0 {
		f.learn(level)
	}
	f.last = m.made / f.work[level]
	switch {
	case f.seen == 1: // also takes what the level takes to begin
		return false
	case f.load == 0:
		f.load = f.last
	case f.judge && f.seen <= trial+1:
		n := float64(f.seen - 1)
		work := f.work[level] + (m.made/f.load-f.work[level])/n
		f.work[level] = min(max(work, usualWork[level]/trust), usualWork[level]*trust)
	default:
		f.load += renewing * (f.last - f.load)
		f.work[level] += doubt * (usualWork[level] - f.work[level])
	}
	return f.seen > 2
}

// trip returns what a trip would take at a level, when movements have another one now.
func (f *forecast) trip(level, now int) float64 {
	least := min(slices.Min(f.ways), f.free)
	short := f.way() - least
	work := f.work[level]
	if level < now {
		work *= cautious
	}
	return least + short*usualSize[level]/usualSize[now] + f.load*work
}

// best returns the level whose pictures are the least late and coarse, and how many milliseconds it would spare each.
func (f *forecast) best(now int) (best int, spared float64) {
	var trips [len(levels)]float64
	for level := range trips {
		trips[level] = f.trip(level, now)
	}
	due := max(wanted, noticed*slices.Min(trips[:]))
	price := func(level int) float64 { return max(trips[level]-due, 0) + coarse*float64(level) }
	for level := range trips {
		if price(level) < price(best) {
			best = level
		}
	}
	return best, price(now) - price(best)
}
