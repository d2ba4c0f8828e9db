package kernel

import "lockstep/lb"

// A ScanEvent is the kind of a ScanStep.
type ScanEvent uint8

// What happens in an observed scan conversion.
const (
	ScanIterated      ScanEvent = iota // an iteration; the workload was not looked at before it
	ScanLooked                         // an iteration after a look in vain
	ScanDeferred                       // the group's active polygons are deferred
	ScanRedistributed                  // the rows of all deferred polygons are redistributed
)

// A ScanStep is given to an observer before the step is done. Its decision is the
// one that a look makes now, also where no look is due; of ScanRedistributed it is the
// sum over the groups that were deferred, and the summary is of their polygons.
type ScanStep struct {
	Event  ScanEvent
	Group  int  // first polygon of the group, in the array or, with Ranges, in the row ranges
	Ranges bool // the lanes work on row ranges
	lb.Summary
	lb.Decision
	Made int // row ranges that ScanRedistributed makes
}

// observeIteration reports an iteration, with the decision that a look makes before it.
func (s *ScanConverter) observeIteration(c *cursor, ranges *rowRanges, policy lb.Policy) {
	step := ScanStep{Event: ScanIterated, Group: c.group, Ranges: ranges != nil}
	step.Summary, step.Decision = s.decide(policy)
	if c.looked {
		step.Event = ScanLooked
	}
	c.looked = false
	s.Observe(&step)
}

// observeDeferral reports that a group's active polygons are deferred.
func (s *ScanConverter) observeDeferral(c *cursor, g lb.Summary, d lb.Decision) {
	s.decided.Savings += d.Savings
	s.decided.Cost += d.Cost
	s.Observe(&ScanStep{Event: ScanDeferred, Group: c.group, Summary: g, Decision: d})
}

// observeRedistribution reports the redistribution of all deferred rows.
func (s *ScanConverter) observeRedistribution() {
	s.Observe(&ScanStep{
		Event: ScanRedistributed, Ranges: true, Summary: lb.Gather(s.left()), Decision: s.decided, Made: s.rowRanges.n,
	})
	s.decided = lb.Decision{}
}
