package scenes

import (
	"errors"
	"fmt"

	"lockstep/scenes/internal/text"
)

// ErrUnknownFormat is the error for an input that is not a mesh in any of the formats that were tried. Errors that wrap
// ErrUnknownFormat name the input and tell what it looks like.
var ErrUnknownFormat = errors.New("unknown mesh format")

// ErrNotSeekable is the error for an input whose blocks cannot be read repeatedly and in any order. The input is not a
// regular file, or it is compressed, or its format can only be read from start to end. It may still be possible to read
// the whole input into memory.
var ErrNotSeekable = errors.New("not a mesh file that can be read by blocks")

// A DamageError tells where and how an input is damaged.
type DamageError struct {
	File  string // name of the input
	Place string // such as "byte 84" or "line 12"
	Err   error  // error at Place
}

// Error returns one line: the file, the place and the damage.
func (e *DamageError) Error() string {
	return fmt.Sprintf("%s: %s: %v", text.OneLine(e.File), e.Place, e.Err)
}

// Unwrap returns e.Err.
func (e *DamageError) Unwrap() error { return e.Err }
