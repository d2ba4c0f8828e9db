package framebuffer

import (
	"time"

	"lockstep/lb"
	"lockstep/render/internal/kernel/array"
	"lockstep/render/internal/kernel/scanline"
)

// spanCapacity is the number of spans that scan conversion passes to a target at a time. A span has 20 bytes, so they
// fit into the second-level cache together with the block. Thousands of spans share the cost of a call.
const spanCapacity = 4096

// A Target receives the spans of polygons, and marks the tiles that the spans may cover. It belongs to one worker.
type Target interface {
	RowKeys() int32 // number of keys between the starts of two rows
	// Touch marks the tiles of polygons that will be drawn. TouchRows does so for the remaining rows of polygons that
	// are partly drawn.
	Touch(p *array.Polygons)
	TouchRows(p *array.Polygons)
	// TouchTiles marks tile columns x0 to x1 of tile rows y0 to y1, all inclusive.
	TouchTiles(x0, x1, y0, y1 int)
	// Take receives spans, none longer than widest samples. tested is the number of samples that the z-buffer tests for
	// them. The z-buffer tests them in runs of zbuffer.RunPixels samples; runs is the number of these runs.
	Take(spans *array.Spans, widest int64) (tested, runs int64)
}

// A Raster scan-converts the polygons of one worker, passes the spans to targets, and counts the work.
type Raster struct {
	scanline.Converter
	Spans *array.Spans // scratch memory, which other stages may use while this worker draws nothing

	// Counts and times of the current frame. Emitted is the number of spans, Tested the number of samples that the
	// z-buffer tested, and Runs the number of runs of samples in which it tested them.
	Emitted, Tested, Runs int64
	Scan, Merge           time.Duration // times of scan conversion and of the targets' Take

	// OnSpans, if not nil, is called after a target has received a span array.
	OnSpans func(spans *array.Spans, tested, runs int64)

	loop  scanline.Loop
	width int32
	stop  func() bool
	warm  bool // WarmUp has been called

	_ [64]byte // padding, so that the counters of two workers do not share a cache line
}

// Begin prepares for a frame that is width samples wide. stop reports whether the frame was cancelled.
func (r *Raster) Begin(loop scanline.Loop, width int32, stop func() bool) {
	if r.Spans == nil {
		r.Spans = array.MakeSpans(spanCapacity)
		r.Start()
	}
	r.loop, r.width, r.stop, r.Stop = loop, width, stop, stop
	r.Emitted, r.Tested, r.Runs, r.Scan, r.Merge = 0, 0, 0, 0, 0
	r.Observe, r.OnSpans = nil, nil
	r.Clear()
}

// WarmUp redistributes once before the first frame, unless the policy never redistributes. This makes the system map
// the code and memory of redistributions before a frame needs them.
func (r *Raster) WarmUp() {
	if r.warm || r.Policy == lb.Never {
		return
	}
	r.warm = true
	r.Converter.WarmUp(r.loop, r.Spans)
}

// Draw scan-converts polygons and passes the spans to t, one span array at a time. start is the time at which the
// caller began to prepare the polygons. Draw adds the time since start to Scan, and returns the time at which it
// ended. It ends early if the frame was cancelled.
func (r *Raster) Draw(t Target, p *array.Polygons, start time.Time) time.Time {
	r.Start()
	for finished := false; !finished && !r.stop(); {
		r.Spans.N = 0
		finished = r.loop(&r.Converter, p, r.Spans, r.width, t.RowKeys())
		scanned := time.Now()
		r.Scan += scanned.Sub(start)
		start = r.Pass(t, int64(p.MaxX-p.MinX), scanned)
	}
	return start
}

// Pass passes r.Spans to t. No span is longer than widest samples. start is the time at which the spans were ready.
// Pass returns the time at which it ended.
func (r *Raster) Pass(t Target, widest int64, start time.Time) time.Time {
	tested, runs := t.Take(r.Spans, widest)
	end := time.Now()
	r.Merge += end.Sub(start)
	if r.OnSpans != nil {
		r.OnSpans(r.Spans, tested, runs)
	}
	r.Tested, r.Runs, r.Emitted = r.Tested+tested, r.Runs+runs, r.Emitted+int64(r.Spans.N)
	return end
}
