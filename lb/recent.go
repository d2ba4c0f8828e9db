package lb

// looksCounted is the number of looks after which an estimate expires unless later looks confirm it. Therefore about
// one look in looksCounted may cost more than estimated.
const looksCounted = 100

// recent has the phase times of the last looks in loops that calibrate themselves. The time of a look does not depend
// on the tasks. So recent keeps times, and divides them by the solution time of the tasks left only when a cost in
// iterations is needed.
type recent struct {
	gather, redistribution longestTwo // longest times since before was set; at most looksCounted looks
	before                 phaseTimes // counted times of the looksCounted looks before
	looks                  int
	solution, shortest     float64 // the latest solution time, and the shortest of this loop; 0 for none
}

// phaseTimes are the times of a gather and of a redistribution that count for the estimate; 0 means that there is no
// time.
type phaseTimes struct{ gather, redistribution float64 }

// begin starts another loop. Until the time of its tasks is known, the shortest solution time of the last loop that had
// tasks is used instead.
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

// phases returns for each phase the larger of its counted time since before and its time in before.
func (r *recent) phases() phaseTimes {
	return phaseTimes{max(r.gather.capped(), r.before.gather), max(r.redistribution.capped(), r.before.redistribution)}
}

// iterations returns how many iterations of the tasks left take as long as time, or 0 if no solution time is known yet.
func (r *recent) iterations(time float64) float64 {
	if r.solution == 0 {
		return 0
	}
	return time / r.solution
}

// longestTwo has the longest and the second longest of the times that were added; 0 stands for no time.
type longestTwo struct {
	first, second float64
}

func (l *longestTwo) add(time float64) {
	l.first, l.second = max(l.first, time), max(l.second, min(l.first, time))
}

// capped returns the longest time, but at most twice the second longest. If there is only one time, it is returned
// unchanged.
func (l longestTwo) capped() float64 {
	if l.second == 0 {
		return l.first
	}
	return min(l.first, 2*l.second)
}

// addTiming adds the times of the phases of one iteration, or of all iterations between two looks. After looksCounted
// looks it begins a new collection of times.
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

// forget replaces the estimate by the times of the last looksCounted looks. If those looks had no redistribution, half
// of the former time of a redistribution is used.
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

// look returns the cost of a look in iterations, without the constant.
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
