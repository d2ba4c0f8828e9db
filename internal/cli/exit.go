package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/alecthomas/kong"

	"lockstep/render/atomicfile"
	"lockstep/render/recipe"
)

// A Code is the status that the process ends with.
type Code int

// The exit codes. They are part of the command's contract.
const (
	Done        Code = 0
	Internal    Code = 1
	Usage       Code = 2
	Input       Code = 3
	Blank       Code = 4
	Output      Code = 5
	Partial     Code = 6
	Interrupted Code = 130
)

// An Error is a failure together with the exit code it stands for.
type Error struct {
	Code Code
	Err  error
}

// Error returns the text.
func (e *Error) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Usagef returns the error of wrong usage.
func Usagef(format string, args ...any) error {
	return &Error{Usage, fmt.Errorf(format, args...)}
}

// Inputf returns the error of damaged or unknown input.
func Inputf(format string, args ...any) error {
	return &Error{Input, fmt.Errorf(format, args...)}
}

// Blankf returns the error of nothing to see.
func Blankf(format string, args ...any) error {
	return &Error{Blank, fmt.Errorf(format, args...)}
}

// Outputf returns the error of an output that could not be written.
func Outputf(format string, args ...any) error {
	return &Error{Output, fmt.Errorf(format, args...)}
}

// Partialf returns the error of work of which a part failed.
func Partialf(format string, args ...any) error {
	return &Error{Partial, fmt.Errorf(format, args...)}
}

// ErrInterrupted is the failure of a command that a signal ended.
var ErrInterrupted = errors.New("interrupted")

// ErrReported is a failure that lines on standard error have told already.
var ErrReported = errors.New("reported")

// CodeOf returns the exit code that err stands for. An error of any other kind
// is an internal one.
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

// IsBlank reports whether err says that there is nothing to see, for whatever reason.
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
