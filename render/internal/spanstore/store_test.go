package spanstore

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"lockstep/render/internal/kernel/array"
	"lockstep/render/internal/kernel/keep"
	"lockstep/render/internal/kernel/zbuffer"
	"lockstep/vp/isa"
)

// TestStore adds spans to stores that are emptied when they are full, and merges them tile row by tile row. The keys
// and counts must equal those after merging the spans in their original order.
func TestStore(t *testing.T) {
	for _, level := range isa.Available() {
		t.Run(level.String(), func(t *testing.T) { testStore(t, keep.Select(level)) })
	}
}

func testStore(t *testing.T, loops *keep.Loops) {
	var s Store
	rapid.Check(t, func(t *rapid.T) {
		rows, keys := rapid.IntRange(1, 40).Draw(t, "rows"), rapid.IntRange(2, 5000).Draw(t, "keys")
		s.Begin(rows, keys, rapid.IntRange(rows+2, 3*rows+4).Draw(t, "chunks"), loops)
		want, got := make([]uint64, rows*keys), make([]uint64, rows*keys)
		for range rapid.IntRange(1, 8).Draw(t, "arrays") {
			spans := randomSpans(t, rows, keys)
			wantTested, wantRuns := zbuffer.Merge(want, spans)
			if !s.HasRoom(spans.N) {
				merge(&s, got, rows, keys)
				s.Empty()
			}
			if !s.HasRoom(spans.N) {
				t.Fatalf("no room for %d spans for %d rows of tiles", spans.N, rows)
			}
			if tested, runs := s.Add(spans); tested != wantTested || runs != wantRuns {
				t.Fatalf("%d keys in %d runs, want %d in %d", tested, runs, wantTested, wantRuns)
			}
		}
		merge(&s, got, rows, keys)
		if !slices.Equal(got, want) {
			t.Fatal("other keys")
		}
	})
}

// merge merges the stored spans into a frame, tile row by tile row.
func merge(s *Store, frame []uint64, rows, keys int) {
	for b := range rows {
		spans := array.MakeSpans(ChunkSpans)
		for c := s.Last(b); c != 0; {
			c = s.Merge(c, frame[b*keys:][:keys], spans)
		}
	}
}

// randomSpans returns spans that each lie in one tile row, some of them at its first or last key.
func randomSpans(t *rapid.T, rows, keys int) *array.Spans {
	n := rapid.IntRange(0, 2*ChunkSpans).Draw(t, "spans")
	random := rapid.Uint32().Draw(t, "seed")
	next := func(below int) int {
		random = random*1664525 + 1013904223
		return int(uint64(random) * uint64(below) >> 32)
	}
	s := array.MakeSpans(n)
	for i := range n {
		row, length := next(rows), 1+next(min(keys, 40))
		at := []int{0, keys - length, next(keys - length + 1)}[next(3)]
		s.Start[i], s.Count[i] = uint32(row*keys+at), int32(length)
		s.E[i], s.DE[i], s.Payload[i] = float32(next(1000))/1000, float32(next(100)-50)/1e5, uint32(next(1<<30))
	}
	s.N = n
	return s
}

// TestBeginWithMoreChunks checks that a store has enough memory if each call of Begin requests one chunk more.
func TestBeginWithMoreChunks(t *testing.T) {
	var s Store
	for chunks := 3; chunks < 9; chunks++ {
		if s.Begin(2, 100, chunks, keep.Select(isa.Generic)); !s.HasRoom((chunks - 2) * ChunkSpans) {
			t.Errorf("%d chunks have no room for %d full ones", chunks, chunks-2)
		}
	}
}
