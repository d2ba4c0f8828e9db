// Package light lights points of smooth triangles in batches. The specification of its
// loops is what package surface does with one point.
package light

import "lockstep/vp/isa"

// Strengths of the studio lights, linear.
const (
	KeyLight      = 0.72
	FillLight     = 0.08
	RimLight      = 0.12
	GroundLight   = 0.14 // of the hemisphere from below
	SkyLight      = 0.20 // what it has more from above
	SpecularLight = 0.06 // of the key; Blinn's exponent is 40
)

// Capacity is the number of points of a batch: whole vectors of all instruction sets, and
// a batch of all columns stays in the first-level cache.
const Capacity = 64

// Steps is the number of steps of linear light that are told apart: with 4096 those near
// black are below one step of 8-bit sRGB.
const Steps = 4096

// The columns of a batch, three where they hold vectors; Color, Normal and Step are
// results. Step holds the bits of the numbers of the colour's steps.
const (
	X       = 0
	Y       = 1
	Open    = 2
	Corner  = 3
	Edge1   = 6
	Edge2   = 9
	Plane   = 12
	Normal0 = 15
	Normal1 = 18
	Normal2 = 21
	Base    = 24
	Color   = 27
	Normal  = 30
	Step    = 33
	columns = 36
)

// A View is what all points of a frame share: the lines of its pixels and its lights.
type View struct {
	Origin, OriginX, OriginY    [3]float32
	Forward, ForwardX, ForwardY [3]float32
	Key, Fill, Rim, Up          [3]float32
}

// A Batch is points to be lit. What lies beyond the last is worked on, too, up to a whole
// vector.
type Batch struct {
	Columns [columns][Capacity]float32
	N       int
}

// A Loop finds the colours and normals of a batch.
type Loop func(v *View, b *Batch)

// Select returns the loop for an instruction set, or nil: the points are then to be lit
// one by one.
func Select(level isa.Level) Loop { return selectLoop(level) }
