// Package tile defines how the samples of a frame lie in memory: in tiles, in which frames are cleared and merged, and
// in tile rows.
//
// A tile row is a row of tiles: all samples of a frame in Height rows.
package tile

import (
	"lockstep/render/internal/keycode"
	"lockstep/render/internal/spanstore"
)

// Width and Height are the size of a tile in samples. Frames are cleared and merged tile by tile. A tile is as wide as
// eight cache lines of eight samples. It is low, because a low tile along a slanting outline contains few uncovered
// samples. Both sides are multiples of the largest sample grid.
const (
	Width  = keycode.Width
	Height = keycode.Height
)

// Grid returns the number of samples along the side of a pixel that has the given number of samples.
func Grid(samples int) int {
	switch samples {
	case 4:
		return 2
	case 16:
		return 4
	}
	return 1
}

// A Layout describes where the key of each sample of a frame lies in memory.
type Layout struct {
	Stride         int // number of keys between the starts of two rows, see stride
	TilesX, TilesY int
}

// New returns the layout of a frame of width by height samples.
func New(width, height int) Layout {
	tilesX := (width + Width - 1) / Width
	return Layout{Stride: stride(tilesX), TilesX: tilesX, TilesY: (height + Height - 1) / Height}
}

// Keys returns the number of keys of a frame.
func (l Layout) Keys() int { return l.Stride * l.TilesY * Height }

// stride returns the number of keys between the starts of two rows. It is larger than the number of keys in a row of
// tiles, for two reasons:
//
//   - It must not be close to a multiple of a page. A processor compares only the low bits of addresses. It mistakes a
//     load for a load of a value just stored at the same offset in another page, and waits. In a picture 512 pixels
//     wide, the z-buffer took 1.15 times as long.
//   - It must be an odd number of cache lines, because the lines of a column then use all sets of a cache. With rows
//     80 lines apart, a column used four sets of 64, and polygons as tall as the picture took the z-buffer 1.3 times
//     as long.
func stride(tilesX int) int {
	const line, page = 64 / 8, 4096 / 8 // keys
	stride := tilesX * Width
	for stride%page < page/4 || stride%page > page-page/4 {
		stride += line
	}
	if stride/line%2 == 0 {
		stride += line
	}
	return stride
}

const (
	// minStoreFrame is the least size of a private frame, in bytes, for which spans are stored and drawn later, tile
	// row by tile row. Smaller frames fit into a second-level cache anyway.
	minStoreFrame = 1 << 20
	// storeDivisor limits the memory for a worker's spans to the size of its private frame divided by storeDivisor.
	// With four samples a pixel, all spans of the bunny have a third of the frame's size.
	storeDivisor = 2
	// maxStoreBytes limits the memory for a worker's spans, in bytes.
	maxStoreBytes = 64 << 20
)

// StoreChunks returns the number of chunks of spans that a worker can store. It returns 0 if storing spans saves no
// time.
func (l Layout) StoreChunks() int {
	bytes := 8 * l.Keys()
	n := min(bytes/storeDivisor, maxStoreBytes) / spanstore.ChunkBytes
	if bytes < minStoreFrame || n < 2*l.TilesY || !l.FitsStore() {
		return 0 // the frame is small, too wide for the store, or so narrow that most chunks would stay empty
	}
	return n
}

// FitsStore reports whether the frame fits the span store, whose records have few bits for the position of a span.
func (l Layout) FitsStore() bool {
	return l.Stride*Height <= spanstore.MaxRowKeys && int64(l.Keys()) <= spanstore.MaxFrameKeys
}

// StoreBytes returns the memory in bytes of a worker's span store and its buffer for a tile row.
func (l Layout) StoreBytes() int64 {
	n := l.StoreChunks()
	if n == 0 {
		return 0
	}
	return int64(n+1)*spanstore.ChunkBytes + 8*int64(l.Stride*Height)
}

// Rows is a range of tile rows of a picture. Hi is exclusive.
type Rows struct{ Lo, Hi int }

// Len returns the number of tile rows.
func (t Rows) Len() int { return t.Hi - t.Lo }

// Has reports whether tile row ty is in the range.
func (t Rows) Has(ty int) bool { return t.Lo <= ty && ty < t.Hi }

// Within returns the range extended by margin on both sides, limited to tile rows 0 to n (exclusive).
func (t Rows) Within(margin, n int) Rows {
	return Rows{max(t.Lo-margin, 0), min(t.Hi+margin, n)}
}
