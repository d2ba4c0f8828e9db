// Package sources checks that a caller's source of triangles exists before it is read, and cuts sources into blocks.
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

// Check returns an error if the context or the source is nil. The source also counts as nil if it is a nil pointer, or
// a struct whose first field is an embedded nil mesh. Functions that read a caller's source call Check first.
func Check(ctx context.Context, source scenes.Source) error {
	if ctx == nil {
		return errNoContext
	}
	if isNil(source) {
		return errNoSource
	}
	return nil
}

var meshType = reflect.TypeFor[*scenes.Mesh]()

// isNil reports whether a method of the source would dereference a nil pointer.
func isNil(source scenes.Source) bool {
	switch s := source.(type) {
	case nil:
		return true
	case *scenes.Mesh: // the most frequent case, tested first to avoid reflection
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

// A Slicer is a source in memory. It can be cut into blocks anywhere.
type Slicer interface{ Slice(lo, hi int) scenes.Block }

// Whole returns all triangles of a source in memory, which must be a Slicer. A source whose Slice counts the triangles
// that are read has a method Whole, which is called instead and does not count.
func Whole(source scenes.Source) scenes.Block {
	if s, ok := source.(interface{ Whole() *scenes.Block }); ok {
		return s.Whole().Slice(0, source.Len())
	}
	return source.(Slicer).Slice(0, source.Len())
}

// Blocks returns the number of blocks of a source. A source in memory has blocks of `size` triangles each; other
// sources define their blocks themselves.
func Blocks(source scenes.Source, size int) int {
	if _, ok := source.(Slicer); ok {
		return (source.Len() + size - 1) / size
	}
	return scenes.NumBlocks(source)
}
