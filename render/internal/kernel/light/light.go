// Package light lights points of triangles in batches. A point stands for all samples of a pixel that show the same
// triangle. The specification of its loops is the code of package surface that lights one point.
package light

import "lockstep/vp/isa"

// Strengths of the studio lights, in linear light.
const (
	KeyLight      = 0.70
	FillLight     = 0.06
	EyeLight      = 0.14 // light at the eye
	RimLight      = 0.12
	GroundLight   = 0.10 // light of the sky from below, where the ground is
	SkyLight      = 0.18 // difference between the light of the sky from above and that from below
	SpecularLight = 0.10 // highlight of the key light, with 24 as Blinn's exponent
	// MinHighlightCos is the cosine below which there is no highlight. The highlight would be less than 0.00014, half
	// of the first step of 8-bit sRGB.
	//
	// MinHighlightCos depends on the exponent of the highlight. To change the exponent, also change three other places:
	// the function power24 of package surface, the method power of this loop's generator, and the constant 0.565, which
	// stands near the calls of both. The constant is slightly less than MinHighlightCos squared.
	MinHighlightCos = 0.76
)

// Sizes of the tables of an Environment: the numbers of steps of roughness, of cosines from -1 to 1 to the axis of a
// light, and of cosines from 0 to 1 between the normal and the direction to the eye.
const (
	RoughSteps  = 16
	AroundSteps = 128
	SteepSteps  = 32
)

// Tints of the lights that mirrors show. The key light is warm. The sky and the other lamps are cool.
const (
	KeyTintRed, KeyTintGreen, KeyTintBlue    = 1, 0.97, 0.92
	FillTintRed, FillTintGreen, FillTintBlue = 0.95, 0.98, 1
	SkyTintRed, SkyTintGreen, SkyTintBlue    = 0.95, 0.98, 1
)

// Capacity is the number of points in a batch, a whole number of vectors of every instruction set. All columns of a
// batch fit into the first-level cache.
const Capacity = 128

// Steps is the number of different values of linear light. With 4096, the steps near black are smaller than a step of
// 8-bit sRGB.
const Steps = 4096

// PackHalf is half the number of steps along a side of the square onto which unit normals are mapped to pack them into
// 32 bits.
const PackHalf = 1<<15 - 1

// Columns of a Batch: an array of numbers, one for each point. A vector has three columns.
const (
	Base    = 0 // linear base colour of the point
	Color   = 3 // colour of the lit point, times its number of samples
	Weight  = 6 // number of samples that show the point
	columns = 7
)

// Columns with values of runs. A run is a sequence of points that show the same triangle; its values are computed
// once. A vector has three columns. runFlat has all bits set if runNormal0 is the normal of all points.
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

// Columns of Batch.notes, in which a loop stores values of the points for later loops. A vector has three columns.
// Before the columns are set, the loop that prepares the triangles of runs uses this memory for the numbers of these
// triangles.
const (
	noteX       = 0
	noteY       = 1
	noteOpen    = 2
	noteForward = 3
	noteNormal  = 6
	notes       = 9
)

// Tasks of the loop for points. Each task is a function of Loops.
const (
	taskLight   = 0
	taskAim     = 1
	taskNormals = 2
	taskShine   = 3
)

// Columns of finishes, see scenes.Finish. Edge is the share of light that is mirrored at grazing angles.
const (
	Metallic      = 0
	Roughness     = 1
	Edge          = 2
	Specular      = 3
	Glow          = 6 // light that the surface emits
	Transmitted   = 9 // share of the light that enters the surface and passes through it
	finishColumns = 10
)

// Lobes holds the light of one lamp as mirrors show it, by the roughness of the surface and by the cosine between the
// mirrored direction and the lamp's axis.
type Lobes [RoughSteps][AroundSteps]float32

// An Environment is the light that surfaces mirror.
//
// Lobes has the key, the fill and the rim light, each about its direction, and the sky about the up axis. Shares is
// the mirrored share of this light, by the roughness of the surface and by the cosine between its normal and the
// direction to the eye. Shares[0] is multiplied by the surface's specular colour, and Shares[1] by Edge.
type Environment struct {
	Lobes  [4]Lobes
	Shares [2][RoughSteps][SteepSteps]float32
}

// A View holds the values that all points of a frame share: the lines of sight of pixels (see surface.Lens), and the
// directions of the lights.
type View struct {
	Origin, OriginX, OriginY    [3]float32
	Forward, ForwardX, ForwardY [3]float32
	Key, Fill, Rim, Up          [3]float32
	Right, Above, Near          [3]float32 // axes of the camera, used by Normals
}

// A Batch holds points that are lit together: all points of some pixels. Loops work on whole vectors, and so also
// change elements after the last point.
type Batch struct {
	Columns [columns][Capacity]float32
	N       int

	// Weights and Sides are set by Aim. Weights[0] has the weights of the triangle's corners at each point. Weights[1]
	// and Weights[2] have them one pixel to the right and one pixel above, in the triangle's plane. Sides is negative
	// if a triangle shows its back, otherwise 0; only the sign bit counts.
	Weights [3][3][Capacity]float32
	Sides   [Capacity]float32

	// Finishes holds the finishes of the points that Mirror lights. Mirrored holds the colours that Mirror computes.
	// Passing holds the share of the light from behind that passes through the surface.
	Finishes [finishColumns][Capacity]float32
	Mirrored [3][Capacity]float32
	Passing  [Capacity]float32

	// pixels holds the pixel number of each point, from element 1 on. The elements around them hold numbers of no
	// pixel.
	pixels    [1 + Capacity + widest]int32
	runs      Runs // used if Points.Runs is nil
	runValues [runColumns][Capacity + widest]float32
	notes     [notes][Capacity]float32
	// words holds three words for each pixel: the steps of red and green, the step of blue and the alpha, and the
	// pixel's number.
	words [3][Capacity + widest]uint32
}

// Aimed returns the results of Aim for a point: its normal, turned towards the eye, and the direction away from the
// eye (forward), of any length.
func (b *Batch) Aimed(point int) (normal, forward [3]float32) {
	n := &b.notes
	return [3]float32{n[noteNormal][point], n[noteNormal+1][point], n[noteNormal+2][point]},
		[3]float32{n[noteForward][point], n[noteForward+1][point], n[noteForward+2][point]}
}

// Plane returns the first corner of a point's triangle, and the normal of the triangle's plane, of any length. Aim
// must have processed the point with Points.Runs equal to runs.
func (b *Batch) Plane(runs *Runs, point int) (corner, normal [3]float32) {
	if runs == nil {
		runs = &b.runs
	}
	run, v := runs.runOf[point], &b.runValues
	return [3]float32{v[runCorner][run], v[runCorner+1][run], v[runCorner+2][run]},
		[3]float32{v[runPlane][run], v[runPlane+1][run], v[runPlane+2][run]}
}

// SetNormal replaces the normal that Aim has computed for a point.
func (b *Batch) SetNormal(point int, normal [3]float32) {
	for axis, v := range normal {
		b.notes[noteNormal+axis][point] = v
	}
}

// Open returns the open share of the sky at a point: the part that no other surface hides. Aim has stored it.
func (b *Batch) Open(point int) float32 { return b.notes[noteOpen][point] }

// SetOpen replaces the open share of the sky at a point, see Open.
func (b *Batch) SetOpen(point int, open float32) { b.notes[noteOpen][point] = open }

// widest is the number of lanes of the widest vector.
const widest = 16

// A Record describes a triangle for lighting: the bits of the coordinates of its three corners, and the packed normals
// of the corners, or 0 without normals. A record lies in one or two cache lines. Columns would take twelve.
type Record [12]uint32

// Triangles are the triangles of a mesh. Corners are converted to (p - Pivot) * Scale.
type Triangles struct {
	Records []Record
	Pivot   [3]float32
	Scale   float32
}

// Points are the points of a row of pixels from left to right: the index of each one's triangle in Triangles.Records,
// and its place as defined by package show.
type Points struct {
	Triangles, Places []uint32
	Runs              *Runs // result of Seek for these points; nil if Seek was not called
}

// Runs are the runs of a batch: sequences of points that show the same triangle.
type Runs struct {
	points    int                       // number of points
	count     int64                     // number of runs
	runOf     [Capacity]int32           // number of the run of each point
	triangles [Capacity + widest]uint32 // number of the triangle of each run
}

// Pixels holds the values that all points of a row of pixels share.
type Pixels struct {
	Left, Top  float32 // centre of pixel 0, relative to the picture's centre
	Grid       int32   // samples along the side of a pixel; set by SetGrid
	Opaque     bool    // the background is opaque
	Background [3]float32
	Encode     *[Steps]uint8 // sRGB value of each step of linear light

	offsetScale [16]float32 // 1 / (2*Grid*n) for n samples, at index n-1
}

// SetGrid sets Grid and offsetScale.
func (p *Pixels) SetGrid(grid int32) {
	if p.Grid == grid {
		return
	}
	p.Grid = grid
	for i := range p.offsetScale {
		p.offsetScale[i] = 1 / float32(2*grid*int32(i+1))
	}
}

// SkyMargin is the number of elements that the argument `open` of Loops.Light must have after the element of the last
// pixel, because loops read whole vectors.
const SkyMargin = widest

// Loops holds the loops for one instruction set.
type Loops struct {
	// Seek finds the runs of points, at most a batch of them, and prefetches the records of their triangles. Call it
	// one batch ahead, so that the records are in the cache when the points are lit.
	Seek func(m *Triangles, points Points, to *Runs)
	// Light fills the batch with as many points as fit, and lights them. Base must hold the colours of the points'
	// triangles. Light sets Color to the colour of each point, times its number of samples. `open` holds, for each
	// pixel, the share of the sky that nothing hides.
	Light func(m *Triangles, v *View, p *Pixels, points Points, open []float32, b *Batch)
	// Aim is like Light, but computes no colours. It also sets Sides and Weights[0] and, if beside is true, Weights[1]
	// and Weights[2]. From these the caller may compute Base, and then call Shine for the colours.
	Aim   func(m *Triangles, v *View, p *Pixels, points Points, open []float32, b *Batch, beside bool)
	Shine func(v *View, b *Batch)
	// Mirror sets Mirrored to the colours of points with a finish, and Passing. Aim must have processed the points.
	// Mirror reads their base colours in Base. The colours do not include light from behind the surface.
	Mirror func(v *View, e *Environment, b *Batch)
	// Blend writes the pixels of a batch. A pixel is the mean of its points, weighted by their numbers of samples, and
	// of the background. All points of a pixel must be in the batch, one after the other.
	Blend func(p *Pixels, b *Batch, pix []byte)
	// Normals writes the normals of points to the columns `to`, turned towards the eye and in the axes of the camera.
	// There must not be more points than a batch holds. Normals writes whole vectors.
	Normals func(m *Triangles, v *View, p *Pixels, points Points, b *Batch, to *[3][]float32)
}

// Select returns the loops for an instruction set. If it returns nil, points are lit one by one.
func Select(level isa.Level) *Loops { return selectLoops(level) }
