// Package spanstore stores the spans of a frame by tile row, until each tile row is merged into a buffer.
//
// A tile row is a row of tiles, see package tile. Its keys fit into a cache while its spans are merged.
package spanstore

import (
	"lockstep/render/internal/kernel/array"
	"lockstep/render/internal/kernel/keep"
	"lockstep/vp/hugepages"
)

const (
	// ChunkSpans is the number of spans in a chunk. A chunk holds spans of one tile row.
	ChunkSpans = keep.ChunkSpans
	// ChunkBytes is the memory of a chunk, in bytes.
	ChunkBytes = 16*ChunkSpans + 4
	// MaxRowKeys is the largest number of keys of a tile row. MaxFrameKeys is the largest number of keys of a frame.
	MaxRowKeys   = keep.MaxRowKeys
	MaxFrameKeys = keep.MaxFrameKeys
)

// A Store stores spans. After Empty, its memory is used again.
type Store struct {
	rows  keep.Rows
	loops *keep.Loops
}

// Begin empties the store and prepares it for a frame. rows is the number of tile rows. keys is the number of keys in
// each: 2 to MaxRowKeys, and at most MaxFrameKeys in all. chunks is the number of chunks that the store can hold.
func (s *Store) Begin(rows, keys, chunks int, loops *keep.Loops) {
	if keys > MaxRowKeys || int64(rows)*int64(keys) > MaxFrameKeys {
		panic("spanstore: too many keys")
	}
	b := &s.rows
	if len(b.Previous) <= chunks {
		*b = keep.Rows{} // lets the old memory be garbage collected before more is allocated
		b.Previous = make([]uint32, chunks+1)
		b.Records = hugepages.Make[keep.Record]((chunks + 1) * ChunkSpans)
	}
	if cap(b.Next) < rows {
		b.Next = make([]uint32, rows)
	}
	b.Next, b.Keys, s.loops = b.Next[:rows], uint32(keys), loops
	s.Empty()
}

// Empty removes all spans.
func (s *Store) Empty() {
	s.rows.Used = 1
	clear(s.rows.Next)
}

// HasRoom reports whether n more spans are certain to fit.
func (s *Store) HasRoom(n int) bool { return s.rows.Room() >= n }

// Add stores spans of the frame. The caller must make sure that they fit, see HasRoom. Each span must lie in one tile
// row and have at most keep.MaxCount samples. tested is the number of samples that the z-buffer will test for these
// spans. The z-buffer tests them in runs of zbuffer.RunPixels samples; runs is the number of these runs.
func (s *Store) Add(spans *array.Spans) (tested, runs int64) { return s.loops.Keep(&s.rows, spans) }

// Last returns the argument of the first call of Merge or Unpack for tile row ty. It is 0 if the tile row has no
// spans.
func (s *Store) Last(ty int) uint32 { return s.rows.Next[ty] }

// Merge merges one chunk of a tile row's spans into keys. Callers call it with the result of Last, and then with the
// result of the previous call, until that is 0. keys are the keys of the tile row; in the last tile row of a frame
// there may be fewer. scratch must have memory for ChunkSpans spans.
func (s *Store) Merge(end uint32, keys []uint64, scratch *array.Spans) (before uint32) {
	b := &s.rows
	chunk := (end - 1) / ChunkSpans
	s.loops.Merge(keys, b.Records[chunk*ChunkSpans:][:ChunkSpans], int(end-chunk*ChunkSpans), scratch)
	return b.Previous[chunk]
}

// Unpack sets spans to one chunk of a tile row's spans. Callers call it with the result of Last, and then with the
// result of the previous call, until that is 0. spans must have memory for ChunkSpans spans.
func (s *Store) Unpack(end uint32, spans *array.Spans) (before uint32) {
	b := &s.rows
	chunk := (end - 1) / ChunkSpans
	s.loops.Unpack(b.Records[chunk*ChunkSpans:][:ChunkSpans], int(end-chunk*ChunkSpans), spans)
	return b.Previous[chunk]
}
