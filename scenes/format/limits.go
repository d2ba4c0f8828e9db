package format

import "lockstep/scenes"

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

// Repeated returns a *scenes.LimitError if triangles are more than a file of this size may have by
// drawing the same ones again and again. Bytes of files beside it that were read count, those of a packed file as
// they are packed.
func (in *Input) Repeated(triangles int64) error {
	free := min(freeTriangles+freeAByte*in.own(), mostFreeTriangles)
	return in.bound(scenes.UnitTriangles, triangles, free, trianglesPerByte)
}

// bound returns a *scenes.LimitError if n is more than free and perByte for each byte of the input.
func (in *Input) bound(unit string, n, free, perByte int64) error {
	if most := free + perByte*in.own(); n > most {
		return &scenes.LimitError{File: in.Options.Name, Unit: unit, Want: n, Limit: most, Fixed: true}
	}
	return nil
}

// A Budget is how much of one kind of work an input may ask for, see Spend.
type Budget struct {
	Unit          string // of the work
	Free, PerByte int64
	spent         int64
}

// Spend counts work that a file asks for, before it is done. The error is a *scenes.LimitError.
func (b *Budget) Spend(in *Input, n int64) error {
	b.spent += n
	return in.bound(b.Unit, b.spent, b.Free, b.PerByte)
}

// Allow returns a *scenes.LimitError if the triangles of a mesh, or the bytes that its
// reader holds, are more than the options allow. A reader calls it before it
// allocates memory that grows with the mesh; memory counts all such memory that
// it then holds at once.
func (in *Input) Allow(triangles, memory int64) error {
	return in.Options.Allow(triangles, memory)
}
