// Package calibration measures, stores and corrects the cost of a redistribution of the
// scan-conversion loop on this machine.
//
// [Measure] times the loop of an instruction set with and without
// redistributions and makes [Costs] of the [Sample]s. A [Store] keeps the costs
// of a user's machine in a file, for one version of the kernels and of the
// compiler, and calibrates where they are missing. Frames that find a cost higher
// than it says raise it by [Store.Observe].
//
// Costs are in iterations of the unbalanced loop, for one polygon. They
// decide how many redistributions there are and change no picture.
//
// # Files
//
// A [Store] keeps one file for each processor and version of the kernels, lockstep/costs-HASH.json in the user's
// cache folder or in the folder that the environment variable LOCKSTEP_CACHE names. It is one JSON object. A damaged
// file is measured again.
//
//   - machine, kernel: the processor, and the versions of compiler and kernels, that the costs belong to; others
//     are measured again.
//   - costs.NAME[]: up to three calibrations of the instruction set NAME, of which the one with the largest
//     estimate counts.
//   - costs.NAME[].model: an lb.CostModel: gather, cost and constant in iterations a polygon, runs, underestimated
//     and, if that is above 0, raised.
//   - costs.NAME[].full: longest time of an iteration in which all lanes have a row, in iterations of mostly idle
//     lanes; ticks is the shortest time of one of those.
//   - costs.NAME[].first: iterations that the first redistribution of a block costs beyond others; the largest of
//     all calibrations counts.
//   - costs.NAME[].sharing: what cutting blocks for several workers costs, in samples of the z-buffer: band, and
//     piece of a polygon in a band; absent in older files, which take the built-in costs.
//   - costs.NAME[].samples[]: the measurements: tall polygons a group of rows rows, saved, cost (the longest) and
//     shortest in iterations a polygon, iterations of its rows, and dearer, the share that cost more than this
//     calibration says.
package calibration
