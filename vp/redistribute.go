package vp

import (
	"errors"
	"fmt"

	"lockstep/vp/machine"
	"lockstep/vp/scan"
)

// ErrPlan is wrapped by every error about a plan that does not fit a workload.
var ErrPlan = errors.New("invalid plan")

// planScratch holds the vectors of a redistribution, whose memory the next redistribution uses again.
type planScratch struct {
	idle  []bool
	rank  []int32 // rank of each idle processor among the idle processors
	first []int32 // for each active processor, the rank of the first idle processor that helps it
	donor []int32 // for each rank, the active processor that it helps
	heads []bool  // for each rank, whether it is the first of the ranks that help its donor
	loads []int32 // workloads of the processors, if each hosts several virtual processors
}

// Share divides a workload into a number of shares (`copies`), and returns the tasks lo to hi-1 of share number c.
// Tasks are counted from the first task left. The shares are in order, make up all tasks, and differ by at most one
// task in size. Share panics unless 0 <= c < copies and workload is at least 0.
func Share(workload int32, copies, c int) (lo, hi int32) {
	if c < 0 || c >= copies || workload < 0 {
		panic(fmt.Sprintf("vp: Share: part %d of %d of %d tasks", c, copies, workload))
	}
	begin, end := machine.Part(c, copies, int(workload))
	return int32(begin), int32(end)
}

// CheckPlan returns an error that wraps [ErrPlan] if the plan allotted does not fit the workload. A plan fits if:
//
//   - It is as long as the workload, and has no negative number.
//   - It gives no helpers to an idle processor.
//   - It gives at most as many helpers as there are idle processors.
func CheckPlan(workload, allotted []int32) error {
	if len(allotted) != len(workload) {
		return fmt.Errorf("%w: it has %d processors, the array %d", ErrPlan, len(allotted), len(workload))
	}
	idle, given := 0, 0
	for p, n := range allotted {
		switch {
		case n < 0:
			return fmt.Errorf("%w: processor %d is given %d processors", ErrPlan, p, n)
		case workload[p] == 0 && n > 0:
			return fmt.Errorf("%w: processor %d is given %d processors but is idle", ErrPlan, p, n)
		case workload[p] == 0:
			idle++
		}
		given += int(n)
	}
	if given > idle {
		return fmt.Errorf("%w: it gives %d processors away, %d are idle", ErrPlan, given, idle)
	}
	return nil
}

// Redistribute lets allotted[p] idle processors join each processor p: they take over p's problem, and share p's tasks
// with p as evenly as [Share] does. Both idle and active processors are taken in the order of their indices. The
// largest workload of processor p and its helpers is then ceil(workload[p]/(1+allotted[p])). It takes a few passes over
// the array, and reuses the memory of earlier calls.
//
// With a machine m the work is done by scans (Ahrens and Hansen 1995, section 2.2). A +-scan ranks the idle processors,
// a +-scan of the plan turns it into intervals of ranks, and a copy-scan tells every rank which processor it helps. If
// m is nil or processors host several virtual processors, the caller does the work alone, in one pass and a copy. The
// result is the same.
//
// If the plan does not fit, Redistribute returns an error that wraps [ErrPlan], and changes nothing.
func (a *Array) Redistribute(m *machine.Machine, allotted []int32) error {
	loads := a.loads()
	s := &a.scratch
	s.resize(a.Len())
	// if processors host several virtual processors, there are too few processors for scans to pay
	if m == nil || a.hosted > 1 {
		return a.redistributeAlone(loads, allotted)
	}
	if err := CheckPlan(loads, allotted); err != nil {
		return err
	}
	scan.Parts(m, a.Len(), func(lo, hi int) {
		for p, left := range loads[lo:hi] {
			s.idle[lo+p] = left == 0
		}
	})
	scan.Enumerate(m, s.rank, s.idle)
	given := scan.Plus(m, s.first, allotted)
	s.findDonors(m, allotted, int(given))
	scan.Parts(m, a.Len(), func(lo, hi int) { a.receive(allotted, int(given), lo, hi) })
	scan.Parts(m, a.Len(), func(lo, hi int) { a.shrinkDonors(allotted, lo, hi) })
	return nil
}

func (s *planScratch) resize(n int) {
	if cap(s.idle) < n {
		*s = planScratch{
			idle:  make([]bool, n),
			rank:  make([]int32, n),
			first: make([]int32, n),
			donor: make([]int32, n),
			heads: make([]bool, n),
		}
	}
	s.idle, s.rank, s.first = s.idle[:n], s.rank[:n], s.first[:n]
}

// findDonors finds the donor of every idle processor that becomes a helper: the active processor that it helps.
// `given` is the number of helpers.
func (s *planScratch) findDonors(m *machine.Machine, allotted []int32, given int) {
	donor, heads := s.donor[:given], s.heads[:given]
	clear(heads)
	scan.Parts(m, len(allotted), func(lo, hi int) {
		for p := lo; p < hi; p++ {
			if allotted[p] > 0 {
				donor[s.first[p]] = int32(p)
				heads[s.first[p]] = true
			}
		}
	})
	scan.Copy(m, donor, donor, heads)
}

// receive gives tasks to the processors from lo to hi-1 that have a donor. Each gets the donor's problem and its share
// of the donor's tasks.
func (a *Array) receive(allotted []int32, given, lo, hi int) {
	s := &a.scratch
	for p := lo; p < hi; p++ {
		if !s.idle[p] || int(s.rank[p]) >= given {
			continue
		}
		donor := s.donor[s.rank[p]]
		c := int(s.rank[p]-s.first[donor]) + 1
		first, end := Share(a.Workload[donor], int(allotted[donor])+1, c)
		a.copyTasks(p, int(donor), first, end)
	}
}

// shrinkDonors sets the workload of every donor among processors lo to hi-1 to the donor's own share.
func (a *Array) shrinkDonors(allotted []int32, lo, hi int) {
	for p := lo; p < hi; p++ {
		if n := allotted[p]; n > 0 {
			_, a.Workload[p] = Share(a.Workload[p], int(n)+1, 0)
		}
	}
}

// copyTasks copies tasks lo to hi-1 of the donor to the virtual processors of an idle processor. Tasks are counted
// from the donor's first task left, over all of its virtual processors. copyTasks does not change the donor.
func (a *Array) copyTasks(processor, donor int, lo, hi int32) {
	to, before := processor*a.hosted, int32(0)
	for from := donor * a.hosted; before < hi; from++ {
		first, end := max(lo-before, 0), min(hi-before, a.Workload[from])
		before += a.Workload[from]
		if first >= end {
			continue
		}
		a.Problem[to], a.Next[to], a.Workload[to] = a.Problem[from], a.Next[from]+first, end-first
		if a.deliver != nil {
			a.deliver(to, from)
		}
		to++
	}
}
