// Package shape finds the normals of triangles and the weights of their corners, many triangles at a time. Its
// specification is the code of package normals for single triangles, which runs if the processor has no vectors.
package shape

import "lockstep/vp/isa"

const (
	// Capacity is the number of triangles of a batch.
	Capacity = 512
	// PackHalf is half of the steps along a side of the square of packed normals.
	PackHalf = 1<<15 - 1
)

// The columns of a batch.
const (
	Packed = 0 // the bits of the packed normal
	Normal = 1 // the unpacked normal, three columns
	Weight = 4 // of the corners, three columns
	// Columns is the number of columns.
	Columns = 7
)

// A Batch holds the results for some triangles.
type Batch [Columns][Capacity]float32

// A Loop computes the columns of b for n triangles from number first on; n is 1 to Capacity. It handles whole vectors
// of triangles only, and returns how many triangles it has handled. It multiplies coordinates by scale, a power of two.
type Loop func(x, y, z *[3][]float32, first, n int, scale float32, b *Batch) int

// Select returns the loop for an instruction set, or nil if there is none.
func Select(level isa.Level) Loop { return selectLoop(level) }
