package scenes

import (
	"fmt"

	"lockstep/scenes/internal/text"
)

// A LimitError says that a mesh is larger than ReadOptions allow, or draws the same things
// more often than any file of its size should.
type LimitError struct {
	File  string // name of the input
	Unit  string // UnitTriangles or UnitBytes
	Want  int64  // how many the mesh needs, as far as it has been read
	Limit int64  // how many it may have
	Fixed bool   // whatever the options say: small files may claim to be huge
}

// The units of limits.
const (
	UnitTriangles = "triangles"
	UnitBytes     = "bytes of memory"
)

// Error returns one line: file, what was wanted, limit.
func (e *LimitError) Error() string {
	return fmt.Sprintf("%s: the mesh needs at least %d %s, the limit is %d", text.OneLine(e.File), e.Want, e.Unit, e.Limit)
}

// TriangleBytes is the memory of a triangle in a Mesh or Block without colours.
// Colours take ColorBytes more.
const (
	TriangleBytes = 9 * 4
	ColorBytes    = 4
)

// Allow returns a *LimitError, which names o.Name, if the triangles of a mesh or the bytes of
// memory that it takes are more than o allows.
func (o *ReadOptions) Allow(triangles, memory int64) error {
	switch {
	case o.MaxTriangles > 0 && triangles > o.MaxTriangles:
		return &LimitError{File: o.Name, Unit: UnitTriangles, Want: triangles, Limit: o.MaxTriangles}
	case o.MaxMemory > 0 && memory > o.MaxMemory:
		return &LimitError{File: o.Name, Unit: UnitBytes, Want: memory, Limit: o.MaxMemory}
	}
	return nil
}
