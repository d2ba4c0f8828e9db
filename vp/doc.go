// Package vp is the virtual-processor array: a [Machine] of pinned workers,
// the data-parallel primitives that run on it, and the lockstep loop in which
// an [Array] of virtual processors works off its tasks.
//
// The package executes; it decides nothing. When to redistribute work and how
// many idle processors each active one gets comes from outside through the
// small interface [Balancer]. The source of the loop, of its terms and of the
// redistribution by scans is Ahrens and Hansen, "Cost-Effective Data-Parallel
// Load Balancing", ICPP 1995.
//
// The scans (Blelloch, "Prefix Sums and Their Applications", 1990) take the
// machine that they run on first. With nil, or when they are short, they run on
// the caller alone and allocate nothing. The result is the same in every bit
// for nil and for any number of workers. dst and src must be equally long and,
// unless a scan says otherwise, either the same slice or disjoint; they panic
// when lengths differ. The cost is one pass over the data, or on a machine two
// passes by all workers, one Run and a few small allocations. They may not be
// called inside a Run of the same machine.
//
// Indices: worker counts from 0 to Machine.Workers()-1, processor indexes an
// Array, problem names the data that a processor works on, task names a unit
// of work of that problem. A workload is a number of tasks.
package vp
