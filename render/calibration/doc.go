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
package calibration
