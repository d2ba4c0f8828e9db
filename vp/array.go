package vp

import (
	"fmt"
	"math"

	"lockstep/vp/trace"
)

// Array is a set of virtual processors in structure-of-arrays form. The three
// slices are equally long; processor p has tasks Next[p] to
// Next[p]+Workload[p]-1 of Problem[p] still to do. It is active while it has
// any, else idle.
type Array struct {
	Problem  []int32 // index of the problem that the processor works on
	Next     []int32 // index of its next task, counted from 0 within the problem
	Workload []int32 // number of tasks left to it

	scratch planScratch
}

// NewArray returns one virtual processor for each problem, with all tasks of
// that problem: processor p works on problem p, which has workloads[p] tasks.
// It copies workloads, and panics if one is negative or there are more than
// 2^31-1.
func NewArray(workloads []int32) *Array {
	if uint64(len(workloads)) > math.MaxInt32 {
		panic(fmt.Sprintf("vp: NewArray: %d problems", len(workloads)))
	}
	a := &Array{
		Problem:  make([]int32, len(workloads)),
		Next:     make([]int32, len(workloads)),
		Workload: make([]int32, len(workloads)),
	}
	for p, tasks := range workloads {
		if tasks < 0 {
			panic(fmt.Sprintf("vp: NewArray: problem %d has %d tasks", p, tasks))
		}
		a.Problem[p] = int32(p)
		a.Workload[p] = tasks
	}
	return a
}

// Len returns the number of virtual processors.
func (a *Array) Len() int { return len(a.Workload) }

// Gathered is what the information-gathering phase knows at the beginning of an
// iteration.
type Gathered struct {
	Iteration int     // counted from 0
	Active    int     // processors with a workload above 0
	Idle      int     // all others
	Max       int32   // the largest workload: iterations left without a redistribution
	Sum       int64   // tasks left
	Workload  []int32 // per processor, read-only and valid during the call
}

// Decision is the answer to a Gathered.
type Decision struct {
	// Allotted is nil for no redistribution. Else it is the plan: the number of
	// idle processors given to each processor, 0 for the idle ones themselves.
	// It must remain as it is until the next decision.
	Allotted []int32
	// Savings and Cost, both in iterations, are what the decision was made from, and
	// Why is why there is no redistribution although somebody looked, in a word or
	// two. They go into the trace and have no effect.
	Savings, Cost float64
	Why           string
}

// Balancer is the decision phase: it says whether to redistribute before the
// next iteration, and how. It is called once an iteration while tasks are left.
type Balancer interface {
	Decide(Gathered) Decision
}

// BalancerFunc makes a function a Balancer.
type BalancerFunc func(Gathered) Decision

// Decide calls f.
func (f BalancerFunc) Decide(g Gathered) Decision { return f(g) }

// LoopOptions configures a loop. The zero value never balances and traces
// nothing.
type LoopOptions struct {
	Balancer Balancer         // nil: never redistribute
	Trace    func(trace.Step) // called once an iteration, after the decision
	Stop     func() error     // asked before every iteration; an error ends the loop with tasks undone
}

// Stats counts what a loop did.
type Stats struct {
	Processors      int   // virtual processors
	Iterations      int   // of the solution phase
	IterationsNever int   // that the loop takes without redistributions: MAX(workload) at its start
	Tasks           int64 // solved
	Redistributions int
}

// LaneUse returns the share of processor-iterations that solved a task, from 0
// to 1, and 1 for a loop without iterations.
func (s Stats) LaneUse() float64 { return use(s.Tasks, s.Processors, s.Iterations) }

// LaneUseNever returns the lane use that the same tasks have without
// redistributions.
func (s Stats) LaneUseNever() float64 { return use(s.Tasks, s.Processors, s.IterationsNever) }

func use(tasks int64, processors, iterations int) float64 {
	slots := float64(processors) * float64(iterations)
	if slots == 0 {
		return 1
	}
	return float64(tasks) / slots
}

// Run is the lockstep loop, the specification of all others: plain, sequential
// and slow. In every iteration each active processor solves its next task, in
// the order of the processors. Without a balancer this is the paper's Figure 1,
// with one its Figure 2, and the cost is processors times iterations in
// both. Run ends when no task is left, or with an error, and tasks undone, when
// the balancer's plan does not fit the workload or somebody stops it.
func (a *Array) Run(solve func(processor, problem, task int), opts LoopOptions) (Stats, error) {
	stats := Stats{Processors: a.Len()}
	for {
		g := a.Gather(stats.Iterations)
		if stats.Iterations == 0 {
			stats.IterationsNever = int(g.Max)
		}
		if g.Active == 0 {
			return stats, nil
		}
		if opts.Stop != nil {
			if err := opts.Stop(); err != nil {
				return stats, err
			}
		}
		redistributed, err := a.balance(g, opts)
		if err != nil {
			return stats, err
		}
		if redistributed {
			stats.Redistributions++
		}
		stats.Tasks += a.step(solve)
		stats.Iterations++
	}
}

// Gather is the information-gathering phase before the given iteration.
func (a *Array) Gather(iteration int) Gathered {
	g := Gathered{Iteration: iteration, Workload: a.Workload}
	for _, left := range a.Workload {
		if left > 0 {
			g.Active++
			g.Sum += int64(left)
			g.Max = max(g.Max, left)
		}
	}
	g.Idle = a.Len() - g.Active
	return g
}

// balance is the decision and the redistribution phase.
func (a *Array) balance(g Gathered, opts LoopOptions) (redistributed bool, err error) {
	var decision Decision
	if opts.Balancer != nil {
		decision = opts.Balancer.Decide(g)
	}
	if decision.Allotted != nil {
		if err := a.Redistribute(nil, decision.Allotted); err != nil {
			return false, fmt.Errorf("vp: iteration %d: %w", g.Iteration, err)
		}
		redistributed = true
	}
	if opts.Trace != nil {
		opts.Trace(a.traced(g, decision, redistributed))
	}
	return redistributed, nil
}

// traced returns the record of an iteration that is about to be done.
func (a *Array) traced(g Gathered, d Decision, redistributed bool) trace.Step {
	step := trace.Step{
		Iteration: g.Iteration, Iterations: 1, Unbalanced: 1, Processors: a.Len(),
		Active: g.Active, Max: g.Max, Sum: g.Sum, Tasks: int64(g.Active),
		Savings: d.Savings, Cost: d.Cost, Decision: d.Why, Redistributed: redistributed,
	}
	switch {
	case redistributed:
		after := a.Gather(g.Iteration)
		step.Tasks = int64(after.Active)
		step.Unbalanced += int64(g.Max - after.Max)
		step.Decision = trace.Redistributed
	case d.Why == "" && (d.Savings != 0 || d.Cost != 0):
		step.Decision = trace.Kept
	case d.Why == "":
		step.Decision = trace.None
	}
	return step
}

// step is the solution phase of one iteration. It returns the number of tasks
// solved.
func (a *Array) step(solve func(processor, problem, task int)) (tasks int64) {
	for p, left := range a.Workload {
		if left == 0 {
			continue
		}
		solve(p, int(a.Problem[p]), int(a.Next[p]))
		a.Next[p]++
		a.Workload[p]--
		tasks++
	}
	return tasks
}
