package render

import (
	"slices"
	"time"

	"lockstep/render/internal/kernel/array"
	"lockstep/render/internal/kernel/scanline"
	"lockstep/render/internal/kernel/zbuffer"
)

// Stats counts the work of one frame. Counts do not depend on the number of
// workers; times and what follows from them do.
type Stats struct {
	Triangles TriangleStats
	Spans     int64        // spans that scan conversion emitted
	Pixels    int64        // samples that the z-buffer tested
	Covered   int64        // pixels of the picture with at least one sample covered
	Loops     [2]LoopStats // scan conversion and z-buffer
	Balance   BalanceStats // of scan conversion
	Leaves    LeavesStats
	Seconds   Seconds
}

// Add adds the counts and times of another frame. Lane uses become means weighted by
// iterations, the time of an iteration one weighted by deferred polygons, TooLow the
// largest of all; Triangles.Dropped and Balance.Cost are those of the last frame.
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
	s.Seconds.Frame += o.Seconds.Frame
	s.Seconds.Leaves += o.Seconds.Leaves
	s.Seconds.add(&o.Seconds)
}

// LeavesStats counts the groups of triangles of frames that may defer them, see Options.Leaves: all is 0 in others.
type LeavesStats struct {
	Groups   int64 `json:"groups"`   // that may be in the picture
	Deferred int64 `json:"deferred"` // groups that were not expected to be seen
	Late     int64 `json:"late"`     // deferred groups that were seen, and drawn after the others
}

// TriangleStats counts what became of the mesh's triangles:
// In = Dropped + Culled + Drawn.
type TriangleStats struct {
	In      int64 `json:"in"`
	Dropped int64 `json:"-"`       // a coordinate was NaN or infinite
	Culled  int64 `json:"culled"`  // facing away, without area, outside the picture, between pixel centres or in groups that frames before have hidden
	Clipped int64 `json:"clipped"` // met the near plane or the guard band, of those that were looked at; also counted as culled or drawn
	Drawn   int64 `json:"drawn"`   // gave at least one polygon
}

// LoopStats describes one lockstep loop over a frame. Unbalanced is what the same
// loop takes without redistributions; a redistribution is that of the lanes of
// a group, or of one polygon too large for one worker.
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

// weighted returns the mean of x and y with weights n and m, 0 without any.
func weighted(x float64, n int64, y float64, m int64) float64 {
	if n+m == 0 {
		return 0
	}
	return (x*float64(n) + y*float64(m)) / float64(n+m)
}

// Seconds holds wall times. Stages that run interleaved on every worker are
// given as the mean over the workers; together they are Frame but for waiting
// and, on a renderer's first frame, the memory.
type Seconds struct {
	Frame    time.Duration
	Leaves   time.Duration // finding and ordering groups of triangles, once for a surface; not part of Frame
	Read     time.Duration // delivering blocks: reading, decoding or generating them
	Geometry time.Duration
	Scan     time.Duration
	ZBuffer  time.Duration
	Merge    time.Duration
	Resolve  time.Duration
}

// add adds the stages of o.
func (s *Seconds) add(o *Seconds) {
	s.Read += o.Read
	s.Geometry += o.Geometry
	s.Scan += o.Scan
	s.ZBuffer += o.ZBuffer
	s.Merge += o.Merge
	s.Resolve += o.Resolve
}

// divide divides the stages by n.
func (s *Seconds) divide(n int) {
	for _, d := range []*time.Duration{&s.Read, &s.Geometry, &s.Scan, &s.ZBuffer, &s.Merge, &s.Resolve} {
		*d /= time.Duration(n)
	}
}

// stats adds up what the workers counted.
func (e *engine) stats() Stats {
	var s Stats
	var scan, merging LoopStats
	var scanTasks, zTasks int64
	for i, r := range e.rasters {
		drawn, _ := e.first.Drawn(i)
		of, written := &drawn.Triangles, e.last.Written(i)
		s.Triangles.In += of.Dropped + of.Culled + of.Drawn
		s.Triangles.Dropped += of.Dropped
		s.Triangles.Culled += of.Culled
		s.Triangles.Clipped += of.Clipped
		s.Triangles.Drawn += of.Drawn
		s.Spans += r.Emitted
		s.Pixels += r.Tested
		s.Covered += written.Covered
		scan.Iterations += r.Iterations
		scan.IterationsUnbalanced += r.IterationsUnbalanced
		scan.Redistributions += r.Redistributions
		scanTasks += r.Tasks
		merging.Iterations += r.Runs
		merging.IterationsUnbalanced += r.Runs
		zTasks += r.Tested
		own := e.workerSeconds(i)
		s.Seconds.add(&own)
	}
	s.Seconds.divide(len(e.rasters))
	s.Balance = e.balanceStats()
	if slices.Contains(e.begun, stage(&e.leaves)) {
		s.Leaves.Groups, s.Leaves.Deferred, s.Leaves.Late = e.leaves.Counted()
	}
	s.Loops[0] = scan.finish("scan", scanTasks, array.Lanes)
	s.Loops[1] = merging.finish("zbuffer", zTasks, zbuffer.RunPixels)
	return s
}

// workerSeconds returns the times of a worker's stages.
func (e *engine) workerSeconds(i int) Seconds {
	drawn, _ := e.first.Drawn(i)
	r, written := e.rasters[i], e.last.Written(i)
	return Seconds{Read: drawn.Read, Geometry: drawn.Geometry, Scan: r.Scan, ZBuffer: r.Merge, Merge: written.Merge, Resolve: written.Resolve}
}

// finish fills in what follows from the counts.
func (l LoopStats) finish(name string, tasks, lanes int64) LoopStats {
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

// BalanceStats compares the predictions of the scan-conversion loop's decisions with what
// happened, over a frame. Polygons shared between workers because of their size are counted in
// Shared alone.
type BalanceStats struct {
	Cost          float64 // estimated, of redistributing a polygon, in iterations; 0 where the policy asks for none
	Polygons      int64   // whose rows were redistributed
	Predicted     int64   // iterations saved by that
	PredictedCost float64 // predicted cost of these redistributions, in iterations
	Shared        int64   // polygons too large for one worker
	// Judged counts redistributions that were timed, under the estimate of
	// Options.Costs, and Dearer those that took longer than it allows.
	Judged, Dearer int64
	// TooLow, unless it is 0, is the cost of a polygon that the estimate should be raised
	// to: see calibration.Store.Observe.
	TooLow float64
	// Seconds is the time of redistributions and their iterations, the mean over the
	// workers. Iteration is the shortest time of an iteration of mostly idle lanes, 0 where
	// it was not calibrated. Both in seconds.
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

// balanceStats adds up the workers' redistributions.
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
