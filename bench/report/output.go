// Package report holds what the experiments share: results, files and progress ([Output]), errors that become exit
// codes, flags, tables, plots and numbers for JSON.
package report

import (
	"context"
	"io"
	"os"

	"lockstep/render/atomicfile"
)

// Output takes the results of an experiment.
type Output struct {
	// Stdin is what "-" reads; nil: nothing can be read from it.
	Stdin *os.File
	// Stdout takes the results: a table for people, or with --json one object
	// a line, each with the key "experiment".
	Stdout io.Writer
	// Progress follows long work; nil: it is not followed.
	Progress Progress
	// Files creates the files that an experiment writes; nil: a set of its own for
	// every file.
	Files *atomicfile.Set
	// Open opens a mesh that the user named: a file, "-" or a scene. nil means
	// scenes and binary STL files without damage.
	Open func(ctx context.Context, name string) (Mesh, error)
}

// Progress follows the stages of long work. One stage runs at a time; Add may be
// called from several goroutines.
type Progress interface {
	Begin(label string, total int64) // total counts steps
	Add(steps int64)
	End()
}

// Begin starts a stage of total steps, which Step counts and End ends. All three do
// nothing without Progress.
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

// An Experiment is one command of the program of experiments.
type Experiment interface {
	// Run does the experiment; a *UsageError means that its flags make no
	// sense together.
	Run(ctx context.Context, out Output) error
}
