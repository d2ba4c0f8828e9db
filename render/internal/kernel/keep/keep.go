// Package keep stores spans by tile row, and reads them back as the columns that the z-buffer reads.
//
// A tile row is a row of tiles (see package tile). Its keys fit into a cache when all of its spans are drawn together.
package keep

import (
	"fmt"
	"math"
	"math/bits"

	"lockstep/render/internal/kernel/array"
	"lockstep/render/internal/kernel/zbuffer"
	"lockstep/vp/isa"
)

const (
	// StartBits is the number of bits of a span's start in the first word of a record. A start fits because a tile row
	// has at most MaxRowKeys keys.
	StartBits  = 18
	MaxRowKeys = 1 << StartBits
	// MaxCount is the largest number of pixels of a span. The number shares a word with the start.
	MaxCount = 1 << (32 - StartBits)
	// MaxFrameKeys is the largest number of keys of all tile rows together.
	MaxFrameKeys = 1 << 31
	// ChunkSpans is the number of records in a chunk, a power of two.
	ChunkSpans = 512
)

// A Record is a stored span:
//   - Word 0 has the span's start in the tile row in its low StartBits bits, and its number of pixels less one above.
//   - The other words are the payload, the nearness, and the growth of the nearness per pixel.
//
// A record lies in one cache line. Stored in columns, a span would touch five. The few tile rows that are filled at a
// time would then need more cache lines than the processor can prefetch.
type Record [4]uint32

// Rows holds the records of the spans of a frame, in chunks. Chunk 0 is not used. Every other chunk belongs to one
// tile row.
type Rows struct {
	// Keys is the number of keys of a tile row: 2 to MaxRowKeys, and at most MaxFrameKeys in all tile rows together.
	Keys    uint32
	Records []Record // records of all chunks, ChunkSpans for each chunk
	Used    uint32   // number of chunks in use, including chunk 0
	// Next holds the index of the record for the next span of each tile row. A multiple of ChunkSpans means that the
	// tile row needs a new chunk first: it has none yet, or its last chunk is full.
	Next []uint32
	// Previous holds, for each chunk, the end of the tile row's previous chunk, or 0 if there was none. This is the
	// value that Next had when the tile row got the chunk.
	Previous []uint32
}

// NeedRoom panics unless n spans certainly fit, whichever tile rows they lie in.
func (r *Rows) NeedRoom(n int) {
	if r.Room() < n || len(r.Previous)*ChunkSpans < len(r.Records) {
		panic(fmt.Sprintf("keep: no room for %d spans", n))
	}
}

// Room returns the number of spans that certainly fit, whichever tile rows they lie in.
func (r *Rows) Room() int {
	return max(0, len(r.Records)/ChunkSpans-int(r.Used)-len(r.Next)) * ChunkSpans
}

// Loops holds the loops for one instruction set.
type Loops struct {
	// Keep is the vector loop of Rows.Keep.
	Keep func(b *Rows, spans *array.Spans) (tested, runs int64)
	// Unpack is the vector loop of the function Unpack.
	Unpack func(records []Record, n int, spans *array.Spans)
	// Merge merges the spans of the first n records into keys, the keys of their tile row. It gives the same result as
	// Unpack followed by zbuffer.Merge. scratch must have room for the unpacked spans.
	Merge func(keys []uint64, records []Record, n int, scratch *array.Spans)
}

// Select returns the loops for an instruction set.
func Select(level isa.Level) *Loops { return selectLoops(level) }

// unpacked returns a Merge that unpacks all records and then merges all spans.
func unpacked(unpack func([]Record, int, *array.Spans), merge zbuffer.Loop) func([]uint64, []Record, int, *array.Spans) {
	return func(keys []uint64, records []Record, n int, scratch *array.Spans) {
		unpack(records, n, scratch)
		merge(keys, scratch)
	}
}

// Keep stores spans as records of their tile rows. The spans must fit. Each span must lie in one tile row and have at
// most MaxCount pixels. tested is the number of pixels that the z-buffer will test for these spans, and runs the
// number of runs of pixels in which it will test them. Vector loops must give the same results.
func (r *Rows) Keep(spans *array.Spans) (tested, runs int64) {
	r.NeedRoom(spans.N)
	return r.keep(spans, 0)
}

// keep is Keep for the spans from index first on.
func (r *Rows) keep(spans *array.Spans, first int) (tested, runs int64) {
	// The tile row is start/Keys, computed exactly by a multiplication. Source: Lemire, Kaser and Kurz, Faster
	// Remainder by Direct Computation, 2019.
	inverse := ^uint64(0)/uint64(r.Keys) + 1
	n := spans.N
	start, count, e, de, payload := spans.Start[:n], spans.Count[:n], spans.E[:n], spans.DE[:n], spans.Payload[:n]
	for i := first; i < n; i++ {
		high, _ := bits.Mul64(inverse, uint64(start[i]))
		row := uint32(high)
		at := r.Next[row]
		if at%ChunkSpans == 0 {
			r.Previous[r.Used] = at
			at = r.Used * ChunkSpans
			r.Used++
		}
		r.Next[row] = at + 1
		place := start[i] - row*r.Keys | uint32(count[i]-1)<<StartBits
		r.Records[at] = Record{place, payload[i], math.Float32bits(e[i]), math.Float32bits(de[i])}
		tested += int64(count[i])
		runs += int64(count[i]+zbuffer.RunPixels-1) / zbuffer.RunPixels
	}
	return tested, runs
}

// Unpack sets spans to the spans of the first n records. The number of records must be a multiple of array.Lanes.
// spans must have room for n spans and a vector more.
func Unpack(records []Record, n int, spans *array.Spans) {
	start, count, e, de, payload := spans.Start[:n], spans.Count[:n], spans.E[:n], spans.DE[:n], spans.Payload[:n]
	for i, r := range records[:n] {
		start[i], count[i], payload[i] = r[0]%MaxRowKeys, int32(r[0]>>StartBits)+1, r[1]
		e[i], de[i] = math.Float32frombits(r[2]), math.Float32frombits(r[3])
	}
	spans.N = n
}
