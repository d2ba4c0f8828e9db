package lb_test

import (
	"fmt"

	"lockstep/lb"
	"lockstep/lb/forecast"
	"lockstep/vp"
	"lockstep/vp/machine"
)

// The example solves rows of uneven length on all cores. The loop itself measures the cost of moving work.
func Example_workers() {
	type row struct{ first, step int } // data of a problem
	rows := []row{{0, 3}, {9, 1}, {5, 4}, {2, 1}}
	tasks := []int32{4000, 3, 50, 1}
	var longest [4000]int

	m := machine.New(machine.Options{})
	defer m.Close()
	solve := func(r *row, task int) { // called on any worker, in any order
		if value := r.first + r.step*task; r.step == 3 {
			longest[task] = value
		}
	}
	cycle := lb.NewCycle(lb.Options{Calibrate: true})
	stats, err := vp.Solve(rows, tasks, solve, vp.LoopOptions{Machine: m, Balance: cycle})
	fmt.Println(stats.Tasks, "tasks, the last of the longest row is", longest[3999], err)
	// Output: 4054 tasks, the last of the longest row is 11997 <nil>
}

// The example solves eight problems of uneven size, with one virtual processor for each problem and without a
// machine.
func Example() {
	tasks := []int32{400, 3, 5, 1, 0, 2, 4, 3}
	solved := 0
	solve := func(processor, problem, task int) { solved++ }

	model := lb.NewCostModel(lb.DefaultConstant)
	if err := model.Calibrate([]lb.Timing{{Gather: 5, Redistribution: 40, Solution: 10}}); err != nil { // measured once
		fmt.Println(err)
	}
	cycle := lb.NewCycle(lb.Options{Cost: model, Forecast: new(forecast.Histogram)})
	stats, err := vp.NewArray(tasks).Run(solve, vp.LoopOptions{Balance: cycle})
	fmt.Println(stats.Iterations, "iterations instead of", stats.IterationsNever, "for", solved, "tasks", err)
	fmt.Println(stats.Redistributions, "redistribution,", cycle.Counts().Looks, "looks, cost of each at most", model.Estimate(), "iterations")
	// Output:
	// 55 iterations instead of 400 for 418 tasks <nil>
	// 1 redistribution, 2 looks, cost of each at most 5.5 iterations
}

// A program with a loop of its own asks for a plan before every iteration, and executes the plan.
func ExampleCycle_Look() {
	left := []int32{9, 1, 0, 0}
	model := lb.NewCostModel(0)
	if err := model.Calibrate([]lb.Timing{{Gather: 1, Redistribution: 3, Solution: 2}}); err != nil {
		fmt.Println(err)
	}
	cycle := lb.NewCycle(lb.Options{Cost: model})
	step := cycle.Look(0, lb.Gather(left), left)
	fmt.Println(step.Decision)
	fmt.Println("helpers of each processor:", step.Plan, "largest workload:", step.NewMax)
	// Output:
	// redistribute: savings 6, cost 2 iterations
	// helpers of each processor: [2 0 0 0] largest workload: 3
}
