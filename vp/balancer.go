package vp

// A Balancer gathers information, decides and plans for one loop at a time.
// *lb.Cycle is one.
type Balancer interface {
	// Balance looks at the workload before an iteration, if a look is due. The workload
	// has one element a processor and must not be changed. Iteration 0 begins another
	// loop. The zero Plan is no redistribution. The slice of a plan must remain as it is
	// until the next call.
	Balance(iteration int, workload []int32) Plan
	// Next returns the iteration of the next look, or any earlier one.
	Next() int
	// RanDry tells the balancer that a processor has no tasks left while others do. Tasks
	// took uneven times, so the iteration named by Next no longer counts: a look is due.
	RanDry()
	// Timed tells the balancer the times of the phases since the last call.
	Timed(Timing)
}

// A Plan is what a [Balancer] decides before an iteration. It is an alias of a struct without
// a name: a package that makes plans can have the same type without importing this one.
type Plan = struct {
	// Helpers has for each processor the number of idle processors that join it, 0 for idle
	// processors themselves; nil is no redistribution.
	Helpers []int32
	// Savings and Cost are the iterations that the decision compared, zero without a look.
	// They go into the trace and have no other effect; so does Reason.
	Savings, Cost float64
	Reason        string // says in a word or two why a look led to no redistribution
}

// A Timing has the times of the phases of a loop since the last one, in seconds. It is an alias
// of a struct without a name for the reason that a Plan is one.
type Timing = struct {
	// Gather is the time of the look and Redistribution that of the redistribution; each is 0
	// if there was none, or if its time is not known.
	Gather, Redistribution float64
	// Solution is the shortest time of an iteration of the tasks left, estimated from the
	// tasks done.
	Solution float64
}

// BalanceFunc is a function as a [Balancer] that is asked in every iteration.
type BalanceFunc func(iteration int, workload []int32) Plan

// Balance calls the function.
func (f BalanceFunc) Balance(iteration int, workload []int32) Plan { return f(iteration, workload) }

// Next is always due.
func (f BalanceFunc) Next() int { return 0 }

// RanDry does nothing.
func (f BalanceFunc) RanDry() {}

// Timed does nothing.
func (f BalanceFunc) Timed(Timing) {}
