// Package occlude finds how open the sky is above cells of a picture, a row at a time. The specification of its loops
// is surface.Occlusion.
package occlude

import "lockstep/vp/isa"

const (
	// Taps is the number of places that a cell looks at to find what hides its sky.
	Taps = 12
	// Lanes is the number of cells that the loops work on at a time.
	Lanes = 16
	// Pixels is the most pixels that a call of Around handles.
	Pixels = 64
	// Margin is the number of cells on each side of a row that loops may read; on the right they may also write them.
	// The cells there, and those in RowMargin rows above and below the grid, show nothing.
	Margin    = Lanes
	RowMargin = 4
	// FarthestTap limits the radius in cells. With a larger radius, near surfaces would look at places too far apart to
	// be meaningful.
	FarthestTap = 160
	// TooNear is the radius in cells below which a picture could not show that anything is hidden.
	TooNear = 1
	// Shallow is the sine of the angle above the tangent plane below which a surface hides nothing. The faces of a
	// coarse surface that is drawn smooth rise above each other by about as much.
	Shallow = 0.2
	// Shift makes offsets of taps positive, so that truncation rounds them down.
	Shift = 1024
	// Beyond is larger than the distance of any cell that shows something. Other cells have +Inf.
	Beyond = 0x1p127 * (1 + (1 - 0x1p-23))
)

// A View holds what all cells of a picture share, in the unit of their distances. surface.Occlusion.Begin sets it.
type View struct {
	Perspective bool
	PerCell     float32 // width of a cell; in perspective, at distance 1
	CenterX     float32 // of the picture, in cells
	MiddleY     float32 // the vertical centre in cells, less half a cell
	Most        float32 // radius in cells; in perspective, at distance 1
	Radius2     float32
	Bias        float32
	Centre      float32
	Low         float32
	PerHigh     float32
	Inverse6    float32
	PerOff      float32 // reciprocal of the distance from the tangent plane at which a cell no longer counts in an average
}

// Offsets are the places that 16 adjacent cells look at, relative to the cell, in units of the radius.
type Offsets [Taps][2][Lanes]float32

// A Grid holds all cells. Cell (x, y) is element First + y*Stride + x of the columns.
type Grid struct {
	Width, Height, Stride, First int

	Z             []float32 // distance along the view, +Inf if the cell shows nothing
	NX, NY, NZ    []float32 // normal in camera space, z towards the eye
	Open, Between []float32 // how open the sky is; Between holds it after averaging along rows
}

// A Look sets Open to how open the skies are of cells x to end (exclusive) of row y. x must be a multiple of Lanes. It
// also sets the cells from end up to the next multiple.
type Look func(v *View, g *Grid, o *Offsets, x, end, y int)

// An Average writes weighted means of four cells, the cell itself and the three at the offsets others, which are at
// most RowMargin. If down is false it averages along the row, from Open to Between; otherwise across rows, from Between
// to Open.
type Average func(v *View, g *Grid, down bool, others [3]int, x, end, y int)

// An Around sets open, in whole vectors, to how open the skies above n adjacent pixels from (x, y) on are, whose
// distances along the view are given. It is the mean of the four cells around each pixel, weighted by how near they are
// in the picture and by how little they differ in depth; a cell that differs by 1/perNear does not count. x must be
// even.
type Around func(g *Grid, perNear float32, distance, open *[Pixels]float32, n, x, y int)

// An IsOpen reports whether all cells that Around would average for n pixels have open skies. The pixels then have open
// skies too, whatever their distances. Cells beyond these, up to a whole vector, must be open as well.
type IsOpen func(g *Grid, n, x, y int) bool

// A Nearest finds what adjacent cells show if their pixels have four samples each: the nearest of the first samples of
// a cell's four pixels, the earliest in reading order among equals. It handles as many whole vectors of cells as upper
// has keys for. upper and lower hold the first row of samples of the cells' upper and lower pixels. Nearest sets the
// nearness and the triangle of each cell, 0 if it shows nothing, and its place. The place is first for the upper left
// pixel of the first cell, 1 more for each pixel to the right, and below more for lower pixels.
type Nearest func(upper, lower []uint64, first, below uint32, nearness []float32, triangles, places []uint32)

// Loops holds the loops for one instruction set.
type Loops struct {
	Nearest Nearest
	Look    Look
	Average Average
	Around  Around
	IsOpen  IsOpen
}

// Select returns the loops for an instruction set. If it returns nil, cells have to be computed one by one.
func Select(level isa.Level) *Loops { return selectLoops(level) }
