package keep

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"unsafe"

	"lockstep/render/internal/kernel/array"
	"lockstep/render/internal/kernel/zbuffer"
	"lockstep/vp/isa"
)

// TestKeep stores arrays of spans with the loops of every instruction set and with the specification. All records must
// be at the same places. Some spans are at the first or the last key of tile rows.
func TestKeep(t *testing.T) {
	random := rand.New(rand.NewPCG(6, 2))
	for _, level := range isa.Available() {
		loops := Select(level)
		for round := range 20 {
			rows, keys := 1+random.IntN(200), 2+random.IntN(1<<(4+round%14)-2)
			if round == 19 {
				keys, rows = MaxRowKeys, MaxFrameKeys/MaxRowKeys
			}
			got, want := rowsFor(rows, keys, 20*ChunkSpans), rowsFor(rows, keys, 20*ChunkSpans)
			for n := range 30 {
				spans := spansIn(random, 17*n, rows, keys)
				gotTested, gotRuns := loops.Keep(got, spans)
				wantTested, wantRuns := want.Keep(spans)
				if gotTested != wantTested || gotRuns != wantRuns {
					t.Fatalf("%s: %d keys in %d runs, want %d in %d", level, gotTested, gotRuns, wantTested, wantRuns)
				}
			}
			got.Records, want.Records = got.Records[:got.Used*ChunkSpans], want.Records[:want.Used*ChunkSpans]
			if !reflect.DeepEqual(got, want) {
				t.Fatalf("%s: %d rows of tiles of %d keys: other records", level, rows, keys)
			}
		}
	}
}

// rowsFor returns empty tile rows. Their memory suffices for the given number of spans and for the unused ends of
// chunks.
func rowsFor(rows, keys, spans int) *Rows {
	chunks := spans/ChunkSpans + 2*rows + 1
	return &Rows{
		Keys: uint32(keys), Records: make([]Record, chunks*ChunkSpans), Used: 1,
		Next: make([]uint32, rows), Previous: make([]uint32, chunks),
	}
}

// spansIn returns random spans. Each is in one of `rows` tile rows, and many are in neighbouring rows.
func spansIn(random *rand.Rand, n, rows, keys int) *array.Spans {
	s := array.MakeSpans(n)
	first := random.IntN(rows)
	for i := range n {
		row := min(first+random.IntN(3), rows-1)
		if random.IntN(8) == 0 {
			row = random.IntN(rows)
		}
		count := 1 + random.IntN(min(keys, MaxCount))
		at := []int{0, keys - count, random.IntN(keys - count + 1)}[random.IntN(3)]
		s.Start[i], s.Count[i] = uint32(row*keys+at), int32(count)
		s.E[i], s.DE[i], s.Payload[i] = random.Float32(), random.Float32()-0.5, random.Uint32()
	}
	s.N = n
	return s
}

// TestKeepRefuses passes spans beyond the last tile row, and more spans than the memory can hold. The loops must panic
// before they write a record elsewhere.
func TestKeepRefuses(t *testing.T) {
	for _, level := range isa.Available() {
		for name, change := range map[string]func(*Rows, *array.Spans){
			"beyond the rows": func(b *Rows, s *array.Spans) { s.Start[20] = 7 * 100 },
			"no room":         func(b *Rows, s *array.Spans) { b.Records = b.Records[:8*ChunkSpans] },
			"no chunk before": func(b *Rows, s *array.Spans) { b.Previous = b.Previous[:3] },
		} {
			t.Run(fmt.Sprint(level, " ", name), func(t *testing.T) {
				b, s := rowsFor(7, 100, ChunkSpans), spansIn(rand.New(rand.NewPCG(1, 1)), 33, 7, 100)
				change(b, s)
				defer func() {
					if recover() == nil {
						t.Error("no panic")
					}
				}()
				Select(level).Keep(b, s)
			})
		}
	}
}

// TestMerge merges chunks of spans with the loops of every instruction set and with the z-buffer. The spans are short
// and long, adjacent, and at the ends of cache lines and of the frame.
func TestMerge(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 5))
	for _, level := range isa.Available() {
		loops := Select(level)
		for _, shift := range []int{0, 0, 3} { // some keys start within a cache line
			for n := range 100 {
				most := []int{3, 12, 40, 700}[n%4]
				size := most + random.IntN(3*n+40)
				size += (8 - size%8) % 8
				scratch, spans := array.MakeSpans(ChunkSpans), spansOf(random, n, most, size)
				b := rowsFor(1, size, n)
				b.Keep(spans)
				got, want := linesOf(size + shift)[shift:], make([]uint64, size)
				for i := range got {
					if random.IntN(3) == 0 {
						got[i] = array.Key(random.Float32(), random.Uint64()>>32)
					}
				}
				copy(want, got)
				loops.Merge(got, b.Records[ChunkSpans:], n, scratch)
				zbuffer.Merge(want, spans)
				if !slices.Equal(got, want) {
					t.Fatalf("%s: %d spans of up to %d of %d keys: other keys", level, n, most, size)
				}
			}
		}
	}
}

// linesOf returns n keys that begin at the start of a cache line and are followed by guards.
func linesOf(n int) []uint64 {
	keys := make([]uint64, n+8)
	skip := -uintptr(unsafe.Pointer(&keys[0])) % 64 / 8
	return keys[skip:][:n:n]
}

// odd holds numbers that cause overflow in the loop, and NaN.
var odd = [...]float32{
	float32(math.NaN()), -float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)),
	math.MaxFloat32, -math.MaxFloat32, math.SmallestNonzeroFloat32, float32(math.Copysign(0, -1)),
}

// spansOf returns random spans of up to `most` keys in a tile row of `size` keys. Some spans are adjacent to others,
// lie at the ends of the tile row, or have a nearness below the least.
func spansOf(random *rand.Rand, n, most, size int) *array.Spans {
	s := array.MakeSpans(n)
	for i := range n {
		count := 1 + random.IntN(most)
		at := []int{0, size - count, random.IntN(size - count + 1)}[random.IntN(3)]
		if i > 0 && random.IntN(2) == 0 {
			at = min(int(s.Start[i-1])+int(s.Count[i-1]), size-count)
		}
		s.Start[i], s.Count[i], s.Payload[i] = uint32(at), int32(count), random.Uint32()
		s.E[i], s.DE[i] = random.Float32()-0.1, (random.Float32()-0.5)/float32(1+random.IntN(count))
		if random.IntN(8) == 0 {
			s.E[i] = odd[random.IntN(len(odd))]
		}
		if random.IntN(8) == 0 {
			s.DE[i] = odd[random.IntN(len(odd))]
		}
	}
	s.N = n
	return s
}

// TestMergeRefuses passes a span that ends after the frame.
func TestMergeRefuses(t *testing.T) {
	for _, level := range isa.Available() {
		keys := linesOf(64)
		records := make([]Record, ChunkSpans)
		records[18] = Record{60 | 4<<StartBits, 0, 0x3f000000, 0}
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", level)
				}
			}()
			Select(level).Merge(keys, records, 19, array.MakeSpans(ChunkSpans))
		}()
	}
}

// TestUnpack compares the loops of every instruction set with the specification bit for bit, for any number of spans.
func TestUnpack(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 8))
	for _, level := range isa.Available() {
		loop := Select(level).Unpack
		for n := range 100 {
			records := make([]Record, 112)
			for i := range records {
				records[i] = Record{random.Uint32(), random.Uint32(), random.Uint32() >> 2, random.Uint32() >> 2}
			}
			got, want := array.MakeSpans(n), array.MakeSpans(n)
			loop(records, n, got)
			Unpack(records, n, want)
			if got.N != want.N || !slices.Equal(got.Start[:n], want.Start[:n]) || !slices.Equal(got.Count[:n], want.Count[:n]) ||
				!slices.Equal(got.Payload[:n], want.Payload[:n]) || !slices.Equal(got.E[:n], want.E[:n]) || !slices.Equal(got.DE[:n], want.DE[:n]) {
				t.Fatalf("%s: %d spans: %+v, want %+v", level, n, got, want)
			}
		}
	}
}
