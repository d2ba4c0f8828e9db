package vp

import (
	"errors"
	"fmt"

	"lockstep/vp/machine"
	"lockstep/vp/scan"
)

// ErrPlan is wrapped by every error about a plan that does not fit a workload.
var ErrPlan = errors.New("invalid plan")

// planScratch holds the vectors of a redistribution, kept for the next one.
type planScratch struct {
	idle  []bool
	rank  []int32 // of an idle processor among the idle
	first []int32 // of an active processor: the rank of the first idle one it gets
	donor []int32 // per rank: the active processor that it serves
	heads []bool  // per rank: the first of its donor's interval
}

// Share returns the part of a workload that copy number c of copies gets:
// the tasks lo to hi-1, counted from the first one left. The copies' parts are
// in order, together all tasks, and differ by at most one task in size.
// It panics unless 0 <= c < copies and workload is not negative.
func Share(workload int32, copies, c int) (lo, hi int32) {
	if c < 0 || c >= copies || workload < 0 {
		panic(fmt.Sprintf("vp: Share: part %d of %d of %d tasks", c, copies, workload))
	}
	begin, end := machine.Part(c, copies, int(workload))
	return int32(begin), int32(end)
}

// CheckPlan returns an error that wraps [ErrPlan] unless the plan fits the
// workload: as long, nothing negative, no processor given to an idle one, and
// no more given away than there are idle.
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

// Redistribute is the redistribution phase: allotted[p] idle processors join
// processor p, take over its problem, and all of them share its tasks as evenly
// as [Share] does. Idle processors are taken in the order of their indices and
// given to the active ones in the order of theirs. The largest workload of the
// 1+allotted[p] processors is then ceil(workload/(1+allotted[p])).
//
// The work is done with scans on m, or in one pass and a copy on the caller alone
// when m is nil, with the same result: a +-scan ranks the idle processors, a +-scan of the plan
// turns it into intervals of ranks, a copy-scan tells every rank in an interval
// whom it serves (section 2.2 of the paper). It returns an error that wraps
// [ErrPlan] and changes nothing when the plan does not fit. The cost is a few
// passes over the array; memory is reused.
func (a *Array) Redistribute(m *machine.Machine, allotted []int32) error {
	if m == nil {
		return a.redistributeAlone(allotted)
	}
	if err := CheckPlan(a.Workload, allotted); err != nil {
		return err
	}
	s := &a.scratch
	s.resize(a.Len())
	for p, left := range a.Workload {
		s.idle[p] = left == 0
	}
	scan.Enumerate(m, s.rank, s.idle)
	given := scan.Plus(m, s.first, allotted)
	s.deliver(m, allotted, int(given))
	a.receive(allotted, int(given))
	a.keep(allotted)
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

// deliver finds the donor of every rank below given.
func (s *planScratch) deliver(m *machine.Machine, allotted []int32, given int) {
	donor, heads := s.donor[:given], s.heads[:given]
	clear(heads)
	for p, n := range allotted {
		if n > 0 {
			donor[s.first[p]] = int32(p)
			heads[s.first[p]] = true
		}
	}
	scan.Copy(m, donor, donor, heads)
}

// receive gives the idle processors with a donor their problem and tasks.
func (a *Array) receive(allotted []int32, given int) {
	s := &a.scratch
	for p, idle := range s.idle {
		if !idle || int(s.rank[p]) >= given {
			continue
		}
		donor := s.donor[s.rank[p]]
		c := int(s.rank[p]-s.first[donor]) + 1
		lo, hi := Share(a.Workload[donor], int(allotted[donor])+1, c)
		a.Problem[p] = a.Problem[donor]
		a.Next[p] = a.Next[donor] + lo
		a.Workload[p] = hi - lo
	}
}

// keep leaves the donors the first share.
func (a *Array) keep(allotted []int32) {
	for p, n := range allotted {
		if n > 0 {
			_, a.Workload[p] = Share(a.Workload[p], int(n)+1, 0)
		}
	}
}
