package render

import (
	"testing"
	"time"
)

// TestStatsAdd sums two frames: counts and times add up, shares are weighted.
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
