// Package lb decides whether load balancing pays: it gathers the work that is left, compares what moving work saves
// with what it costs, and plans who helps whom. The source is Ahrens and Hansen, "Cost-Effective Data-Parallel Load
// Balancing", ICPP 1995.
//
// A workload is the number of tasks that a processor has left. In every iteration of a lockstep loop, each processor
// with a workload above 0 is active and solves one task. All others are idle. So a loop takes as many iterations as the
// largest workload, and savings and costs are counted in iterations.
//
// A check of the workload, also called a look, is one decision: gather the workload, try a plan, and compare savings
// and cost.
//
//   - [Gather] makes a [Summary] of a workload.
//   - [Policy.Decide] compares savings with a cost.
//   - A [Planner] decides how many idle processors help each active processor.
//   - A [CostModel] estimates the cost of a check and a redistribution.
//   - A [Cycle] combines these for one loop and decides when to check next.
//
// The package is pure: workloads go in, plans come out. It measures no time, starts no goroutine and moves no work. The
// owner of the work executes a plan, for example vp.Array.Run.
package lb
