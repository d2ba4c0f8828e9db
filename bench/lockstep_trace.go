package bench

import (
	"bytes"
	"fmt"

	"lockstep/vp"
)

// A lockstepTrace collects the iterations of both loops. A nil one does nothing.
type lockstepTrace struct{ steps []vp.TraceStep }

// loop returns what collects the iterations of a loop: those of each turn of
// problems are a block.
func (t *lockstepTrace) loop(name string) func(vp.TraceStep) {
	if t == nil {
		return nil
	}
	turn := -1
	return func(s vp.TraceStep) {
		if s.Iteration == 0 {
			turn++
		}
		s.Loop, s.Block = name, turn
		t.steps = append(t.steps, s)
	}
}

// write writes the trace of one policy.
func (t *lockstepTrace) write(l *Lockstep, policy string) error {
	if t == nil {
		return nil
	}
	var text bytes.Buffer
	processors := "a processor a problem"
	if l.Processors > 0 {
		processors = fmt.Sprintf("%d processors", l.Processors)
	}
	w, err := vp.NewTraceWriter(&text, fmt.Sprintf("%s, %dx%d, %s, balance %s", l.Mesh, l.Width, l.Width, processors, policy))
	for i := range t.steps {
		if err == nil {
			err = w.Write(&t.steps[i])
		}
	}
	if err != nil {
		return fmt.Errorf("bench: lockstep: %w", err)
	}
	return replaceFile(l.Trace, &text)
}
