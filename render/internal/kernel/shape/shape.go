// Package shape finds the normals of triangles and the weights of their corners, for a vector of triangles at a time.
// The specification of its loop is welder.shapeOf of package normals, which handles one triangle and is used if there
// is no loop for the processor.
package shape

import "lockstep/vp/isa"

const (
	// Capacity is the largest number of triangles in a batch.
	Capacity = 512
	// PackHalf is half the number of steps along a side of the square onto which unit normals are mapped to pack them.
	PackHalf = 1<<15 - 1
)

// Columns of a batch.
const (
	Packed = 0 // packed normal, as bits of a float32
	Normal = 1 // unpacked normal, in three columns
	Weight = 4 // weights of the corners, in three columns
	// Columns is the number of columns.
	Columns = 7
)

// A Batch holds the results for some triangles, in columns.
type Batch [Columns][Capacity]float32

// A Loop sets b to the normals and weights of n triangles from number first on. n must be 1 to Capacity. The loop
// handles only whole vectors of triangles, and returns the number of triangles that it has handled. It multiplies
// coordinates by scale, a power of two.
type Loop func(x, y, z *[3][]float32, first, n int, scale float32, b *Batch) int

// Select returns the loop for an instruction set, or nil if there is none.
func Select(level isa.Level) Loop { return selectLoop(level) }
