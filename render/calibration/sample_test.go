package calibration

import (
	"context"
	"errors"
	"testing"

	"lockstep/render/internal/kernel/scanline"
	"lockstep/vp/isa"
)

// TestTimeGroups has groups with known counts: the remaining 31 rows of two polygons take two iterations each.
func TestTimeGroups(t *testing.T) {
	for _, level := range isa.Available() {
		got, iteration := timeGroups(scanline.Select(level), 2, 32)
		want := scanline.Counts{Iterations: 1 + 4, Tasks: 14 + 2*32, Looks: 1, Redistributions: 1, Polygons: 2, Spread: 4, Saved: 31 - 4, IterationsUnbalanced: 32}
		if got.counts != want || len(got.ticks) < sampleGroups || !(iteration > 0) || !(got.shortest() > 0) {
			t.Errorf("%v: %+v, %d times, %g an iteration", level, got.counts, len(got.ticks), iteration)
		}
		// Redistributing eight polygons with three remaining rows must save nothing.
		if got, _ := timeGroups(scanline.Select(level), 8, 4); len(got.ticks) != 0 {
			t.Errorf("%v: %+v", level, got.counts)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := measureTimings(ctx, scanline.Select(isa.Generic)); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
