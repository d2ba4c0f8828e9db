// Package trace has the record that every lockstep loop writes of an iteration,
// [Step], and files of such records, lines of JSON: [Writer] and [Reader].
//
// The loop of package vp, the renderer and simulations write the same record, so
// one tool prints and plots all of them.
package trace
