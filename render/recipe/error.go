package recipe

import (
	"errors"
	"fmt"
)

// A Kind says whose an error is.
type Kind int

// The kinds of errors of drawing.
const (
	Unfit   Kind = iota + 1 // the recipe does not fit the mesh, or the machine
	Damaged                 // a mesh cannot be read
	Blank                   // there is nothing to see
)

// An Error is why a recipe has no picture. Its text begins with the file. Where a field of the recipe is the reason
// it wraps a Fault.
type Error struct {
	Kind Kind
	Err  error
}

// Error returns the text.
func (e *Error) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// IsBlank reports whether an error says that there is nothing to see, for whatever reason.
func IsBlank(err error) bool {
	var e *Error
	for errors.As(err, &e) {
		if e.Kind == Blank {
			return true
		}
		err = e.Err
	}
	return false
}

func errorf(kind Kind, format string, args ...any) error {
	return &Error{kind, fmt.Errorf(format, args...)}
}

// unfit returns the error of a field that does not fit a mesh.
func unfit(name, field, value, format string, args ...any) error {
	return errorf(Unfit, "%s: %w", name, Fault{field, value, fmt.Sprintf(format, args...)})
}

// ErrFolder is the cause where a folder stands in the place of a mesh.
var ErrFolder = errors.New("is a folder, and a mesh is expected")

// A KeyframesError is why keyframes have no path for a camera.
type KeyframesError struct{ Err error }

// Error returns the text.
func (e *KeyframesError) Error() string { return "keyframes: " + e.Err.Error() }

// Unwrap returns the cause.
func (e *KeyframesError) Unwrap() error { return e.Err }
