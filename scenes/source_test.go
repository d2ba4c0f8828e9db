package scenes_test

import (
	"context"
	"errors"
	"testing"

	"lockstep/scenes"
	"lockstep/scenes/procedural"
)

// TestForEachBlockError checks that the error of the failed block with the lowest index is returned, and that no
// further blocks are started.
func TestForEachBlockError(t *testing.T) {
	s, err := procedural.Parse("scene:soup?triangles=100000")
	if err != nil {
		t.Fatal(err)
	}
	bad := errors.New("bad block")
	for workers := 1; workers <= 4; workers++ {
		err := scenes.ForEachBlock(context.Background(), s, workers, func(_, i int, b *scenes.Block) error {
			if i >= 3 {
				return bad
			}
			return nil
		})
		if err != bad {
			t.Errorf("%d workers: error %v", workers, err)
		}
	}
}
