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

// A Balancer looks at the workload before an iteration: it gathers information,
// decides and plans. The plan is the number of idle processors that join each
// processor, 0 for idle processors themselves; nil is no redistribution. It must
// remain as it is until the next call, and workload must not be changed. lb.Cycle has
// a method of this type.
//
// The decision compared savings with cost, both in iterations, and reason is why a
// look was in vain, in a word or two; all are zero where the balancer
// did not look. They go into the trace and have no other effect.
type Balancer func(iteration int, workload []int32) (plan []int32, savings, cost float64, reason string)

// LoopOptions configures a loop. The zero value never balances and traces
// nothing.
type LoopOptions struct {
	Balance Balancer         // called once an iteration while tasks are left; nil: never redistribute
	Trace   func(trace.Step) // called once an iteration, after the balancer
	Stop    func() error     // asked before every iteration; an error ends the loop with tasks undone
}

// Stats has the counts of a loop.
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
// the balancer's plan does not fit the workload or Stop returns one.
func (a *Array) Run(solve func(processor, problem, task int), opts LoopOptions) (Stats, error) {
	begin := a.summarize()
	stats := Stats{Processors: a.Len(), IterationsNever: int(begin.max)}
	for ; stats.Tasks < begin.sum; stats.Iterations++ {
		if opts.Stop != nil {
			if err := opts.Stop(); err != nil {
				return stats, err
			}
		}
		redistributed, err := a.balance(stats.Iterations, opts)
		if err != nil {
			return stats, fmt.Errorf("vp: iteration %d: %w", stats.Iterations, err)
		}
		if redistributed {
			stats.Redistributions++
		}
		stats.Tasks += a.step(solve)
	}
	return stats, nil
}

// balance asks the balancer, redistributes by its plan and traces.
func (a *Array) balance(iteration int, opts LoopOptions) (redistributed bool, err error) {
	var before summary
	if opts.Trace != nil {
		before = a.summarize()
	}
	step := trace.Step{Iteration: iteration, Iterations: 1, Processors: a.Len()}
	var plan []int32
	if opts.Balance != nil {
		plan, step.Savings, step.Cost, step.Decision = opts.Balance(iteration, a.Workload)
	}
	if plan != nil {
		if err := a.Redistribute(nil, plan); err != nil {
			return false, err
		}
		step.Decision = trace.Redistributed
	}
	if opts.Trace != nil {
		after := a.summarize()
		step.Active, step.Max, step.Sum = before.active, before.max, before.sum
		step.Tasks, step.Unbalanced = int64(after.active), 1+int64(before.max-after.max)
		step.Redistributed = plan != nil
		if step.Decision == "" {
			step.Decision = trace.None
		}
		opts.Trace(step)
	}
	return plan != nil, nil
}

// summary has the numbers that a loop and its trace need of a workload.
type summary struct {
	active int   // processors with tasks
	max    int32 // the largest workload
	sum    int64 // tasks left
}

func (a *Array) summarize() (s summary) {
	for _, left := range a.Workload {
		if left > 0 {
			s.active++
			s.sum += int64(left)
			s.max = max(s.max, left)
		}
	}
	return s
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
