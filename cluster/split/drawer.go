package split

import "context"

// Rows is a range of rows of tiles, Hi exclusive.
type Rows struct{ Lo, Hi int }

// Len returns the number of rows.
func (r Rows) Len() int { return r.Hi - r.Lo }

// A Shape is the size of what is drawn.
type Shape struct {
	Frames int `json:"frames"`
	Blocks int `json:"blocks"` // of the mesh
	Rows   int `json:"rows"`   // of tiles, of the picture
	Width  int `json:"width"`  // pixels
	Height int `json:"height"`
	// TileHeight is the rows of pixels in a row of tiles; the last may have fewer.
	TileHeight int `json:"tileHeight"`
	// Band is the rows of pixels that are encoded by themselves, see Encoder; the last band may have
	// fewer. 0: nodes send pixels.
	Band int `json:"band,omitempty"`
}

// A Drawer draws parts of frames. Its methods are called by one goroutine.
type Drawer interface {
	Shape() Shape
	// Draw draws blocks of a frame. The layer is in use until its Release is called.
	Draw(ctx context.Context, frame int, blocks []int) (Layer, error)
	// Needed returns the rows whose keys lighting own rows needs.
	Needed(frame int, own Rows) (Rows, error)
	// Light returns the pixels of own rows, RGBA, and how many show something. layers gives
	// the rows of all layers; it may be called by several goroutines. The pixels are used until
	// the next call.
	Light(ctx context.Context, frame int, own Rows, layers func(row int) [][]byte) (pixels []byte, covered int, err error)
}

// An Encoder is a Drawer that makes pieces of files of its pictures, where Shape.Band is not 0. The
// bands of a picture, from the top, are encoded independently of each other; what is made of them
// must not depend on who makes which.
type Encoder interface {
	Drawer
	// Encode appends bands lo to hi (exclusive) of a picture to dst. pixels are those of their rows, as
	// Light returns them, and before these the row above the first, which band 0 does not have.
	Encode(ctx context.Context, dst []byte, lo, hi int, pixels []byte) ([]byte, error)
}

// A Prefetcher is a Drawer that reads blocks from somewhere.
type Prefetcher interface {
	// Prefetch reads the blocks of a plan while frames are drawn by the one before. It is called
	// by another goroutine than the Drawer's methods; errors are left to Draw.
	Prefetch(ctx context.Context, blocks []int) error
}

// A Layer holds the keys that some blocks leave in a frame.
type Layer interface {
	Row(row int) []byte
	// Samples returns how many samples a row shows something in: its share of the light's cost.
	Samples(row int) int
	// Seconds are the times of the blocks, in the order in which they were asked for.
	Seconds() []float64
	Release()
}
