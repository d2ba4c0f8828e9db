package render

import (
	"testing"

	"lockstep/render/internal/parts"
	"lockstep/render/internal/tile"
)

// TestFrameRowsKeepFrames draws a picture from the top down, 16 rows at a time. Windows at the top of the picture are
// lower than windows in its middle, but frames must be allocated only once.
func TestFrameRowsKeepFrames(t *testing.T) {
	mesh := panes(4)
	r, err := New(Options{Width: 200, Height: 900, Samples: 4, Occlusion: true, Shading: ShadingSmooth, Light: LightStudio, Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	cam := inFront(mesh.Bounds(), false, 1)
	var pic Picture
	first, heights := 0, map[int]bool{}
	for lo := 0; lo < 900; lo += tile.Height {
		if _, err := r.Part(t.Context(), mesh, cam, parts.Part{Rows: &[2]int{lo, min(lo+tile.Height, 900)}}, &pic); err != nil {
			t.Fatal(err)
		}
		heights[len(r.engine.private.Buffers()[0].Keys)] = true
		if n := cap(r.engine.private.Buffers()[0].Keys); lo == 0 {
			first = n
		} else if n != first {
			t.Fatalf("rows from %d: room for %d keys, %d before", lo, n, first)
		}
	}
	if len(heights) < 3 {
		t.Errorf("%d sizes of windows, want several", len(heights))
	}
}
