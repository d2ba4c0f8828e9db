package recipe

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"lockstep/render"
	"lockstep/render/recipe/internal/reading"
	"lockstep/scenes"
	"lockstep/scenes/procedural"
)

// A Kind is the cause of an error: the recipe, the mesh file, or an empty view.
type Kind int

// Kinds of errors of drawing.
const (
	Unfit   Kind = iota + 1 // the recipe is not possible for the mesh or on the machine
	Damaged                 // a mesh cannot be read
	Blank                   // nothing is visible
)

// An Error states why a picture of a recipe cannot be drawn. Its text starts with the name of the file. If a field of
// the recipe is the reason, the error wraps a Fault.
type Error struct {
	Kind Kind
	Err  error
}

// Error returns the text.
func (e *Error) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// IsBlank reports whether err means that nothing is visible.
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

// unfitError returns the error for a field of the recipe that does not fit a mesh.
func unfitError(name, field, value, format string, args ...any) error {
	return errorf(Unfit, "%s: %w", name, Fault{field, value, fmt.Sprintf(format, args...)})
}

// ErrFolder is the cause of an error if a mesh is a folder.
var ErrFolder = errors.New("is a folder, and a mesh is expected")

// ReadError returns an error with a Kind for an error of a reader. A file that cannot be opened counts as damaged.
// short is the shortage of memory that limited the size of the mesh, or nil.
func ReadError(ctx context.Context, mesh string, short *Shortage, err error) error {
	var limit *scenes.LimitError
	var usage *procedural.UsageError
	var known *Error
	var file *fs.PathError
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &known):
		return err
	case errors.Is(err, reading.ErrNoStdin):
		return errorf(Unfit, "%s: %w", Name(mesh), err)
	case errors.As(err, &usage):
		return &Error{Unfit, err}
	case errors.As(err, &limit) && !limit.Fixed:
		if short == nil || limit.Unit == scenes.UnitTriangles {
			return &Error{Unfit, limit}
		}
		short.Need = limit.Want
		return errorf(Unfit, "%s: the mesh %s", Name(mesh), short.Text())
	case errors.As(err, &file):
		if info, err := os.Stat(mesh); err == nil && info.IsDir() {
			return errorf(Damaged, "%s: %w", mesh, ErrFolder)
		}
		return errorf(Damaged, "%s: %w", Name(mesh), file.Err)
	}
	return &Error{Damaged, err}
}

// FitError returns an error with a Kind for an error of fitting a camera.
func FitError(ctx context.Context, err error) error {
	var known *Error
	switch {
	case err == nil || errors.As(err, &known):
		return err
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, render.ErrBlank):
		return &Error{Blank, err}
	}
	return &Error{Unfit, err}
}

// A KeyframesError states why there is no path of the camera through the keyframes.
type KeyframesError struct{ Err error }

// Error returns the text.
func (e *KeyframesError) Error() string { return "keyframes: " + e.Err.Error() }

// Unwrap returns the cause.
func (e *KeyframesError) Unwrap() error { return e.Err }
