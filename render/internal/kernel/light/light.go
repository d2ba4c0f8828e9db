// Package light lights points of triangles in batches. The specification of its
// loops is what package surface does with one point.
package light

import "lockstep/vp/isa"

// Strengths of the studio lights, linear.
const (
	KeyLight      = 0.70
	FillLight     = 0.06
	EyeLight      = 0.14 // from the eye itself
	RimLight      = 0.12
	GroundLight   = 0.10 // of the hemisphere from below
	SkyLight      = 0.18 // what it has more from above
	SpecularLight = 0.10 // of the key; Blinn's exponent is 24
	// LeastGlint is the cosine below which there is no highlight: it would be less than 0.00014,
	// half of the first step of 8-bit sRGB. It follows from the exponent, which is the highlight's size. The exponent
	// itself is a chain of products: power24 of package surface, and power of the loop's generator. Both also have the
	// least square of the cosine, 0.565.
	LeastGlint = 0.76
)

// The steps of the tables of an Environment: of roughness, of cosines from -1 to 1 from what lies around an axis, and of
// cosines from 0 to 1 that say how steeply a surface is seen.
const (
	RoughSteps  = 16
	AroundSteps = 128
	SteepSteps  = 32
)

// Tints of what mirrors show: the key is warm, the sky and the other lamps are cool.
const (
	KeyTintRed, KeyTintGreen, KeyTintBlue    = 1, 0.97, 0.92
	FillTintRed, FillTintGreen, FillTintBlue = 0.95, 0.98, 1
	SkyTintRed, SkyTintGreen, SkyTintBlue    = 0.95, 0.98, 1
)

// Capacity is the number of points of a batch: whole vectors of all instruction sets, and
// a batch of all columns stays in the first-level cache.
const Capacity = 128

// Steps is the number of steps of linear light that are told apart: with 4096 those near
// black are below one step of 8-bit sRGB.
const Steps = 4096

// PackHalf is half of the steps along a side of the square of packed normals.
const PackHalf = 1<<15 - 1

// The columns of a batch, three where they hold vectors.
const (
	Base    = 0 // linear colour of the triangle
	Color   = 3 // in its light, times the samples that show the point
	Weight  = 6 // how many samples show the point
	columns = 7
)

// What is found of the triangles of a batch, by run of points that show the same, three columns
// where it is a vector. Flat is all bits set where Normal0 is the normal of all points.
const (
	runCorner  = 0
	runEdge1   = 3
	runEdge2   = 6
	runPlane   = 9
	runNormal0 = 12
	runNormal1 = 15
	runNormal2 = 18
	runFlat    = 21
	runColumns = 22
)

// What loops note of the points, three columns where it is a vector. The loop that prepares triangles
// notes their numbers before the others begin.
const (
	noteX       = 0
	noteY       = 1
	noteOpen    = 2
	noteForward = 3
	noteNormal  = 6
	notes       = 9
)

// The columns of finishes: see scenes.Finish. Edge is what is mirrored at grazing angles.
const (
	Metallic      = 0
	Roughness     = 1
	Edge          = 2
	Specular      = 3
	Glow          = 6 // the light that the surface gives
	finishColumns = 9
)

// Lobes is the light that arrives along a mirrored direction, by roughness and the cosine from an axis.
type Lobes [RoughSteps][AroundSteps]float32

// An Environment is what surfaces mirror, blurred by every roughness: the key, the fill and the rim about their
// directions, and the sky about the up axis. Shares is how much of it they mirror, by roughness and steepness: a factor of
// their specular colour, and what comes to that.
type Environment struct {
	Lobes  [4]Lobes
	Shares [2][RoughSteps][SteepSteps]float32
}

// A View is what all points of a frame share: the lines of its pixels and its lights.
type View struct {
	Origin, OriginX, OriginY    [3]float32
	Forward, ForwardX, ForwardY [3]float32
	Key, Fill, Rim, Up          [3]float32
	Right, Above, Near          [3]float32 // the axes of the camera
}

// A Batch is points that are lit together, all points of some pixels. What lies beyond the last
// is worked on, too, up to a whole vector.
type Batch struct {
	Columns [columns][Capacity]float32
	N       int

	// Of points that Aim found: weights of the corners of their triangles, there, and those that
	// their planes have a pixel right of there and a pixel above, and the bits of a sign where a triangle shows its back, else 0.
	Weights [3][3][Capacity]float32
	Sides   [Capacity]float32

	// Finishes are those of points that Mirror lights, and Mirrored what it finds for Color.
	Finishes [finishColumns][Capacity]float32
	Mirrored [3][Capacity]float32

	pixels [1 + Capacity + widest]int32 // by point, from 1 on; before and behind there are others
	runs   Runs                         // of points that bring none
	found  [runColumns][Capacity + widest]float32
	notes  [notes][Capacity]float32
	words  [3][Capacity + widest]uint32 // by pixel: steps of red and green; of blue, and alpha; its number
}

// Found returns what Aim found of a point: its normal, turned towards the eye, and the direction away from the eye, of any
// length.
func (b *Batch) Found(point int) (normal, forward [3]float32) {
	n := &b.notes
	return [3]float32{n[noteNormal][point], n[noteNormal+1][point], n[noteNormal+2][point]},
		[3]float32{n[noteForward][point], n[noteForward+1][point], n[noteForward+2][point]}
}

// SetNormal gives a point that Aim found another normal.
func (b *Batch) SetNormal(point int, normal [3]float32) {
	for axis, v := range normal {
		b.notes[noteNormal+axis][point] = v
	}
}

// SetOpen gives a point that Aim found another part of the sky.
func (b *Batch) SetOpen(point int, open float32) { b.notes[noteOpen][point] = open }

// widest is the number of lanes of the widest vector.
const widest = 16

// A Record is a triangle as it is lit: the bits of the coordinates of its three corners, and
// their packed normals, 0 where there are none. It lies in one or two cache lines, where columns would have twelve.
type Record [12]uint32

// Triangles are a mesh that is lit.
type Triangles struct {
	Records []Record
	Pivot   [3]float32
	Scale   float32
}

// Points are what a row of pixels shows, from left to right: triangles, and places of package
// show.
type Points struct {
	Triangles, Places []uint32
	Runs              *Runs // that Seek found of them; nil: none
}

// Runs are the runs of points of a batch that show one triangle.
type Runs struct {
	points    int                       // whose runs they are
	count     int64                     // of the runs
	of        [Capacity]int32           // by point: its run
	triangles [Capacity + widest]uint32 // by run
}

// Pixels says what the points of a row of pixels have in common.
type Pixels struct {
	Left, Top  float32 // the centre of pixel 0
	Grid       int32   // samples along a pixel's side, which SetGrid sets
	Opaque     bool    // whether the background is
	Background [3]float32
	Encode     *[Steps]uint8 // sRGB by step

	parts [16]float32 // one over twice the grid and every count of samples
}

// SetGrid sets Grid.
func (p *Pixels) SetGrid(grid int32) {
	if p.Grid == grid {
		return
	}
	p.Grid = grid
	for i := range p.parts {
		p.parts[i] = 1 / float32(2*grid*int32(i+1))
	}
}

// SkyMargin is the number of skies that there must be behind that of the last pixel.
const SkyMargin = widest

// Loops are for one instruction set.
type Loops struct {
	// Seek finds the runs of points, of which there are no more than a batch holds, and asks for the
	// memory of their triangles: done some time before the points are lit, this hides what memory takes.
	Seek func(m *Triangles, points Points, to *Runs)
	// Light finds the colours of points times their samples, as many as fit into the batch, from those of their
	// triangles in Base, under skies that are as open as open says by pixel.
	Light func(m *Triangles, v *View, p *Pixels, points Points, open []float32, b *Batch)
	// Aim finds all that Light does but for the colours, and what colours may depend on: Weights,
	// those beside the points if wanted, and Sides. Shine then finds the colours, by those in Base.
	Aim   func(m *Triangles, v *View, p *Pixels, points Points, open []float32, b *Batch, beside bool)
	Shine func(v *View, b *Batch)
	// Mirror finds in Mirrored the colours of points that Aim found and that have a finish, by those in Base.
	Mirror func(v *View, e *Environment, b *Batch)
	// Blend writes the pixels of a batch: the means of their points by weight, and of the
	// background. All points of a pixel must be in the batch, side by side.
	Blend func(p *Pixels, b *Batch, pix []byte)
	// Normals finds the normals of points, of which there are no more than a batch holds, turned
	// towards the eye, along the axes of the camera. It writes whole vectors.
	Normals func(m *Triangles, v *View, p *Pixels, points Points, b *Batch, to *[3][]float32)
}

// Select returns the loops for an instruction set, or nil: the points are then to be lit
// one by one.
func Select(level isa.Level) *Loops { return selectLoops(level) }
