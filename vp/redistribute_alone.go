package vp

// redistributeAlone is Redistribute on the caller alone. One pass lists the idle
// processors and the donors, each in the order of their indices; on several workers the
// scans do that. Then every donor takes the idle processors that follow those of the donor
// before it.
func (a *Array) redistributeAlone(loads, allotted []int32) error {
	if len(allotted) != len(loads) {
		return CheckPlan(loads, allotted)
	}
	idle, donors, ok := a.scratch.list(loads, allotted)
	switch {
	case !ok:
		return CheckPlan(loads, allotted)
	case a.hosted == 1 && a.deliver == nil:
		a.split(allotted, idle, donors)
	default:
		a.splitHosted(loads, allotted, idle, donors)
	}
	return nil
}

// splitHosted is split for processors that host several virtual ones or have data to
// be copied.
func (a *Array) splitHosted(loads, allotted, idle, donors []int32) {
	for _, p := range donors {
		copies := int(allotted[p]) + 1
		for c := 1; c < copies; c++ {
			lo, hi := Share(loads[p], copies, c)
			a.take(int(idle[c-1]), int(p), lo, hi)
		}
		idle = idle[copies-1:]
		_, kept := Share(loads[p], copies, 0)
		for v := int(p) * a.hosted; v < (int(p)+1)*a.hosted; v++ {
			a.Workload[v] = min(a.Workload[v], kept)
			kept -= a.Workload[v]
		}
	}
}

// list returns the idle processors and those that are given some, or false when
// the plan does not fit.
func (s *planScratch) list(workload, allotted []int32) (idle, donors []int32, ok bool) {
	ok = true
	allotted, idle, donors = allotted[:len(workload)], s.rank[:len(workload)], s.first[:len(workload)]
	free, givers, negative := 0, 0, int32(0)
	for p, left := range workload {
		n := allotted[p]
		// A branch would often be predicted wrong. An entry that does not belong into a
		// list is overwritten by the next one instead.
		idle[free] = int32(p)
		donors[givers] = int32(p)
		free += int(uint32(left-1) >> 31) // 1 for 0
		givers += int(uint32(-n) >> 31)   // 1 for a positive number
		negative |= n
	}
	given := int64(0)
	for _, p := range donors[:givers] {
		given += int64(allotted[p])
		ok = ok && workload[p] > 0
	}
	return idle[:free], donors[:givers], ok && negative >= 0 && given <= int64(free)
}

// split shares the tasks of each donor with the idle processors that follow those
// of the donor before it. Part c of copies begins at task floor(c*tasks/copies), as
// in [Share], here counted up without a division a part.
func (a *Array) split(allotted, idle, donors []int32) {
	// Slices of one length, in local variables that no store can change: the compiler need
	// not read them from a again.
	workload := a.Workload
	problems, nexts := a.Problem[:len(workload)], a.Next[:len(workload)]
	for _, p := range donors {
		copies := uint32(allotted[p]) + 1
		tasks := uint32(workload[p])
		size := tasks / copies
		rest := tasks - size*copies
		problem, next := problems[p], nexts[p]+int32(size)
		workload[p] = int32(size)
		over := rest // c*rest modulo copies
		helpers := idle[:copies-1]
		idle = idle[copies-1:]
		for _, q := range helpers {
			part := int32(size)
			if over += rest; over >= copies {
				over -= copies
				part++
			}
			problems[q], nexts[q], workload[q] = problem, next, part
			next += part
		}
	}
}
