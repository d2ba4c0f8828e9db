package lb

import (
	"fmt"
	"math"
	"math/bits"
)

// A Planner makes a plan: it decides how many idle processors help each active processor.
type Planner interface {
	// Plan sets allotted[p] to the number of helpers of processor p. It returns the largest workload after the plan. s
	// is the Summary that Gather returns for workload. An idle processor gets no helpers. A processor with w tasks gets
	// at most w-1. The sum of allotted is at most s.Idle.
	Plan(allotted, workload []int32, s Summary) (newMax int32)
}

func checkPlan(name string, allotted, workload []int32, s Summary) {
	if len(allotted) != len(workload) || s.Processors() != len(workload) {
		panic(fmt.Sprintf("lb: %s: %d workloads, a plan for %d, a summary of %d",
			name, len(workload), len(allotted), s.Processors()))
	}
}

// Proportional gives idle processors to active processors in proportion to their workload, as Ahrens and Hansen do
// (1995, section 2.2). The quota of a processor is its proportional number of helpers, which is seldom a whole number.
// First every processor gets the whole part of its quota. Then the processors with the largest fractional parts get one
// more helper each, lower indices first. A processor with one task has nothing to share and gets none. If a quota
// exceeds what a processor can use, the rest stays idle. The cost is O(n). The zero value is ready to use and keeps its
// memory for the next plan.
type Proportional struct {
	fraction []uint64 // scratch memory: fractional parts of quotas, in units of 1/tasks
}

// Plan implements [Planner].
func (pl *Proportional) Plan(allotted, workload []int32, s Summary) (newMax int32) {
	checkPlan("Proportional", allotted, workload, s)
	tasks, shares := divisibleTasks(workload)
	idle := uint64(s.Idle)
	if idle >= shares {
		return oneEach(allotted, workload)
	}
	pl.fraction = pl.fraction[:0]
	left := idle
	for p, w := range workload {
		allotted[p] = 0
		if w < 2 {
			continue
		}
		// Both factors are below 2^31, so the product is exact. The quota is idle*w/tasks. Since idle < shares < tasks,
		// it is less than w, and its whole part is at most w-1.
		product := idle * uint64(w)
		allotted[p] = int32(product / tasks)
		left -= uint64(allotted[p])
		if allotted[p] < w-1 {
			pl.fraction = append(pl.fraction, product%tasks)
		}
	}
	pl.round(allotted, workload, idle, tasks, left)
	return MaxAfter(workload, allotted)
}

// round gives one more helper to each of the processors with the largest fractions. The argument left says how many
// processors get one.
func (pl *Proportional) round(allotted, workload []int32, idle, tasks, left uint64) {
	left = min(left, uint64(len(pl.fraction)))
	if left == 0 {
		return
	}
	limit, ties := nthLargest(pl.fraction, int(left))
	for p, w := range workload {
		if w < 2 || allotted[p] >= w-1 {
			continue
		}
		switch fraction := idle * uint64(w) % tasks; {
		case fraction > limit:
			allotted[p]++
		case fraction == limit && ties > 0:
			allotted[p]++
			ties--
		}
	}
}

// divisibleTasks considers the processors with at least two tasks. It returns the number of their tasks, and the
// largest number of helpers that they can use.
func divisibleTasks(workload []int32) (tasks, shares uint64) {
	for _, w := range workload {
		if w >= 2 {
			tasks += uint64(w)
			shares += uint64(w) - 1
		}
	}
	return tasks, shares
}

// oneEach gives every task its own processor.
func oneEach(allotted, workload []int32) (newMax int32) {
	for p, w := range workload {
		allotted[p] = max(w, 1) - 1
		newMax = max(newMax, min(w, 1))
	}
	return newMax
}

// Minimax makes the largest workload after the plan as small as any plan can. A processor needs ceil(workload/T)-1
// helpers to keep at most T tasks. Minimax finds the smallest T for which there are enough idle processors. More
// helpers would not shorten the loop, so the other idle processors stay idle. The zero value is ready to use and keeps
// its memory for the next plan.
//
// [Proportional] rounds its quotas. So it may give helpers to light processors and none to a heavy one. Minimax does
// not. The cost is O(n + h log r). Here n is the number of processors, h the number of processors above the average,
// and r the difference between the bounds of T. r is mostly small.
type Minimax struct {
	above []int32 // scratch memory: workloads above the lower bound
}

// Plan implements [Planner].
func (pl *Minimax) Plan(allotted, workload []int32, s Summary) (newMax int32) {
	checkPlan("Minimax", allotted, workload, s)
	lo, hi := s.bestMaxBounds()
	if lo < hi {
		lo = pl.smallestMax(workload, int64(s.Idle), lo, hi)
	}
	if lo == 0 {
		clear(allotted)
		return 0
	}
	each := newDivisor(lo)
	for p, w := range workload {
		allotted[p] = each.helpers(max(w, 1))
	}
	return lo
}

// smallestMax returns the smallest T between lo and hi for which there are enough idle processors. It uses bisection:
// if there are enough for T, there are enough for T+1. A processor whose workload is at most lo needs no helper for any
// T in this range.
func (pl *Minimax) smallestMax(workload []int32, idle int64, lo, hi int32) int32 {
	pl.above = resized(pl.above, len(workload))
	n := 0
	for _, w := range workload {
		// A branch on the workload would often be mispredicted. So every workload is stored. If it is not above lo, the
		// next workload overwrites it.
		pl.above[n] = w
		n += int(uint32(lo-w) >> 31)
	}
	for lo < hi {
		mid := lo + (hi-lo)/2
		each, needed := newDivisor(mid), int64(0)
		for _, w := range pl.above[:n] {
			needed += int64(each.helpers(w))
		}
		if needed > idle {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// A divisor divides by a level with a multiplication. If `a` is below 2^32, a/level rounded down is the upper half of
// the product of `a` and `inverse`. Source: Lemire, Kaser and Kurz, "Faster remainder by direct computation", 2019.
type divisor struct {
	inverse uint64 // 0 for level 1, whose inverse 2^64 does not fit
}

func newDivisor(level int32) divisor { return divisor{math.MaxUint64/uint64(level) + 1} }

// helpers returns how many helpers a processor with w > 0 tasks needs to keep at most level tasks: ceil(w/level)-1 =
// floor((w-1)/level).
func (d divisor) helpers(w int32) int32 {
	if d.inverse == 0 {
		return w - 1
	}
	n, _ := bits.Mul64(d.inverse, uint64(w-1))
	return int32(n)
}
