package bench

import (
	"errors"
	"math"
	"slices"
	"testing"
)

// TestRenderWorkloads holds the renderer's scan-line workloads of the perforator
// against the paper's Table 1, all eight cells within 20 %.
func TestRenderWorkloads(t *testing.T) {
	var memory sceneMemory
	for _, dataset := range []string{"balanced", "unbalanced"} {
		for v, view := range tableViews {
			w, err := memory.workloads(t.Context(), "perforator?version="+dataset, view)
			if err != nil {
				t.Fatal(err)
			}
			sum := 0
			for _, rows := range w.Rows {
				sum += int(rows)
			}
			longest, mean := float64(slices.Max(w.Rows)), float64(sum)/float64(len(w.Rows))
			paper := paperWorkloads[dataset][v]
			if math.Abs(longest/float64(paper.max)-1) > 0.2 || math.Abs(mean/float64(paper.avg)-1) > 0.2 {
				t.Errorf("%s %s: maximum %g, average %.2f; the paper has %v", dataset, view.Name, longest, mean, paper)
			}
			if slices.Min(w.Pixels) < 1 {
				t.Errorf("%s %s: a span without pixels", dataset, view.Name)
			}
		}
	}
	var usage *UsageError
	if _, err := RenderWorkloads(t.Context(), "nothing", tableViews[0]); !errors.As(err, &usage) {
		t.Errorf("unknown scene: %v", err)
	}
}
