// Package occlude computes the open share of the sky above cells (two by two pixels) of a picture, a row at a time.
// The specification of its loops is surface.Occlusion.
//
// The open share is the part of the sky that no surface nearby hides. The loops look for such surfaces at a few places
// around a cell, called taps.
package occlude

import "lockstep/vp/isa"

const (
	// Taps is the number of places around a cell at which the loops look for surfaces that hide its sky.
	Taps = 12
	// Lanes is the number of cells that the loops work on at a time.
	Lanes = 16
	// Pixels is the largest number of pixels that a call of Edges handles.
	Pixels = 64
	// Margin is the number of additional cells beside a row, on each side. Loops may read them, and write those on the
	// right. These cells, and those in the RowMargin rows above and below the grid, show nothing.
	Margin    = Lanes
	RowMargin = 4
	// FarthestTap is the largest distance of a tap from its cell, in cells. Surfaces near the eye would otherwise have
	// taps too far apart to be meaningful.
	FarthestTap = 160
	// MinReach is the least radius of the taps, in cells, at which occlusion is computed. With a smaller radius, cells
	// are too coarse to show what hides the sky.
	MinReach = 1
	// Shallow is the sine of the least angle at which a surface hides the sky. Surfaces that rise less above the
	// tangent plane hide nothing. Otherwise the faces of a coarse mesh, which rise above each other by about as much,
	// would darken each other although they are drawn smooth.
	Shallow = 0.2
	// MinOpen is the least open share of the sky. It is above 0 because walls reflect some light into a deep corner.
	MinOpen = 0.25
	// Shift is added to offsets of taps. The sums are positive, so truncation rounds them down.
	Shift = 1024
	// LeapPart is the least difference of depths at which two cells count as different surfaces. Its unit is the
	// difference at which a cell no longer counts for a pixel.
	LeapPart = 0.25
	// BentDot is the cosine between the normals of two cells below which they count as different surfaces.
	BentDot = 0.7
	// SkyDiff is the largest difference between two open shares that count as equal. It is a step or two of 8-bit
	// sRGB.
	SkyDiff = 0.03
	// MaxDistance is above the distance of any cell that shows something. Cells that show nothing have the distance
	// +Inf.
	MaxDistance = 0x1p127 * (1 + (1 - 0x1p-23))
)

// A View holds the values that all cells of a picture share. Lengths have the same unit as the distances of cells.
// surface.Occlusion.Begin sets it.
type View struct {
	Perspective bool
	PerCell     float32 // width of a cell; in perspective, width at distance 1
	CenterX     float32 // horizontal centre of the picture, in cells
	MiddleY     float32 // vertical centre of the picture, in cells, less half a cell
	Reach       float32 // radius in cells; in perspective, radius at distance 1
	Radius2     float32 // square of the radius; surfaces farther away do not hide the sky
	Bias        float32 // subtracted from the height of a surface above the tangent plane
	Centre      float32 // added to the squared distance of a surface, which limits the effect of very near surfaces
	Low         float32 // a surface that lies in front of the cell by at most Low counts fully
	PerHigh     float32 // 1 / d: a surface that lies in front by Low + d or more does not count
	Inverse6    float32 // factor that converts the sum over all taps to the hidden share of the sky
	// PerOff is 1 / d, where d is the distance from the tangent plane at which a cell no longer counts in an average.
	PerOff float32
}

// Offsets are the taps of 16 adjacent cells: positions relative to each cell, in units of the radius.
type Offsets [Taps][2][Lanes]float32

// A Grid holds all cells. Cell (x, y) is element First + y*Stride + x of each slice.
type Grid struct {
	Width, Height, Stride, First int

	Z          []float32 // distance along the view, +Inf if the cell shows nothing
	NX, NY, NZ []float32 // normal in camera space, z towards the eye
	// Open is the open share of the sky. It is averaged in two steps: along rows into Between, and then across rows.
	Open, Between []float32
}

// A Look computes the open share of the sky above cells x to end (exclusive) of row y, and writes it to Open. x must
// be a multiple of Lanes. The cells from end to the next multiple of Lanes are set too.
type Look func(v *View, g *Grid, o *Offsets, x, end, y int)

// An Average smooths the open share: it computes the weighted mean of each cell and three more cells, at the offsets
// `others`. The offsets must not exceed RowMargin. If down is false, it averages along row y, from Open to Between.
// Otherwise it averages across rows, from Between to Open.
type Average func(v *View, g *Grid, down bool, others [3]int, x, end, y int)

// An Around function stores in `open` the open shares of the sky above n adjacent pixels from (x, y) on, in whole
// vectors. x must be even. distance has the pixels' distances along the view.
//
// The result is the mean of the four cells around each pixel. A cell has more weight if it is nearer in the picture,
// and less if its depth differs more. A cell whose depth differs by 1/perNear does not count.
type Around func(g *Grid, perNear float32, distance, open []float32, n, x, y int)

// An IsOpen function reports whether the whole sky is open above all cells that Around would average for n pixels from
// (x, y) on. The sky is then open above these pixels too, whatever their distances. The function tests whole vectors of
// cells, so it may also return false because of a cell to the right of them.
type IsOpen func(g *Grid, n, x, y int) bool

// An Edges function finds places where four adjacent cells show different surfaces, around n adjacent pixels from (x,
// y) on. x must be even, and n at most Pixels.
//
// Bit i of the result is for the four cells around pixels x + 2i - 1 and x + 2i. It is set if two of these cells with a
// common side show different surfaces, see surface.Occlusion.cellsDiffer. A cell whose depth differs by 1/perNear does
// not count for a pixel. Bits after the last place are arbitrary.
type Edges func(g *Grid, perNear float32, n, x, y int) uint64

// A Nearest finds the triangle that each of some adjacent cells shows, for pixels of four samples. Of each of the
// cell's four pixels, only the first sample counts. The cell shows the nearest of these four samples. If several are
// equally near, it shows the first of them in reading order. upper and lower hold the first row of samples of the
// cells' upper and lower pixels. A Nearest handles as many whole vectors of cells as upper has keys for.
//
// It sets three values for each cell: the nearness, the triangle, and the place of the sample's pixel. Nearness and
// triangle are 0 if the cell shows nothing. The place of pixel x from the left is first + x in the upper row, and first
// + x + below in the lower row.
type Nearest func(upper, lower []uint64, first, below uint32, nearness []float32, triangles, places []uint32)

// Loops holds the loops for one instruction set.
type Loops struct {
	Nearest Nearest
	Look    Look
	Average Average
	Around  Around
	IsOpen  IsOpen
	Edges   Edges
}

// Select returns the loops for an instruction set. If it returns nil, cells are computed one by one.
func Select(level isa.Level) *Loops { return selectLoops(level) }
