package trace

import (
	"slices"

	"lockstep/vp/trace"
)

// A close-up shows this many records before and after the best redistribution. A
// person can tell them apart in a picture, and they span several groups of lanes.
const closeupBefore, closeupAfter = 60, 60

// A closeup keeps the records around the redistribution that gains most. Problems
// that are shared among all workers do not take part: they have no cost.
type closeup struct {
	recent []placedStep // the last closeupBefore
	steps  []placedStep // around the best so far
	gain   float64
	after  int // records still to be taken
}

// A placedStep is a record and the iterations before it in the whole trace.
type placedStep struct {
	trace.Step
	at int64
}

// add takes a record.
func (t *closeup) add(s *trace.Step, at int64) {
	step := placedStep{*s, at}
	better := s.Redistributed && s.Looked() && (len(t.steps) == 0 || s.Savings-s.Cost > t.gain)
	switch {
	case better:
		t.gain = s.Savings - s.Cost
		t.steps = append(append(t.steps[:0], t.recent...), step)
		t.after = closeupAfter
	case t.after > 0:
		t.steps = append(t.steps, step)
		t.after--
	}
	if len(t.recent) == closeupBefore {
		t.recent = slices.Delete(t.recent, 0, 1)
	}
	t.recent = append(t.recent, step)
}
