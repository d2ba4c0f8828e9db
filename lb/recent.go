package lb

// looksCounted is the number of checks of the workload after which the estimate is renewed. A measured time counts
// until this happens for the second time, that is, for 100 to 200 checks. So about one check in a hundred may cost more
// than estimated.
const looksCounted = 100

// A recent holds the phase times of the last checks of the workload, in loops that calibrate themselves. It keeps
// times, not iterations, because the time of a check does not depend on how long a task takes. When a number of
// iterations is needed, the times are divided by the latest solution time.
type recent struct {
	// gather and redistribution hold the longest times since the estimate was last renewed, see looksCounted.
	gather, redistribution longestTwo
	before                 phaseTimes // times of the looksCounted checks before the last renewal
	looks                  int
	solution, shortest     float64 // the latest solution time, and the shortest solution time of this loop; 0 if unknown
}

// A phaseTimes holds the time of a gather and of a redistribution. 0 means unknown.
type phaseTimes struct{ gather, redistribution float64 }

// begin starts another loop. Until that loop has a solution time, the shortest solution time of the previous loop is
// used.
func (r *recent) begin() {
	if r.shortest > 0 {
		r.solution, r.shortest = r.shortest, 0
	}
}

func (r *recent) add(t Timing) {
	r.gather.add(t.Gather)
	r.redistribution.add(t.Redistribution)
	if r.shortest == 0 || t.Solution < r.shortest {
		r.shortest = t.Solution
	}
	r.solution = t.Solution
}

// phases returns for each phase the longer of two times: its time in r.before, and the capped longest time of the later
// checks.
func (r *recent) phases() phaseTimes {
	return phaseTimes{max(r.gather.capped(), r.before.gather), max(r.redistribution.capped(), r.before.redistribution)}
}

// iterations converts time to iterations, by the latest solution time. It returns 0 if no solution time is known.
func (r *recent) iterations(time float64) float64 {
	if r.solution == 0 {
		return 0
	}
	return time / r.solution
}

// A longestTwo holds the longest and the second longest of the times that were added. 0 means no time.
type longestTwo struct {
	first, second float64
}

func (l *longestTwo) add(time float64) {
	l.first, l.second = max(l.first, time), max(l.second, min(l.first, time))
}

// capped returns the longest time, but at most twice the second longest. A single time is returned unchanged.
func (l longestTwo) capped() float64 {
	if l.second == 0 {
		return l.first
	}
	return min(l.first, 2*l.second)
}

// addTiming adds the times of the phases of one iteration, or of all iterations between two checks of the workload.
// After every looksCounted checks it renews the estimate by method forget.
func (m *CostModel) addTiming(t Timing) {
	r := &m.recent
	r.add(t)
	if t.Gather > 0 {
		r.looks++
	}
	if r.looks < looksCounted {
		return
	}
	if m.runs > 0 {
		m.forget()
	}
	r.gather, r.redistribution, r.looks = longestTwo{}, longestTwo{}, 0
}

// forget replaces the estimate by the times of the last looksCounted checks. If none of them led to a redistribution,
// the former time of a redistribution is halved.
func (m *CostModel) forget() {
	r := &m.recent
	last := max(r.before.redistribution, (m.ratio-m.gather)*r.solution)
	r.before = phaseTimes{r.gather.capped(), r.redistribution.capped()}
	m.gather, m.ratio = 0, 0
	if r.before.redistribution > 0 {
		m.raised = 0
		return
	}
	r.before.redistribution, m.raised = last/2, m.raised/2
}

// look returns the cost of a check of the workload in iterations, without the constant.
func (m *CostModel) look() float64 {
	return max(m.gather, m.recent.iterations(m.recent.phases().gather))
}

func (m *CostModel) lookAndMove() float64 {
	t := m.recent.phases()
	if t == (phaseTimes{}) {
		return m.ratio
	}
	return max(m.ratio, m.look()+max(m.ratio-m.gather, m.recent.iterations(t.redistribution)))
}
