package lb

import (
	"fmt"
	"math"
	"math/bits"
)

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
// given help; this cannot. The cost is O(n + h log r) for h processors above
// the average and a range r between bounds that are mostly close.
type Minimax struct {
	heavy []int32 // workloads above the lower bound, scratch
}

// A Bracketer is a Planner that makes the same plan with less work when it is told
// bounds on the result.
type Bracketer interface {
	Planner
	// PlanWithin does what Plan does, where MAX(new workload) of the plan is from lo
	// to hi. Where it is not, the plan is still valid, but may not be the same, and
	// newMax may be more than it leaves, though not less.
	PlanWithin(allotted, workload []int32, g Information, lo, hi int32) (newMax int32, e Effort)
}

// Effort is what finding a plan took.
type Effort struct {
	Passes   int // over the workload, in which a plan was made
	Searches int // passes in which the heavy workloads were picked out
	Tries    int // sums over all processors, to compare what a level needs with the idle
}

// Plan implements [Planner].
func (pl *Minimax) Plan(allotted, workload []int32, g Information) (newMax int32) {
	newMax, _ = pl.PlanWithin(allotted, workload, g, 0, g.Max)
	return newMax
}

// PlanWithin implements [Bracketer].
func (pl *Minimax) PlanWithin(allotted, workload []int32, g Information, lo, hi int32) (newMax int32, e Effort) {
	checkPlan("Minimax", allotted, workload, g)
	if g.Max == 0 {
		clear(allotted)
		return 0, e
	}
	least, most := g.levels()
	lo = min(max(lo, least), most)
	hi = max(min(hi, most), lo)
	if hi-lo > 1 {
		lo = pl.level(workload, g, lo, hi, &e)
		hi = lo
	}
	e.Passes++
	if lo < hi {
		e.Tries++ // which is part of making the plan
	}
	if allot(allotted, workload, lo) <= int64(g.Idle) {
		return lo, e
	}
	e.Passes++
	if lo < hi && allot(allotted, workload, hi) <= int64(g.Idle) {
		return hi, e
	}
	newMax = pl.level(workload, g, hi, most, &e) // hi was too low
	allot(allotted, workload, newMax)
	return newMax, e
}

// levels returns bounds on the smallest feasible T: the average, below which no
// plan comes, and the largest workload, which needs nobody. What the active
// processors need, the sum of floor((w-1)/T), is at most (S-A)/T, so that T =
// (S-A)/I rounded up is feasible too.
func (g Information) levels() (lo, hi int32) {
	lo, hi = int32(ceilDiv(g.Sum, int64(g.Processors()))), g.Max
	if g.Idle > 0 {
		hi = int32(min(int64(hi), max(1, ceilDiv(g.Sum-int64(g.Active), int64(g.Idle)))))
	}
	return lo, max(lo, hi)
}

// allot gives each processor what it needs for level T, and returns how many that
// are.
func allot(allotted, workload []int32, level int32) (helpers int64) {
	allotted = allotted[:len(workload)]
	if level == 1 {
		for p, w := range workload {
			n := max(w, 1) - 1
			allotted[p] = n
			helpers += int64(n)
		}
		return helpers
	}
	inverse := inverseOf(level)
	for p, w := range workload {
		n, _ := bits.Mul64(inverse, uint64(max(w, 1)-1)) // ceil(w/level)-1
		allotted[p] = int32(n)
		helpers += int64(n)
	}
	return helpers
}

// inverseOf returns the number whose product with any a below 2^32 has a/d,
// rounded down, as its upper half, for d from 2 on. Source: Lemire, Kaser and Kurz,
// "Faster remainder by direct computation", 2019.
func inverseOf(d int32) uint64 { return math.MaxUint64/uint64(d) + 1 }

// level returns the smallest feasible T between bounds by bisection. Feasibility
// is monotone in T. A processor at or below the lower bound needs nobody for any T
// in question.
func (pl *Minimax) level(workload []int32, g Information, lo, hi int32, e *Effort) int32 {
	e.Searches++
	pl.heavy = resized(pl.heavy, len(workload))
	n := 0
	for _, w := range workload {
		// Where a branch would guess wrong an entry that is not wanted is
		// overwritten by the next.
		pl.heavy[n] = w
		n += int(uint32(lo-w) >> 31)
	}
	pl.heavy = pl.heavy[:n]
	for lo < hi {
		mid := lo + (hi-lo)/2
		if pl.needs(mid, int64(g.Idle)) {
			lo = mid + 1
		} else {
			hi = mid
		}
		e.Tries++
	}
	return lo
}

// needs reports whether level T takes more helpers than there are idle.
func (pl *Minimax) needs(level int32, idle int64) bool { return helpers(pl.heavy, 0, level) > idle }

// helpers returns how many processors with these workloads, all above done, need to
// keep at most level tasks each once they have done so many.
func helpers(workload []int32, done, level int32) (n int64) {
	done++
	if level == 1 {
		for _, w := range workload {
			n += int64(w - done)
		}
		return n
	}
	inverse := inverseOf(level)
	for _, w := range workload {
		// A positive w makes (w-1)/level equal ceil(w/level)-1.
		q, _ := bits.Mul64(inverse, uint64(w-done))
		n += int64(q)
	}
	return n
}
