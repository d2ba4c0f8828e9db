package lb

import (
	"math"
	"math/bits"
)

// NoLook is the wait after which no redistribution can be worthwhile any more.
const NoLook = math.MaxInt32

// Outlook is what the future of a loop without redistributions depends on, and
// how much a redistribution must save in it. Without one the future is known:
// after d iterations processor i has max(W[i]-d, 0) tasks, the largest workload is
// M-d, and the processors with W[i] <= d are idle.
//
// Workloads are kept in a histogram that is exact below a power of two, at most
// 64, and has a bucket for each power of two above. Those in the buckets, mostly few,
// are kept as well, for the one question that is worth asking each of them: [Outlook.Level].
//
// The bounds hold for up to 2^52 tasks in the buckets, which 2^21 processors cannot
// exceed.
type Outlook struct {
	// reach[x] is the number of processors with a workload from x up to below
	// exact, that is without those in the coarse buckets.
	reach [exactBuckets + 1]int32
	exact int32 // workloads below are exact
	many  int64 // processors in the coarse buckets
	tasks int64 // of these
	least int   // ceil(S/N), below which no loop ends
	count [coarseBuckets]int64
	sum   [coarseBuckets]int64 // their tasks
	last  int                  // coarse buckets in use
	total int64                // processors
	work  int64                // S
	limit float64              // savings must exceed this
	max   int32                // M
	level int32                // M-m, below; under 1 when nothing is worthwhile ever
	top   int64                // processors with a workload above level
	heavy []int32              // the first many: the workloads in the coarse buckets
}

// exactBuckets is where the histogram of workloads becomes coarse at the latest.
// Rows of polygons and pixels of spans are mostly fewer.
const (
	exactBits     = 6
	exactBuckets  = 1 << exactBits
	coarseBuckets = 31 // powers of two from 1 on
)

// LookAhead returns the outlook on the savings above limit with the finest
// histogram, exact below 64. g is what Gather says about workload. The cost is
// one pass and one over the histogram.
func LookAhead(workload []int32, g Information, limit float64) (o Outlook) {
	o.Look(workload, g, limit, 0)
	return o
}

// clampExact returns the power of two from 8 to 64 that is at least n, 64 for 0.
func clampExact(n int) int32 {
	if n <= 0 || n >= exactBuckets {
		return exactBuckets
	}
	return max(8, int32(1)<<bits.Len(uint(n-1)))
}

// Look makes o what LookAhead returns, in place, with a histogram that is exact
// below the given power of two only, from 8 to 64; 0 means 64. Where a
// machine combines histograms over processors that have few workloads each, a
// short one costs less.
func (o *Outlook) Look(workload []int32, g Information, limit float64, exact int) {
	o.level, o.total, o.many, o.tasks, o.last, o.top = 0, 0, 0, 0, 0, 0
	o.exact = clampExact(exact)
	if !(float64(g.SavingsBound()) > limit) {
		return
	}
	o.total, o.max, o.limit = int64(len(workload)), g.Max, max(limit, 0)
	o.work = g.Sum
	o.least = int(ceilDiv(g.Sum, o.total))
	o.level = g.Max - int32(math.Floor(o.limit)) - 1
	clear(o.reach[:o.exact+1])
	o.heavy = resized(o.heavy, len(workload))
	o.fill(workload)
	o.conclude()
}

// fill counts the workloads, in reach at first each for itself.
func (o *Outlook) fill(workload []int32) {
	exact := o.exact
	if n := len(workload) &^ 1; n >= exactBuckets {
		var second [exactBuckets]int32 // equal neighbours need not wait for each other
		for i := 0; i < n; i += 2 {
			v, w := workload[i], workload[i+1]
			if v < exact {
				o.reach[v&(exactBuckets-1)]++
			} else {
				o.coarse(v)
			}
			if w < exact {
				second[w&(exactBuckets-1)]++
			} else {
				o.coarse(w)
			}
		}
		for x, n := range second[:exact] {
			o.reach[x] += n
		}
		workload = workload[n:]
	}
	for _, w := range workload {
		if w < exact {
			o.reach[w]++
		} else {
			o.coarse(w)
		}
	}
}

// coarse counts a workload that is not below exact.
func (o *Outlook) coarse(w int32) {
	o.heavy[o.many] = w
	o.many++
	b := (bits.Len32(uint32(w)) - 1) & 31
	b -= bits.Len32(uint32(o.exact)) - 1
	for ; o.last <= b; o.last++ {
		o.count[o.last], o.sum[o.last] = 0, 0
	}
	o.count[b]++
	o.sum[b] += int64(w)
	o.top += int64(uint32(o.level-w) >> 31)
}

// conclude adds up what was counted.
func (o *Outlook) conclude() {
	for x := int(o.exact) - 2; x >= 0; x-- {
		o.reach[x] += o.reach[x+1]
	}
	for b := range o.count[:o.last] {
		o.tasks += o.sum[b]
	}
	if o.level < o.exact-1 { // which every workload in a coarse bucket is above
		o.top = o.many + int64(o.reach[max(o.level, -1)+1])
	}
}

// floor returns the smallest workload in a coarse bucket.
func (o *Outlook) floor(bucket int) int32 { return o.exact << bucket }

// Words returns the length of the vector that has to be combined where the
// histogram is made of several processors': the workloads below exact that there
// are, a number and a sum for each power of two above, and one for the
// processors with more than the limit.
func (o *Outlook) Words() int { return int(min(o.exact, o.max+1)) + 2*o.last + 1 }

// foreseen bounds how many iterations one outlook tries, since each takes a pass
// over the histogram. Beyond, another look is due.
const foreseen = 64

// Wait returns in how many iterations, at least from, the savings of a
// redistribution can first exceed the limit, or [NoLook] if they never can as long
// as none is done. Nothing worthwhile happens earlier, so a look before is in
// vain; with exact workloads and the planner [Minimax] the answer is exact. The
// cost is at most some thousand operations.
//
// Proof. Savings are whole, so they exceed the limit when they reach m =
// floor(limit)+1, that is when no processor keeps more than T = M-d-m, at least 1.
// A processor with W[i]-d > T then needs ceil((W[i]-d)/T)-1 helpers, and such a
// plan exists if and only if all needs together do not exceed the idle. The
// condition W[i]-d > T is W[i] > M-m whatever d is, so at least as many must be
// idle as there are such processors. And by [Information.SavingsBound] no d will do
// when M-ceil(S/N) < m. Coarse buckets make the needs too few and the idle too
// many, so the wait can be too short but not too long.
func (o *Outlook) Wait(from int) int {
	last := min(from+foreseen, int(o.level)-1)
	for d := from; d <= last; d++ {
		if o.worthwhile(d) {
			return d
		}
	}
	if last < int(o.level)-1 {
		return last + 1
	}
	return NoLook
}

// worthwhile reports whether a redistribution after d iterations may save more
// than the limit, and certainly says so if it does.
func (o *Outlook) worthwhile(d int) bool {
	idle := o.idle(d)
	return d < int(o.level) && o.top <= idle && o.fewest(int32(d), o.level-int32(d)) <= idle
}

// OutlookTries bounds the iterations for which a cycle asks every workload in a coarse
// bucket whether a redistribution is worthwhile then, each counted in
// Effort.Tries. Mostly one is enough, if any.
const OutlookTries = 8

// first returns what Wait(0) does, but later where the workloads in the coarse buckets
// tell that it is later; sure says that a redistribution is worthwhile then, not
// only may be. tries is the number of levels that they were asked about.
func (o *Outlook) first() (wait int, sure bool, tries int) {
	wait = o.Wait(0)
	for o.many > 0 && wait+1 < int(o.exact) {
		idle, tasks := o.idle(wait), o.level-int32(wait)
		if o.most(int32(wait), tasks) <= idle {
			break
		}
		if tries == OutlookTries {
			return wait, false, tries
		}
		tries++
		if o.needs(int32(wait), tasks) <= idle {
			break
		}
		wait = o.Wait(wait + 1)
	}
	return wait, wait+1 < int(o.exact), tries
}

// needs returns the number of helpers that a plan takes which leaves at most so many
// tasks each after d iterations, for d+1 below exact.
func (o *Outlook) needs(d, tasks int32) int64 {
	return o.below(d, tasks) + helpers(o.heavy[:o.many], d, tasks)
}

// At says what a redistribution after d iterations does: whether it may be
// worthwhile, and what is known about the largest workload that it leaves, as
// Bracket has it. It is what [Outlook.Wait] and [Outlook.Postpone] ask for one d after
// the other; where there are processors enough, each can ask for its own.
func (o *Outlook) At(d int) (worthwhile bool, lo, hi int32) {
	lo, hi, ok := o.Bracket(d)
	// What is certain needs no bound.
	sure := ok && float64(int(o.max)-d-int(hi)) > o.limit
	return sure || o.worthwhile(d), lo, hi
}

// idle returns at least the number of processors that are idle after d
// iterations, exactly that number for d below exact.
func (o *Outlook) idle(d int) (idle int64) {
	if d+1 < int(o.exact) {
		return o.total - o.many - int64(o.reach[d+1])
	}
	idle = o.total - o.many
	for b := 0; b < o.last && o.floor(b) <= int32(d); b++ {
		idle += o.count[b]
	}
	return idle
}

// below returns how many helpers the processors with an exact workload need to
// keep at most so many tasks after d iterations. One with w takes the j-th of
// them when w-d-1 is at least j times tasks.
func (o *Outlook) below(d, tasks int32) (helpers int64) {
	for x := int64(d) + 1 + int64(tasks); x < int64(o.exact); x += int64(tasks) {
		helpers += int64(o.reach[x])
	}
	return helpers
}

// fewest returns at most the number of helpers that a plan takes which leaves at
// most so many tasks each after d iterations.
func (o *Outlook) fewest(d, tasks int32) (helpers int64) {
	for b := o.last - 1; b >= 0; b-- {
		n := o.count[b]
		if n == 0 {
			continue
		}
		least := int64(0)
		if o.floor(b)-d > tasks {
			least = n // one each
		}
		// A quotient's floor is at most (tasks-1)/tasks below it.
		sum := o.sum[b] - n*int64(d) - 1
		helpers += max(least, floorDiv(max(sum, 0), tasks)+1-n)
	}
	return helpers + o.below(d, tasks)
}

// most returns at least that number, for d below exact.
func (o *Outlook) most(d, tasks int32) (helpers int64) {
	left, n := int64(0), int64(0)
	for b := o.last - 1; b >= 0 && int64(o.floor(b))*2 > int64(d)+int64(tasks)+1; b-- {
		left += o.sum[b]
		n += o.count[b]
	}
	return floorDiv(max(left-n*int64(d+1), 0), tasks) + o.below(d, tasks)
}

// floorDiv returns a/b rounded down, for a from 0 to 2^52 and b > 0; beyond, it may be
// one too many. A quotient of floating-point numbers that is rounded to nearest does
// not reach the next whole number, and is had sooner than one of 64-bit integers.
func floorDiv(a int64, b int32) int64 { return int64(float64(a) / float64(b)) }

// Bracket returns a lower and an upper bound of the largest workload that the best
// plan leaves after d iterations, and false where the histogram is too coarse to
// tell. Where no workload is in a coarse bucket they are equal.
func (o *Outlook) Bracket(d int) (lo, hi int32, ok bool) {
	if d+1 >= int(o.exact) || o.total == 0 {
		return 0, 0, false
	}
	idle, left := o.idle(d), max(int(o.max)-d, 1)
	lowest := min(max(o.least-d, 1), left)
	// If it were for the coarse buckets alone.
	guess := int(floorDiv(o.tasks-o.many*int64(d+1), int32(min(idle, math.MaxInt32-1)+1))) + 1
	high := least(lowest, left, guess, func(tasks int) bool { return o.most(int32(d), int32(tasks)) <= idle })
	low := high
	if o.last > 0 {
		low = least(lowest, high, high-1, func(tasks int) bool { return o.fewest(int32(d), int32(tasks)) <= idle })
	}
	return int32(low), int32(high), true
}

// Level returns the largest workload that the best plan leaves after d iterations,
// and how many levels it tried to find it between the bounds of Bracket, none where
// they are equal; ok is as there. A try takes a pass over the workloads in the coarse
// buckets.
func (o *Outlook) Level(d int) (level int32, tries int, ok bool) {
	lo, hi, ok := o.Bracket(d)
	idle := o.idle(d)
	for ; lo < hi; tries++ {
		mid := lo + (hi-lo)/2
		if o.needs(int32(d), mid) <= idle {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	return lo, tries, ok
}

// after returns what Gather says after d iterations, when the histogram tells. g
// is what it says now.
func (o *Outlook) after(d int, g Information) (later Information, ok bool) {
	if d >= int(o.exact) || d >= int(g.Max) {
		return later, false
	}
	later = Information{Max: g.Max - int32(d), Sum: g.Sum}
	for k := range d {
		later.Sum -= o.total - o.idle(k)
	}
	later.Idle = int(o.idle(d))
	later.Active = int(o.total) - later.Idle
	return later, true
}

// least returns the smallest value from lo to hi for which enough is true, which
// it must be from some value on and is taken to be for hi. It looks around guess
// first, in steps that double.
func least(lo, hi, guess int, enough func(int) bool) int {
	guess = min(max(guess, lo), hi)
	for step := 1; guess < hi && !enough(guess); step *= 2 {
		lo = guess + 1
		guess = min(guess+step, hi)
	}
	hi = guess
	for step := 1; lo < hi; step *= 2 {
		below := max(hi-step, lo)
		if !enough(below) {
			lo = below + 1
			break
		}
		hi = below
	}
	for lo < hi {
		mid := lo + (hi-lo)/2
		if enough(mid) {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	return lo
}
