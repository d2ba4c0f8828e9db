// Package machine runs functions on a fixed team of workers, one to a core,
// many times a second.
//
// A [Machine] pins its workers to cores, starts a function on all of them and
// waits for its end, in microseconds. [Machine.For] is a loop over indices on all
// workers; where a function has several phases, [Machine.Run] starts it, [Machine.Sync]
// is a barrier inside it, and [Ranges] hands the indices of a phase out and lets a
// worker that has finished take over some from the worker with most left.
//
// A worker is an index from 0 to Machine.Workers()-1. README.md beside this
// file holds the protocol of start and end, its measurements, and the alternatives
// that were tried.
package machine
