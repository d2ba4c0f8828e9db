package vp

// redistributeAlone does the work of Redistribute on the caller alone. One pass lists the idle processors and the
// donors, each in the order of their indices. Then every donor takes the next idle processors in the list.
func (a *Array) redistributeAlone(loads, allotted []int32) error {
	if len(allotted) != len(loads) {
		return CheckPlan(loads, allotted)
	}
	idle, donors, ok := a.scratch.idleAndDonors(loads, allotted)
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

// splitHosted is like split, for processors that run several virtual processors each, or whose problem data have to be
// copied.
func (a *Array) splitHosted(loads, allotted, idle, donors []int32) {
	for _, p := range donors {
		copies := int(allotted[p]) + 1
		for c := 1; c < copies; c++ {
			lo, hi := Share(loads[p], copies, c)
			a.copyTasks(int(idle[c-1]), int(p), lo, hi)
		}
		idle = idle[copies-1:]
		_, kept := Share(loads[p], copies, 0)
		for v := int(p) * a.hosted; v < (int(p)+1)*a.hosted; v++ {
			a.Workload[v] = min(a.Workload[v], kept)
			kept -= a.Workload[v]
		}
	}
}

// idleAndDonors returns the idle processors and the donors, which are the processors that get helpers. It returns
// false if the plan does not fit.
func (s *planScratch) idleAndDonors(workload, allotted []int32) (idle, donors []int32, ok bool) {
	ok = true
	allotted, idle, donors = allotted[:len(workload)], s.rank[:len(workload)], s.first[:len(workload)]
	free, givers, negative := 0, 0, int32(0)
	for p, left := range workload {
		n := allotted[p]
		// A branch on the workload would often be mispredicted. So every index is written to both lists, and an index
		// that does not belong there is overwritten by the next one.
		idle[free] = int32(p)
		donors[givers] = int32(p)
		free += int(uint32(left-1) >> 31) // 1 if left is 0, otherwise 0
		givers += int(uint32(-n) >> 31)   // 1 if n is positive, otherwise 0
		negative |= n
	}
	given := int64(0)
	for _, p := range donors[:givers] {
		given += int64(allotted[p])
		ok = ok && workload[p] > 0
	}
	return idle[:free], donors[:givers], ok && negative >= 0 && given <= int64(free)
}

// split shares the tasks of each donor with the next idle processors in the list. As in [Share], part c begins at task
// floor(c*tasks/copies). The divisions are replaced by repeated additions.
func (a *Array) split(allotted, idle, donors []int32) {
	// These are local copies of slices of a, with equal lengths. No store to an element can change them, so the
	// compiler reads them from a only once.
	workload := a.Workload
	problems, nexts := a.Problem[:len(workload)], a.Next[:len(workload)]
	for _, p := range donors {
		copies := uint32(allotted[p]) + 1
		tasks := uint32(workload[p])
		size := tasks / copies
		rest := tasks - size*copies
		problem, next := problems[p], nexts[p]+int32(size)
		workload[p] = int32(size)
		over := rest // c*rest modulo copies, for the next part c
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
