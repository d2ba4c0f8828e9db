package lb

// looksCounted is how many looks an estimate holds without being confirmed: one in so
// many may be dearer than estimated.
const looksCounted = 100

// recent has the times of the phases of the last looks in loops that calibrate themselves.
// What a look takes does not depend on the tasks, so that times are kept, and become
// iterations by the tasks that are left.
type recent struct {
	gather, redistribution longestTwo // of up to looksCounted looks
	before                 phaseTimes // of the looksCounted looks before them
	looks                  int
	solution, shortest     float64 // the latest solution, and the shortest of the loop; 0 for none
}

// phaseTimes are times that count; 0 is none.
type phaseTimes struct{ gather, redistribution float64 }

// begin begins another loop: until it is known how long its tasks take, they are taken for
// the shortest of the last one that had any.
func (r *recent) begin() {
	if r.shortest > 0 {
		r.solution, r.shortest = r.shortest, 0
	}
}

func (r *recent) add(gather, redistribution, solution float64) {
	r.gather.add(gather)
	r.redistribution.add(redistribution)
	if r.shortest == 0 || solution < r.shortest {
		r.shortest = solution
	}
	r.solution = solution
}

// counted are the times that count now, of the last looks and of those before.
func (r *recent) counted() phaseTimes {
	return phaseTimes{max(r.gather.counted(), r.before.gather), max(r.redistribution.counted(), r.before.redistribution)}
}

// iterations is a time in iterations of the tasks left.
func (r *recent) iterations(time float64) float64 {
	if r.solution == 0 {
		return 0
	}
	return time / r.solution
}

// longestTwo has the longest and the second longest of some times; 0 is none.
type longestTwo struct {
	first, second float64
}

func (l *longestTwo) add(time float64) {
	l.first, l.second = max(l.first, time), max(l.second, min(l.first, time))
}

// counted returns the longest, at most twice the second longest. The only one counts.
func (l longestTwo) counted() float64 {
	if l.second == 0 {
		return l.first
	}
	return min(l.first, 2*l.second)
}

// timed counts the phases of an iteration, or of all iterations between two looks.
func (m *CostModel) timed(gather, redistribution, solution float64) {
	r := &m.recent
	r.add(gather, redistribution, solution)
	if gather > 0 {
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

// forget lowers the estimate to what the looks counted took. Where they had no redistribution
// half of what the last one took counts.
func (m *CostModel) forget() {
	r := &m.recent
	last := max(r.before.redistribution, (m.ratio-m.gather)*r.solution)
	r.before = phaseTimes{r.gather.counted(), r.redistribution.counted()}
	m.gather, m.ratio = 0, 0
	if r.before.redistribution > 0 {
		m.raised = 0
		return
	}
	r.before.redistribution, m.raised = last/2, m.raised/2
}

// look and both return the cost of a look, and of one with a redistribution, in iterations and
// without the constant.
func (m *CostModel) look() float64 {
	return max(m.gather, m.recent.iterations(m.recent.counted().gather))
}

func (m *CostModel) both() float64 {
	t := m.recent.counted()
	if t == (phaseTimes{}) {
		return m.ratio
	}
	return max(m.ratio, m.look()+max(m.ratio-m.gather, m.recent.iterations(t.redistribution)))
}
