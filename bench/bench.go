// Package bench holds the experiments that reproduce the papers' tables and
// figures and our own measurements, and the applications that they need.
//
// An experiment is a struct whose exported fields are its command-line flags
// (tagged for github.com/alecthomas/kong) and whose Run method does the work,
// so `render bench NAME` and a Go program start it alike. Its zero value with
// the flags' defaults applied is the paper's own setting.
package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// Output is where an experiment puts what it finds.
type Output struct {
	// Stdout takes the results: a table for people, or with --json one object
	// a line, each with the key "experiment".
	Stdout io.Writer
	// Progress follows long work; nil means nobody watches.
	Progress Progress
	// Create opens a file that an experiment writes besides Stdout; "-" is Stdout.
	// It is called before the work, so that a place that cannot be written shows
	// at once. nil means regular files, written beside their names and renamed.
	Create func(name string) (File, error)
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

// An Experiment is one subcommand of `render bench`.
type Experiment interface {
	// Run does the experiment; a *UsageError means that its flags make no
	// sense together.
	Run(ctx context.Context, out Output) error
}

// A UsageError says what is wrong with an experiment's flags.
type UsageError struct{ Message string }

func (e *UsageError) Error() string { return e.Message }

// Usagef returns a UsageError.
func Usagef(format string, args ...any) error {
	return &UsageError{Message: fmt.Sprintf(format, args...)}
}

// An InputError says which input file an experiment could not use, and where
// in it the trouble is.
type InputError struct {
	File string // "" where Err names it
	Line int    // from 1; 0 when the whole file is meant
	Err  error
}

func (e *InputError) Error() string {
	switch {
	case e.File == "":
		return e.Err.Error()
	case e.Line > 0:
		return fmt.Sprintf("%s:%d: %v", e.File, e.Line, e.Err)
	}
	return fmt.Sprintf("%s: %v", e.File, e.Err)
}

func (e *InputError) Unwrap() error { return e.Err }

// An OutputError says which file an experiment could not write.
type OutputError struct {
	File string
	Err  error
}

func (e *OutputError) Error() string { return fmt.Sprintf("%s: %v", e.File, reason(e.Err)) }
func (e *OutputError) Unwrap() error { return e.Err }

// A BlankError says of which mesh nothing would be visible.
type BlankError struct{ Mesh string }

func (e *BlankError) Error() string { return e.Mesh + ": nothing of it would be visible" }

// reason strips the name of a temporary file, which means nothing to anybody.
func reason(err error) error {
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		return path.Err
	case errors.As(err, &link):
		return link.Err
	}
	return err
}
