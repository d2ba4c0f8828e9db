// Package keep stores spans by the rows of a frame that they lie in, and reads them back as the columns that the
// z-buffer takes.
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
	// StartBits are those of a record's first word that hold the start, and MostKeys bounds the
	// keys of a row of tiles.
	StartBits = 18
	MostKeys  = 1 << StartBits
	// MostCount bounds the pixels of a span: those and the start share a word.
	MostCount = 1 << (32 - StartBits)
	// MostFrame bounds the keys of all rows of tiles.
	MostFrame = 1 << 31
	// ChunkSpans is how many records of a row of tiles lie together, a power of two.
	ChunkSpans = 512
)

// A Record is a span: its start in the row of tiles and, in the bits above, its count less one; its
// payload, its nearness, and what that grows by. It lies in one cache line: of columns, each of
// the few rows of tiles that are filled at a time would have five lines, more than the processor fetches
// ahead.
type Record [4]uint32

// Rows are the rows of tiles of a frame and the records of their spans, in chunks. Every chunk
// belongs to one row of tiles; chunk 0 to none.
type Rows struct {
	Keys    uint32   // of a row of tiles, at least 2 and at most MostKeys; of all, at most MostFrame
	Records []Record // by chunk
	Used    uint32   // chunks, with the first
	// Next is the number of the record that a row of tiles's next span becomes. It gets a chunk first
	// where that is a multiple of ChunkSpans: it has none, or the last one is full.
	Next []uint32
	// Before is, by chunk, what Next was when its row of tiles got it: the end of the chunk before, or 0.
	Before []uint32
}

// NeedRoom panics unless there is room for n spans, whatever their rows of tiles.
func (b *Rows) NeedRoom(n int) {
	if b.Room() < n || len(b.Before)*ChunkSpans < len(b.Records) {
		panic(fmt.Sprintf("keep: no room for %d spans", n))
	}
}

// Room returns how many spans there is room for, whatever their rows of tiles.
func (b *Rows) Room() int {
	return max(0, len(b.Records)/ChunkSpans-int(b.Used)-len(b.Next)) * ChunkSpans
}

// Loops are for one instruction set.
type Loops struct {
	// Keep is Rows.Keep.
	Keep func(b *Rows, spans *array.Spans) (tested, runs int64)
	// Unpack is Unpack.
	Unpack func(records []Record, n int, spans *array.Spans)
	// Merge merges the first n records into the keys of their row of tiles, as zbuffer.Merge does with
	// what Unpack makes of them. scratch has room for that.
	Merge func(keys []uint64, records []Record, n int, scratch *array.Spans)
}

// Select returns the loops for an instruction set.
func Select(level isa.Level) *Loops { return selectLoops(level) }

// unpacked returns Merge by two loops.
func unpacked(unpack func([]Record, int, *array.Spans), merge zbuffer.Loop) func([]uint64, []Record, int, *array.Spans) {
	return func(keys []uint64, records []Record, n int, scratch *array.Spans) {
		unpack(records, n, scratch)
		merge(keys, scratch)
	}
}

// Keep appends spans, each in one row of tiles and of at most MostCount pixels, to the records of their
// rows of tiles, for which there must be room. It returns the pixels that the z-buffer will test for
// them, and its runs of vectors. It is the specification of the loop.
func (b *Rows) Keep(spans *array.Spans) (tested, runs int64) {
	b.NeedRoom(spans.N)
	return b.keep(spans, 0)
}

// keep keeps the spans from one on.
func (b *Rows) keep(spans *array.Spans, from int) (tested, runs int64) {
	// The row of tiles is start/keys, exactly. Source: Lemire, Kaser and Kurz, Faster Remainder by
	// Direct Computation, 2019.
	inverse := ^uint64(0)/uint64(b.Keys) + 1
	n := spans.N
	start, count, e, de, payload := spans.Start[:n], spans.Count[:n], spans.E[:n], spans.DE[:n], spans.Payload[:n]
	for i := from; i < n; i++ {
		high, _ := bits.Mul64(inverse, uint64(start[i]))
		row := uint32(high)
		at := b.Next[row]
		if at%ChunkSpans == 0 {
			b.Before[b.Used] = at
			at = b.Used * ChunkSpans
			b.Used++
		}
		b.Next[row] = at + 1
		place := start[i] - row*b.Keys | uint32(count[i]-1)<<StartBits
		b.Records[at] = Record{place, payload[i], math.Float32bits(e[i]), math.Float32bits(de[i])}
		tested += int64(count[i])
		runs += int64(count[i]+zbuffer.RunPixels-1) / zbuffer.RunPixels
	}
	return tested, runs
}

// Unpack sets spans, which have room for that and a vector more, to those of the records, of
// which there are whole vectors of array.Lanes: the first n count.
func Unpack(records []Record, n int, spans *array.Spans) {
	start, count, e, de, payload := spans.Start[:n], spans.Count[:n], spans.E[:n], spans.DE[:n], spans.Payload[:n]
	for i, r := range records[:n] {
		start[i], count[i], payload[i] = r[0]%MostKeys, int32(r[0]>>StartBits)+1, r[1]
		e[i], de[i] = math.Float32frombits(r[2]), math.Float32frombits(r[3])
	}
	spans.N = n
}
