package film

import (
	"errors"
	"slices"
	"testing"

	"lockstep/scenes"
	"lockstep/scenes/procedural"
)

// A countingSource counts how often each block is read.
type countingSource struct {
	scenes.Source
	reads map[int]int
}

func (s *countingSource) ReadBlock(i int, dst *scenes.Block) error {
	s.reads[i]++
	if i == 7 {
		return errors.New("unreadable")
	}
	return s.Source.ReadBlock(i, dst)
}

// TestBlockCache checks that owned blocks are read once and other blocks are removed, and that the limit holds. The
// triangles must be the same with and without the cache.
func TestBlockCache(t *testing.T) {
	scene, err := procedural.Parse("scene:knot?triangles=40k")
	if err != nil {
		t.Fatal(err)
	}
	from := &countingSource{scene, map[int]int{}}
	const block = scenes.BlockSize * (scenes.TriangleBytes + scenes.ColorBytes)
	s := newBlockCache(from, 3*block)
	var got, want scenes.Block // reused for all blocks
	readAll := func(blocks ...int) {
		t.Helper()
		for _, i := range blocks {
			if err := s.ReadBlock(i, &got); err != nil {
				t.Fatal(err)
			}
			if err := scene.ReadBlock(i, &want); err != nil {
				t.Fatal(err)
			}
			for k := range 3 {
				if !slices.Equal(got.X[k], want.X[k]) || !slices.Equal(got.Y[k], want.Y[k]) || !slices.Equal(got.Z[k], want.Z[k]) {
					t.Fatalf("block %d differs", i)
				}
			}
		}
		if s.bytes > 3*block || s.bytes != int64(len(s.cached))*block {
			t.Errorf("%d blocks of %d bytes are held, %d counted", len(s.cached), block, s.bytes)
		}
	}
	wantReads := func(want map[int]int) {
		t.Helper()
		for i, n := range want {
			if from.reads[i] != n {
				t.Errorf("block %d was read %d times, want %d", i, from.reads[i], n)
			}
		}
	}
	s.setOwned([]int{0, 1, 2, 3})
	readAll(0, 1, 2, 3, 5, 0, 1, 2, 3)
	wantReads(map[int]int{0: 1, 1: 1, 2: 1, 3: 2, 5: 1})
	if err := s.prefetch(t.Context(), []int{2, 4}); err != nil {
		t.Fatal(err)
	}
	s.setOwned([]int{2, 4})
	readAll(2, 4, 4, 1)
	wantReads(map[int]int{2: 1, 1: 2})
	if s.cached[0] != nil || s.cached[1] != nil || s.cached[2] == nil || s.cached[4] == nil {
		t.Errorf("blocks %v are kept", s.cached)
	}
	if err := s.prefetch(t.Context(), []int{6, 7}); err == nil {
		t.Error("an unreadable block is no error")
	}
	readAll(6)
	wantReads(map[int]int{6: 1})
}
