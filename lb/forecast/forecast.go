// Package forecast finds the iteration of a lockstep loop before which a single redistribution pays best, so that a
// loop can wait for that iteration without looking.
//
// Without a redistribution the future of a loop is known. Let w[i] be the tasks of processor i and M the largest w[i].
// After d iterations processor i has max(w[i]-d, 0) tasks, the largest workload is M-d, and the processors with w[i] <=
// d are idle. So one histogram of the workloads is enough to compute the effect of a redistribution in any later
// iteration.
package forecast

import (
	"math"

	"lockstep/lb"
)

// DefaultBuckets is the number of buckets if Histogram.Buckets is 0. It exceeds the number of rows of a polygon and the
// number of pixels of a span. A histogram of this size takes 32 KiB and fits into the first-level cache.
const DefaultBuckets = 4096

// A Histogram forecasts one loop after the other. It implements [lb.Forecaster]. The zero value is ready to use and
// keeps its memory for the next loop.
//
// Its forecasts are exact for the planner [lb.Minimax] while the largest workload is below its number of buckets. Of
// larger workloads it stores only the number and the sum, and estimates how many helpers they need. If the average
// workload exceeds a quarter of the buckets, it counts in units of several tasks, rounded up. Answers are then
// multiples of this unit.
type Histogram struct {
	Buckets int // number of buckets, at least 8; 0 means DefaultBuckets

	atLeast   []int64 // atLeast[x] is the number of processors with at least x tasks
	total     int64   // number of processors
	work      int64   // number of tasks
	largest   int     // largest workload, M
	tail      int64   // number of processors with more tasks than buckets
	tailTasks int64   // number of tasks of the processors in tail
}

// VectorLen returns the number of elements of the last histogram. If several processors each counted a part of the
// workload, they would have to add up vectors of this length.
func (h *Histogram) VectorLen() int {
	if h.tail > 0 {
		return len(h.atLeast) + 1
	}
	return len(h.atLeast) - 1
}

// Wait implements [lb.Forecaster]. A redistribution is worthwhile if it saves more than threshold iterations. Let F be
// the first iteration in which a redistribution is worthwhile. Wait chooses among F and those later iterations that
// have two properties:
//
//   - a redistribution in that iteration ends the loop earlier than one in F, and
//   - the loop then ends at most threshold iterations after the earliest end that any sequence of redistributions could
//     reach.
//
// It returns the iteration whose redistribution ends the loop earliest. So if each redistribution costs threshold
// iterations, no loop takes longer than an eager loop, which redistributes whenever that is worthwhile. Proof: if the
// eager loop redistributes once, it does so in F, and does not end earlier than the loop of Wait. If it redistributes
// more often, it pays for at least one redistribution more. That is no less than the threshold iterations by which the
// loop of Wait may end after the earliest possible end.
//
// The cost is one pass over the workload and about M operations on the histogram, or about M log M if the best
// iteration is far off.
func (h *Histogram) Wait(workload []int32, s lb.Summary, threshold float64) int {
	unit := h.count(workload, s)
	asked := int(math.Floor(min(threshold, math.MaxInt32)))/unit + 1 // least number of iterations to save, in units
	first, idled := h.firstWorthwhile(h.largest - asked)
	if first == lb.NoLook {
		return lb.NoLook
	}
	return h.bestFrom(first, h.largest-asked, idled, asked-1) * unit
}

// count fills the histogram. It counts in units of several tasks, and returns the number of tasks per unit.
func (h *Histogram) count(workload []int32, s lb.Summary) (unit int) {
	buckets := h.Buckets
	if buckets == 0 {
		buckets = DefaultBuckets
	}
	unit = max((4*int(s.Balanced())+buckets-1)/buckets, 1)
	h.largest = (int(s.Max) + unit - 1) / unit
	last := min(h.largest, buckets) // larger workloads are counted in the tail
	if cap(h.atLeast) < last+2 {
		h.atLeast = make([]int64, last+2)
	}
	h.atLeast = h.atLeast[:last+2]
	clear(h.atLeast)
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
		h.atLeast[tasks]++
	}
	h.tail = h.atLeast[last+1]
	h.work = h.tailTasks
	for x := last; x > 0; x-- {
		h.work += int64(x) * h.atLeast[x]
		h.atLeast[x] += h.atLeast[x+1]
	}
	return unit
}

// idle returns the number of processors that are idle after d iterations. Processors with more tasks than buckets count
// as active.
func (h *Histogram) idle(d int) int64 { return h.total - h.atLeast[min(d+1, len(h.atLeast)-1)] }

// suffices reports whether the processors that are idle after d iterations are enough helpers, so that no processor
// keeps more than `level` tasks. A processor that began with w tasks needs floor((w-d-1)/level) helpers.
func (h *Histogram) suffices(d, level int) bool {
	idle := h.idle(d)
	x := d + 1 + level
	for ; x < len(h.atLeast) && idle >= 0; x += level {
		idle -= h.atLeast[x]
	}
	// Each processor with more tasks than buckets needs floor(remaining tasks / level) helpers. Rounding down takes off
	// half a level on average.
	left := h.tailTasks - h.tail*int64(x-level+level/2)
	return idle >= max(left, 0)/int64(level)
}

// firstWorthwhile returns the first iteration d in which a redistribution makes the loop take at most end iterations,
// or [lb.NoLook]. idled is the sum of the numbers of idle processors over all iterations before d.
func (h *Histogram) firstWorthwhile(end int) (d int, idled int64) {
	for ; d < end; d++ {
		if h.suffices(d, end-d) {
			return d, idled
		}
		idled += h.idle(d)
	}
	return lb.NoLook, idled
}

// bestFrom returns the iteration, from `first` on, whose redistribution ends the loop earliest. An iteration after
// `first` counts only if the loop then ends earlier, and at most patience iterations after the earliest end of any
// sequence of redistributions.
func (h *Histogram) bestFrom(first, end int, idled int64, patience int) int {
	best := first
	// No loop can end before iteration `least`. Before iteration `first`, idle processors have lost `idled` iterations
	// in all. Even if no processor is idle from then on, the work takes until iteration `least`.
	least := int((h.work + idled + h.total - 1) / h.total)
	// A later iteration is taken only if the loop then ends earlier.
	latest := min(h.endAfter(first, end)-1, least+patience)
	for d := first + 1; d < latest; d++ {
		if h.suffices(d, latest-d) {
			best = d
			latest = h.endAfter(d, latest) - 1
		}
	}
	return best
}

// endAfter returns the number of iterations of a loop that redistributes after d iterations, but at most `latest`.
func (h *Histogram) endAfter(d, latest int) int {
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
