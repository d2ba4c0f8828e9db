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
// Workloads are kept in a histogram that is exact below 64 and has a bucket for
// each power of two above.
type Outlook struct {
	count [histogramBuckets]int32
	sum   [histogramBuckets - exactBuckets]int64 // tasks in the coarse buckets
	total int64                                  // processors
	limit float64                                // savings must exceed this
	max   int32                                  // M
	level int32                                  // M-m, below; under 1 when nothing is worthwhile ever
	top   int64                                  // processors with a workload above level
	last  int                                    // highest bucket in use
}

// LookAhead returns the outlook on the savings above limit. g is what Gather says
// about workload. The cost is one pass.
func LookAhead(workload []int32, g Information, limit float64) (o Outlook) {
	if !(float64(g.SavingsBound()) > limit) {
		return o
	}
	o.total, o.max, o.limit = int64(len(workload)), g.Max, max(limit, 0)
	o.level = g.Max - int32(math.Floor(o.limit)) - 1
	o.last = bucketOf(g.Max)
	for _, w := range workload {
		bucket := bucketOf(w)
		o.count[bucket]++
		if bucket >= exactBuckets {
			o.sum[bucket-exactBuckets] += int64(w)
		}
		if w > o.level {
			o.top++
		}
	}
	return o
}

// foreseen bounds how many iterations one outlook tries, since each takes a pass
// over the histogram. Beyond, another look is due.
const foreseen = 64

// Wait returns in how many iterations, at least from, the savings of a
// redistribution can first exceed the limit, or [NoLook] if they never can as long
// as none is done. Nothing worthwhile happens earlier, so a look before is in
// vain; with workloads below 64 and the planner [Minimax] the answer is exact. The
// cost is at most some thousand operations.
//
// Proof. Savings are whole, so they exceed the limit when they reach m =
// floor(limit)+1, that is when no processor keeps more than T = M-d-m, at least 1.
// A processor with W[i]-d > T then needs ceil((W[i]-d)/T)-1 helpers, and such a
// plan exists if and only if all needs together do not exceed the idle. The
// condition W[i]-d > T is W[i] > M-m whatever d is, so at least as many must be
// idle as there are such processors. And by [Information.SavingsBound] no d will do
// when M-ceil(S/N) < m. Rounding workloads down to powers of two makes
// the needs too few and the idle too many, so the wait can be too short but not
// too long.
func (o *Outlook) Wait(from int) int {
	last := min(from+foreseen, int(o.level)-1)
	for d := from; d <= last; d++ {
		if idle := o.idle(d); o.top <= idle && o.needs(int32(d)) <= idle {
			return d
		}
	}
	if last < int(o.level)-1 {
		return last + 1
	}
	return NoLook
}

// idle returns at least the number of processors that are idle after d iterations.
func (o *Outlook) idle(d int) (idle int64) {
	for b := 0; b <= o.last && bucketFloor(b) <= int32(d); b++ {
		idle += int64(o.count[b])
	}
	return idle
}

// needs returns at most the number of helpers that a worthwhile plan takes after
// d iterations.
func (o *Outlook) needs(d int32) (helpers int64) {
	tasks := o.level - d // T
	for b := o.last; bucketFloor(b) > o.level; b-- {
		if o.count[b] > 0 {
			helpers += int64(o.count[b]) * int64((bucketFloor(b)-d-1)/tasks)
		}
	}
	return helpers
}

// Postpone returns in how many iterations to redistribute when it is worthwhile
// now: 0 for at once. Later there are more idle processors, and if one
// redistribution then ends the loop in fewer iterations than one now, waiting
// spares the loop the first of two. Until then the idle stay idle. Spread evenly
// their time would end the loop earlier by the sum of idle/N over the
// iterations waited for, so no more of them are considered than lose the limit,
// which is what a redistribution costs. The answer is exact for workloads below 64
// and an estimate above. The cost is as for Wait.
func (o *Outlook) Postpone() (iterations int) {
	best := o.end(0, int(o.max)) // iterations to the loop's end
	lost := 0.0
	for d := 1; d <= foreseen && d+1 < best; d++ {
		lost += float64(o.idle(d-1)) / float64(o.total)
		if lost > o.limit {
			break
		}
		if end := o.end(d, best-1); end < best {
			best, iterations = end, d
		}
	}
	return iterations
}

// end returns in how many iterations the loop ends that redistributes after d,
// or most+1 when that is more than most.
func (o *Outlook) end(d, most int) int {
	idle := o.idle(d)
	if o.helpers(int32(d), int32(most-d)) > idle {
		return most + 1
	}
	lo, hi := 1, most-d // hi is feasible
	for lo < hi {
		mid := lo + (hi-lo)/2
		if o.helpers(int32(d), int32(mid)) > idle {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return d + lo
}

// helpers returns how many a plan takes that leaves at most so many tasks each
// after d iterations. In a coarse bucket, where ceil(x)-1 is x-1/2 on average,
// that is an estimate.
func (o *Outlook) helpers(d, tasks int32) (helpers int64) {
	for b := o.last; b >= 0 && bucketFloor(b)-d > tasks; b-- {
		n := int64(o.count[b])
		switch {
		case n == 0:
		case b < exactBuckets:
			helpers += n * int64((bucketFloor(b)-d-1)/tasks)
		default:
			left := o.sum[b-exactBuckets] - n*int64(d)
			helpers += max(n, (2*left/int64(tasks)-n)/2)
		}
	}
	return helpers
}

// exactBuckets is where the histogram of workloads becomes coarse. Rows of
// polygons and pixels of spans are mostly fewer.
const (
	exactBits        = 6
	exactBuckets     = 1 << exactBits
	histogramBuckets = exactBuckets + 31 - exactBits
)

func bucketOf(w int32) int {
	if w < exactBuckets {
		return int(w)
	}
	return exactBuckets + bits.Len32(uint32(w)) - exactBits - 1
}

// bucketFloor returns the smallest workload in a bucket.
func bucketFloor(bucket int) int32 {
	if bucket < exactBuckets {
		return int32(bucket)
	}
	return 1 << (bucket - exactBuckets + exactBits)
}
