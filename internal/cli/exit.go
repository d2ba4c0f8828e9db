package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/alecthomas/kong"

	"lockstep/render/atomicfile"
	"lockstep/render/recipe"
)

// A Code is the exit status of a process.
type Code int

// The exit codes. Scripts may depend on them.
const (
	Done        Code = 0
	Internal    Code = 1
	Usage       Code = 2
	Input       Code = 3
	Blank       Code = 4
	Output      Code = 5
	Partial     Code = 6
	Differs     Code = 7 // the meshes differ by more than the tolerance
	Interrupted Code = 130
)

// An Error is an error with an exit code.
type Error struct {
	Code Code
	Err  error
}

// Error returns the text.
func (e *Error) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Usagef returns an error for wrong flags or arguments.
func Usagef(format string, args ...any) error {
	return &Error{Usage, fmt.Errorf(format, args...)}
}

// Inputf returns an error for input that is damaged or has an unknown format.
func Inputf(format string, args ...any) error {
	return &Error{Input, fmt.Errorf(format, args...)}
}

// Outputf returns an error for an output that cannot be written.
func Outputf(format string, args ...any) error {
	return &Error{Output, fmt.Errorf(format, args...)}
}

// Partialf returns an error for work of which a part failed.
func Partialf(format string, args ...any) error {
	return &Error{Partial, fmt.Errorf(format, args...)}
}

// ErrInterrupted is returned by a command that a signal ended.
var ErrInterrupted = errors.New("interrupted")

// ErrReported is returned by a command that has printed its errors already.
var ErrReported = errors.New("reported")

// CodeOf returns the exit code of err. An error without a code is an internal error.
func CodeOf(err error) Code {
	var (
		coded   *Error
		parse   *kong.ParseError
		drawing *recipe.Error
		output  *atomicfile.Error
	)
	switch {
	case err == nil:
		return Done
	case errors.Is(err, context.Canceled), errors.Is(err, ErrInterrupted), errors.Is(err, atomicfile.ErrClosed):
		return Interrupted
	case errors.As(err, &coded):
		return coded.Code
	case errors.As(err, &drawing):
		return drawingErrors[drawing.Kind]
	case errors.As(err, &parse):
		return Usage
	case errors.As(err, &output):
		return Output
	}
	return Internal
}

// IsBlank reports whether err is the error for a picture in which nothing is visible.
func IsBlank(err error) bool {
	var coded *Error
	for errors.As(err, &coded) {
		if coded.Code == Blank {
			return true
		}
		err = coded.Err
	}
	return recipe.IsBlank(err)
}
