package report

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

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
