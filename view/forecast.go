package view

import "slices"

// A forecast tells what trips would take at other levels, from those that were seen. A trip is what the server takes, which
// depends on the level and on what else its processors do, and the way, which depends on the bytes where the bandwidth is short.
type forecast struct {
	// work is how long the server takes at each level, in parts of the fastest one: a guess until a level was drawn.
	work  [len(levels)]float64
	load  float64   // milliseconds that the fastest level would take now; 0: unknown
	ways  []float64 // milliseconds of the last trips that the server did not take
	seen  int       // movements at the level
	judge bool      // the level was changed: its first movements tell its work
}

// What levels take in parts of the fastest, and the bytes of their pictures in parts of the finest's: measured for meshes of
// 70 thousand to ten million triangles at 1280x720.
var usualWork, usualSize = [len(levels)]float64{4.2, 2.3, 2, 1.4, 1}, [len(levels)]float64{1, 0.95, 0.77, 0.24, 0.12}

const (
	lately   = 4   // trips: a way that was long for so many is short of bandwidth, and does not only vary
	trial    = 6   // movements at a new level by which its work is judged, while the load is taken to stay
	renewing = 0.2 // weight of the last movement in the load
	// cautious overestimates finer levels, since one that takes longer than forecast costs two jumps, there and back.
	cautious = 1.25
	// trust is by which factor the work of a level may differ from the usual.
	trust = 2
)

func newForecast() forecast { return forecast{work: usualWork} }

// changed says that movements have another level from now on.
func (f *forecast) changed() { f.seen, f.judge = 0, f.load > 0 }

// observe takes in a movement, and reports whether it was drawn at a level that is judged.
func (f *forecast) observe(m movement, level int) bool {
	if len(f.ways) == maxTrips {
		f.ways = append(f.ways[:0], f.ways[1:]...)
	}
	f.ways = append(f.ways, max(m.trip-m.made, 0))
	if m.level != level {
		return false
	}
	f.seen++
	switch {
	case f.seen == 1: // also takes what the level takes to begin
		return false
	case f.load == 0:
		f.load = m.made / f.work[level]
	case f.judge && f.seen <= trial+1:
		n := float64(f.seen - 1)
		work := f.work[level] + (m.made/f.load-f.work[level])/n
		f.work[level] = min(max(work, usualWork[level]/trust), usualWork[level]*trust)
	default:
		f.load += renewing * (m.made/f.work[level] - f.load)
	}
	return f.seen > 2
}

// trip returns what a trip would take at a level, when movements have another one now.
func (f *forecast) trip(level, now int) float64 {
	least := slices.Min(f.ways)
	short := slices.Min(f.ways[max(len(f.ways)-lately, 0):]) - least
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
