package scenes

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// ErrUnknownFormat says that the input is not a mesh in a format that this
// package reads. Errors that wrap it name the input and what it looks like.
var ErrUnknownFormat = errors.New("unknown mesh format")

// ErrNotSeekable says that OpenSTL was given something that cannot be read
// twice by blocks: not a regular file, or not a binary STL file. ReadFile may
// still be able to read it.
var ErrNotSeekable = errors.New("not a binary STL file that can be read by blocks")

// A DamageError says where and how an input is damaged.
type DamageError struct {
	File  string // name of the input
	Place string // "byte 84" or "line 12"
	Err   error  // what is wrong there
}

// Error returns one line: file, place, damage.
func (e *DamageError) Error() string {
	return fmt.Sprintf("%s: %s: %v", oneLine(e.File), e.Place, e.Err)
}

// Unwrap returns e.Err.
func (e *DamageError) Unwrap() error { return e.Err }

// A UsageError says that the name or a parameter of a procedural scene is
// wrong.
type UsageError struct {
	Arg string // what was given, for example "scene:spere"
	Err error  // what is wrong, and what would be right
}

// Error returns one line: argument, fault, what is known.
func (e *UsageError) Error() string { return fmt.Sprintf("%s: %v", oneLine(e.Arg), e.Err) }

// Unwrap returns e.Err.
func (e *UsageError) Unwrap() error { return e.Err }

// oneLine returns s, quoted if it would break the line or the terminal.
func oneLine(s string) string {
	if strings.ContainsFunc(s, unicode.IsControl) {
		return strconv.Quote(s)
	}
	return s
}
