package vp

// A Balancer decides during a loop when to redistribute work, and plans each redistribution. It serves one loop at a
// time. For example, *lb.Cycle is a Balancer.
type Balancer interface {
	// Balance returns a plan for an iteration. workload has one element per processor; Balance must not change it. A
	// call with iteration 0 starts a new loop. The zero Plan means no redistribution. The slice of a plan must stay
	// unchanged until the next call.
	Balance(iteration int, workload []int32) Plan
	// Next returns the iteration in which the loop must call Balance next. The loop may call Balance earlier.
	Next() int
	// RanDry tells the balancer that a processor has run out of tasks before others, because tasks took different
	// times. The balancer should then check the workload in the next iteration, whatever Next returned.
	RanDry()
	// Timed tells the balancer the times of the phases since the last call.
	Timed(Timing)
}

// A Plan is the decision of a [Balancer] before an iteration. It is an alias of an unnamed struct, so another package
// can declare the same type without importing this one.
type Plan = struct {
	// Helpers[p] is the number of idle processors that join processor p. It is 0 if p is idle. Helpers is nil if there
	// is no redistribution.
	Helpers []int32
	// Savings and Cost are the two numbers of iterations that the decision compared. Both are 0 if the balancer did not
	// check the workload. They and Reason are only written to the trace.
	Savings, Cost float64
	Reason        string // reason why a check led to no redistribution, in a word or two
}

// A Timing holds the times, in seconds, of the phases of a loop since the last Timing. Like Plan it is an alias of an
// unnamed struct.
type Timing = struct {
	// Gather is the time that the balancer took to check the workload and decide. Redistribution is the time that the
	// redistribution took. Each is 0 if that phase did not happen or its time is unknown.
	Gather, Redistribution float64
	// Solution estimates the shortest time of an iteration on the tasks that are left. It is computed from the times
	// of tasks that have been solved.
	Solution float64
}

// BalanceFunc is a function that serves as a [Balancer] and is called in every iteration.
type BalanceFunc func(iteration int, workload []int32) Plan

// Balance calls the function.
func (f BalanceFunc) Balance(iteration int, workload []int32) Plan { return f(iteration, workload) }

// Next returns 0: the function is called in every iteration.
func (f BalanceFunc) Next() int { return 0 }

// RanDry does nothing.
func (f BalanceFunc) RanDry() {}

// Timed does nothing.
func (f BalanceFunc) Timed(Timing) {}
