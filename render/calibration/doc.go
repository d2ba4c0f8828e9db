// Package calibration measures, stores and corrects the cost of a redistribution of the
// scan-conversion loop on this machine.
//
// [Measure] times the loop of an instruction set with and without redistributions, and makes [Costs] from the
// [Sample]s. A [Store] holds the costs of a user's machine in a file, for one version of the kernels and of the
// compiler. It measures costs that are missing. If frames show that a cost is higher than the stored cost,
// [Store.Observe] raises the stored cost.
//
// Costs are in iterations of the unbalanced loop, for one polygon. They
// decide how many redistributions happen, and do not change pictures.
//
// # Files
//
// A [Store] keeps one file for each processor and version of the kernels, lockstep/costs-HASH.json in the user's
// cache folder or in the folder that the environment variable LOCKSTEP_CACHE names. It is one JSON object. A damaged
// file is measured again.
//
//   - machine, kernel: the processor, and the versions of the compiler and the kernels, for which the costs were
//     measured; for others they are measured again.
//   - costs.NAME[]: up to three calibrations of the instruction set NAME, of which the one with the largest
//     estimate counts.
//   - costs.NAME[].model: an lb.CostModel: gather, cost and constant in iterations a polygon, runs, underestimated
//     and, if that is above 0, raised.
//   - costs.NAME[].full: longest time of an iteration in which all lanes have a row, in iterations of mostly idle
//     lanes.
//   - costs.NAME[].ticks: shortest time of an iteration of mostly idle lanes, in ticks of the instruction set's clock.
//   - costs.NAME[].first: iterations that the first redistribution of a block costs beyond others; the largest of
//     all calibrations counts.
//   - costs.NAME[].sharing: costs of cutting polygons into row ranges that several workers draw: band for each row
//     range, and piece for each polygon in one. The unit is the time in which the z-buffer tests one sample. Older files
//     have no sharing; then the built-in costs apply.
//   - costs.NAME[].samples[]: the measurements, see [Sample].
package calibration
