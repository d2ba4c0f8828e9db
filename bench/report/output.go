// Package report has what the experiments share: results, files and progress ([Output]), errors that become exit codes,
// types of flags, tables, plots and numbers for JSON.
package report

import (
	"context"
	"io"
	"os"

	"lockstep/render/atomicfile"
)

// Output holds the streams and files of an experiment, and shows its progress.
type Output struct {
	// Stdin is read for the file name "-". If it is nil, this name is an error.
	Stdin *os.File
	// Stdout receives the results: tables, or with --json one object per line, each with the key "experiment".
	Stdout io.Writer
	// Progress shows the progress of long work. It may be nil.
	Progress Progress
	// Files creates the output files, and can delete all unfinished ones together. If it is nil, each file is created
	// separately.
	Files *atomicfile.Set
	// Open opens a mesh that the user named: a file, "-" or a scene. If it is nil, only scenes and undamaged files can
	// be opened, and standard input cannot.
	Open func(ctx context.Context, name string) (Mesh, error)
}

// Progress shows the stages of long work. Only one stage runs at a time. Several goroutines may call Add.
type Progress interface {
	Begin(label string, total int64) // number of steps
	Add(steps int64)
	End()
}

// Begin starts a stage of long work with a total number of steps. Step then counts steps, and End ends the stage. They
// do nothing if Progress is nil.
func (o Output) Begin(label string, total int64) {
	if o.Progress != nil {
		o.Progress.Begin(label, total)
	}
}

// Step counts steps of the current stage.
func (o Output) Step(steps int64) {
	if o.Progress != nil {
		o.Progress.Add(steps)
	}
}

// End ends the current stage.
func (o Output) End() {
	if o.Progress != nil {
		o.Progress.End()
	}
}

// An Experiment is one command of lockstep-bench.
type Experiment interface {
	// Run runs the experiment. A *UsageError means that its flags contradict each other.
	Run(ctx context.Context, out Output) error
}
