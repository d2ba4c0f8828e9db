// Package forecast finds the iteration of a lockstep loop before which one
// redistribution pays best, so that a loop waits for it without looking.
//
// Without a redistribution the future of a loop is known: after d iterations
// processor i has max(w[i]-d, 0) tasks, the largest workload is M-d, and the
// processors with w[i] <= d are idle. One histogram of the workloads tells the
// effect of a redistribution in any of these iterations.
package forecast

import (
	"math"

	"lockstep/lb"
)

// DefaultBuckets is the number of buckets unless Histogram.Buckets is set. Polygons have
// fewer rows and spans fewer pixels, and 32 KiB fit the first-level cache.
const DefaultBuckets = 4096

// A Histogram forecasts one loop after the other; it implements [lb.Forecaster]. The
// zero value is ready to use and keeps its memory for the next loop.
//
// It is exact for the planner [lb.Minimax] while the largest workload is below its
// number of buckets. Of larger workloads it knows the number and the sum, and estimates
// their helpers. Where the average is above a quarter of the buckets it counts
// multiples of several tasks, rounded up, and its iterations are multiples of that.
type Histogram struct {
	Buckets int // at least 8; 0 means DefaultBuckets

	reach     []int64 // by x: processors with at least x tasks
	total     int64   // processors
	work      int64   // tasks
	largest   int     // workload, M
	tail      int64   // processors with more tasks than buckets
	tailTasks int64   // tasks of the processors in tail
}

// VectorLen returns the number of elements of the last histogram. Where several processors
// count their own workloads, that is the length of the vector to be added up over them.
func (h *Histogram) VectorLen() int {
	if h.tail > 0 {
		return len(h.reach) + 1
	}
	return len(h.reach) - 1
}

// Wait implements [lb.Forecaster]. It returns the best iteration in this sense: the
// loop that redistributes then, and only then, ends in fewer iterations than with a
// redistribution in the first iteration in which one is worthwhile, and in the fewest
// of all that end within the threshold after the earliest end that any sequence of
// redistributions could reach. Where no such iteration exists, the first one in which a
// redistribution is worthwhile is returned.
//
// So with the threshold as the cost of each redistribution no loop takes longer than
// if each were done as soon as it is worthwhile. Proof. If that is one
// redistribution, it is the one in the first iteration, after which the loop ends
// later. If there are two or more, they cost at least one threshold more, and their
// loop ends no earlier than any can.
//
// The cost is one pass over the workload and about M log M operations on the
// histogram at most, where the best iteration is far off; mostly some M.
func (h *Histogram) Wait(workload []int32, s lb.Summary, threshold float64) int {
	unit := h.count(workload, s)
	asked := int(math.Floor(min(threshold, math.MaxInt32)))/unit + 1 // iterations to be saved
	first, idled := h.first(h.largest - asked)
	if first == lb.NoLook {
		return lb.NoLook
	}
	return h.best(first, h.largest-asked, idled, asked-1) * unit
}

// count fills the histogram, in units of the returned number of tasks.
func (h *Histogram) count(workload []int32, s lb.Summary) (unit int) {
	buckets := h.Buckets
	if buckets == 0 {
		buckets = DefaultBuckets
	}
	unit = max((4*int(s.Balanced())+buckets-1)/buckets, 1)
	h.largest = (int(s.Max) + unit - 1) / unit
	last := min(h.largest, buckets) // larger workloads are the tail
	if cap(h.reach) < last+2 {
		h.reach = make([]int64, last+2)
	}
	h.reach = h.reach[:last+2]
	clear(h.reach)
	h.total, h.work, h.tail, h.tailTasks = int64(len(workload)), 0, 0, 0
	for _, w := range workload {
		tasks := int(w)
		if unit > 1 {
			tasks = (tasks + unit - 1) / unit
		}
		if tasks > last {
			h.tailTasks += int64(tasks)
			tasks = last + 1
		}
		h.reach[tasks]++
	}
	h.tail = h.reach[last+1]
	h.work = h.tailTasks
	for x := last; x > 0; x-- {
		h.work += int64(x) * h.reach[x]
		h.reach[x] += h.reach[x+1]
	}
	return unit
}

// idle returns the number of processors that are idle after d iterations. Those of the
// tail are taken to be active.
func (h *Histogram) idle(d int) int64 { return h.total - h.reach[min(d+1, len(h.reach)-1)] }

// suffices reports whether the processors that are idle after d iterations can help
// so that none keeps more than level tasks. A processor with w tasks takes its j-th
// helper when w-d-1 is at least j times the level.
func (h *Histogram) suffices(d, level int) bool {
	idle := h.idle(d)
	x := d + 1 + level
	for ; x < len(h.reach) && idle >= 0; x += level {
		idle -= h.reach[x]
	}
	// The helpers of the tail: for each processor its remaining tasks over the level, rounded
	// down. Rounding takes off half a level on average.
	left := h.tailTasks - h.tail*int64(x-level+level/2)
	return idle >= max(left, 0)/int64(level)
}

// first returns the first iteration in which a redistribution ends the loop in at
// most end iterations, [lb.NoLook] for none, and the iterations of idle processors
// before.
func (h *Histogram) first(end int) (d int, idled int64) {
	for ; d < end; d++ {
		if h.suffices(d, end-d) {
			return d, idled
		}
		idled += h.idle(d)
	}
	return lb.NoLook, idled
}

// best returns the iteration, first or later, whose redistribution ends the loop in
// the fewest iterations, at most end, and at most patience after the earliest end
// of any way to go on.
func (h *Histogram) best(first, end int, idled int64, patience int) int {
	best := first
	// The earliest end of any loop: processors that were idle before first did no work.
	least := int((h.work + idled + h.total - 1) / h.total)
	// A later iteration is taken only if the loop then ends earlier.
	latest := min(h.end(first, end)-1, least+patience)
	for d := first + 1; d < latest; d++ {
		if h.suffices(d, latest-d) {
			best = d
			latest = h.end(d, latest) - 1
		}
	}
	return best
}

// end returns the number of iterations of a loop that redistributes after d of them, or
// latest if that is smaller.
func (h *Histogram) end(d, latest int) int {
	lo, hi := 1, latest-d
	for lo < hi {
		if mid := lo + (hi-lo)/2; h.suffices(d, mid) {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	return d + lo
}
