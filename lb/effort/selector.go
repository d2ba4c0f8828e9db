package effort

// A Selector chooses, at every balancing, which of several methods to use next. It assumes that the best method remains
// the best for some time. An interval is the time from one balancing to the next.
//
// Every method is tried once. Then the method of least relative effort is used. From time to time the Selector tries
// the method whose last trial is oldest. The number of intervals between trials doubles while trials do not change the
// choice. When a trial changes the choice, this number starts again at one. A trial of a bad method costs at most about
// two balancings, if a criterion ends the interval of the trial. So while the best method stays the same, all trials
// together cost O(methods log intervals) balancings.
//
// The zero value is not usable: make a Selector with [NewSelector].
type Selector struct {
	methods []method
	used    int // method of the current interval
	best    int
	pause   int // intervals between trials
	since   int // intervals since the last trial
	clock   int // number of balancings so far
}

type method struct {
	effort float64 // relative effort of its last interval, averaged with the value before
	tried  int     // value of clock at the end of its last interval, or 0
}

// longestPause is the largest number of intervals between trials. So a method that has become the best is found within
// that many intervals times the number of methods.
const longestPause = 32

// NewSelector returns a Selector that chooses between methods 0 to n-1. It uses method 0 first. It panics if n < 1.
func NewSelector(n int) *Selector {
	if n < 1 {
		panic("effort: a selector of nothing")
	}
	return &Selector{methods: make([]method, n), pause: 1}
}

// Used returns the method of the current interval.
func (s *Selector) Used() int { return s.used }

// Next records the interval that has ended. It returns the method for the next interval.
func (s *Selector) Next(ended Interval) int {
	s.clock++
	s.learn(ended.Relative())
	s.used = s.choose()
	return s.used
}

// learn averages the last interval's effort with the effort known before. So a single unusual interval does not decide.
func (s *Selector) learn(effort float64) {
	w := &s.methods[s.used]
	if w.tried > 0 {
		effort = (effort + w.effort) / 2
	}
	w.effort, w.tried = effort, s.clock
}

func (s *Selector) choose() int {
	oldest := 0
	for i, w := range s.methods {
		if w.tried == 0 {
			return i
		}
		if w.tried < s.methods[oldest].tried {
			oldest = i
		}
	}
	before := s.best
	for i, w := range s.methods {
		if w.effort < s.methods[s.best].effort {
			s.best = i
		}
	}
	if s.best != before {
		s.pause, s.since = 1, 0
		return s.best
	}
	s.since++
	if s.since > s.pause && oldest != s.best {
		s.since, s.pause = 0, min(2*s.pause, longestPause)
		return oldest
	}
	return s.best
}
