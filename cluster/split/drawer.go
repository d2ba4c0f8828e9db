package split

import "context"

// Rows is a range of tile rows, Lo to Hi-1. A tile row is a row of tiles of the picture.
type Rows struct{ Lo, Hi int }

// Len returns the number of rows.
func (r Rows) Len() int { return r.Hi - r.Lo }

// A Shape holds the dimensions of a film's frames. It must be the same on all nodes.
type Shape struct {
	Frames int `json:"frames"`
	Blocks int `json:"blocks"` // blocks of the mesh
	Rows   int `json:"rows"`   // tile rows of a picture
	Width  int `json:"width"`  // in pixels
	Height int `json:"height"`
	// TileHeight is the number of pixel rows in a tile row. The last tile row may have fewer pixel rows.
	TileHeight int `json:"tileHeight"`
	// Slab is the number of pixel rows that are encoded together, see Encoder. The last slab may have fewer. If Slab is
	// 0, nodes send pixels.
	Slab int `json:"band,omitempty"`
}

// A Drawer draws parts of frames. Only one goroutine calls its methods.
type Drawer interface {
	Shape() Shape
	// Draw draws blocks of a frame. The caller releases the layer when it no longer needs it.
	Draw(ctx context.Context, frame int, blocks []int) (Layer, error)
	// Needed returns the tile rows whose keys are needed to compute the colours of the tile rows in own.
	Needed(frame int, own Rows) (Rows, error)
	// Light returns the RGBA pixels of the tile rows in own, and how many of these pixels show something. layers
	// returns the keys of a tile row, one slice for each node; several goroutines may call it at once. The next call of
	// Light may reuse the memory of the pixels.
	Light(ctx context.Context, frame int, own Rows, layers func(row int) [][]byte) (pixels []byte, covered int, err error)
}

// An Encoder is a Drawer that also encodes slabs of the picture's file. It is required if Shape.Slab is not 0. Each
// slab is encoded on its own, and the result must not depend on the node.
type Encoder interface {
	Drawer
	// Encode appends slabs lo to hi-1 of a picture to dst. pixels holds the pixels of the rows of these slabs, as Light
	// returns them. If lo is not 0, pixels begins with the row above the slabs.
	Encode(ctx context.Context, dst []byte, lo, hi int, pixels []byte) ([]byte, error)
}

// A Prefetcher is a Drawer that can read blocks ahead.
type Prefetcher interface {
	// Prefetch reads the blocks of the next plan. Meanwhile another goroutine draws frames by the current plan. Errors
	// are ignored, because Draw returns the same ones.
	Prefetch(ctx context.Context, blocks []int) error
}

// A Layer holds the keys of some blocks in a frame.
type Layer interface {
	// Row returns the keys of a tile row. It is empty if the blocks show nothing there.
	Row(row int) []byte
	// Samples returns the number of samples of a tile row in which the blocks show something. The cost of lighting the
	// row grows with this number.
	Samples(row int) int
	// Seconds returns the drawing times of the blocks, in the order of Draw's argument.
	Seconds() []float64
	Release()
}
