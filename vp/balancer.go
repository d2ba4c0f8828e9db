package vp

// A Balancer gathers information, decides and plans for one loop at a time. For example, *lb.Cycle is a Balancer.
type Balancer interface {
	// Balance looks at the workload before an iteration, if a look is due, and returns a plan. The workload has one
	// element per processor and must not be changed. With iteration 0 another loop starts. The zero Plan means no
	// redistribution. The slice of a plan must stay unchanged until the next call.
	Balance(iteration int, workload []int32) Plan
	// Next returns the iteration of the next look, or an earlier iteration.
	Next() int
	// RanDry tells the balancer that a processor has no tasks left while others do. Since tasks took different times,
	// the iteration that Next returned no longer counts, and a look is due.
	RanDry()
	// Timed tells the balancer the times of the phases since the last call.
	Timed(Timing)
}

// A Plan is the decision of a [Balancer] before an iteration. It is an alias of an unnamed struct, so that a package
// that makes plans can have the same type without importing this package.
type Plan = struct {
	// Helpers has for each processor the number of idle processors that join it, and 0 for the idle processors
	// themselves. It is nil if there is no redistribution.
	Helpers []int32
	// Savings and Cost are the numbers of iterations that the decision compared; both are 0 without a look. They and
	// Reason are written to the trace and have no other effect.
	Savings, Cost float64
	Reason        string // why a look led to no redistribution, in a word or two
}

// A Timing has the times, in seconds, of the phases of a loop since the last Timing. Like Plan it is an alias of an
// unnamed struct.
type Timing = struct {
	// Gather is the time of the look and Redistribution the time of the redistribution. Each is 0 if that phase did not
	// happen or its time is not known.
	Gather, Redistribution float64
	// Solution is the shortest time of an iteration of the tasks left, estimated from the tasks that were solved.
	Solution float64
}

// BalanceFunc is a function that serves as a [Balancer] and is called in every iteration.
type BalanceFunc func(iteration int, workload []int32) Plan

// Balance calls the function.
func (f BalanceFunc) Balance(iteration int, workload []int32) Plan { return f(iteration, workload) }

// Next returns 0, so that a look is always due.
func (f BalanceFunc) Next() int { return 0 }

// RanDry does nothing.
func (f BalanceFunc) RanDry() {}

// Timed does nothing.
func (f BalanceFunc) Timed(Timing) {}
