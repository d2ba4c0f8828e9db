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
const Capacity = 128

// Most is the number of points whose triangles are looked for together.
const Most = 1024

// Steps is the number of steps of linear light that are told apart: with 4096 those near
// black are below one step of 8-bit sRGB.
const Steps = 4096

// PackHalf is half of the steps along a side of the square of packed normals.
const PackHalf = 1<<15 - 1

// The columns of a batch, three where they hold vectors. Color, Normal, and from Step on are
// results. Step, Alpha and Pixel hold the bits of whole numbers.
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
	Alpha   = 36
	Weight  = 37 // how many samples show the point
	Pixel   = 38 // the last: points behind the batch have other pixels, see Batch
	columns = 39
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
	_       [widest]float32  // pixels of the points behind, which are written past the last column
	From    [Capacity]uint32 // by point: where its facet begins, in bytes
	N       int
}

// widest is the number of lanes of the widest vector.
const widest = 16

// A Record is a triangle as its facet is prepared from: the bits of the coordinates of its
// three corners, and their packed normals. It lies in one or two cache lines, where columns would
// have twelve.
type Record [12]uint32

// Triangles are a mesh from which facets are prepared.
type Triangles struct {
	Records []Record
	Pivot   [3]float32
	Scale   float32
	Base    [3]float32
}

// A Need is triangles for which facets are wanted, and where these begin, in bytes. The last
// of both must be repeated up to a whole vector.
type Need struct {
	Triangles, To [Most + widest]uint32
	N             int
}

// Add adds a triangle.
func (n *Need) Add(triangle, to uint32) {
	n.Triangles[n.N&(Most-1)], n.To[n.N&(Most-1)] = triangle, to
	n.N++
}

// fill repeats the last triangle.
func (n *Need) fill() {
	for i := n.N; i%widest != 0; i++ {
		n.Triangles[i], n.To[i] = n.Triangles[n.N-1], n.To[n.N-1]
	}
}

// Pixels says what the points of a batch have in common that lie in a row of pixels.
type Pixels struct {
	Left, Top  float32 // the centre of pixel 0
	Grid       int32   // samples along a pixel's side
	Opaque     bool    // whether the background is
	Background [3]float32
}

// Loops are for one instruction set.
type Loops struct {
	// Prepare makes facets of triangles, and all of them need have room.
	Prepare func(m *Triangles, facets []Facet, need *Need)
	// Place finds X, Y, Open, Weight and Pixel of the points with these places, as many as fit,
	// under skies that are as open as open says by pixel.
	Place func(p *Pixels, places []uint32, open []float32, b *Batch)
	// Gather brings the facets of a batch's points to the columns from Corner to Base. All
	// of From must lie within the facets.
	Gather func(facets []Facet, b *Batch)
	// Light finds the colours of a batch.
	Light func(v *View, b *Batch)
	// Blend finds the steps of the colours of pixels and their alpha, where the first point
	// of each stands in the columns: the means of their points by weight, and of the
	// background. All points of a pixel are in the batch, side by side, since Place.
	Blend func(p *Pixels, b *Batch)
	// Normals finds the normals of a batch, turned towards the eye, along the axes of the
	// camera.
	Normals func(v *View, b *Batch)
}

// Select returns the loops for an instruction set, or nil: the points are then to be lit
// one by one.
func Select(level isa.Level) *Loops { return selectLoops(level) }
