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

// check returns a *LimitError if the triangles or the bytes of memory of a mesh
// are more than o allows.
func (o *ReadOptions) check(name string, triangles, memory int64) error {
	switch {
	case o.MaxTriangles > 0 && triangles > o.MaxTriangles:
		return &LimitError{File: name, Unit: UnitTriangles, Want: triangles, Limit: o.MaxTriangles}
	case o.MaxMemory > 0 && memory > o.MaxMemory:
		return &LimitError{File: name, Unit: UnitBytes, Want: memory, Limit: o.MaxMemory}
	}
	return nil
}

// A small file may draw, read or unpack what it holds again and again. What it makes in this way is bounded by
// these numbers, whatever the options say, and by so many more for each of its bytes: files that mean it are
// larger.
const (
	// 4 million triangles take 0.3 GB. 64 more a byte, up to 16 million, are for scenes that place
	// parts of many triangles.
	freeTriangles     = 1 << 22
	mostFreeTriangles = 1 << 24
	freeAByte         = 64
	// No way of packing a mesh puts four triangles into a byte.
	trianglesPerByte = 4
)

// Repeated returns a *LimitError if triangles are more than a file of this size may have by
// drawing the same ones again and again. Bytes of files beside it that were read count, those of a packed file as
// they are packed.
func (in *Input) Repeated(triangles int64) error {
	free := min(freeTriangles+freeAByte*in.own(), mostFreeTriangles)
	return in.bound(UnitTriangles, triangles, free, trianglesPerByte)
}

// bound returns a *LimitError if n is more than free and perByte for each byte of the input.
func (in *Input) bound(unit string, n, free, perByte int64) error {
	if most := free + perByte*in.own(); n > most {
		return &LimitError{File: in.Options.Name, Unit: unit, Want: n, Limit: most, Fixed: true}
	}
	return nil
}

// A Budget is how much of one kind of work an input may ask for, see Spend.
type Budget struct {
	Unit          string // of the work
	Free, PerByte int64
	spent         int64
}

// Spend counts work that a file asks for, before it is done. The error is a *LimitError.
func (b *Budget) Spend(in *Input, n int64) error {
	b.spent += n
	return in.bound(b.Unit, b.spent, b.Free, b.PerByte)
}

// Allow returns a *LimitError if the triangles of a mesh, or the bytes that its
// reader holds, are more than the options allow. A reader calls it before it
// allocates memory that grows with the mesh; memory counts all such memory that
// it then holds at once.
func (in *Input) Allow(triangles, memory int64) error {
	return in.Options.check(in.Options.Name, triangles, memory)
}
