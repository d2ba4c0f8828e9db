// Package light lights points of triangles in batches. The specification of its
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

// The columns of a batch, three where they hold vectors; Color and Step, and Normal, are
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
	Right, Above, Near          [3]float32 // the axes of the camera
}

// FacetFloats is the number of floats of a facet.
const FacetFloats = Color - Corner

// A Facet is what a triangle brings to the columns of its points, from Corner to Base. A
// Normal1 that is no number says that Normal0 is that of all points.
type Facet [FacetFloats]float32

// A Batch is points to be lit. What lies beyond the last is worked on, too, up to a whole
// vector.
type Batch struct {
	Columns [columns][Capacity]float32
	From    [Capacity]uint32 // by point: where its facet begins, in bytes
	N       int
}

// Loops are for one instruction set.
type Loops struct {
	// Gather brings the facets of a batch's points to the columns from Corner to Base. All
	// of From must lie within the facets.
	Gather func(facets []Facet, b *Batch)
	// Light finds the colours of a batch and their steps.
	Light func(v *View, b *Batch)
	// Normals finds the normals of a batch, turned towards the eye, along the axes of the
	// camera.
	Normals func(v *View, b *Batch)
}

// Select returns the loops for an instruction set, or nil: the points are then to be lit
// one by one.
func Select(level isa.Level) *Loops { return selectLoops(level) }
