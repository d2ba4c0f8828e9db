package vp

import "fmt"

// Solve solves tasks 0 to tasks[p]-1 of every problem p in a lockstep loop, see [Array.Run]. Each virtual processor
// has a copy of its problem's data; a redistribution copies the data to the virtual processors that help. Tasks on
// different workers run at the same time, in any order, and must not depend on each other.
//
// Solve fails if problems and tasks differ in length, if a number of tasks is negative, or if [Array.Run] fails.
func Solve[T any](problems []T, tasks []int32, solve func(problem *T, task int), opts LoopOptions) (Stats, error) {
	if solve == nil {
		return Stats{}, errNoSolve
	}
	return SolveRanges(problems, tasks, func(problem *T, first, end int) {
		for task := first; task < end; task++ {
			solve(problem, task)
		}
	}, opts)
}

// SolveRanges is Solve with a function that solves several tasks, first to end-1, in one call, as in [Array.RunRanges].
func SolveRanges[T any](problems []T, tasks []int32, solve func(problem *T, first, end int), opts LoopOptions) (Stats, error) {
	if solve == nil {
		return Stats{}, errNoSolve
	}
	if len(problems) != len(tasks) {
		return Stats{}, fmt.Errorf("vp: %d problems, %d task counts", len(problems), len(tasks))
	}
	for p, n := range tasks {
		if n < 0 {
			return Stats{}, fmt.Errorf("vp: problem %d has %d tasks", p, n)
		}
	}
	if err := opts.check(); err != nil {
		return Stats{}, err
	}
	a := NewArray(tasks)
	if err := a.spread(opts.processors(a)); err != nil {
		return Stats{}, err
	}
	data := make([]T, len(a.Problem))
	for v, problem := range a.Problem {
		if a.Workload[v] > 0 {
			data[v] = problems[problem]
		}
	}
	a.deliver = func(to, from int) { data[to] = data[from] }
	return a.run(func(_, virtual, first, end int) { solve(&data[virtual], first, end) }, opts)
}
