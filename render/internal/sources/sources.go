// Package sources finds out whether there is a mesh to read before anything reads it.
package sources

import (
	"context"
	"errors"
	"reflect"

	"lockstep/scenes"
)

var (
	errNoContext = errors.New("expected a context, not nil")
	errNoSource  = errors.New("expected a mesh or another source, not nil")
)

// Check returns an error for a context or a source that is nil, for a source that is a nil pointer, and for
// one that embeds a mesh as its first field which is nil. All that reads a source of a caller begins so.
func Check(ctx context.Context, source scenes.Source) error {
	if ctx == nil {
		return errNoContext
	}
	if missing(source) {
		return errNoSource
	}
	return nil
}

var meshType = reflect.TypeFor[*scenes.Mesh]()

// missing reports whether the methods of a source would read memory that is not there.
func missing(source scenes.Source) bool {
	switch s := source.(type) {
	case nil:
		return true
	case *scenes.Mesh: // most sources, without reflection
		return s == nil
	}
	v := reflect.ValueOf(source)
	if v.Kind() != reflect.Pointer {
		return false
	}
	if v.IsNil() {
		return true
	}
	v = v.Elem()
	return v.Kind() == reflect.Struct && v.NumField() > 0 && v.Field(0).Type() == meshType && v.Field(0).IsNil()
}

// A Slicer is a source in memory, which can be cut anywhere.
type Slicer interface{ Slice(lo, hi int) scenes.Block }

// Blocks returns how many blocks there are whose numbers others go by: of a source in memory, those of size triangles,
// else its own.
func Blocks(source scenes.Source, size int) int {
	if _, ok := source.(Slicer); ok {
		return (source.Len() + size - 1) / size
	}
	return scenes.NumBlocks(source)
}
