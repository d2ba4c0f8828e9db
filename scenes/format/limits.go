package format

import "lockstep/scenes"

// A small file can cause its contents to be drawn, read or unpacked again and again. These constants limit the number
// of triangles that result, whatever the options allow. A certain number of triangles is free for any file. Each byte
// of the file allows further triangles, because larger files may really contain more triangles.
const (
	// freeTriangles is the number of triangles that any file may have. They take 0.3 GB. freePerByte is how many
	// further triangles are free for each byte of the file. The total of free triangles is at most mostFreeTriangles.
	// Scenes that place detailed parts many times need so many triangles.
	freeTriangles     = 1 << 22
	mostFreeTriangles = 1 << 24
	freePerByte       = 64
	// trianglesPerByte is more than any packed file stores in a byte.
	trianglesPerByte = 4
)

// Repeated returns a *scenes.LimitError if a file of this size must not draw so many triangles. A triangle that is
// drawn several times counts each time. The size includes the files beside the mesh that were read. If the file is
// packed, its packed size counts.
func (in *Input) Repeated(triangles int64) error {
	free := min(freeTriangles+freePerByte*in.providedBytes(), mostFreeTriangles)
	return in.checkBound(scenes.UnitTriangles, triangles, free, trianglesPerByte)
}

// checkBound returns a *scenes.LimitError if n exceeds free plus perByte for each byte of the input. unit is the unit
// of n, for the error.
func (in *Input) checkBound(unit string, n, free, perByte int64) error {
	if most := free + perByte*in.providedBytes(); n > most {
		return &scenes.LimitError{File: in.Options.Name, Unit: unit, Want: n, Limit: most, Fixed: true}
	}
	return nil
}

// A Budget limits how much work of one kind an input may cause, see Spend. The limit is Free units for any input, plus
// PerByte units for each of its bytes.
type Budget struct {
	Unit          string // what is counted, for the error message
	Free, PerByte int64
	spent         int64
}

// Spend adds n to the work that the input causes. A caller must call it before it does the work. The error is a
// *scenes.LimitError if the sum exceeds the budget.
func (b *Budget) Spend(in *Input, n int64) error {
	b.spent += n
	return in.checkBound(b.Unit, b.spent, b.Free, b.PerByte)
}

// A Memory counts the bytes of memory that a reader holds for the input and for all lists that it makes.
type Memory struct {
	Held int64
	in   *Input
}

// Memory returns a count that begins with the given number of bytes.
func (in *Input) Memory(held int64) Memory { return Memory{Held: held, in: in} }

// Reserve counts n bytes that the reader will allocate. The error is that of Input.Allow if the reader would then hold
// too much. The bytes are not counted in that case.
func (m *Memory) Reserve(n int64) error {
	if err := m.in.Allow(0, m.Held+n); err != nil {
		return err
	}
	m.Held += n
	return nil
}

// Allow returns a *scenes.LimitError if triangles or memory exceed the limits of the options. A reader must call it
// before it allocates memory that grows with the mesh. memory is the number of bytes of all such memory that the reader
// holds afterwards.
func (in *Input) Allow(triangles, memory int64) error {
	return in.Options.Allow(triangles, memory)
}
