package view

import (
	"math"
	"slices"
)

// A forecast estimates how long a round trip would take at other levels of quality. A round trip lasts from the
// request for a picture of a movement until the picture is on the screen.
//
// It consists of two times: the work of the server, and the transfer to the page. The work depends on the level and on
// the load of the processors. With a low bandwidth, the transfer depends on the size of the picture in bytes.
type forecast struct {
	// work is the time of the server at each level, as a multiple of its time at the fastest level. For levels that
	// have not been drawn yet it holds their usualWork.
	work         [len(levels)]float64
	load         float64   // milliseconds of work that the fastest level would take now; 0 means unknown
	transfers    []float64 // milliseconds of the transfer in each of the last round trips
	lastLoad     float64   // load according to the last movement alone
	latency      float64   // estimated milliseconds that a transfer of 0 bytes takes; +Inf if unknown
	prevLevel    int       // level before the last change
	prevTransfer float64   // milliseconds of a transfer at prevLevel
	movements    int       // movements at the present level so far
	wasSteady    bool      // whether the load was steady at the last change of level
}

// usualWork is the work of each level, divided by the work of the fastest level. usualSize is the size in bytes of the
// pictures of each level, divided by the size at the finest level. Both were measured for meshes of 70 thousand to ten
// million triangles at 1280x720.
var usualWork, usualSize = [len(levels)]float64{4.4, 2.4, 2.1, 1.4, 1}, [len(levels)]float64{1, 0.95, 0.77, 0.24, 0.12}

const (
	// transferTime returns the shortest of this many latest transfers
	recentTransfers = 4
	trialMovements  = 6   // movements at a new level that determine its work, if the load is steady
	loadWeight      = 0.2 // weight of the last movement in the load
	// cautionFactor is the factor by which the work of finer levels is overestimated. If the quality changes to a finer
	// level that takes longer than forecast, it changes back, and the user sees both changes.
	cautionFactor = 1.25
	// steadyTolerance determines when the load counts as steady: the load according to the last movement differs from
	// the average load by at most this fraction.
	steadyTolerance = 0.25
	// priorWeight is the weight of the usual work when a movement updates the work of the present level. So an estimate
	// that was wrong, because the load changed while it was measured, approaches the usual work again. Until then, if
	// the work of the present level is estimated too low, the round trips at all other levels are estimated too long.
	priorWeight = 0.005
	// The effect of the picture's size on the time of a transfer is measured by comparing two levels. minSizeDiff is
	// the least difference of their usual sizes. With a smaller difference, random variations of transfers would be
	// mistaken for this effect.
	minSizeDiff = 0.2
	// maxWorkRatio is the largest factor by which the work of a level may differ from the usual work.
	maxWorkRatio = 2
)

func newForecast() forecast { return forecast{work: usualWork, latency: math.Inf(1)} }

// levelChanged records that the level has changed. The parameter `from` is the previous level.
func (f *forecast) levelChanged(from int) {
	f.prevTransfer, f.prevLevel = f.transferTime(), from
	f.movements, f.wasSteady = 0, f.load > 0 && math.Abs(f.lastLoad-f.load) < steadyTolerance*f.load
}

// transferTime returns the present time of a transfer in milliseconds. This is the shortest of the last recentTransfers
// transfers, because the longer ones may have been delayed.
func (f *forecast) transferTime() float64 {
	return slices.Min(f.transfers[max(len(f.transfers)-recentTransfers, 0):])
}

// setLatency computes the time of a transfer of 0 bytes (the latency) from transfers at two levels whose pictures
// differ clearly in size. If the two transfers take about the same time, the time does not depend on the size, and the
// latency stays unknown.
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

// observe updates the forecast after a movement. It reports whether the present level has been drawn often enough for
// a decision about it.
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
	case f.movements == 1: // ignore this movement, because its time includes the preparation of the new level
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

// tripTime estimates the milliseconds of a round trip at a level. The parameter `now` is the present level.
func (f *forecast) tripTime(level, now int) float64 {
	least := min(slices.Min(f.transfers), f.latency)
	short := f.transferTime() - least
	work := f.work[level]
	if level < now {
		work *= cautionFactor
	}
	return least + short*usualSize[level]/usualSize[now] + f.load*work
}

// bestLevel returns the level with the lowest price. The price of a level is in milliseconds. It is the time by which
// pictures of the level are late, plus a price for their coarseness. spared is the price of the present level `now`
// minus the lowest price.
func (f *forecast) bestLevel(now int) (best int, spared float64) {
	var trips [len(levels)]float64
	for level := range trips {
		trips[level] = f.tripTime(level, now)
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
