package lb

// looksCounted is how many looks an estimate holds without being confirmed: one in so
// many may be dearer than estimated.
const looksCounted = 100

// recent has the phases of up to looksCounted looks in loops that calibrate themselves, as
// ratios to the shortest solution of their loop.
type recent struct {
	ended        loopTimes // of the loops that have ended; its unit is a solution
	gather, both float64   // what counts of a gather, and of one with a redistribution; 0 without one
	looks        int
}

// loopTimes has the longest times of the phases of a loop and its shortest solution, 0 for
// no solution yet.
type loopTimes struct {
	gather, redistribution longestTwo
	solution               float64
}

func (l *loopTimes) add(gather, redistribution, solution float64) {
	if l.solution == 0 {
		l.solution = solution
	}
	l.solution = min(l.solution, solution)
	l.gather.add(gather)
	l.redistribution.add(redistribution)
}

// with returns the longest of both, in solutions of other.
func (l loopTimes) with(other loopTimes) loopTimes {
	if other.solution > 0 {
		l.gather.merge(other.gather, other.solution)
		l.redistribution.merge(other.redistribution, other.solution)
	}
	return l
}

// longestTwo has the longest and the second longest of some times; 0 is none.
type longestTwo struct {
	first, second float64
}

func (l *longestTwo) add(time float64) {
	l.first, l.second = max(l.first, time), max(l.second, min(l.first, time))
}

func (l *longestTwo) merge(other longestTwo, unit float64) {
	l.add(other.first / unit)
	l.add(other.second / unit)
}

// counted returns the longest, at most twice the second longest. The only one counts.
func (l longestTwo) counted() float64 {
	if l.second == 0 {
		return l.first
	}
	return min(l.first, 2*l.second)
}

// timed counts the phases of a loop since it began, or since the last count began, of which
// a look is new. It reports whether another count begins.
func (m *CostModel) timed(loop loopTimes, look bool) (begins bool) {
	r := &m.recent
	all := r.ended.with(loop)
	r.gather = all.gather.counted()
	if r.both = 0; all.redistribution.first > 0 {
		r.both = r.gather + all.redistribution.counted()
	}
	if look {
		r.looks++
	}
	if r.looks < looksCounted {
		return false
	}
	if m.runs > 0 {
		m.forget()
	}
	m.recent = recent{}
	return true
}

// ended takes over the times of a loop, so that its unit no longer matters.
func (m *CostModel) ended(loop loopTimes) { m.recent.ended = m.recent.ended.with(loop) }

// forget lowers the estimate to what the looks counted took. Where they had no redistribution
// half of what the last one took counts.
func (m *CostModel) forget() {
	r := &m.recent
	if r.both > 0 {
		m.ratio, m.raised = r.both, 0
	} else {
		m.ratio, m.raised = r.gather+(m.ratio-m.gather)/2, m.raised/2
	}
	m.gather = r.gather
}
