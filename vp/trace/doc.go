// Package trace defines [Step], the record that every lockstep loop writes for an iteration, and reads and writes
// files of such records.
//
// The loop of package vp, the renderer and simulations write the same record, so one tool prints and plots all of
// them.
//
// # Files
//
// A file consists of lines of JSON. The first line is a header, {"trace":1,"title":"..."}, but it may be missing. Every
// other line is a record, which mostly stands for one iteration. In titles and names, readers put ? in place of
// characters that cannot be printed. They reject finite savings and costs beyond 1e15. This list has the keys of a
// record, and says when a key is left out:
//
//   - frame, loop, block: the number of the frame, the loop (scan or zbuffer), and the number of the block of
//     triangles. Left out when the loop has no name.
//   - stage: what a scan loop works on: polygons (groups of the block), parts (rows of one polygon, spread over all
//     lanes) or rows (row ranges of a block's large polygons, cut for several workers). Other loops have none.
//   - group: the number of the first polygon of the group that the lanes work on; in the stage rows it counts within
//     the row range. Left out when the loop has no name.
//   - iteration: how many iterations of this loop in this block came before this record.
//   - iterations: how many iterations the record stands for: 0 if it is about a redistribution alone; in a zbuffer loop
//     the number of runs, which are pieces of spans of at most 16 pixels. Left out when it is 1.
//   - unbalanced: how many iterations a loop without balancing takes for the same work. Left out when it equals
//     iterations and nothing was redistributed.
//   - processors: the number of lanes, or of virtual processors. Left out when it is not known.
//   - active, max, sum: the number of processors with tasks left, the largest workload, and the tasks left, all before
//     a redistribution.
//   - tasks: the number of tasks solved in these iterations; in a zbuffer loop, the number of samples tested. Left out
//     when it equals active.
//   - savings, cost: the iterations that a redistribution would save at most, and the iterations that savings must
//     exceed under the policy. null is infinite, as with --balance never.
//   - decision: the result of the check, one of the words below. Left out if there was no check.
//   - parts: the number of parts that the redistribution made. Left out when it is 0.
//   - redistributed: whether tasks moved. The statistics count as many redistributions as there are such records.
//
// A decision is one of these words. Any other word is a balancer's reason (lb.Decision.Reason) and means the same as
// kept:
//
//   - kept: the check did not lead to a redistribution; tasks stayed where they were.
//   - redistributed: idle processors took over tasks at once. In a scan loop all lanes take over the rows of each
//     active polygon in turn; unbalanced is the number of iterations that this replaces.
//   - shared: the rows of large polygons (active is their number) were cut into row ranges (parts is their number) that
//     any worker may draw. savings are the iterations that the groups of these polygons no longer need. The decision
//     compared numbers of samples, and its cost is not in the record.
//
// # What a renderer writes
//
// The sums of iterations, unbalanced and tasks equal those of --stats; a test checks this. In a traced frame the loop
// is plain Go with an observer, whatever --isa says (which still sets the cost). It checks the workload, decides and
// counts as the vector loops do. Every record has savings and cost, even without a check.
//
// A record of zbuffer stands for one span array that was handed over: `active` is the number of its spans, `max` the
// largest number of runs of a span, and `sum` the number of runs of all spans. The AVX2 loop hands its arrays over a
// little earlier. With AVX2, an untraced frame therefore divides the same spans into other arrays.
//
// Blocks are reported in their order, whatever the number of workers. A worker that has collected 4096 records waits
// until all earlier blocks are reported. The rows of large polygons stay with the worker of their block. So a trace
// takes little memory, but the times of a traced frame mean nothing.
//
// # Reading a trace
//
// lockstep-bench trace FILE reads a trace of any size and prints sums: the iterations of each loop, balanced and
// unbalanced, the numbers of checks and redistributions, the savings and costs that were expected, and the savings
// that resulted. Then it prints every kind of decision by the number of active processors, with its savings and costs.
//
// --plot DIR draws each loop as trace-LOOP: active processors, workloads and decisions over the iterations, which are
// numbered on from block to block. The plot has at most 2000 columns; a column shows the least and the largest value
// of its iterations. Beside it is a close-up of the iterations around the redistribution that gains most.
//
// trace-LOOP-decisions plots the savings of every decision against its cost: points above the diagonal were
// redistributed. On logarithmic axes everything below 1 is drawn at 0.5.
package trace
