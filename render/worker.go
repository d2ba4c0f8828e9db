package render

import (
	"time"

	"lockstep/render/internal/backs"
	"lockstep/render/internal/blocktime"
	"lockstep/render/internal/kernel"
	"lockstep/render/internal/kernel/array"
	"lockstep/render/internal/kernel/geometry"
	"lockstep/render/internal/kernel/scanline"
	"lockstep/render/internal/keycode"
	"lockstep/render/internal/sources"
	"lockstep/render/internal/spanstore"
	"lockstep/render/internal/surface"
	"lockstep/render/internal/tile"
	"lockstep/render/internal/visible"
	"lockstep/scenes"
)

// spanCapacity is the number of spans that scan conversion hands to the
// z-buffer at a time: 20 bytes each, they stay in the second-level cache with
// the block, and the hand-over is amortised over thousands.
const spanCapacity = 4096

// worker is what one worker of the machine owns.
type worker struct {
	frame  frame
	polys  *array.Polygons
	scan   scanline.Converter
	warm   *kernel.Loops   // the loops whose redistribution has run on this worker, see warmUp
	large  largePolygons   // of the block
	kept   kept            // of its blocks, for all workers
	buffer frame           // of some tile rows, for the polygons or spans that workers kept
	ranged *array.Polygons // scratch, nil until it is needed
	spans  *array.Spans
	toClip []int32      // scratch for the geometry loop
	block  scenes.Block // scratch for sources that decode
	part   scenes.Block // being drawn; a variable of its own would escape
	first  int          // number of its first triangle, of a mesh in memory
	shader surface.Shader
	page   *visible.Page // for the notes of the frame; nil: none yet

	// Of the pixels of a row, while they are lit, and of a vector more.
	distances, open []float32
	cells           surface.Cells

	store   spanstore.Store // of a frame that is lit later, see schedule.storeChunks
	reached frame           // the tiles that its spans may reach; it has no keys
	few     *array.Spans    // some of the store
	some    array.Spans     // a part of few or of spans, see zbuffer
	chooser keycode.Chooser // of the layers of other processes
	backs   backs.Faces     // that are set aside
	seen    []uint32        // those that may be visible in a row of tiles

	counts                           geometry.Counts
	spanCount, pixels, runs, covered int64
	shared                           int64   // large polygons
	times                            Seconds // of this worker; Frame is not used
	err                              error
	tracer                           *tracer // nil: the frame is not traced

	_ [64]byte // keep the counters of neighbours apart
}

// begin prepares for a frame; the first time it allocates.
func (w *worker) begin(e *engine) {
	if w.polys == nil {
		o := &e.options
		w.polys = array.MakePolygons(o.BlockSize + geometry.ClipMost)
		w.spans = array.MakeSpans(spanCapacity)
		w.scan.Start()
		w.scan.Stop = e.cancelledFn
		w.toClip = make([]int32, o.BlockSize)
	}
	w.counts = geometry.Counts{}
	w.spanCount, w.pixels, w.runs, w.covered, w.shared = 0, 0, 0, 0, 0
	w.times = Seconds{}
	w.scan.Clear()
	w.kept.reset()
	w.err = nil
}

// cancelled reports whether the frame was called off.
func (e *engine) cancelled() bool {
	select {
	case <-e.job.done:
		return true
	default:
		return false
	}
}

// warmUp redistributes once on this worker before the first frame with these loops, so that the
// frame's first redistribution finds code and memory mapped.
func (w *worker) warmUp(e *engine) {
	if w.warm == e.kernels || !e.job.warmUp {
		return
	}
	w.warm = e.kernels
	w.scan.WarmUp(e.kernels.ScanConvert, w.spans)
}

// draw takes blocks until none is left.
func (e *engine) draw(index int) {
	w := &e.workers[index]
	defer w.tracer.leave()
	if e.job.stale && !(w.frame.clear(e.cancelled) && w.buffer.clear(e.cancelled)) {
		return
	}
	w.warmUp(e)
	w.frame.resize(e.job.layout, len(e.workers), e.job.window.mostKeys)
	if e.job.storeChunks > 0 {
		w.beginStore(e)
	}
	w.beginBacks(e)
	for {
		if e.cancelled() {
			return
		}
		i, ok := e.nextUnit(index)
		if !ok {
			e.dry.Add(1)
			return
		}
		w.tracer.begin(i)
		var clock blocktime.Clock
		if e.job.timed {
			clock.Start()
		}
		if err := w.tracer.end(w.drawUnit(e, i)); err != nil {
			w.err = err
			return
		}
		if e.job.timed {
			e.blockSeconds[i] = clock.Seconds()
		}
	}
}

// drawUnit draws unit i of the source, in blocks of the wanted size.
func (w *worker) drawUnit(e *engine, i int) error {
	if e.job.chosen {
		i = e.job.parts.Blocks[i]
	}
	size := e.job.blockSize
	if e.job.sliced {
		size = e.job.unitSize
		mesh := e.job.source.(sources.Slicer)
		w.first = i * size
		w.part = mesh.Slice(w.first, min((i+1)*size, e.job.source.Len()))
		w.tracer.beginBlock(0, scenes.BlockSize)
		w.drawBlock(e, &w.part)
		return nil
	}
	start := time.Now()
	if err := e.job.source.ReadBlock(i, &w.block); err != nil {
		return err
	}
	w.times.Read += time.Since(start)
	for lo := 0; lo < w.block.Len(); lo += size {
		w.part = w.block.Slice(lo, min(lo+size, w.block.Len()))
		w.tracer.beginBlock(lo/size, size)
		w.drawBlock(e, &w.part)
	}
	return nil
}

// drawBlock takes one block all the way to the worker's frame.
func (w *worker) drawBlock(e *engine, b *scenes.Block) {
	if !e.job.ownColors {
		b.Colors = nil
	}
	view := &e.job.view
	t0 := time.Now()
	w.polys.Reset()
	w.backs.Aside.First, w.polys.Aside = uint32(w.first), &w.backs.Aside
	toClip := e.kernels.Geometry(view, b, w.polys, w.toClip, &w.counts)
	w.backs.Keep()
	for {
		toClip = geometry.ClipTriangles(view, b, toClip, w.polys, &w.counts)
		e.shade(b, w.first, w.polys)
		w.times.Geometry += time.Since(t0)
		if e.job.sheer {
			w.drawSheer(e)
		}
		w.sharePolygons(e)
		t1 := time.Now()
		w.marks(e).touch(w.polys)
		w.scan.Start()
		t0 = w.drawSpans(e, &w.frame, w.polys, t1)
		if len(toClip) == 0 || e.cancelled() {
			return
		}
		w.polys.Reset()
	}
}

// drawSpans takes polygons, for which the scan was started, to a frame, a
// filled span array at a time, and returns when it was done. A frame that is called off
// ends it early.
func (w *worker) drawSpans(e *engine, target *frame, p *array.Polygons, start time.Time) time.Time {
	k, width := e.kernels, e.job.view.Width
	for finished := false; !finished && !e.cancelled(); {
		w.spans.N = 0
		finished = k.ScanConvert(&w.scan, p, w.spans, width, int32(target.Stride))
		target.shift(w.spans)
		scanned := time.Now()
		w.times.Scan += scanned.Sub(start)
		var pixels, runs int64
		if target == &w.frame && e.job.storeChunks > 0 {
			pixels, runs = w.storeSpans(e)
		} else {
			pixels, runs = e.zbuffer(target.keys, w.spans, &w.some, int64(p.MaxX-p.MinX))
		}
		start = time.Now()
		w.times.ZBuffer += start.Sub(scanned)
		w.tracer.handed(w.spans, pixels, runs)
		w.pixels, w.runs = w.pixels+pixels, w.runs+runs
		w.spanCount += int64(w.spans.N)
	}
	return start
}

const (
	// unwatchedSamples bounds the samples that the z-buffer merges between two looks
	// whether the frame was called off: 64 MiB of keys, in some 10 milliseconds. The
	// spans of a picture up to 2048 samples wide are never more.
	unwatchedSamples = 8 << 20
	// watchedSamples is how many it merges at a time where they could be more.
	watchedSamples = 1 << 20
)

// zbuffer merges spans, none longer than widest, into the keys of a frame. some is scratch.
func (e *engine) zbuffer(keys []uint64, spans, some *array.Spans, widest int64) (tested, runs int64) {
	if widest*int64(spans.N) <= unwatchedSamples {
		return e.kernels.ZBuffer(keys, spans)
	}
	for lo := 0; lo < spans.N && !e.cancelled(); {
		hi, samples := lo, 0
		for hi < spans.N && samples < watchedSamples {
			samples += int(spans.Count[hi])
			hi++
		}
		*some = spans.Slice(lo, hi)
		t, n := e.kernels.ZBuffer(keys, some)
		tested, runs, lo = tested+t, runs+n, hi
	}
	return tested, runs
}

// drawSheer draws the polygons of the block whose material lets some samples through, one sample
// after the other, and takes them out of the block. It is called only for meshes with such
// materials.
func (w *worker) drawSheer(e *engine) {
	p, scene := w.polys, &e.deferred.scene
	for n := range p.N {
		t := p.Payload[n]
		if p.Rows[n] == 0 || !scene.SheerTriangle(t) {
			continue
		}
		x0, x1 := w.frame.reach(p, n)
		last := int(p.First[n]+p.Rows[n]-1) / tile.Height
		w.frame.touchTiles(x0/tile.Width, x1/tile.Width, int(p.First[n])/tile.Height, last)
		for row := p.First[n]; row < p.First[n]+p.Rows[n] && !e.cancelled(); row++ {
			w.spans.N = 0
			scanline.AppendRow(w.spans, p, n, row, e.job.view.Width, int32(w.frame.Stride))
			for i := range w.spans.N {
				w.sheerSpan(e, i, int(row))
			}
		}
		p.Rows[n] = 0
	}
}

// sheerSpan merges those samples of a span that the material does not let through, as the
// z-buffer does.
func (w *worker) sheerSpan(e *engine, span, row int) {
	s, grid := w.spans, e.job.grid
	per := 1 / float32(grid)
	start, t := int(s.Start[span]), s.Payload[span]
	column := start - row*w.frame.Stride
	line := row + e.job.window.top*grid
	y := float32(e.job.height)/2 - float32((float32(line)+0.5)*per)
	keys, low := w.frame.keys[start:start+int(s.Count[span])], uint64(^t)
	for k := range keys {
		x := float32((float32(column+k)+0.5)*per) - float32(e.job.width)/2
		key := array.Key(s.E[span]+float32(float32(k)*s.DE[span]), low)
		if key > keys[k] && w.shader.There(t, x, y, column+k, line) {
			keys[k] = key
		}
	}
	w.spanCount++
	w.pixels += int64(len(keys))
}
