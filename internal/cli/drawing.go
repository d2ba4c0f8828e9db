package cli

import (
	"errors"
	"strings"

	"lockstep/render/recipe"
)

// drawingErrors maps the kinds of recipe.Error to exit codes.
var drawingErrors = map[recipe.Kind]Code{recipe.Unfit: Usage, recipe.Damaged: Input, recipe.Blank: Blank}

// A wordedError is an error of drawing whose text names flags of the command line.
type wordedError struct {
	text string
	err  error
}

// Error returns the text.
func (e *wordedError) Error() string { return e.text }

// Unwrap returns the cause.
func (e *wordedError) Unwrap() error { return e.err }

// DrawingError adds the exit code to a recipe.Error, and makes its text name flags. Other errors are returned
// unchanged.
func DrawingError(err error) error {
	var drawing *recipe.Error
	var coded *Error
	if !errors.As(err, &drawing) || errors.As(err, &coded) {
		return err
	}
	text := err.Error()
	var fault recipe.Fault
	if errors.As(err, &fault) {
		text = strings.Replace(text, fault.Error(), fault.FlagText(), 1)
	} else {
		text = recipe.FlagWords(text)
	}
	if errors.Is(err, recipe.ErrFolder) {
		text += " (render FOLDER -o OUT/ draws the meshes of a folder)"
	}
	return &Error{drawingErrors[drawing.Kind], &wordedError{text, err}}
}
