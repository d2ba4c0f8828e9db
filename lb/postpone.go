package lb

import "math"

// Postpone returns in how many iterations to redistribute when it is worthwhile
// now: 0 for at once. Later there are more idle processors, and if one
// redistribution then ends the loop in fewer iterations than one now, waiting
// spares the loop the first of two. Until then the idle stay idle, so it must not end
// the loop later than the limit, which is what a redistribution costs, after the
// earliest end of any way to go on. Where workloads are in coarse buckets there are
// only bounds on what it leaves, and it is put off only where they prove that the
// later one ends the loop earlier and is worthwhile itself. The cost is as for Wait.
//
// So with the limit as the cost of each redistribution no loop takes longer than if
// each were done as soon as it is worthwhile. Proof. If that is one redistribution,
// it is the one now, which ends the loop later. If there are two or more, the loop
// ends no earlier than any can, and they cost at least one limit more.
func (o *Outlook) Postpone() (iterations int) { return o.postpone(0) }

// postpone is Postpone when it may be worthwhile from the given iteration on: the
// best one, which may be that.
func (o *Outlook) postpone(from int) (iterations int) {
	lo, _, ok := o.Bracket(from)
	if !ok {
		return from
	}
	iterations = from
	idled := int64(0)
	for d := range from {
		idled += o.idle(d)
	}
	// No way to go on uses those that are idle before from.
	bound := int(ceilDiv(o.work+idled, o.total)) + int(math.Floor(min(o.limit, math.MaxInt32)))
	// Ends of the loop that are earlier than with one now, and worthwhile.
	best := min(from+int(lo)-1, int(o.level), bound)
	for d := from + 1; d <= from+foreseen && d < best && d+1 < int(o.exact); d++ {
		if end := o.end(d, best); end <= best {
			best, iterations = end-1, d
		}
	}
	return iterations
}

// end returns in how many iterations at most the loop ends that redistributes
// after d, with d+1 below exact, or most+1 when that is more than most.
func (o *Outlook) end(d, most int) int {
	idle := o.idle(d)
	if o.most(int32(d), int32(most-d)) > idle {
		return most + 1
	}
	lowest := min(max(o.least-d, 1), most-d)
	return d + least(lowest, most-d, lowest, func(tasks int) bool { return o.most(int32(d), int32(tasks)) <= idle })
}
