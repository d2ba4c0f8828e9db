package split

import "context"

// Rows is a range of rows of tiles; Hi is exclusive.
type Rows struct{ Lo, Hi int }

// Len returns the number of rows.
func (r Rows) Len() int { return r.Hi - r.Lo }

// A Shape holds the dimensions of a film's frames. It must be the same on all nodes.
type Shape struct {
	Frames int `json:"frames"`
	Blocks int `json:"blocks"` // of the mesh
	Rows   int `json:"rows"`   // rows of tiles in a picture
	Width  int `json:"width"`  // pixels
	Height int `json:"height"`
	// TileHeight is the number of pixel rows in a row of tiles. The last row of tiles may have fewer.
	TileHeight int `json:"tileHeight"`
	// Slab is the number of pixel rows that are encoded together, see Encoder. The last slab may have fewer. 0: nodes
	// send pixels instead of slabs.
	Slab int `json:"band,omitempty"`
}

// A Drawer draws parts of frames. Its methods are called by one goroutine.
type Drawer interface {
	Shape() Shape
	// Draw draws blocks of a frame. The caller calls Release on the layer when it does not need it any more.
	Draw(ctx context.Context, frame int, blocks []int) (Layer, error)
	// Needed returns the rows whose keys are needed to light own rows.
	Needed(frame int, own Rows) (Rows, error)
	// Light returns the RGBA pixels of own rows, and how many of them show something. layers returns a row of all
	// layers; it may be called by several goroutines. The next call may reuse the pixels.
	Light(ctx context.Context, frame int, own Rows, layers func(row int) [][]byte) (pixels []byte, covered int, err error)
}

// An Encoder is a Drawer that also encodes slabs of the picture's file. It is required if Shape.Slab is not 0. Slabs
// are encoded independently, and the result must not depend on which node encodes which slab.
type Encoder interface {
	Drawer
	// Encode appends slabs lo to hi (exclusive) of a picture to dst. pixels are those of the slabs' rows, as Light
	// returns them, preceded by the row above if lo is not 0.
	Encode(ctx context.Context, dst []byte, lo, hi int, pixels []byte) ([]byte, error)
}

// A Prefetcher is a Drawer that can read blocks ahead.
type Prefetcher interface {
	// Prefetch reads the blocks of the next plan. It runs in another goroutine than the methods of Drawer, while frames
	// are drawn by the current plan. Draw meets errors again, so they are ignored.
	Prefetch(ctx context.Context, blocks []int) error
}

// A Layer holds the keys of some blocks in a frame.
type Layer interface {
	Row(row int) []byte
	// Samples returns in how many samples of a row the blocks show something. The cost of lighting the row grows with
	// it.
	Samples(row int) int
	// Seconds returns the drawing times of the blocks, in the order of Draw's argument.
	Seconds() []float64
	Release()
}
