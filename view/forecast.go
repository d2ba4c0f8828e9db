package view

import (
	"math"
	"slices"
)

// A forecast estimates from the trips so far how long a trip would take at other levels. A trip consists of the work of
// the server and of the transfer to the page. The work depends on the level and on the load of the processors. The
// transfer depends on the number of bytes if the bandwidth is small.
type forecast struct {
	// work is the time of the server at each level, in multiples of its time at the fastest level: usualWork until the
	// level has been drawn.
	work         [len(levels)]float64
	load         float64   // milliseconds of work that the fastest level would take now; 0: unknown
	transfers    []float64 // milliseconds of the transfer in each of the last trips
	lastLoad     float64   // load according to the last movement alone
	latency      float64   // milliseconds of a transfer without bytes, found at the last change of level; +Inf: unknown
	prevLevel    int       // level before the last change
	prevTransfer float64   // milliseconds of the transfer at that level
	movements    int       // movements at the present level so far
	wasSteady    bool      // the load was steady at the last change of level, see observe
}

// usualWork is the work of each level as a multiple of the work of the fastest level. usualSize is the number of bytes
// of a level's pictures as a fraction of the number at the finest level. Both were measured for meshes of 70 thousand
// to ten million triangles at 1280x720.
var usualWork, usualSize = [len(levels)]float64{4.4, 2.4, 2.1, 1.4, 1}, [len(levels)]float64{1, 0.95, 0.77, 0.24, 0.12}

const (
	recentTransfers = 4   // number of last trips whose shortest transfer counts, because others may have been delayed
	trialMovements  = 6   // movements at a new level that determine its work, if the load is steady
	loadWeight      = 0.2 // weight of the last movement in the load
	// cautionFactor is the factor by which the work of finer levels is overestimated. A level that takes longer than
	// forecast costs two visible jumps, there and back.
	cautionFactor = 1.25
	// steadyTolerance is the largest difference between the load and the last movement, as a fraction of the load, at
	// which the load counts as steady.
	steadyTolerance = 0.25
	// priorWeight is the fraction of the difference by which each movement brings the work of a level nearer to the
	// usual work. It corrects a work that was determined while the load changed: a level that seems to take too little
	// makes all others seem to take too long.
	priorWeight = 0.005
	// minSizeDiff is the least difference of usual sizes from which the effect of bytes on transfers is computed. Below
	// it, other variations of transfers would be mistaken for that effect.
	minSizeDiff = 0.2
	// maxWorkRatio is the largest factor by which the work of a level may differ from the usual work.
	maxWorkRatio = 2
)

func newForecast() forecast { return forecast{work: usualWork, latency: math.Inf(1)} }

// levelChanged records that the level has changed; `from` is the level before.
func (f *forecast) levelChanged(from int) {
	f.prevTransfer, f.prevLevel = f.transferTime(), from
	f.movements, f.wasSteady = 0, f.load > 0 && math.Abs(f.lastLoad-f.load) < steadyTolerance*f.load
}

// transferTime returns the present milliseconds of a transfer: the shortest of the last ones, because others were
// delayed by something else.
func (f *forecast) transferTime() float64 {
	return slices.Min(f.transfers[max(len(f.transfers)-recentTransfers, 0):])
}

// setLatency computes the time of a transfer without bytes from transfers at two levels whose pictures differ clearly
// in size. If the transfers hardly differ, bytes do not matter, and the time stays unknown.
func (f *forecast) setLatency(level int) {
	now, fewer := f.transferTime(), usualSize[f.prevLevel]-usualSize[level]
	if math.Abs(fewer) < minSizeDiff {
		return
	}
	f.latency = math.Inf(1)
	if per := (f.prevTransfer - now) / fewer; per > 0 && max(f.prevTransfer, now) > noticeFactor*min(f.prevTransfer, now) {
		f.latency = max(now-per*usualSize[level], 0)
	}
}

// observe learns from a movement. It reports whether the present level has been seen often enough to decide about it.
func (f *forecast) observe(m movement, level int) bool {
	if len(f.transfers) == maxTrips {
		f.transfers = append(f.transfers[:0], f.transfers[1:]...)
	}
	f.transfers = append(f.transfers, max(m.trip-m.serverTime, 0))
	if m.level != level {
		return false
	}
	if f.movements++; f.movements == recentTransfers && f.prevTransfer > 0 {
		f.setLatency(level)
	}
	f.lastLoad = m.serverTime / f.work[level]
	switch {
	case f.movements == 1: // its time includes the preparation of the new level
		return false
	case f.load == 0:
		f.load = f.lastLoad
	case f.wasSteady && f.movements <= trialMovements+1:
		n := float64(f.movements - 1)
		work := f.work[level] + (m.serverTime/f.load-f.work[level])/n
		f.work[level] = min(max(work, usualWork[level]/maxWorkRatio), usualWork[level]*maxWorkRatio)
	default:
		f.load += loadWeight * (f.lastLoad - f.load)
		f.work[level] += priorWeight * (usualWork[level] - f.work[level])
	}
	return f.movements > 2
}

// trip estimates the milliseconds of a trip at a level; `now` is the present level.
func (f *forecast) trip(level, now int) float64 {
	least := min(slices.Min(f.transfers), f.latency)
	short := f.transferTime() - least
	work := f.work[level]
	if level < now {
		work *= cautionFactor
	}
	return least + short*usualSize[level]/usualSize[now] + f.load*work
}

// best returns the level with the lowest price, and by how much that is below the price of the present level `now`. The
// price of a level is how late its pictures are plus a price for how coarse they are, in milliseconds.
func (f *forecast) best(now int) (best int, spared float64) {
	var trips [len(levels)]float64
	for level := range trips {
		trips[level] = f.trip(level, now)
	}
	due := max(targetTrip, noticeFactor*slices.Min(trips[:]))
	price := func(level int) float64 { return max(trips[level]-due, 0) + coarsePrice*float64(level) }
	for level := range trips {
		if price(level) < price(best) {
			best = level
		}
	}
	return best, price(now) - price(best)
}
