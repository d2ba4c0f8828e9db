package recipe

import (
	"errors"
	"fmt"
)

// A Kind says what caused an error: the recipe, the mesh file, or an empty view.
type Kind int

// The kinds of errors of drawing.
const (
	Unfit   Kind = iota + 1 // the recipe does not fit the mesh, or the machine
	Damaged                 // a mesh cannot be read
	Blank                   // there is nothing to see
)

// An Error says why a recipe has no picture. Its text starts with the name of the file. If a field of the recipe is the
// reason, the error wraps a Fault.
type Error struct {
	Kind Kind
	Err  error
}

// Error returns the text.
func (e *Error) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// IsBlank reports whether err says that there is nothing to see.
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

// unfit returns the error for a field of the recipe that does not fit a mesh.
func unfit(name, field, value, format string, args ...any) error {
	return errorf(Unfit, "%s: %w", name, Fault{field, value, fmt.Sprintf(format, args...)})
}

// ErrFolder is the cause of an error if a folder was given as a mesh.
var ErrFolder = errors.New("is a folder, and a mesh is expected")

// A KeyframesError says why there is no camera path through the keyframes.
type KeyframesError struct{ Err error }

// Error returns the text.
func (e *KeyframesError) Error() string { return "keyframes: " + e.Err.Error() }

// Unwrap returns the cause.
func (e *KeyframesError) Unwrap() error { return e.Err }
