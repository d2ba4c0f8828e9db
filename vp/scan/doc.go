// Package scan provides the data-parallel primitives of the virtual processors: reductions, scans (prefix sums and the
// like), copying over segments, ranking and packing. Their source is Blelloch, "Prefix Sums and Their Applications",
// 1990.
//
// The first argument of every function is the machine on which it runs. If the machine is nil or the sequence is
// short, the function runs on the caller alone, in one pass, and allocates nothing. Otherwise all workers take two
// passes, with one Run of the machine and a few small allocations. The result is bit for bit the same without a
// machine and with any number of workers.
//
// dst and src must be equally long; all functions panic if lengths differ. Unless a function says otherwise, they are
// either the same slice or disjoint. No function may be called inside a Run of the same machine.
//
// Plus and Enumerate take 0.25 ns per element for a million int32 on one core of an AMD EPYC (Zen 5), and Copy and
// Pack take 0.5 ns (BenchmarkScan). A parallel scan reads everything twice, so two cores gain little over one.
package scan
