// Package report is what the experiments below bench share: where results and
// files go and how progress is told ([Output]), the errors that become exit codes,
// flags, tables, plots and numbers for JSON.
package report

import (
	"context"
	"io"

	"lockstep/render/atomicfile"
)

// Output is where an experiment puts what it finds.
type Output struct {
	// Stdout takes the results: a table for people, or with --json one object
	// a line, each with the key "experiment".
	Stdout io.Writer
	// Progress follows long work; nil means nobody watches.
	Progress Progress
	// Files creates what an experiment writes besides Stdout; nil means a set of
	// its own for every file.
	Files *atomicfile.Set
	// Open opens a mesh that the user named: a file, "-" or a scene. nil means
	// scenes and binary STL files without damage.
	Open func(ctx context.Context, name string) (Mesh, error)
}

// Progress is told how far long work has come. One stage runs at a time; Add
// may be called from several goroutines.
type Progress interface {
	Begin(label string, total int64) // total counts steps
	Add(steps int64)
	End()
}

// Begin starts a stage of so many steps, which Step counts and End ends. Nothing
// happens when nobody watches.
func (o Output) Begin(label string, total int64) {
	if o.Progress != nil {
		o.Progress.Begin(label, total)
	}
}

// Step counts steps of the stage.
func (o Output) Step(steps int64) {
	if o.Progress != nil {
		o.Progress.Add(steps)
	}
}

// End ends the stage.
func (o Output) End() {
	if o.Progress != nil {
		o.Progress.End()
	}
}

// An Experiment is one subcommand of `render bench`.
type Experiment interface {
	// Run does the experiment; a *UsageError means that its flags make no
	// sense together.
	Run(ctx context.Context, out Output) error
}
