// Package tile says how the samples of a frame lie in memory: in tiles, in which frames are cleared and merged, and in
// rows of tiles.
package tile

import (
	"lockstep/render/internal/keycode"
	"lockstep/render/internal/spanstore"
)

// A tile is the unit in which frames are cleared and merged. It is eight cache
// lines of eight samples wide, and low, so that the tiles along slanting outlines
// have few samples that are not covered. Both sides are multiples of the largest
// sample grid.
const (
	Width  = keycode.Width
	Height = keycode.Height
)

// Grid returns how many samples lie along the side of a pixel that has the given number of them.
func Grid(samples int) int {
	switch samples {
	case 4:
		return 2
	case 16:
		return 4
	}
	return 1
}

// A Layout is how samples lie in a frame.
type Layout struct {
	Stride         int // keys from row to row, see stride
	TilesX, TilesY int
}

// New returns the layout of a frame of so many samples.
func New(width, height int) Layout {
	tilesX := (width + Width - 1) / Width
	return Layout{Stride: stride(tilesX), TilesX: tilesX, TilesY: (height + Height - 1) / Height}
}

// Keys returns how many keys a frame holds.
func (l Layout) Keys() int { return l.Stride * l.TilesY * Height }

// stride returns the number of keys from row to row: those of the tiles, and some unused
// ones for two reasons. Rows must not lie about a page apart. A processor compares the low
// bits of addresses, so it takes a load for one of a value just stored at the same place of
// another page, and waits: in a picture 512 wide the z-buffer took 1.15 times as long. And
// rows must lie an odd number of cache lines apart, so that the lines of a column use all sets
// of a cache. With rows 80 lines apart they used four sets of 64, and for polygons as tall as
// such a picture the z-buffer took 1.3 times as long.
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
	// storeLeast is the size of a private frame, in bytes, from which spans are stored. Smaller
	// frames stay in a second-level cache anyway.
	storeLeast = 1 << 20
	// storePart says that the spans of a worker may take one part in storePart of a private
	// frame's size. All spans of the bunny with four samples take a third of a frame.
	storePart = 2
	// storeMost bounds them, in bytes.
	storeMost = 64 << 20
)

// StoreChunks returns how many chunks of spans a worker stores: 0 where that does not pay.
func (l Layout) StoreChunks() int {
	bytes := 8 * l.Keys()
	n := min(bytes/storePart, storeMost) / spanstore.ChunkBytes
	if bytes < storeLeast || n < 2*l.TilesY || !l.Stores() {
		return 0 // small, or so narrow that most chunks would stay empty, or very wide
	}
	return n
}

// Stores reports whether the places of a frame fit into stores by rows of tiles.
func (l Layout) Stores() bool {
	return l.Stride*Height <= spanstore.MostKeys && int64(l.Keys()) <= spanstore.MostFrame
}

// StoreBytes returns the bytes that a worker's span store takes.
func (l Layout) StoreBytes() int64 {
	n := l.StoreChunks()
	if n == 0 {
		return 0
	}
	return int64(n+1)*spanstore.ChunkBytes + 8*int64(l.Stride*Height)
}

// Rows is a range of rows of tiles of a picture, Hi exclusive.
type Rows struct{ Lo, Hi int }

// Len returns the number of rows.
func (t Rows) Len() int { return t.Hi - t.Lo }

// Has reports whether a row is one of the range.
func (t Rows) Has(ty int) bool { return t.Lo <= ty && ty < t.Hi }

// Within returns the range with a margin on both sides, inside n rows.
func (t Rows) Within(margin, n int) Rows {
	return Rows{max(t.Lo-margin, 0), min(t.Hi+margin, n)}
}
