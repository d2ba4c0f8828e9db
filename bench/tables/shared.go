package tables

import "lockstep/lb"

// Timing is the calibration run of a loop on the counted machine with so many
// processors, a virtual one each, whose workload g describes. A hop takes as long as
// the gathering of one element.
func (c LoopCosts) Timing(processors int, g lb.Information) lb.Timing {
	m := lockstepMachine{processors: processors, hop: c.Gather.Typical, costs: c}
	return m.timing(tableLoop{make([]int32, processors), g})
}

// CountLoop returns the iterations and redistributions of a loop under a cycle.
func CountLoop(workload []int32, c *lb.Cycle) (iterations, redistributions int, err error) {
	r, err := runLoop(workload, c)
	return r.iterations, r.Redistributions, err
}
