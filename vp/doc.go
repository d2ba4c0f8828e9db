// Package vp has the array of virtual processors, and the lockstep loop in which they solve their tasks. Read this
// package first.
//
// An [Array] has for every virtual processor a workload: the number of tasks that it has left. In each iteration of
// [Array.Run] every processor that has tasks left solves one task. Processors without tasks are idle, and the loop
// takes as many iterations as the largest workload. Redistributing work ends the loop sooner, at a cost. On a machine
// with several workers each worker runs a share of the processors. [Solve] runs the loop on problem data of any type,
// and [For] on plain tasks, as a parallel loop does.
//
// The package executes; it decides nothing. A [Balancer] decides when to redistribute work and how many idle processors
// join each active processor; *lb.Cycle is one. Before it decides, a balancer checks the workload. Names and output
// call such a check a look. The source of the loop, of its terms and of the redistribution by scans is Ahrens and
// Hansen, "Cost-Effective Data-Parallel Load Balancing", ICPP 1995.
//
// Four packages below serve the loop: machine has the workers, scan the data-parallel primitives, trace the records of
// what a loop did, and isa the instruction sets of the processor.
//
// These parameters have the same meaning everywhere: processor is an index into an [Array], problem the index of the
// data that a processor works on, and task the index of a unit of work in that problem.
package vp
