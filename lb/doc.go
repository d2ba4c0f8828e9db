// Package lb is the cost-effective cycle of load balancing: gather what is left
// to do, decide whether moving it saves more than it costs, plan who helps whom.
// The source is Ahrens and Hansen, "Cost-Effective Data-Parallel Load
// Balancing", ICPP 1995.
//
// The package is pure. Workloads go in, decisions and plans come out; it
// measures no time, starts no goroutine and moves no work. A plan is executed by
// whoever owns the work, for example by vp.Array.Redistribute.
//
// A workload is the number of tasks that a processor has left. In every
// iteration of a lockstep loop each active processor, one with a workload above
// 0, solves one task; all others are idle. A loop therefore takes as many
// iterations as the largest workload, and savings and costs are counted in
// iterations.
//
// [Gather] and a [Planner] are the information-gathering phase, a [Policy] is
// the decision phase, a [CostModel] knows what a redistribution costs, and
// [Cycle] joins them and says in which iterations it is worth looking at all.
package lb
