package trace

import (
	"slices"

	"lockstep/vp/trace"
)

// closeupBefore and closeupAfter are the numbers of records that a close-up shows before and after the best
// redistribution. More records would lie too close together in a picture. So many records cover several groups of
// lanes.
const closeupBefore, closeupAfter = 60, 60

// A closeup holds the records around the redistribution with the largest gain, which is savings minus cost. It ignores
// redistributions that share a problem among all workers, because they have no cost.
type closeup struct {
	recent    []placedStep // the latest closeupBefore records
	steps     []placedStep // records around the best redistribution so far
	gain      float64      // gain of the best redistribution so far
	remaining int          // number of records that are still to be added to steps
}

// A placedStep is a record, and the number of iterations before it in the whole trace.
type placedStep struct {
	trace.Step
	at int64
}

// add adds a record. at is the number of iterations before this record in the whole trace.
func (t *closeup) add(s *trace.Step, at int64) {
	step := placedStep{*s, at}
	better := s.Redistributed && s.Looked() && (len(t.steps) == 0 || s.Savings-s.Cost > t.gain)
	switch {
	case better:
		t.gain = s.Savings - s.Cost
		t.steps = append(append(t.steps[:0], t.recent...), step)
		t.remaining = closeupAfter
	case t.remaining > 0:
		t.steps = append(t.steps, step)
		t.remaining--
	}
	if len(t.recent) == closeupBefore {
		t.recent = slices.Delete(t.recent, 0, 1)
	}
	t.recent = append(t.recent, step)
}
