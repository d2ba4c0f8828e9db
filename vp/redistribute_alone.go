package vp

// redistributeAlone is Redistribute on the caller alone. One pass finds the idle
// processors and the donors, each in the order of their indices, which is what
// the scans are for where several work; then every donor goes through the
// helpers that follow those of the donor before it.
func (a *Array) redistributeAlone(allotted []int32) error {
	if len(allotted) != a.Len() {
		return CheckPlan(a.Workload, allotted)
	}
	s := &a.scratch
	s.resize(a.Len())
	idle, donors, ok := s.list(a.Workload, allotted)
	if !ok {
		return CheckPlan(a.Workload, allotted)
	}
	for _, p := range donors {
		helpers := allotted[p]
		a.split(p, idle[:helpers])
		idle = idle[helpers:]
	}
	return nil
}

// list returns the idle processors and those that are given some, or false when
// the plan does not fit.
func (s *planScratch) list(workload, allotted []int32) (idle, donors []int32, ok bool) {
	allotted, idle, donors = allotted[:len(workload)], s.rank[:len(workload)], s.first[:len(workload)]
	free, givers, given := 0, 0, int64(0)
	negative, wasted := int32(0), int32(0)
	for p, left := range workload {
		n := allotted[p]
		// Where a branch would guess wrong an entry that is not wanted is
		// overwritten by the next.
		isIdle := uint32(left-1) >> 31
		idle[free] = int32(p)
		donors[givers] = int32(p)
		free += int(isIdle)
		givers += int(uint32(-n) >> 31)
		given += int64(n)
		negative |= n
		wasted |= n & -int32(isIdle)
	}
	return idle[:free], donors[:givers], negative >= 0 && wasted == 0 && given <= int64(free)
}

// split shares the tasks of donor p with its helpers: part c begins at task
// floor(c*tasks/copies), as in [Share], here counted up without a division a part.
func (a *Array) split(p int32, helpers []int32) {
	copies := uint32(len(helpers)) + 1
	tasks := uint32(a.Workload[p])
	size, rest := tasks/copies, tasks%copies
	problem, next := a.Problem[p], a.Next[p]+int32(size)
	a.Workload[p] = int32(size)
	over := rest // c*rest modulo copies
	for _, q := range helpers {
		part := int32(size)
		if over += rest; over >= copies {
			over -= copies
			part++
		}
		a.Problem[q], a.Next[q], a.Workload[q] = problem, next, part
		next += part
	}
}
