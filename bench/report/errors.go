package report

import (
	"errors"
	"fmt"

	"lockstep/lb/loads"
	"lockstep/render/atomicfile"
	"lockstep/vp/trace"
)

// A UsageError is a fault in an experiment's flags.
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

// NewInputError says that err is about a file. The name that the system puts into its
// errors is dropped; the line of a recording or a trace is kept.
func NewInputError(file string, err error) error {
	var inRecording *loads.ReadError
	var inTrace *trace.Error
	switch {
	case errors.As(err, &inRecording):
		return &InputError{File: file, Line: inRecording.Line, Err: inRecording.Err}
	case errors.As(err, &inTrace):
		return &InputError{File: file, Line: inTrace.Line, Err: inTrace.Err}
	}
	return &InputError{File: file, Err: atomicfile.Reason(err)}
}

// A BlankError names a mesh of which nothing would be visible.
type BlankError struct{ Mesh string }

func (e *BlankError) Error() string { return e.Mesh + ": nothing of it would be visible" }
