// Package calibration measures, stores and corrects the cost of a redistribution of the scan-conversion loop on this
// machine.
//
// The loop draws one polygon in each vector lane. A redistribution spreads the rows of unfinished polygons over lanes
// that have become idle.
//
// [Measure] times the loop of an instruction set with and without redistributions, and makes [Costs] from the
// [Sample]s. A [Store] holds the costs of a user's machine in a file, for one version of the kernels and of the
// compiler. It measures costs that are missing. If frames show that a cost is higher than the stored cost,
// [Store.Observe] raises the stored cost.
//
// Costs are for one polygon. Their unit is an iteration of the loop in which most lanes are idle. They decide how many
// redistributions happen, and do not change pictures.
//
// # Files
//
// A [Store] has one file for each processor and version of the kernels, lockstep/costs-HASH.json. It is in the user's
// cache folder, or in the folder that the environment variable LOCKSTEP_CACHE names. The file is one JSON object. If
// it is damaged, costs are measured again.
//
//   - machine, kernel: the processor, and the versions of the compiler and the kernels, for which the costs were
//     measured. On other machines or with other versions, costs are measured again.
//   - costs.NAME[]: up to three calibrations of the instruction set NAME. The one with the largest estimate is used.
//   - costs.NAME[].model: an lb.CostModel. Its fields are gather, cost and constant in iterations per polygon, runs,
//     underestimated and, if it is above 0, raised.
//   - costs.NAME[].full: longest time of an iteration in which all lanes have a row, in iterations of mostly idle
//     lanes.
//   - costs.NAME[].ticks: shortest time of an iteration of mostly idle lanes, in ticks of the instruction set's clock.
//   - costs.NAME[].first: additional cost of the first redistribution of a block, in iterations. The largest value of
//     all calibrations is used.
//   - costs.NAME[].sharing: costs of cutting polygons into row ranges for several workers. The field band is the cost
//     of a row range, and piece the cost of a polygon in a row range. The unit is the time in which the z-buffer tests
//     one sample. Older files have no sharing, and the built-in costs are used.
//   - costs.NAME[].samples[]: the measurements, see [Sample].
package calibration
