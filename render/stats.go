package render

import (
	"slices"
	"time"

	"lockstep/render/internal/kernel/array"
	"lockstep/render/internal/kernel/scanline"
	"lockstep/render/internal/kernel/zbuffer"
)

// Stats counts the work of one frame. Counts do not depend on the number of workers, but times do. If Options.Leaves
// defers triangles, counts also depend on the frames before.
type Stats struct {
	Triangles TriangleStats
	Spans     int64        // spans that scan conversion emitted
	Pixels    int64        // depth tests of the z-buffer, one for each sample of a span
	Covered   int64        // pixels of the picture with at least one covered sample
	Loops     [2]LoopStats // loops of scan conversion and of the z-buffer
	Balance   BalanceStats // redistributions of scan conversion
	Leaves    LeavesStats
	Hidden    HiddenStats
	Seconds   Seconds
}

// Add adds the counts and times of another frame, o. Means are weighted: each LaneUse by the number of iterations, and
// Balance.Iteration by the number of redistributed polygons. TooLow becomes the larger value. Triangles.Dropped and
// Balance.Cost become those of o.
func (s *Stats) Add(o *Stats) {
	s.Triangles.In += o.Triangles.In
	s.Triangles.Dropped = o.Triangles.Dropped
	s.Triangles.Culled += o.Triangles.Culled
	s.Triangles.Clipped += o.Triangles.Clipped
	s.Triangles.Drawn += o.Triangles.Drawn
	s.Spans += o.Spans
	s.Pixels += o.Pixels
	s.Covered += o.Covered
	for i := range s.Loops {
		s.Loops[i].add(&o.Loops[i])
	}
	s.Balance.add(&o.Balance)
	s.Leaves.Groups += o.Leaves.Groups
	s.Leaves.Deferred += o.Leaves.Deferred
	s.Leaves.Late += o.Leaves.Late
	s.Hidden.Deferred += o.Hidden.Deferred
	s.Hidden.Late += o.Hidden.Late
	s.Seconds.Frame += o.Seconds.Frame
	s.Seconds.Leaves += o.Seconds.Leaves
	s.Seconds.add(&o.Seconds)
}

// LeavesStats counts groups of triangles that a frame may defer (draw last, if at all), see Options.Leaves. In frames
// that defer no groups, all counts are 0.
type LeavesStats struct {
	Groups   int64 `json:"groups"`   // groups that may be in the picture
	Deferred int64 `json:"deferred"` // groups that were deferred because they are probably hidden
	Late     int64 `json:"late"`     // deferred groups that turned out to be visible and were drawn later
}

// HiddenStats counts polygons that were deferred (drawn last, if at all) because the previous frame showed a nearer
// surface there. See Options.Leaves.
type HiddenStats struct {
	Deferred int64 `json:"deferred"` // polygons that were deferred
	// Late is the number of deferred polygons that may be visible and were drawn later. A polygon counts once for
	// each tile row (16 rows of samples) in which it was drawn.
	Late int64 `json:"late"`
}

// TriangleStats counts what happened to the mesh's triangles: In = Dropped + Culled + Drawn.
type TriangleStats struct {
	In      int64 `json:"in"`
	Dropped int64 `json:"-"` // triangles with a coordinate that is NaN or infinite
	// Culled triangles face away, have no area, lie outside the picture or between pixel centres, or are in a
	// deferred group that stayed hidden.
	Culled int64 `json:"culled"`
	// Clipped triangles cross the near plane, or reach beyond 2^14 samples from the picture's centre. They are also
	// counted as culled or drawn. Triangles of skipped groups are not counted.
	Clipped int64 `json:"clipped"`
	Drawn   int64 `json:"drawn"` // triangles that gave at least one polygon
}

// LoopStats describes one lockstep loop over a frame. IterationsUnbalanced is the number of iterations that the loop
// would take without redistributions. A redistribution moves the tasks of a group of lanes, or cuts a polygon that is
// too large for one worker.
type LoopStats struct {
	Name                 string  `json:"name"`
	Iterations           int64   `json:"iterations"`
	IterationsUnbalanced int64   `json:"iterations_unbalanced"`
	Redistributions      int64   `json:"redistributions"`
	LaneUse              float64 `json:"lane_use"` // tasks done / (iterations * lanes)
	LaneUseUnbalanced    float64 `json:"lane_use_unbalanced"`
}

func (l *LoopStats) add(o *LoopStats) {
	l.Name = o.Name
	l.LaneUse = weighted(l.LaneUse, l.Iterations, o.LaneUse, o.Iterations)
	l.LaneUseUnbalanced = weighted(l.LaneUseUnbalanced, l.IterationsUnbalanced, o.LaneUseUnbalanced, o.IterationsUnbalanced)
	l.Iterations += o.Iterations
	l.IterationsUnbalanced += o.IterationsUnbalanced
	l.Redistributions += o.Redistributions
}

// weighted returns the mean of x and y with weights n and m, or 0 if both weights are 0.
func weighted(x float64, n int64, y float64, m int64) float64 {
	if n+m == 0 {
		return 0
	}
	return (x*float64(n) + y*float64(m)) / float64(n+m)
}

// Seconds holds wall times. Each worker switches between stages, so the time of a stage is the mean over the workers.
// The stages add up to Frame, except for waiting and, in a renderer's first frame, allocation.
type Seconds struct {
	Frame    time.Duration
	Leaves   time.Duration // time to find and order groups of triangles, once per surface; not part of Frame
	Read     time.Duration // time to read, decode or generate blocks
	Geometry time.Duration
	Scan     time.Duration
	ZBuffer  time.Duration
	Merge    time.Duration
	Resolve  time.Duration
}

// add adds the stage times of o; Frame and Leaves are not changed.
func (s *Seconds) add(o *Seconds) {
	s.Read += o.Read
	s.Geometry += o.Geometry
	s.Scan += o.Scan
	s.ZBuffer += o.ZBuffer
	s.Merge += o.Merge
	s.Resolve += o.Resolve
}

// divide divides the stage times by n; Frame and Leaves are not changed.
func (s *Seconds) divide(n int) {
	for _, d := range []*time.Duration{&s.Read, &s.Geometry, &s.Scan, &s.ZBuffer, &s.Merge, &s.Resolve} {
		*d /= time.Duration(n)
	}
}

// stats sums the counts of the workers.
func (e *engine) stats() Stats {
	var s Stats
	var scanLoop, zLoop LoopStats
	var scanTasks, zTasks int64
	for i, r := range e.rasters {
		drawn, _ := e.first.Drawn(i)
		triangles, written := &drawn.Triangles, e.last.Written(i)
		s.Triangles.In += triangles.Dropped + triangles.Culled + triangles.Drawn
		s.Triangles.Dropped += triangles.Dropped
		s.Triangles.Culled += triangles.Culled
		s.Triangles.Clipped += triangles.Clipped
		s.Triangles.Drawn += triangles.Drawn
		s.Spans += r.Emitted
		s.Pixels += r.Tested
		s.Covered += written.Covered
		scanLoop.Iterations += r.Iterations
		scanLoop.IterationsUnbalanced += r.IterationsUnbalanced
		scanLoop.Redistributions += r.Redistributions
		scanTasks += r.Tasks
		zLoop.Iterations += r.Runs
		zLoop.IterationsUnbalanced += r.Runs
		zTasks += r.Tested
		own := e.workerSeconds(i)
		s.Seconds.add(&own)
	}
	s.Seconds.divide(len(e.rasters))
	s.Balance = e.balanceStats()
	if slices.Contains(e.activeStages, stage(&e.leaves)) {
		s.Leaves.Groups, s.Leaves.Deferred, s.Leaves.Late = e.leaves.Counts()
	}
	if slices.Contains(e.activeStages, stage(&e.hidden)) {
		s.Hidden.Deferred, s.Hidden.Late = e.hidden.Counts()
	}
	s.Loops[0] = scanLoop.withLaneUse("scan", scanTasks, array.Lanes)
	s.Loops[1] = zLoop.withLaneUse("zbuffer", zTasks, zbuffer.RunPixels)
	return s
}

// workerSeconds returns the stage times of worker i.
func (e *engine) workerSeconds(i int) Seconds {
	drawn, _ := e.first.Drawn(i)
	r, written := e.rasters[i], e.last.Written(i)
	if slices.Contains(e.activeStages, stage(&e.dome)) {
		written.Resolve += e.dome.Spent(i)
	}
	return Seconds{Read: drawn.Read, Geometry: drawn.Geometry, Scan: r.Scan, ZBuffer: r.Merge, Merge: written.Merge, Resolve: written.Resolve}
}

// withLaneUse returns l with its name and its lane uses, computed from the numbers of tasks and lanes.
func (l LoopStats) withLaneUse(name string, tasks, lanes int64) LoopStats {
	l.Name = name
	use := func(iterations int64) float64 {
		if iterations == 0 {
			return 0
		}
		return float64(tasks) / float64(iterations*lanes)
	}
	l.LaneUse, l.LaneUseUnbalanced = use(l.Iterations), use(l.IterationsUnbalanced)
	return l
}

// BalanceStats compares what the scan-conversion loop predicted about redistributions with what happened in the frame.
// Polygons that were cut for several workers because of their size are counted only in Shared.
type BalanceStats struct {
	// Cost is the estimated cost of redistributing a polygon, in iterations. It is 0 if the policy needs no estimate.
	Cost          float64
	Polygons      int64   // polygons whose rows were redistributed
	Predicted     int64   // iterations that redistributions saved
	PredictedCost float64 // predicted cost of the redistributions, in iterations
	Shared        int64   // polygons that are too large for one worker
	// Judged is the number of redistributions that were timed to check the estimate of Options.Costs. Dearer is how
	// many of them took longer than estimated.
	Judged, Dearer int64
	// TooLow is the cost per polygon to use if the estimated cost is too low, see calibration.Store.Observe. Otherwise
	// it is 0.
	TooLow float64
	// Seconds is the time of redistributions and of the iterations after them, averaged over the workers. Iteration is
	// the shortest time of an iteration with mostly idle lanes, or 0 if that was not calibrated. Both are in seconds.
	Seconds, Iteration float64
}

func (s *BalanceStats) add(o *BalanceStats) {
	s.Iteration = weighted(s.Iteration, s.Polygons, o.Iteration, o.Polygons)
	s.Cost = o.Cost
	s.Polygons += o.Polygons
	s.Predicted += o.Predicted
	s.PredictedCost += o.PredictedCost
	s.Shared += o.Shared
	s.Judged += o.Judged
	s.Dearer += o.Dearer
	s.Seconds += o.Seconds
	s.TooLow = max(s.TooLow, o.TooLow)
}

// balanceStats sums the workers' redistributions.
func (e *engine) balanceStats() BalanceStats {
	var counts scanline.Counts
	var times scanline.Times
	s := BalanceStats{Cost: e.estimate.Cost}
	s.Shared, _ = e.large.Shared()
	scanning := 0.0
	for _, r := range e.rasters {
		counts.Add(&r.Counts)
		times.Add(&r.Times)
		scanning += r.Scan.Seconds()
	}
	s.Polygons, s.Predicted, s.PredictedCost = counts.Polygons, counts.Saved, e.estimate.Predicted(&counts)
	s.Judged, s.Dearer = times.Judged, times.Dearer
	if tick := scanning / float64(max(times.Ticks, 1)); times.SpreadTicks > 0 {
		s.Seconds = tick * float64(times.SpreadTicks) / float64(len(e.rasters))
		s.Iteration = tick * e.estimate.Ticks
	}
	s.TooLow = e.judge.Frame(&times, e.estimate)
	return s
}
