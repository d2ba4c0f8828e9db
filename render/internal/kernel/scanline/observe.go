package scanline

import "lockstep/lb"

// A Event is the kind of a Step.
type Event uint8

// What happens in an observed scan conversion.
const (
	Iterated      Event = iota // an iteration; the workload was not looked at before it
	Looked                     // an iteration after a look in vain
	Deferred                   // the group's active polygons are deferred
	Redistributed              // the rows of all deferred polygons are redistributed
)

// A Step is given to an observer before the step is done. Its decision is the
// one that a look makes now, also where no look is due; of Redistributed it is the
// sum over the groups that were deferred, and the summary is of their polygons.
type Step struct {
	Event  Event
	Group  int  // first polygon of the group, in the array or, with Ranges, in the row ranges
	Ranges bool // the lanes work on row ranges
	lb.Summary
	lb.Decision
	Made int // row ranges that Redistributed makes
}

// observeIteration reports an iteration, with the decision that a look makes before it.
func (s *Converter) observeIteration(c *cursor, ranges *rowRanges, policy lb.Policy) {
	step := Step{Event: Iterated, Group: c.group, Ranges: ranges != nil}
	step.Summary, step.Decision = s.decide(policy)
	if c.looked {
		step.Event = Looked
	}
	c.looked = false
	s.Observe(&step)
}

// observeDeferral reports that a group's active polygons are deferred.
func (s *Converter) observeDeferral(c *cursor, g lb.Summary, d lb.Decision) {
	s.decided.Savings += d.Savings
	s.decided.Cost += d.Cost
	s.Observe(&Step{Event: Deferred, Group: c.group, Summary: g, Decision: d})
}

// observeRedistribution reports the redistribution of all deferred rows.
func (s *Converter) observeRedistribution() {
	s.Observe(&Step{
		Event: Redistributed, Ranges: true, Summary: lb.Gather(s.left()), Decision: s.decided, Made: s.rowRanges.n,
	})
	s.decided = lb.Decision{}
}
