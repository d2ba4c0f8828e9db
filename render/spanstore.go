package render

import (
	"lockstep/render/internal/kernel/array"
	"lockstep/render/internal/spanstore"
	"lockstep/render/internal/tile"
)

// The keys of four samples a pixel are more than caches hold. So where a frame is lit
// later, the spans of blocks are not merged into private frames at once, but wait in a span
// store by tile rows. When no block is left a worker takes a tile row, merges all its spans into
// a buffer of that height, which stays in the second-level cache, and notes what its pixels
// show. Spans are the same either way, and so is all that is counted.

// beginStore prepares the span store of a frame.
func (w *worker) beginStore(e *engine) {
	l, stale := e.job.layout, e.job.stale
	if w.few == nil {
		w.few = array.MakeSpans(spanstore.ChunkSpans)
	}
	tiles := &w.reached
	if tiles.Layout != l {
		tiles.Layout = l
		tiles.touched = resize(tiles.touched, l.TilesX*l.TilesY)
		stale = true
	}
	if stale {
		clear(tiles.touched)
	}
	w.store.Begin(l.TilesY, l.Stride*tile.Height, e.job.storeChunks, e.kernels.Keep)
}

// marks returns the frame in which the worker marks the tiles that it draws to: its private
// frame, or reached if it stores its spans.
func (w *worker) marks(e *engine) *frame {
	if e.job.storeChunks > 0 {
		return &w.reached
	}
	return &w.frame
}

// storeSpans stores the worker's spans. Those that it stored before go to its private frame when
// there is no room for more.
func (w *worker) storeSpans(e *engine) (tested, runs int64) {
	if !w.store.Room(w.spans.N) {
		w.drawStore(e)
	}
	return w.store.Add(w.spans)
}

// drawStore moves all spans that the worker stores to its private frame.
func (w *worker) drawStore(e *engine) {
	for ty := range w.frame.TilesY {
		w.drawStoredSpans(e, w.frame.keys[ty*tile.Height*w.frame.Stride:][:tile.Height*w.frame.Stride], &w.store, ty)
	}
	// They stay marked in reached, too: the block at hand may have more spans there.
	for t, touched := range w.reached.touched {
		if touched {
			w.frame.touched[t] = true
		}
	}
	w.store.Empty()
}

// drawStoredSpans merges the spans of a tile row into its keys. It stops between two chunks
// when the frame is called off; a chunk has few samples.
func (w *worker) drawStoredSpans(e *engine, keys []uint64, s *spanstore.Store, ty int) {
	for end := s.Last(ty); end != 0 && !e.cancelled(); {
		end = s.Merge(end, keys, w.few)
	}
}

// drawStoredRow draws what all workers stored of a tile row into the worker's buffer, and
// marks the tiles.
func (w *worker) drawStoredRow(e *engine, ty int) *frame {
	buffer := &w.buffer
	buffer.resizeBuffer(e.job.layout, 1)
	buffer.top = ty
	marks := buffer.touchedRow(ty)
	for i := range e.workers {
		reached := e.workers[i].reached.touchedRow(ty)
		for tx, touched := range reached {
			marks[tx] = marks[tx] || touched
		}
		clear(reached)
		w.drawStoredSpans(e, buffer.keys, &e.workers[i].store, ty)
	}
	return buffer
}
