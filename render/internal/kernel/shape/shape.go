// Package shape finds the normals of triangles and the weights of their corners, many triangles at a time. The
// specification is package surface's, triangle by triangle; where a processor has no vectors that is what runs.
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
	Normal = 1 // what that stands for, three columns
	Weight = 4 // of the corners, three columns
	// Columns is how many there are.
	Columns = 7
)

// A Batch is what was found of some triangles.
type Batch [Columns][Capacity]float32

// A Loop finds what is wanted of triangles from number first on, of which there is at least one and at most Capacity, and
// returns of how many: all but fewer than a vector. Coordinates are multiplied by scale, a power of two.
type Loop func(x, y, z *[3][]float32, first, n int, scale float32, b *Batch) int

// Select returns the loop for an instruction set, nil for none.
func Select(level isa.Level) Loop { return selectLoop(level) }
