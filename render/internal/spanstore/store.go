// Package spanstore keeps the spans of a frame by bands of its rows, until they are merged
// into frames that are as high as one band.
package spanstore

import (
	"math/bits"

	"lockstep/render/internal/kernel/array"
	"lockstep/render/internal/kernel/zbuffer"
	"lockstep/vp/hugepages"
)

const (
	// chunkSpans is how many spans of a band lie together, a power of two.
	chunkSpans = 512
	// ChunkBytes is the memory of as many.
	ChunkBytes = 20*(chunkSpans+array.Lanes) + 16
)

// A chunk is the columns of some spans. Their starts count from the first key of their
// band. Columns are a vector longer, which may be read with the last spans: without it they
// would share the sets of a cache.
type chunk struct {
	start   [chunkSpans + array.Lanes]uint32
	count   [chunkSpans + array.Lanes]int32
	e, de   [chunkSpans + array.Lanes]float32
	payload [chunkSpans + array.Lanes]uint32
	n       int // spans
	before  int // the chunk of the same band that was filled before it, plus 1; 0: none
}

// full is the chunk of bands that have none. It is never written.
var full = chunk{n: chunkSpans}

// A Store keeps spans. Its memory is kept when it is emptied.
type Store struct {
	chunks []chunk
	used   int      // chunks
	keys   uint32   // of a band
	last   []int    // by band: the chunk that is being filled, plus 1; 0: none
	open   []*chunk // by band: that chunk, or one that is full
}

// Begin empties the store, and prepares it for a frame of bands with a number of keys each,
// at least 2, and for a number of chunks.
func (s *Store) Begin(bands, keys, chunks int) {
	if len(s.chunks) < chunks {
		s.chunks = nil // before more is asked for
		s.chunks = hugepages.MakeAligned[chunk](chunks)
	}
	if cap(s.last) < bands {
		s.last, s.open = make([]int, bands), make([]*chunk, bands)
	}
	s.last, s.open, s.keys = s.last[:bands], s.open[:bands], uint32(keys)
	s.Empty()
}

// Empty drops all spans.
func (s *Store) Empty() {
	s.used = 0
	for b := range s.last {
		s.last[b], s.open[b] = 0, &full
	}
}

// Room reports whether n more spans are sure to fit.
func (s *Store) Room(n int) bool {
	return (len(s.chunks)-s.used-len(s.last))*chunkSpans >= n
}

// Add keeps spans of the frame, each in one band, for which there is room. It returns what
// the z-buffer counts of them.
func (s *Store) Add(spans *array.Spans) (tested, runs int64) {
	// The band is start/keys, exactly. Source: Lemire, Kaser and Kurz, Faster Remainder by
	// Direct Computation, 2019.
	inverse := ^uint64(0)/uint64(s.keys) + 1
	n := spans.N
	start, count, e, de, payload := spans.Start[:n], spans.Count[:n], spans.E[:n], spans.DE[:n], spans.Payload[:n]
	for i, at := range start {
		high, _ := bits.Mul64(inverse, uint64(at))
		band := uint32(high)
		c := s.open[band]
		if c.n == chunkSpans {
			c = s.next(band)
		}
		to := c.n & (chunkSpans - 1)
		c.n = to + 1
		c.start[to], c.count[to], c.e[to], c.de[to], c.payload[to] = at-band*s.keys, count[i], e[i], de[i], payload[i]
		tested += int64(count[i])
		runs += int64(count[i]+zbuffer.RunPixels-1) / zbuffer.RunPixels
	}
	return tested, runs
}

// next gives a band a chunk to fill.
func (s *Store) next(band uint32) *chunk {
	c := &s.chunks[s.used]
	s.used++
	c.n, c.before = 0, s.last[band]
	s.last[band], s.open[band] = s.used, c
	return c
}

// Last returns the chunk of a band that was filled last, for Next; 0 where it has no spans.
func (s *Store) Last(band int) int { return s.last[band] }

// Next sets spans to those of a chunk, which lie in the memory of the store and start at the
// band's first key, and returns the chunk of the same band before it, 0 where there is none.
func (s *Store) Next(chunk int, spans *array.Spans) (before int) {
	c := &s.chunks[chunk-1]
	n := c.n
	*spans = array.Spans{N: n, Start: c.start[:n], Count: c.count[:n], E: c.e[:n], DE: c.de[:n], Payload: c.payload[:n]}
	return c.before
}
