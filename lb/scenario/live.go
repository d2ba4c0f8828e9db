package scenario

// A Live is an application that is run, or simulated, iteration by iteration. S is its physical state, such as the
// positions of all particles. The state determines the work, whoever does it. D is a distribution of the work. Later
// steps must not change a value of S or D.
//
// A search runs the same iteration under many distributions. Live keeps the state before each iteration. So all
// distributions start from the same state, even if a step cannot be reproduced exactly. A balanced run can start at any
// iteration that some run has reached (Boulmier et al., arXiv:2104.01688, Section 5.2).
type Live[S, D any] struct {
	// Length is the number of iterations.
	Length int
	// Bound returns a lower bound of the time of iteration t under every distribution. The higher the bound, the fewer
	// runs a search needs. If Bound is nil, the bound is 0.
	Bound func(t int) float64
	// Distribute balances the state before iteration t. old is the previous distribution of the run, or the zero value
	// at its start. The new distribution must depend on the state only. The cost may depend on both.
	Distribute func(t int, state S, old D) (new D, cost float64)
	// Advance runs iteration t with the distribution `work`. It returns the state after it, and the measured times.
	Advance func(t int, state S, work D) (next S, seen Iteration)

	states []S // states[t] is the state before iteration t
}

// NewLive returns an application that starts in the state `start`. The caller sets the other fields.
func NewLive[S, D any](length int, start S) *Live[S, D] {
	return &Live[S, D]{Length: length, states: []S{start}}
}

// Iterations returns Length.
func (l *Live[S, D]) Iterations() int { return l.Length }

// Mean returns the lower bound of the time of iteration t.
func (l *Live[S, D]) Mean(t int) float64 {
	if l.Bound == nil {
		return 0
	}
	return l.Bound(t)
}

// Balanced starts a run at iteration t. It panics if no earlier run has reached t, because the state is not known.
func (l *Live[S, D]) Balanced(t int) Run {
	if t >= len(l.states) {
		panic("scenario: a run starts at an iteration that no run has reached")
	}
	var none D
	work, _ := l.Distribute(t, l.states[t], none)
	return &liveRun[S, D]{l: l, next: t, work: work}
}

// Known returns the number of iterations before which the state is known.
func (l *Live[S, D]) Known() int { return len(l.states) }

type liveRun[S, D any] struct {
	l    *Live[S, D]
	next int
	work D
}

func (r *liveRun[S, D]) Step() Iteration {
	state, seen := r.l.Advance(r.next, r.l.states[r.next], r.work)
	r.next++
	if r.next == len(r.l.states) {
		r.l.states = append(r.l.states, state)
	}
	return seen
}

func (r *liveRun[S, D]) Cost() float64 {
	_, cost := r.l.Distribute(r.next, r.l.states[r.next], r.work)
	return cost
}
