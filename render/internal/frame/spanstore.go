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

// A SpanStore is the stage of frames whose keys are more than caches hold: those that are lit later, those of several samples a
// pixel, and flat ones of few triangles for their pixels. So the spans of blocks are not merged into private frames at
// once, but wait in the store by rows of tiles. When no block
// is left a worker takes a row of tiles, and merges all its spans into a buffer of that height, which stays in the
// second-level cache. Spans are the same either way, and so is all that is counted.
type SpanStore struct {
	workers []storing
	layout  tile.Layout
	stop    func() bool
	dirty   bool // a frame was begun and has not ended, or was called off
}

// A storing is what one worker stores.
type storing struct {
	store   spanstore.Store
	reached framebuffer.Buffer  // the tiles that the spans may reach; it has no keys
	few     *array.Spans        // some of the store
	private *framebuffer.Buffer // of the worker
	row     framebuffer.Buffer  // of a row of tiles
	stop    func() bool

	_ [64]byte // keep workers apart
}

// A SpanStoreFrame is what a span store wants to know of a frame.
type SpanStoreFrame struct {
	Layout tile.Layout
	Chunks int // of spans that a worker keeps, above 0
	// Private are the private frames of the workers. They take the spans that a worker has no room for.
	Private []*framebuffer.Buffer
	Keep    *keep.Loops
	ZBuffer zbuffer.Loop // merges what else is drawn to the buffers of Run
	Stop    func() bool  // whether the frame was called off
}

// Begin prepares for a frame.
func (s *SpanStore) Begin(f SpanStoreFrame) {
	if s.workers == nil {
		s.workers = make([]storing, len(f.Private))
	}
	s.layout, s.stop = f.Layout, f.Stop
	for i := range s.workers {
		s.workers[i].begin(&f, f.Private[i], s.dirty)
	}
	s.dirty = true
}

// End ends a frame.
func (s *SpanStore) End(calledOff bool) { s.dirty = calledOff }

// Target returns where a worker's spans go.
func (s *SpanStore) Target(worker int) framebuffer.Target { return &s.workers[worker] }

// Run merges what all workers stored of a row of tiles into a buffer of the worker's, which has its tiles marked. It is
// the worker's until the next call. All tiles of it have to be cleared before.
func (s *SpanStore) Run(worker, ty int) *framebuffer.Buffer {
	w := &s.workers[worker]
	w.row.ResizeRows(s.layout, 1)
	w.row.Top = ty
	marks := w.row.TouchedRow(ty)
	for i := range s.workers {
		of := &s.workers[i]
		reached := of.reached.TouchedRow(ty)
		for tx, touched := range reached {
			marks[tx] = marks[tx] || touched
		}
		clear(reached)
		w.merge(w.row.Keys, &of.store, ty)
	}
	return &w.row
}

// begin prepares a worker for a frame. What a frame left that was called off is cleared.
func (w *storing) begin(f *SpanStoreFrame, private *framebuffer.Buffer, stale bool) {
	if w.few == nil {
		w.few = array.MakeSpans(spanstore.ChunkSpans)
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

// RowKeys, Touch, TouchRows and Take make the store a Target.
func (w *storing) RowKeys() int32 { return w.reached.RowKeys() }

func (w *storing) Touch(p *array.Polygons) { w.reached.Touch(p) }

func (w *storing) TouchRows(p *array.Polygons) { w.reached.TouchRows(p) }

// Take stores spans. Those that were stored before go to the private frame when there is no room for more.
func (w *storing) Take(spans *array.Spans, _ int64) (tested, runs int64) {
	if !w.store.Room(spans.N) {
		w.empty()
	}
	return w.store.Add(spans)
}

// empty moves all spans that the worker stores to its private frame.
func (w *storing) empty() {
	f := w.private
	for ty := range f.TilesY {
		w.merge(f.Keys[ty*tile.Height*f.Stride:][:tile.Height*f.Stride], &w.store, ty)
	}
	// They stay marked in reached, too: the block at hand may have more spans there.
	for t, touched := range w.reached.Touched {
		if touched {
			f.Touched[t] = true
		}
	}
	w.store.Empty()
}

// merge merges the spans of a row of tiles into its keys. It stops between two chunks when the frame is called off; a
// chunk has few samples.
func (w *storing) merge(keys []uint64, s *spanstore.Store, ty int) {
	for end := s.Last(ty); end != 0 && !w.stop(); {
		end = s.Merge(end, keys, w.few)
	}
}
