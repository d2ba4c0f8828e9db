package lb

import (
	"fmt"
	"math"
	"math/bits"
)

// A Planner makes a plan: how many idle processors each active one is given.
type Planner interface {
	// Plan overwrites allotted, which is as long as workload, and returns
	// MAX(new workload). s is what Gather says about workload. The plan gives
	// nothing to idle processors, no processor more helpers than it has tasks
	// beyond one, and all together at most s.Idle.
	Plan(allotted, workload []int32, s Summary) (newMax int32)
}

func checkPlan(name string, allotted, workload []int32, s Summary) {
	if len(allotted) != len(workload) || s.Processors() != len(workload) {
		panic(fmt.Sprintf("lb: %s: %d workloads, a plan for %d, a summary of %d",
			name, len(workload), len(allotted), s.Processors()))
	}
}

// Proportional gives idle processors to active ones in proportion to their
// workload, with largest-remainder rounding: first the whole part of every
// quota, then one more where the fraction is largest, at equal fractions where
// the index is smallest. Processors with one task have nothing to share and take
// no part. Where a quota exceeds what a processor can use the rest of it stays
// idle. The zero value is ready to use and keeps its memory for the next plan.
//
// This is the paper's rule (section 2.2). The cost is O(n).
type Proportional struct {
	fraction []uint64 // candidates' remainders, scratch
}

// Plan implements [Planner].
func (pl *Proportional) Plan(allotted, workload []int32, s Summary) (newMax int32) {
	checkPlan("Proportional", allotted, workload, s)
	tasks, shares := divisible(workload)
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
		// Both factors are below 2^31, so the product is exact. idle < shares
		// < tasks makes the quota less than w, its whole part at most w-1.
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

// round gives the left processors to the largest fractions.
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

// divisible returns the tasks of the processors that can share, those with at
// least two, and how many helpers they can use at most.
func divisible(workload []int32) (tasks, shares uint64) {
	for _, w := range workload {
		if w >= 2 {
			tasks += uint64(w)
			shares += uint64(w) - 1
		}
	}
	return tasks, shares
}

// oneEach plans a processor for every task.
func oneEach(allotted, workload []int32) (newMax int32) {
	for p, w := range workload {
		allotted[p] = max(w, 1) - 1
		newMax = max(newMax, min(w, 1))
	}
	return newMax
}

// Minimax makes MAX(new workload) as small as any plan can: the smallest T for
// which the processors' needs, ceil(workload/T)-1 helpers each, do not exceed the
// idle ones. Helpers beyond that would not shorten the loop and stay idle. The
// zero value is ready to use and keeps its memory for the next plan.
//
// Rounding in proportion can leave a heavy processor unsplit while light ones are
// given help; this cannot. The cost is O(n + h log r) for h processors above
// the average and a range r between bounds that are mostly close.
type Minimax struct {
	above []int32 // workloads above the lower bound, scratch
}

// Plan implements [Planner].
func (pl *Minimax) Plan(allotted, workload []int32, s Summary) (newMax int32) {
	checkPlan("Minimax", allotted, workload, s)
	lo, hi := s.levels()
	if lo < hi {
		lo = pl.level(workload, int64(s.Idle), lo, hi)
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

// level returns the smallest feasible T between bounds by bisection. Feasibility
// is monotone in T. A processor at or below the lower bound needs no helper for any
// T in question.
func (pl *Minimax) level(workload []int32, idle int64, lo, hi int32) int32 {
	pl.above = resized(pl.above, len(workload))
	n := 0
	for _, w := range workload {
		// A branch would often be predicted wrong. An entry that is not above is
		// overwritten by the next one instead.
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

// A divisor divides by a level without a division. Its inverse is the number whose
// product with any a below 2^32 has a/level, rounded down, as its upper half.
// Source: Lemire, Kaser and Kurz, "Faster remainder by direct computation", 2019.
type divisor struct {
	inverse uint64 // 0 for level 1, whose inverse does not fit
}

func newDivisor(level int32) divisor { return divisor{math.MaxUint64/uint64(level) + 1} }

// helpers returns how many helpers a processor with w > 0 tasks needs to keep at
// most level of them: ceil(w/level)-1 = floor((w-1)/level).
func (d divisor) helpers(w int32) int32 {
	if d.inverse == 0 {
		return w - 1
	}
	n, _ := bits.Mul64(d.inverse, uint64(w-1))
	return int32(n)
}
