package view

import (
	"math"
	"slices"
)

// A forecast estimates the time of trips at other levels from the trips so far. A trip consists of the work of the
// server, which depends on the level and on the load of the processors, and of the way to the page, whose time depends
// on the number of bytes if the bandwidth is small.
type forecast struct {
	// work is the time of the server at each level, in multiples of its time at the fastest level. Until a level has
	// been drawn, its work is usualWork.
	work      [len(levels)]float64
	load      float64   // milliseconds of work that the fastest level would take now; 0: unknown
	ways      []float64 // milliseconds of the way in each of the last trips
	lastLoad  float64   // load according to the last movement alone
	latency   float64   // milliseconds of a way without bytes, found at the last change of level; +Inf: unknown
	prevLevel int       // level before the last change
	prevWay   float64   // milliseconds of the way at that level
	movements int       // movements at the present level so far
	wasSteady bool      // the load was steady when the level changed, so the first movements show the work of the new level
}

// usualWork is the work of each level in multiples of the fastest level, and usualSize the bytes of its pictures in
// parts of the finest level. Both were measured for meshes of 70 thousand to ten million triangles at 1280x720.
var usualWork, usualSize = [len(levels)]float64{4.4, 2.4, 2.1, 1.4, 1}, [len(levels)]float64{1, 0.95, 0.77, 0.24, 0.12}

const (
	recentWays     = 4   // last trips of which the shortest way counts, because others may have been delayed
	trialMovements = 6   // movements at a new level that determine its work, if the load is steady
	loadWeight     = 0.2 // weight of the last movement in the load
	// cautionFactor is the factor by which the work of finer levels is overestimated, because a level that takes longer than
	// forecast costs two visible jumps, there and back.
	cautionFactor = 1.25
	// steadyTolerance is the part of the load by which the last movement may differ while the load still counts as steady.
	steadyTolerance = 0.25
	// priorWeight is the part of the difference by which each movement brings the work of a level nearer to the usual work.
	// It corrects a work that was determined while the load changed: a level that seems to take too little makes all
	// others seem to take too long.
	priorWeight = 0.005
	// minSizeDiff is the least difference of usual sizes from which the effect of bytes on ways is computed, so that other
	// variations of ways are not mistaken for it.
	minSizeDiff = 0.2
	// maxWorkRatio is the largest factor by which the work of a level may differ from the usual work.
	maxWorkRatio = 2
)

func newForecast() forecast { return forecast{work: usualWork, latency: math.Inf(1)} }

// changed records that the level has changed; from is the level before.
func (f *forecast) changed(from int) {
	f.prevWay, f.prevLevel = f.way(), from
	f.movements, f.wasSteady = 0, f.load > 0 && math.Abs(f.lastLoad-f.load) < steadyTolerance*f.load
}

// way returns the present time of a way, which is the shortest of the last ways, because others were delayed by
// something else.
func (f *forecast) way() float64 { return slices.Min(f.ways[max(len(f.ways)-recentWays, 0):]) }

// setLatency computes the time of a way without bytes from ways at two levels whose pictures differ clearly in size. If the
// ways hardly differ, bytes do not matter, and the time stays unknown.
func (f *forecast) setLatency(level int) {
	now, fewer := f.way(), usualSize[f.prevLevel]-usualSize[level]
	if math.Abs(fewer) < minSizeDiff {
		return
	}
	f.latency = math.Inf(1)
	if per := (f.prevWay - now) / fewer; per > 0 && max(f.prevWay, now) > noticeFactor*min(f.prevWay, now) {
		f.latency = max(now-per*usualSize[level], 0)
	}
}

// observe learns from a movement. It reports whether enough movements were seen at the present level to decide about
// the level.
func (f *forecast) observe(m movement, level int) bool {
	if len(f.ways) == maxTrips {
		f.ways = append(f.ways[:0], f.ways[1:]...)
	}
	f.ways = append(f.ways, max(m.trip-m.serverTime, 0))
	if m.level != level {
		return false
	}
	if f.movements++; f.movements == recentWays && f.prevWay > 0 {
		f.setLatency(level)
	}
	f.lastLoad = m.serverTime / f.work[level]
	switch {
	case f.movements == 1: // its time includes preparing the new level
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

// trip estimates the milliseconds of a trip at a level, if now is the present level.
func (f *forecast) trip(level, now int) float64 {
	least := min(slices.Min(f.ways), f.latency)
	short := f.way() - least
	work := f.work[level]
	if level < now {
		work *= cautionFactor
	}
	return least + short*usualSize[level]/usualSize[now] + f.load*work
}

// best returns the level with the lowest price, which is how late pictures are plus how coarse they are, in
// milliseconds. It also returns by how much its price is below the price of the present level now.
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
