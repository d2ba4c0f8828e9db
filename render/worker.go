package render

import (
	"time"

	"lockstep/render/internal/blocktime"
	"lockstep/render/internal/frame"
	"lockstep/render/internal/kernel"
	"lockstep/render/internal/kernel/array"
	"lockstep/render/internal/kernel/geometry"
	"lockstep/render/internal/kernel/scanline"
	"lockstep/render/internal/keycode"
	"lockstep/render/internal/sources"
	"lockstep/render/internal/tile"
	"lockstep/scenes"
)

// worker is what one worker of the machine owns.
type worker struct {
	index   int
	frame   frame.Buffer // the private one
	target  frame.Target // of the spans of blocks: the private frame, or a span store
	raster  frame.Raster
	polys   *array.Polygons
	warm    *kernel.Loops   // the loops whose redistribution has run on this worker, see warmUp
	toClip  []int32         // scratch for the geometry loop
	block   scenes.Block    // scratch for sources that decode
	part    scenes.Block    // being drawn; a variable of its own would escape
	first   int             // number of its first triangle, of a mesh in memory
	chooser keycode.Chooser // of the layers of other processes

	counts geometry.Counts
	times  Seconds // of this worker, but for those of raster; Frame is not used
	err    error
	cuts   frame.CutWatcher // the tracer, or nil
	tracer *tracer          // nil: the frame is not traced

	_ [64]byte // keep the counters of neighbours apart
}

// begin prepares for a frame; the first time it allocates.
func (w *worker) begin(e *engine) {
	if w.polys == nil {
		o := &e.options
		w.polys = array.MakePolygons(o.BlockSize + geometry.ClipMost)
		w.toClip = make([]int32, o.BlockSize)
	}
	w.counts = geometry.Counts{}
	w.times = Seconds{}
	w.raster.Begin(e.kernels.ScanConvert, e.job.view.Width, e.cancelledFn)
	w.frame.Begin(e.kernels.ZBuffer, e.cancelledFn)
	w.target = &w.frame
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
	w.raster.WarmUp(e.kernels.ScanConvert, w.raster.Spans)
}

// draw takes blocks until none is left.
func (e *engine) draw(index int) {
	w := &e.workers[index]
	defer w.tracer.leave()
	if e.job.stale && !w.frame.Clear(e.cancelled) {
		return
	}
	w.warmUp(e)
	w.frame.Resize(e.job.layout, len(e.workers), e.job.window.mostKeys)
	for {
		if e.cancelled() {
			return
		}
		i, ok := e.nextUnit(index)
		if !ok {
			e.large.Dry.Add(1)
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
	w.polys.Aside = e.backs.Aside(w.index, uint32(w.first))
	toClip := e.kernels.Geometry(view, b, w.polys, w.toClip, &w.counts)
	e.backs.Keep(w.index)
	for {
		toClip = geometry.ClipTriangles(view, b, toClip, w.polys, &w.counts)
		e.shade(b, w.first, w.polys)
		w.times.Geometry += time.Since(t0)
		if e.job.sheer {
			w.drawSheer(e)
		}
		e.large.Take(w.index, w.polys, w.target, &w.raster, w.cuts)
		t1 := time.Now()
		w.target.Touch(w.polys)
		t0 = w.raster.Draw(w.target, w.polys, t1)
		if len(toClip) == 0 || e.cancelled() {
			return
		}
		w.polys.Reset()
	}
}

// drawSheer draws the polygons of the block whose material lets some samples through, one sample
// after the other, and takes them out of the block. It is called only for meshes with such
// materials.
func (w *worker) drawSheer(e *engine) {
	p, spans, scene := w.polys, w.raster.Spans, &e.scene
	for n := range p.N {
		t := p.Payload[n]
		if p.Rows[n] == 0 || !scene.SheerTriangle(t) {
			continue
		}
		x0, x1 := w.frame.Reach(p, n)
		last := int(p.First[n]+p.Rows[n]-1) / tile.Height
		w.frame.TouchTiles(x0/tile.Width, x1/tile.Width, int(p.First[n])/tile.Height, last)
		for row := p.First[n]; row < p.First[n]+p.Rows[n] && !e.cancelled(); row++ {
			spans.N = 0
			scanline.AppendRow(spans, p, n, row, e.job.view.Width, int32(w.frame.Stride))
			for i := range spans.N {
				w.sheerSpan(e, i, int(row))
			}
		}
		p.Rows[n] = 0
	}
}

// sheerSpan merges those samples of a span that the material does not let through, as the
// z-buffer does.
func (w *worker) sheerSpan(e *engine, span, row int) {
	s, grid, shader := w.raster.Spans, e.job.grid, e.light.Shader(w.index)
	per := 1 / float32(grid)
	start, t := int(s.Start[span]), s.Payload[span]
	column := start - row*w.frame.Stride
	line := row + e.job.window.top*grid
	y := float32(e.job.height)/2 - float32((float32(line)+0.5)*per)
	keys, low := w.frame.Keys[start:start+int(s.Count[span])], uint64(^t)
	for k := range keys {
		x := float32((float32(column+k)+0.5)*per) - float32(e.job.width)/2
		key := array.Key(s.E[span]+float32(float32(k)*s.DE[span]), low)
		if key > keys[k] && shader.There(t, x, y, column+k, line) {
			keys[k] = key
		}
	}
	w.raster.Emitted++
	w.raster.Tested += int64(len(keys))
}
