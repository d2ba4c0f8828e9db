// Package occlude finds how open the sky is above cells of a picture, a row at a time.
// The specification of its loops is surface.Occlusion.
package occlude

import "lockstep/vp/isa"

const (
	// Taps is the number of places that a cell looks at.
	Taps = 12
	// Lanes is the number of cells that all loops work on at a time.
	Lanes = 16
	// Pixels bounds the number of pixels that Around works on.
	Pixels = 64
	// Margin is the number of cells on each side of a row that loops may read, and on its
	// right may write. There and in RowMargin rows above and below the grid nothing is shown.
	Margin    = Lanes
	RowMargin = 4
	// FarthestTap bounds the radius in cells: beyond, near parts would look at places that
	// lie too far from each other to mean anything.
	FarthestTap = 160
	// TooNear is the radius in cells below which nothing is hidden that a picture could
	// show.
	TooNear = 1
	// Shallow is the sine of the angle above the tangent plane below which nothing hides: the
	// faces of a coarse surface that is drawn smooth stand this much out of each other.
	Shallow = 0.2
	// Shift makes offsets of taps positive, so that truncating rounds them down.
	Shift = 1024
	// Beyond is a distance that no cell has which shows something. Others have +Inf.
	Beyond = 0x1p127 * (1 + (1 - 0x1p-23))
)

// A View is what all cells of a picture share, in the units of their distances.
type View struct {
	Perspective bool
	PerCell     float32 // width of a cell, in perspective at distance 1
	CenterX     float32 // of the picture, in cells
	MiddleY     float32 // the same, less half a cell
	Most        float32 // radius in cells, in perspective at distance 1
	Radius2     float32
	Bias        float32
	Centre      float32
	Low         float32
	PerHigh     float32
	Inverse6    float32
	PerOff      float32 // reciprocal of how far off a tangent plane cells are averaged
}

// Offsets are the places that 16 cells side by side look at, in units of the radius.
type Offsets [Taps][2][Lanes]float32

// A Grid is all cells. Cell (x, y) is element First + y*Stride + x of the columns.
type Grid struct {
	Width, Height, Stride, First int

	Z             []float32 // distance along the view, +Inf where there is nothing
	NX, NY, NZ    []float32 // normal in camera space, z towards the eye
	Open, Between []float32 // Between is that after averaging along rows
}

// A Look sets Open of the cells from x, a multiple of Lanes, to end (exclusive) of row y,
// and of those up to the next multiple, to how open their skies are.
type Look func(v *View, g *Grid, o *Offsets, x, end, y int)

// An Average writes the means of four cells: along the row, from Open to Between, or
// down, back. Those are the one at hand and the others, at most RowMargin away.
type Average func(v *View, g *Grid, down bool, others [3]int, x, end, y int)

// An Around sets open, in whole vectors, to how open the skies above pixels are that lie
// side by side from (x, y) on, at distances along the view: the mean of the four cells
// around each, weighted by nearness and, up to 1/perNear, by depth. x is even.
type Around func(g *Grid, perNear float32, distance, open *[Pixels]float32, n, x, y int)

// An IsOpen reports whether all cells from which Around would average for n pixels have open skies:
// these are then open, whatever their distances. Cells beyond count, too, up to a whole vector.
type IsOpen func(g *Grid, n, x, y int) bool

// A Nearest finds what cells side by side show whose pixels have four samples, as many as keys
// of rows of samples tell of, in whole vectors: the nearest of the first samples of the four
// pixels, in reading order. upper and lower are rows of samples from those of the upper and the
// lower pixels. It sets the nearness and the triangle, 0 where there is nothing, and the place,
// which is first in the left upper pixel of the first cell, 1 more in each pixel, and below more in
// lower ones.
type Nearest func(upper, lower []uint64, first, below uint32, nearness []float32, triangles, places []uint32)

// Loops are for one instruction set.
type Loops struct {
	Nearest Nearest
	Look    Look
	Average Average
	Around  Around
	IsOpen  IsOpen
}

// Select returns the loops for an instruction set, or nil: the cells are then to be worked
// on one by one.
func Select(level isa.Level) *Loops { return selectLoops(level) }
