package frame

import (
	"lockstep/render/internal/framebuffer"
	"lockstep/render/internal/kernel/array"
	"lockstep/render/internal/kernel/keep"
	"lockstep/render/internal/kernel/zbuffer"
	"lockstep/render/internal/scratch"
	"lockstep/render/internal/spanstore"
	"lockstep/render/internal/tile"
)

// SpanStore is the stage that stores spans in frames whose keys exceed the caches. These are frames that are lit
// after the z-buffer, frames with several samples a pixel, and flat frames with few triangles for their number of
// samples. Spans of blocks are stored by tile row instead of being merged into private frames at once. When no block
// is left, a worker takes a tile row and merges all its spans into a buffer, which has only this tile row and fits
// into the second-level cache. The numbers of spans and other counts are the same as without the store.
type SpanStore struct {
	workers []spanWorker
	layout  tile.Layout
	stop    func() bool
	dirty   bool // true if the last frame was called off, or End was not called for it
}

// spanWorker is the span store of one worker.
type spanWorker struct {
	store   spanstore.Store
	reached framebuffer.Buffer  // marks tiles that the stored spans may touch; it has no keys
	spans   *array.Spans        // scratch memory for spans from the store
	private *framebuffer.Buffer // the worker's private frame
	row     framebuffer.Buffer  // buffer of the tile row that the worker merges
	stop    func() bool

	_ [64]byte // padding, so that two workers do not share a cache line
}

// A SpanStoreFrame holds the parameters of the stage for a frame.
type SpanStoreFrame struct {
	Layout tile.Layout
	Chunks int // largest number of chunks of spans that a worker stores, above 0
	// Private holds the private frame of each worker. A worker's spans are drawn into it when the worker's store is
	// full.
	Private []*framebuffer.Buffer
	Keep    *keep.Loops
	ZBuffer zbuffer.Loop // z-buffer for spans that are drawn into the buffers of Run without being stored
	Stop    func() bool  // reports whether the frame was called off
}

// Begin prepares for a frame.
func (s *SpanStore) Begin(f SpanStoreFrame) {
	if s.workers == nil {
		s.workers = make([]spanWorker, len(f.Private))
	}
	s.layout, s.stop = f.Layout, f.Stop
	for i := range s.workers {
		s.workers[i].begin(&f, f.Private[i], s.dirty)
	}
	s.dirty = true
}

// End ends a frame.
func (s *SpanStore) End(calledOff bool) { s.dirty = calledOff }

// Target returns the target of a worker's spans.
func (s *SpanStore) Target(worker int) framebuffer.Target { return &s.workers[worker] }

// Run merges the spans that all workers stored for tile row ty into the worker's buffer, and marks the touched tiles
// of the buffer. The buffer is valid until the worker's next call. Before that call, the caller must clear the
// buffer.
func (s *SpanStore) Run(worker, ty int) *framebuffer.Buffer {
	w := &s.workers[worker]
	w.row.ResizeRows(s.layout, 1)
	w.row.Top = ty
	marks := w.row.TouchedRow(ty)
	for i := range s.workers {
		other := &s.workers[i]
		reached := other.reached.TouchedRow(ty)
		for tx, touched := range reached {
			marks[tx] = marks[tx] || touched
		}
		clear(reached)
		w.merge(w.row.Keys, &other.store, ty)
	}
	return &w.row
}

// begin prepares a worker for a frame. If stale is set, it clears the keys and the marks of the last frame.
func (w *spanWorker) begin(f *SpanStoreFrame, private *framebuffer.Buffer, stale bool) {
	if w.spans == nil {
		w.spans = array.MakeSpans(spanstore.ChunkSpans)
	}
	l := f.Layout
	w.private, w.stop = private, f.Stop
	w.row.Begin(f.ZBuffer, f.Stop)
	if stale {
		w.row.Clear(f.Stop)
	}
	if w.reached.Layout != l {
		w.reached.Layout = l
		w.reached.Touched = scratch.Resize(w.reached.Touched, l.TilesX*l.TilesY)
		stale = true
	}
	if stale {
		clear(w.reached.Touched)
	}
	w.store.Begin(l.TilesY, l.Stride*tile.Height, f.Chunks, f.Keep)
}

// RowKeys, Touch, TouchRows, TouchTiles and Take implement framebuffer.Target.
func (w *spanWorker) RowKeys() int32 { return w.reached.RowKeys() }

func (w *spanWorker) Touch(p *array.Polygons) { w.reached.Touch(p) }

func (w *spanWorker) TouchRows(p *array.Polygons)   { w.reached.TouchRows(p) }
func (w *spanWorker) TouchTiles(x0, x1, y0, y1 int) { w.reached.TouchTiles(x0, x1, y0, y1) }

// Take stores spans. If they do not fit into the store, it first moves all stored spans to the private frame.
func (w *spanWorker) Take(spans *array.Spans, _ int64) (tested, runs int64) {
	if !w.store.HasRoom(spans.N) {
		w.flush()
	}
	return w.store.Add(spans)
}

// flush moves all spans of the worker's store to its private frame.
func (w *spanWorker) flush() {
	f := w.private
	for ty := range f.TilesY {
		w.merge(f.Keys[ty*tile.Height*f.Stride:][:tile.Height*f.Stride], &w.store, ty)
	}
	// The tiles stay marked in w.reached too, because the current block may have more spans there.
	for t, touched := range w.reached.Touched {
		if touched {
			f.Touched[t] = true
		}
	}
	w.store.Empty()
}

// merge merges the spans that s stores for tile row ty into keys. If the frame is called off, it stops between two
// chunks of spans.
func (w *spanWorker) merge(keys []uint64, s *spanstore.Store, ty int) {
	for end := s.Last(ty); end != 0 && !w.stop(); {
		end = s.Merge(end, keys, w.spans)
	}
}
