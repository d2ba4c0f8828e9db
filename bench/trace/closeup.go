package trace

import (
	"slices"

	"lockstep/vp/trace"
)

// A close-up shows so many records before and after the best redistribution: as
// many as a person can tell apart in a picture, and several groups of lanes.
const traceBefore, traceAfter = 60, 60

// traceCloseup keeps the records around the redistribution that gains most. A
// problem that is shared among all workers is none of them: nothing is held
// against its cost.
type traceCloseup struct {
	recent []traceAt // the last traceBefore
	steps  []traceAt // around the best so far
	gain   float64
	after  int // records still to be taken
}

// A traceAt is a record and the iterations before it in the whole trace.
type traceAt struct {
	trace.Step
	at int64
}

// add takes a record.
func (t *traceCloseup) add(s *trace.Step, at int64) {
	step := traceAt{*s, at}
	better := s.Redistributed && s.Looked() && (len(t.steps) == 0 || s.Savings-s.Cost > t.gain)
	switch {
	case better:
		t.gain = s.Savings - s.Cost
		t.steps = append(append(t.steps[:0], t.recent...), step)
		t.after = traceAfter
	case t.after > 0:
		t.steps = append(t.steps, step)
		t.after--
	}
	if len(t.recent) == traceBefore {
		t.recent = slices.Delete(t.recent, 0, 1)
	}
	t.recent = append(t.recent, step)
}
