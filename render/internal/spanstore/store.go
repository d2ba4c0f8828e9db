// Package spanstore keeps the spans of a frame by bands of its rows, until they are merged
// into frames that are as high as one band.
package spanstore

import (
	"lockstep/render/internal/kernel/array"
	"lockstep/render/internal/kernel/keep"
	"lockstep/vp/hugepages"
)

const (
	// ChunkSpans is how many spans of a band lie together.
	ChunkSpans = keep.ChunkSpans
	// ChunkBytes is the memory of as many.
	ChunkBytes = 16*ChunkSpans + 4
	// MostKeys bounds the keys of a band, MostFrame those of all.
	MostKeys  = keep.MostKeys
	MostFrame = keep.MostFrame
)

// A Store keeps spans. Its memory is kept when it is emptied.
type Store struct {
	bands keep.Bands
	loops *keep.Loops
}

// Begin empties the store, and prepares it for a frame of bands with a number of keys each,
// at least 2 and at most MostKeys, together at most MostFrame, and for a number of chunks.
func (s *Store) Begin(bands, keys, chunks int, loops *keep.Loops) {
	if keys > MostKeys || int64(bands)*int64(keys) > MostFrame {
		panic("spanstore: too many keys")
	}
	b := &s.bands
	if len(b.Before) <= chunks {
		*b = keep.Bands{} // before more is asked for
		b.Before = make([]uint32, chunks+1)
		b.Records = hugepages.Make[keep.Record]((chunks + 1) * ChunkSpans)
	}
	if cap(b.Next) < bands {
		b.Next = make([]uint32, bands)
	}
	b.Next, b.Keys, s.loops = b.Next[:bands], uint32(keys), loops
	s.Empty()
}

// Empty drops all spans.
func (s *Store) Empty() {
	s.bands.Used = 1
	clear(s.bands.Next)
}

// Room reports whether n more spans are sure to fit.
func (s *Store) Room(n int) bool { return s.bands.Room() >= n }

// Add keeps spans of the frame, each in one band and of at most keep.MostCount pixels, for which
// there is room. It returns the pixels that the z-buffer will test for them, and its runs of
// vectors.
func (s *Store) Add(spans *array.Spans) (tested, runs int64) { return s.loops.Keep(&s.bands, spans) }

// Last returns where the spans of a band end, for Merge; 0 where it has none.
func (s *Store) Last(band int) uint32 { return s.bands.Next[band] }

// Merge merges the last spans of a band before an end into its keys, which are as many as a band
// has or end sooner where the frame does, and returns where those before them end, 0 where there
// are none. scratch has room for ChunkSpans.
func (s *Store) Merge(end uint32, keys []uint64, scratch *array.Spans) (before uint32) {
	b := &s.bands
	chunk := (end - 1) / ChunkSpans
	s.loops.Merge(keys, b.Records[chunk*ChunkSpans:][:ChunkSpans], int(end-chunk*ChunkSpans), scratch)
	return b.Before[chunk]
}

// Unpack sets spans, which have room for ChunkSpans, to the last spans of a band before an end, and
// returns where those before them end, 0 where there are none.
func (s *Store) Unpack(end uint32, spans *array.Spans) (before uint32) {
	b := &s.bands
	chunk := (end - 1) / ChunkSpans
	s.loops.Unpack(b.Records[chunk*ChunkSpans:][:ChunkSpans], int(end-chunk*ChunkSpans), spans)
	return b.Before[chunk]
}
