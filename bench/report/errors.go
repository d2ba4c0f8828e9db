package report

import (
	"errors"
	"fmt"

	"lockstep/lb/loads"
	"lockstep/render/atomicfile"
	"lockstep/vp/trace"
)

// A UsageError says what is wrong with an experiment's flags.
type UsageError struct{ Message string }

func (e *UsageError) Error() string { return e.Message }

// Usagef returns a UsageError with a formatted message.
func Usagef(format string, args ...any) error {
	return &UsageError{Message: fmt.Sprintf(format, args...)}
}

// An InputError says which input file an experiment could not use, and which line is wrong.
type InputError struct {
	File string // "" if Err names the file
	Line int    // number of the line, from 1; 0 if the error is not about a line
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

// NewInputError returns an InputError for a file. It removes the file's name from errors of the system, because the
// InputError has it already. If err is about a line of a recording or a trace, the InputError has the line's number.
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
