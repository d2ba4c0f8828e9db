package render

import (
	"errors"
	"math"
	"sync"

	"lockstep/render/internal/frame"
	"lockstep/render/internal/framebuffer"
	"lockstep/render/internal/kernel/array"
	"lockstep/render/internal/kernel/scanline"
	"lockstep/render/internal/kernel/zbuffer"
	"lockstep/scenes"
	"lockstep/vp/trace"
)

// A TraceFunc is called with every step of a frame's two loops. Calls never overlap. Their order does not depend on
// the number of workers: blocks come in order, and the steps of a block in the order of the loops. If the function
// returns an error, the frame ends with that error.
//
// A traced frame makes the same decisions and has the same counts and picture as any other. Its times mean nothing,
// for three reasons: scan conversion runs a plain loop that reports every iteration, rows of large polygons stay with
// their worker, and workers wait for their turn to report.
//
// Records of the loop "scan" are its lockstep iterations, with the decision before each. There are three stages:
//   - "polygons": the loop steps groups of Lanes polygons.
//   - "parts": the loop steps rows of one polygon that are spread over all lanes.
//   - "rows": the loop steps row ranges of a block's large polygons, which are cut for several workers. The first
//     record of a cut stands for the cut itself. Its Unbalanced and Savings are the number of iterations that the loop
//     saves because the groups of the block do not contain the large polygons.
//
// A record of the loop "zbuffer" stands for a span array. The z-buffer tests the samples of a span in runs of as many
// samples as the field Processors says; a run is an iteration. Active is the number of spans. Max is the largest number
// of runs in a span. Sum and Iterations are the number of all runs. Tasks is the number of samples tested.
//
// The sums of Iterations, Unbalanced and Tasks are equal to those of Stats.Loops, and as many records are marked
// Redistributed as Stats.Loops counts redistributions.
type TraceFunc func(trace.Step) error

// Names of loops and stages in a trace.
const (
	TraceScan     = "scan"
	TraceZBuffer  = "zbuffer"
	TracePolygons = "polygons"
	TraceParts    = "parts"
	TraceRows     = "rows"
)

// traceBuffer is the number of records that a worker collects before it must wait for its turn to report: half a
// megabyte. A block of small polygons makes far fewer records.
const traceBuffer = 4096

// errTraceEnded stops the tracing of other workers after a block has failed. The worker with the failed block returns
// the cause.
var errTraceEnded = errors.New("trace ended")

// A frameTrace puts the workers' records in order. A unit is a part of the source that one worker draws. Workers take
// units in order. A worker reports the steps of its unit when all units before it are done. Until then it keeps a
// limited number of steps. The worker with the first unfinished unit never waits, so the frame always makes progress.
type frameTrace struct {
	write   TraceFunc // nil: frames are not traced
	frame   int       // number of the current frame
	workers []tracer

	mu      sync.Mutex
	changed sync.Cond
	units   int // number of units of the source
	taken   int // number of units that workers have taken
	turn    int // unit whose steps may be reported now
	failed  bool
}

// begin prepares for the next frame. Frames that are not traced are counted too.
func (t *frameTrace) begin(units int) {
	if t.changed.L == nil {
		t.changed.L = &t.mu
	} else {
		t.frame++
	}
	t.units, t.taken, t.turn, t.failed = units, 0, 0, false
}

// watch makes the rasters report their steps to the trace. It is called only in traced frames.
func (t *frameTrace) watch(rasters []*framebuffer.Raster) {
	if t.workers == nil {
		t.workers = make([]tracer, len(rasters))
	}
	for i, r := range rasters {
		w := &t.workers[i]
		if w.steps == nil {
			w.trace, w.steps = t, make([]trace.Step, 0, traceBuffer)
		}
		w.steps, w.err, w.unitOpen, w.inRanges = w.steps[:0], nil, false, false
		r.Observe, r.OnSpans = w.scanStep, w.recordSpans
	}
}

// Next returns the next unit. ok is false if no units are left or the trace has failed.
//
// Next and the methods BeginUnit, BeginBlock, EndUnit, Leave, Cut and CutDone implement interfaces of package frame,
// which calls them while it draws blocks and large polygons.
func (t *frameTrace) Next(int) (unit int, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.failed || t.taken == t.units {
		return 0, false
	}
	t.taken++
	return t.taken - 1, true
}

// waitForTurn waits until it is the unit's turn to report. It returns errTraceEnded if the trace has failed.
func (t *frameTrace) waitForTurn(unit int) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	for t.turn != unit && !t.failed {
		t.changed.Wait()
	}
	if t.failed {
		return errTraceEnded
	}
	return nil
}

// endTurn ends the turn of a unit, so that the next unit may report. If ok is false, no other unit may report any more.
func (t *frameTrace) endTurn(ok bool) {
	t.mu.Lock()
	if ok {
		t.turn++
	} else {
		t.failed = true
	}
	t.mu.Unlock()
	t.changed.Broadcast()
}

// BeginUnit records that a worker starts a unit.
func (t *frameTrace) BeginUnit(worker, unit int) {
	t.workers[worker].unit, t.workers[worker].unitOpen = unit, true
}

// BeginBlock records that a worker starts block i of its unit. Blocks of this unit have `size` triangles.
func (t *frameTrace) BeginBlock(worker, i, size int) {
	w, perUnit := &t.workers[worker], (scenes.BlockSize+size-1)/size
	w.block, w.scanned, w.zbuffered = w.unit*perUnit+i, 0, 0
}

// EndUnit ends a unit. If err is nil, it reports the unit's remaining steps, and then the worker with the next unit may
// report. If err, the error of drawing the unit, is not nil, or if a report fails, the trace fails: no worker reports
// any more, and Next hands out no further units.
func (t *frameTrace) EndUnit(worker int, err error) error {
	w := &t.workers[worker]
	if err == nil {
		w.flush()
		err = w.err
	}
	w.unitOpen = false
	t.endTurn(err == nil)
	if errors.Is(err, errTraceEnded) {
		return nil // the worker that failed returns the cause
	}
	return err
}

// Leave ends the trace if the worker stopped before the end of its unit.
func (t *frameTrace) Leave(worker int) {
	if w := &t.workers[worker]; w.unitOpen {
		w.unitOpen = false
		t.endTurn(false)
	}
}

// Cut reports that a block's large polygons were cut into row ranges, which are drawn next.
func (t *frameTrace) Cut(worker int, c frame.Cut) {
	w := &t.workers[worker]
	w.inRanges = true
	w.add(trace.Step{
		Loop: TraceScan, Stage: TraceRows, Iteration: w.scanned, Unbalanced: c.Saved, Processors: array.Lanes,
		Active: c.Polygons, Max: c.MaxRows, Sum: c.Rows, Savings: float64(c.Saved), Decision: trace.Shared, Parts: c.Ranges, Redistributed: true,
	})
}

// CutDone records that the row ranges of the last cut are drawn.
func (t *frameTrace) CutDone(worker int) { t.workers[worker].inRanges = false }

// A tracer collects the steps of one worker.
type tracer struct {
	trace *frameTrace
	steps []trace.Step // steps that are not reported yet
	err   error        // error after which no more steps are reported

	unit     int // the unit that the worker draws
	unitOpen bool
	block    int
	inRanges bool // row ranges of large polygons are being drawn
	// Iterations of the two loops in the current block so far.
	scanned, zbuffered int

	_ [64]byte // padding, so that workers do not share a cache line
}

// add appends a record, and reports all records if the buffer is full.
func (t *tracer) add(s trace.Step) {
	if t.err != nil {
		return
	}
	s.Frame, s.Block = t.trace.frame, t.block
	t.steps = append(t.steps, s)
	if len(t.steps) == cap(t.steps) {
		t.flush()
	}
}

// flush waits for the unit's turn and reports all records.
func (t *tracer) flush() {
	if t.err == nil {
		t.err = t.trace.waitForTurn(t.unit)
	}
	for i := range t.steps {
		if t.err != nil {
			break
		}
		t.err = t.trace.write(t.steps[i])
	}
	t.steps = t.steps[:0]
}

// scanStep records a step of scan conversion.
func (t *tracer) scanStep(s *scanline.Step) {
	step := trace.Step{
		Loop: TraceScan, Stage: TracePolygons, Group: s.Group, Iteration: t.scanned, Processors: array.Lanes,
		Active: s.Active, Max: s.Max, Sum: s.Sum, Savings: s.Savings, Cost: s.Cost,
	}
	if s.Spread {
		step.Stage = TraceParts
	}
	switch s.Event {
	case scanline.Redistributed:
		step.Decision, step.Redistributed = trace.Redistributed, true
		step.Unbalanced = int64(s.Max)
	default:
		step.Decision = trace.None
		if s.Event == scanline.Looked {
			step.Decision = trace.Kept
		}
		step.Iterations, step.Tasks = 1, int64(s.Active)
		if !s.Spread {
			step.Unbalanced = 1
		}
		t.scanned++
	}
	if t.inRanges {
		step.Stage, step.Unbalanced = TraceRows, 0 // Cut's record counts the iterations without redistributions
	}
	t.add(step)
}

// recordSpans records a span array that was passed to the z-buffer.
func (t *tracer) recordSpans(s *array.Spans, tested, runs int64) {
	if s.N == 0 {
		return
	}
	longest := int32(0)
	for _, count := range s.Count[:s.N] {
		longest = max(longest, count)
	}
	t.add(trace.Step{
		Loop: TraceZBuffer, Group: 0, Iteration: t.zbuffered, Iterations: runs, Unbalanced: runs, Processors: zbuffer.RunPixels,
		Active: s.N, Max: (longest + zbuffer.RunPixels - 1) / zbuffer.RunPixels, Sum: runs, Tasks: tested,
		Cost: math.Inf(1), Decision: trace.None, // runs are not redistributed
	})
	t.zbuffered += int(runs)
}

// beginUnits begins the units of the frame. It returns the object that hands units out to the workers, and the watchers
// that are notified of the units.
func (e *engine) beginUnits() (from frame.Units, watchers []frame.Watcher) {
	j := &e.job
	e.units.Reset(len(e.rasters), j.units)
	from, e.watchers = &e.units, e.watchers[:0]
	if j.timed {
		e.timer.Begin(len(e.rasters), j.units)
		e.watchers = append(e.watchers, &e.timer)
	}
	if j.traced {
		e.trace.watch(e.rasters)
		from, e.watchers = &e.trace, append(e.watchers, &e.trace)
	}
	return from, e.watchers
}
