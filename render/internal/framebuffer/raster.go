package framebuffer

import (
	"time"

	"lockstep/lb"
	"lockstep/render/internal/kernel/array"
	"lockstep/render/internal/kernel/scanline"
)

// spanCapacity is the number of spans that scan conversion hands to a target at a time: 20 bytes each, they stay in the
// second-level cache with the block, and the hand-over is amortised over thousands.
const spanCapacity = 4096

// A Target takes the spans of polygons, and notes the tiles that they may reach. Its methods are for one worker.
type Target interface {
	RowKeys() int32 // from row to row
	// Touch notes that polygons will be drawn, TouchRows that some rows of them will be: those that they have left.
	Touch(p *array.Polygons)
	TouchRows(p *array.Polygons)
	// Take takes spans, none longer than widest samples, and returns how many samples the z-buffer tests for them and
	// its runs of vectors.
	Take(spans *array.Spans, widest int64) (tested, runs int64)
}

// A Raster takes the polygons of one worker to targets by scan conversion, and counts what that takes.
type Raster struct {
	scanline.Converter
	Spans *array.Spans // scratch, also for others while nothing is drawn

	// Of the frame so far.
	Emitted, Tested, Runs int64         // spans, samples that the z-buffer tested, and its runs of vectors
	Scan, Merge           time.Duration // for scan conversion, and for what targets did

	// Handed, unless it is nil, is told of every span array that a target took.
	Handed func(spans *array.Spans, tested, runs int64)

	loop  scanline.Loop
	width int32
	stop  func() bool
	warm  bool // see WarmUp

	_ [64]byte // keep the counters of neighbours apart
}

// Begin prepares for a frame that is width samples wide, until stop says that it was called off.
func (r *Raster) Begin(loop scanline.Loop, width int32, stop func() bool) {
	if r.Spans == nil {
		r.Spans = array.MakeSpans(spanCapacity)
		r.Start()
	}
	r.loop, r.width, r.stop, r.Stop = loop, width, stop, stop
	r.Emitted, r.Tested, r.Runs, r.Scan, r.Merge = 0, 0, 0, 0, 0
	r.Observe, r.Handed = nil, nil
	r.Clear()
}

// WarmUp redistributes once, where the policy may, before the first frame, so that the frame's first redistribution finds
// code and memory mapped.
func (r *Raster) WarmUp() {
	if r.warm || r.Policy == lb.Never {
		return
	}
	r.warm = true
	r.Converter.WarmUp(r.loop, r.Spans)
}

// Draw takes polygons to a target, a span array at a time, and returns when it was done. The time counts from start. A
// frame that is called off ends it early.
func (r *Raster) Draw(t Target, p *array.Polygons, start time.Time) time.Time {
	r.Start()
	for finished := false; !finished && !r.stop(); {
		r.Spans.N = 0
		finished = r.loop(&r.Converter, p, r.Spans, r.width, t.RowKeys())
		scanned := time.Now()
		r.Scan += scanned.Sub(start)
		tested, runs := t.Take(r.Spans, int64(p.MaxX-p.MinX))
		start = time.Now()
		r.Merge += start.Sub(scanned)
		if r.Handed != nil {
			r.Handed(r.Spans, tested, runs)
		}
		r.Tested, r.Runs, r.Emitted = r.Tested+tested, r.Runs+runs, r.Emitted+int64(r.Spans.N)
	}
	return start
}
