package lb

import "fmt"

// A Planner makes a plan: how many idle processors each active one is given.
type Planner interface {
	// Plan overwrites allotted, which is as long as workload, and returns
	// MAX(new workload). g is what Gather says about workload. The plan gives
	// nothing to idle processors, no processor more helpers than it has tasks
	// beyond one, and all together at most g.Idle.
	Plan(allotted, workload []int32, g Information) (newMax int32)
}

func checkPlan(name string, allotted, workload []int32, g Information) {
	if len(allotted) != len(workload) || g.Processors() != len(workload) {
		panic(fmt.Sprintf("lb: %s: %d workloads, a plan for %d, information about %d",
			name, len(workload), len(allotted), g.Processors()))
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
func (pl *Proportional) Plan(allotted, workload []int32, g Information) (newMax int32) {
	checkPlan("Proportional", allotted, workload, g)
	tasks, shares := divisible(workload)
	idle := uint64(g.Idle)
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
// given help; this cannot. The cost is O(n + h log max) for h processors above
// the average.
type Minimax struct {
	heavy []int32 // workloads above the lower bound, scratch
}

// Plan implements [Planner].
func (pl *Minimax) Plan(allotted, workload []int32, g Information) (newMax int32) {
	checkPlan("Minimax", allotted, workload, g)
	if g.Max == 0 {
		clear(allotted)
		return 0
	}
	newMax = pl.level(workload, g)
	for p, w := range workload {
		if w <= newMax {
			allotted[p] = 0
			continue
		}
		allotted[p] = int32(uint32(w-1) / uint32(newMax)) // ceil(w/newMax)-1
	}
	return newMax
}

// level returns the smallest feasible T by bisection. Feasibility is monotone in
// T, g.Max needs nobody, and no plan comes below the average. A processor
// at or below the average needs nobody for any T in question.
func (pl *Minimax) level(workload []int32, g Information) int32 {
	lo := int32(ceilDiv(g.Sum, int64(g.Processors())))
	pl.heavy = pl.heavy[:0]
	for _, w := range workload {
		if w > lo {
			pl.heavy = append(pl.heavy, w)
		}
	}
	hi := g.Max
	for lo < hi {
		mid := lo + (hi-lo)/2
		if pl.needs(mid, int64(g.Idle)) {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// needs reports whether level T takes more helpers than there are idle.
func (pl *Minimax) needs(level int32, idle int64) bool {
	// A positive w makes (w-1)/level equal ceil(w/level)-1. Unsigned division is
	// the cheaper one.
	helpers, divisor := int64(0), uint32(level)
	for _, w := range pl.heavy {
		helpers += int64(uint32(w-1) / divisor)
	}
	return helpers > idle
}
