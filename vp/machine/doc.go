// Package machine runs functions on a fixed team of workers, one per core, many times a second.
//
// A [Machine] pins its workers to cores. Starting a function on all workers and waiting for its end takes
// microseconds. [Machine.For] is a loop over indices on all workers. If a function has several phases, [Machine.Run]
// starts it and [Machine.Sync] is a barrier inside it. [Ranges] hands out the indices of a phase. A worker that has
// finished takes over some indices of the worker that has most left.
//
// A worker is an index from 0 to Machine.Workers()-1. README.md beside this file has the protocol of start and end,
// its measurements, and the alternatives that were tried.
package machine
