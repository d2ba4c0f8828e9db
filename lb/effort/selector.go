package effort

// A Selector chooses, at every balancing, which of several methods to use for the next
// interval. It assumes, as the effort metric does, that what was best
// remains so for some intervals.
//
// Every method is tried once. Then the one of least relative effort is used, and from
// time to time another one is tried again, the one whose last trial is oldest:
// after a number of intervals that doubles as long as trials do not change the choice,
// and starts again at one when they do. A trial costs no more than about twice a
// balancing when a criterion ends the interval of a method that is bad here, so with
// doubling the cost of all trials is that of O(methods log intervals) balancings
// while the application keeps its character.
//
// The zero value is no selector: make one with [NewSelector].
type Selector struct {
	method []method
	used   int // by the interval under way
	best   int
	pause  int // intervals between trials
	since  int // intervals since the last trial
	clock  int // balancings so far
}

type method struct {
	effort float64 // relative, of its last interval or the mean with the one before
	tried  int     // clock of its last interval's end; 0 for never
}

// longestPause bounds the doubling, so that a method that has become good is found
// within some intervals of it.
const longestPause = 32

// NewSelector chooses between methods 0 to n-1, of which it uses 0 first. It panics if
// n is less than 1.
func NewSelector(n int) *Selector {
	if n < 1 {
		panic("effort: a selector of nothing")
	}
	return &Selector{method: make([]method, n), pause: 1}
}

// Used returns the method of the interval under way.
func (s *Selector) Used() int { return s.used }

// Next takes in the interval that has ended, and returns the method for the next one.
func (s *Selector) Next(ended Interval) int {
	s.clock++
	s.learn(ended.Relative())
	s.used = s.choose()
	return s.used
}

// learn takes the mean of the last interval's effort and the one known before, so that one
// odd interval does not decide alone.
func (s *Selector) learn(effort float64) {
	w := &s.method[s.used]
	if w.tried > 0 {
		effort = (effort + w.effort) / 2
	}
	w.effort, w.tried = effort, s.clock
}

func (s *Selector) choose() int {
	oldest := 0
	for i, w := range s.method {
		if w.tried == 0 {
			return i
		}
		if w.tried < s.method[oldest].tried {
			oldest = i
		}
	}
	before := s.best
	for i, w := range s.method {
		if w.effort < s.method[s.best].effort {
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
