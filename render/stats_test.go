package render

import (
	"testing"
	"time"
)

// TestStatsAdd adds two frames: counts and times must add up, and shares become weighted means.
func TestStatsAdd(t *testing.T) {
	frame := func(n int64, use float64) *Stats {
		return &Stats{
			Triangles: TriangleStats{In: 10 * n, Dropped: n, Culled: 2 * n, Clipped: 3 * n, Drawn: 7 * n},
			Spans:     n, Pixels: 2 * n, Covered: 3 * n,
			Loops: [2]LoopStats{
				{Name: "scan", Iterations: n, IterationsUnbalanced: 2 * n, Redistributions: n, LaneUse: use, LaneUseUnbalanced: use / 2},
				{Name: "zbuffer", Iterations: 4 * n, LaneUse: use},
			},
			Balance: BalanceStats{Cost: float64(n), Polygons: n, Predicted: n, PredictedCost: 2, Shared: n, Judged: 9, Dearer: 1,
				TooLow: float64(10 - n), Seconds: 1, Iteration: use},
			Seconds: Seconds{Frame: time.Duration(n), Read: 1, Geometry: 2, Scan: 3, ZBuffer: 4, Merge: 5, Resolve: 6},
		}
	}
	var got Stats
	got.Add(frame(1, 1))
	got.Add(frame(3, 0.5))
	want := *frame(4, 0.625) // (1*1 + 3*0.5) / 4
	want.Triangles.Dropped = 3
	want.Balance.Cost, want.Balance.PredictedCost, want.Balance.Judged, want.Balance.Dearer, want.Balance.TooLow, want.Balance.Seconds = 3, 4, 18, 2, 9, 2
	want.Seconds = Seconds{Frame: 4, Read: 2, Geometry: 4, Scan: 6, ZBuffer: 8, Merge: 10, Resolve: 12}
	if got != want {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

// TestWorkerSeconds checks that the times of a frame are the means of the workers' times, and that there are none
// before the first frame.
func TestWorkerSeconds(t *testing.T) {
	r, err := New(Options{Width: 64, Height: 48, Workers: 3})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if got := r.AppendWorkerSeconds(nil); got != nil {
		t.Errorf("%d workers before a frame", len(got))
	}
	mesh := panes(5000)
	var pic Picture
	stats, err := r.Frame(t.Context(), mesh, inFront(mesh.Bounds(), false, 1), &pic)
	if err != nil {
		t.Fatal(err)
	}
	own := r.AppendWorkerSeconds(make([]Seconds, 1))
	if len(own) != 4 {
		t.Fatalf("times of %d workers", len(own)-1)
	}
	var sum Seconds
	for i := range own {
		sum.add(&own[i])
	}
	sum.divide(3)
	sum.Frame, sum.Leaves = stats.Seconds.Frame, stats.Seconds.Leaves
	if sum != stats.Seconds || sum.Geometry == 0 {
		t.Errorf("means of the workers %+v, of the frame %+v", sum, stats.Seconds)
	}
}
