// Package lb decides whether load balancing pays: it gathers the work that is left, compares what moving work saves
// with what it costs, and plans who helps whom. The source is Ahrens and Hansen, "Cost-Effective Data-Parallel Load
// Balancing", ICPP 1995.
//
// A workload is the number of tasks that a processor has left. In every
// iteration of a lockstep loop each active processor, whose workload is above 0,
// solves one task; all other processors are idle. A loop therefore takes as many
// iterations as the largest workload, and savings and costs are counted in
// iterations.
//
//   - [Gather] makes a [Summary] of a workload.
//   - [Policy.Decide] compares savings with a cost. All loops of this module use it
//     to decide: vector lanes, arrays of virtual processors, the counted machine.
//   - A [Planner] decides how many idle processors help each active processor.
//   - A [CostModel] estimates what a look and a redistribution cost.
//   - A [Cycle] combines these for one loop and knows when the next look is due.
//
// The package is pure. Workloads go in, decisions and plans come out; it
// measures no time, starts no goroutine and moves no work. The owner of the work
// executes a plan, for example vp.Array.Run, for which a [Cycle] is a balancer.
package lb
