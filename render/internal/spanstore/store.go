// Package spanstore keeps the spans of a frame by rows of its tiles, until they are merged
// into frames that are as high as one of these.
package spanstore

import (
	"lockstep/render/internal/kernel/array"
	"lockstep/render/internal/kernel/keep"
	"lockstep/vp/hugepages"
)

const (
	// ChunkSpans is how many spans of a row of tiles lie together.
	ChunkSpans = keep.ChunkSpans
	// ChunkBytes is the memory of as many.
	ChunkBytes = 16*ChunkSpans + 4
	// MostKeys bounds the keys of a row of tiles, MostFrame those of all.
	MostKeys  = keep.MostKeys
	MostFrame = keep.MostFrame
)

// A Store keeps spans. Its memory is kept when it is emptied.
type Store struct {
	rows  keep.Rows
	loops *keep.Loops
}

// Begin empties the store, and prepares it for a frame of rows of tiles with a number of keys each,
// at least 2 and at most MostKeys, together at most MostFrame, and for a number of chunks.
func (s *Store) Begin(rows, keys, chunks int, loops *keep.Loops) {
	if keys > MostKeys || int64(rows)*int64(keys) > MostFrame {
		panic("spanstore: too many keys")
	}
	b := &s.rows
	if len(b.Before) <= chunks {
		*b = keep.Rows{} // before more is asked for
		b.Before = make([]uint32, chunks+1)
		b.Records = hugepages.Make[keep.Record]((chunks + 1) * ChunkSpans)
	}
	if cap(b.Next) < rows {
		b.Next = make([]uint32, rows)
	}
	b.Next, b.Keys, s.loops = b.Next[:rows], uint32(keys), loops
	s.Empty()
}

// Empty drops all spans.
func (s *Store) Empty() {
	s.rows.Used = 1
	clear(s.rows.Next)
}

// Room reports whether n more spans are sure to fit.
func (s *Store) Room(n int) bool { return s.rows.Room() >= n }

// Add keeps spans of the frame, each in one row of tiles and of at most keep.MostCount pixels, for which
// there is room. It returns the pixels that the z-buffer will test for them, and its runs of
// vectors.
func (s *Store) Add(spans *array.Spans) (tested, runs int64) { return s.loops.Keep(&s.rows, spans) }

// Last returns where the spans of a row of tiles end, for Merge; 0 where it has none.
func (s *Store) Last(ty int) uint32 { return s.rows.Next[ty] }

// Merge merges the last spans of a row of tiles before an end into its keys, which are as many as such a row
// has or end sooner where the frame does, and returns where those before them end, 0 where there
// are none. scratch has room for ChunkSpans.
func (s *Store) Merge(end uint32, keys []uint64, scratch *array.Spans) (before uint32) {
	b := &s.rows
	chunk := (end - 1) / ChunkSpans
	s.loops.Merge(keys, b.Records[chunk*ChunkSpans:][:ChunkSpans], int(end-chunk*ChunkSpans), scratch)
	return b.Before[chunk]
}

// Unpack sets spans, which have room for ChunkSpans, to the last spans of a row of tiles before an end, and
// returns where those before them end, 0 where there are none.
func (s *Store) Unpack(end uint32, spans *array.Spans) (before uint32) {
	b := &s.rows
	chunk := (end - 1) / ChunkSpans
	s.loops.Unpack(b.Records[chunk*ChunkSpans:][:ChunkSpans], int(end-chunk*ChunkSpans), spans)
	return b.Before[chunk]
}
