package format

import "lockstep/scenes"

// A small file can cause its contents to be drawn, read or unpacked again and again. These constants limit the number
// of triangles that result, whatever the options say. A number of triangles is allowed for any file. More triangles are
// allowed for each byte of the file, because files that really need more triangles are larger.
const (
	// freeTriangles is 4 million; so many triangles take 0.3 GB. freePerByte adds free triangles for each byte of the
	// file, up to mostFreeTriangles, which is 16 million. Scenes that place the same detailed parts many times need the
	// free triangles.
	freeTriangles     = 1 << 22
	mostFreeTriangles = 1 << 24
	freePerByte       = 64
	// trianglesPerByte is greater than the number of triangles that any packed file stores in a byte.
	trianglesPerByte = 4
)

// Repeated returns a *scenes.LimitError if a file of this size may not draw this many triangles, some of them
// repeatedly. The size includes the files beside the mesh that were read. If the file is packed, its packed size
// counts.
func (in *Input) Repeated(triangles int64) error {
	free := min(freeTriangles+freePerByte*in.providedBytes(), mostFreeTriangles)
	return in.checkBound(scenes.UnitTriangles, triangles, free, trianglesPerByte)
}

// checkBound returns a *scenes.LimitError if n exceeds free plus perByte for each byte of the input.
func (in *Input) checkBound(unit string, n, free, perByte int64) error {
	if most := free + perByte*in.providedBytes(); n > most {
		return &scenes.LimitError{File: in.Options.Name, Unit: unit, Want: n, Limit: most, Fixed: true}
	}
	return nil
}

// A Budget limits how much work of one kind an input may cause, see Spend. The limit is Free units for any input, plus
// PerByte units for each of its bytes.
type Budget struct {
	Unit          string // unit of the work, for the error message
	Free, PerByte int64
	spent         int64
}

// Spend adds n to the work that the input causes. Callers call it before they do the work. The error is a
// *scenes.LimitError if the sum exceeds the budget.
func (b *Budget) Spend(in *Input, n int64) error {
	b.spent += n
	return in.checkBound(b.Unit, b.spent, b.Free, b.PerByte)
}

// Allow returns a *scenes.LimitError if triangles or memory exceed the limits of the options. A reader calls it before
// it allocates memory that grows with the mesh. memory is the total number of bytes of such memory that the reader will
// then hold.
func (in *Input) Allow(triangles, memory int64) error {
	return in.Options.Allow(triangles, memory)
}
