// Package spanstore keeps the spans of a frame by bands of its rows, until they are merged
// into frames that are as high as one band.
package spanstore

import (
	"math"
	"math/bits"

	"lockstep/render/internal/kernel/array"
	"lockstep/render/internal/kernel/unpack"
	"lockstep/render/internal/kernel/zbuffer"
	"lockstep/vp/hugepages"
)

const (
	// ChunkSpans is how many spans of a band lie together, a power of two.
	ChunkSpans = 512
	// ChunkBytes is the memory of as many.
	ChunkBytes = 16*ChunkSpans + 16
	// MostKeys bounds the keys of a band, and mostCount the pixels of a span: they share a word.
	MostKeys  = 1 << startBits
	startBits = unpack.StartBits
	mostCount = 1 << (32 - startBits)
)

// A chunk is some spans of a band. All of a span lies in one cache line: of columns, each of the
// few bands that are filled at a time would have five lines, more than the processor fetches
// ahead.
type chunk struct {
	n      int // spans
	before int // the chunk of the same band that was filled before it, plus 1; 0: none
	spans  [ChunkSpans]unpack.Record
}

// full is the chunk of bands that have none. It is never written.
var full = chunk{n: ChunkSpans}

// A Store keeps spans. Its memory is kept when it is emptied.
type Store struct {
	chunks []chunk
	used   int      // chunks
	keys   uint32   // of a band
	last   []int    // by band: the chunk that is being filled, plus 1; 0: none
	open   []*chunk // by band: that chunk, or one that is full
}

// Begin empties the store, and prepares it for a frame of bands with a number of keys each,
// at least 2 and at most MostKeys, and for a number of chunks.
func (s *Store) Begin(bands, keys, chunks int) {
	if keys > MostKeys {
		panic("spanstore: a band has too many keys")
	}
	if len(s.chunks) < chunks {
		s.chunks = nil // before more is asked for
		s.chunks = hugepages.Make[chunk](chunks)
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
	return (len(s.chunks)-s.used-len(s.last))*ChunkSpans >= n
}

// Add keeps spans of the frame, each in one band and of at most mostCount pixels, for which
// there is room. It returns the pixels that the z-buffer will test for them, and its runs of vectors.
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
		if c.n == ChunkSpans {
			c = s.next(band)
		}
		to := c.n & (ChunkSpans - 1)
		c.n = to + 1
		place := at - band*s.keys | uint32(count[i]-1)<<startBits
		r := &c.spans[to]
		r[0], r[1], r[2], r[3] = place, payload[i], math.Float32bits(e[i]), math.Float32bits(de[i])
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

// Next sets spans, which have room for ChunkSpans, to those of a chunk, starting at the band's
// first key, and returns the chunk of the same band before it, 0 where there is none.
func (s *Store) Next(chunk int, unpack unpack.Loop, spans *array.Spans) (before int) {
	c := &s.chunks[chunk-1]
	unpack(c.spans[:], c.n, spans)
	return c.before
}
