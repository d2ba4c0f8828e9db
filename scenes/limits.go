package scenes

import (
	"fmt"

	"lockstep/scenes/internal/text"
)

// A LimitError reports that a mesh is larger than ReadOptions allow, or that its file repeats the same parts more often
// than is allowed for a file of its size.
type LimitError struct {
	File  string // name of the input
	Unit  string // UnitTriangles or UnitBytes
	Want  int64  // number of units needed for what has been read so far
	Limit int64  // allowed number of units
	Fixed bool   // the limit does not depend on the options
}

// Values of LimitError.Unit: the things that a limit counts.
const (
	UnitTriangles = "triangles"
	UnitBytes     = "bytes of memory"
)

// Error returns one line: the file, what the mesh needs and the limit.
func (e *LimitError) Error() string {
	return fmt.Sprintf("%s: the mesh needs at least %d %s, the limit is %d", text.OneLine(e.File), e.Want, e.Unit, e.Limit)
}

// TriangleBytes is the memory in bytes of a triangle in a Mesh or Block without colours. Colours add ColorBytes.
const (
	TriangleBytes = 9 * 4
	ColorBytes    = 4
)

// Allow returns a *LimitError for the input o.Name if the number of triangles exceeds o.MaxTriangles, or if memory, a
// number of bytes, exceeds o.MaxMemory.
func (o *ReadOptions) Allow(triangles, memory int64) error {
	switch {
	case o.MaxTriangles > 0 && triangles > o.MaxTriangles:
		return &LimitError{File: o.Name, Unit: UnitTriangles, Want: triangles, Limit: o.MaxTriangles}
	case o.MaxMemory > 0 && memory > o.MaxMemory:
		return &LimitError{File: o.Name, Unit: UnitBytes, Want: memory, Limit: o.MaxMemory}
	}
	return nil
}
