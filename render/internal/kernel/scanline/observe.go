package scanline

import (
	"math"

	"lockstep/lb"
	"lockstep/render/internal/kernel/array"
)

// An Event is the kind of a Step.
type Event uint8

// Kinds of steps of scan conversion.
const (
	Iterated      Event = iota // an iteration; the loop did not look at the workload before it
	Looked                     // an iteration; the loop looked at the workload before it and did not redistribute
	Redistributed              // a redistribution of the group's rows
)

// A Step describes a step to an observer before it is done. Decision is the decision that the loop would make now, even
// if it does not look at the workload in this step. Spread means that the group was redistributed before. In that case,
// Summary describes the one polygon whose rows all lanes do in this step, and the cost in Decision is infinite.
type Step struct {
	Event  Event
	Group  int // first polygon of the group
	Spread bool
	lb.Summary
	lb.Decision
}

// observeIteration reports an iteration to the observer, with the decision that the loop would make before it.
func (s *Converter) observeIteration() {
	step := Step{Event: Iterated, Group: s.group, Spread: s.spread}
	if s.spread {
		step.Summary, step.Decision = s.spreadSummary(), lb.Decision{Cost: math.Inf(1)}
	} else {
		step.Summary, step.Decision = s.decide()
	}
	if s.looked {
		step.Event = Looked
	}
	s.looked = false
	s.Observe(&step)
}

// spreadSummary summarizes the remaining rows of the first polygon that has any, spread evenly over all lanes.
func (s *Converter) spreadSummary() lb.Summary {
	for _, rows := range s.workload() {
		if rows > 0 {
			active := int(min(rows, array.Lanes))
			return lb.Summary{
				Max: (rows + array.Lanes - 1) / array.Lanes, Sum: int64(rows), Active: active, Idle: array.Lanes - active,
			}
		}
	}
	return lb.Summary{Idle: array.Lanes}
}
