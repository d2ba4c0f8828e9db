package render

import (
	"context"
	"errors"
	"time"

	"lockstep/render/calibration"
	"lockstep/render/internal/frame"
	"lockstep/render/internal/kernel"
	"lockstep/render/internal/kernel/array"
	"lockstep/render/internal/kernel/geometry"
	"lockstep/render/internal/kernel/pixel"
	"lockstep/render/internal/kernel/shade"
	"lockstep/render/internal/parts"
	"lockstep/render/internal/surface"
	"lockstep/render/internal/tile"
	"lockstep/render/internal/tint"
	"lockstep/render/internal/view"
	"lockstep/scenes"
	"lockstep/vp/hugepages"
	"lockstep/vp/isa"
	"lockstep/vp/machine"
)

// An engine draws the frames of a renderer, which sees to it that one is drawn at a time. It has the workers, the stages
// of the frame that they draw, and the memory that is kept from frame to frame.
type engine struct {
	options    Options
	machine    *machine.Machine
	layout     tile.Layout    // of a frame of the whole picture
	units      machine.Ranges // of the source, not yet drawn
	rows       machine.Ranges // of tiles in job.needed, not yet merged
	workers    []worker
	kernels    *kernel.Loops
	shader     *shade.Shader
	colors     *surface.Colors      // nil until there are studio lights
	base       RGB                  // of shader
	background uint32               // pixel
	estimate   calibration.Estimate // of what redistributions cost
	judge      calibration.Judge
	down       *pixel.Downsampler // nil until a picture has several samples a pixel
	private    []*frame.Buffer    // of the workers

	trace        frameTrace
	blockSeconds []float64 // by unit of work; empty unless Options.TimeBlocks

	// The frame being drawn.
	job      job
	deferred deferred
	spans    frame.SpanStore
	large    frame.LargePolygons
	merging  frame.Merge
	backs    frame.BackFaces
	begun    []stage // that take part in the frame
	backsNow bool    // no back face is drawn last, for tests
	dirty    bool    // the last frame was called off: tiles that it touched are not clear
	// The method values are made once: making them anew would allocate.
	workFn      func(worker int)
	cancelledFn func() bool
	syncFn      func()
	mergeRowsFn func(worker, lo, hi int, buffer *frame.Buffer) bool
}

// A stage is one of package frame that has begun.
type stage interface{ End(calledOff bool) }

// job is what the workers share while they draw one frame.
type job struct {
	schedule
	done    <-chan struct{} // closed when the frame is called off
	stale   bool            // engine.dirty before this frame
	source  scenes.Source
	view    geometry.View
	lights  surface.Lights // of the studio
	picture *Picture
	depth   view.Depths
	parts   frameParts
}

// frameParts says which part of a frame is drawn, and what becomes of it.
type frameParts struct {
	picture *Picture // nil where the part goes into a layer
	parts.Part
}

// start makes the workers.
func (e *engine) start(o Options, level isa.Level) {
	e.machine = machine.New(machine.Options{Workers: o.Workers, NoPin: !o.Pin})
	e.kernels = kernel.Select(level)
	e.workers = make([]worker, e.machine.Workers())
	for i := range e.workers {
		e.workers[i].index = i
		e.private = append(e.private, &e.workers[i].frame)
	}
	e.workFn, e.cancelledFn, e.syncFn, e.mergeRowsFn = e.work, e.cancelled, e.machine.Sync, e.mergeRows
	e.use(o)
}

// use takes over valid options.
func (e *engine) use(o Options) {
	base, _ := o.baseColor()
	if e.shader == nil {
		e.shader = shade.NewShader(uint32(base))
	} else if base != e.base {
		e.shader.SetBase(uint32(base))
	}
	e.base = base
	if o.Light == LightStudio && e.colors == nil {
		e.colors = surface.NewColors()
	}
	e.background, _ = tint.Background(o.Background)
	if o.Samples > 1 && e.down == nil {
		e.down = pixel.NewDownsampler()
	}
	e.options = o
	e.layout = tile.New(o.Width*o.grid(), o.Height*o.grid())
	e.setEstimate()
	e.trace.write = o.Trace
}

// run draws a frame or a part of one.
func (e *engine) run(ctx context.Context, source scenes.Source, cam *Camera, parts frameParts) (Stats, error) {
	if err := parts.check(ctx, source); err != nil {
		return Stats{}, err
	}
	if err := cam.internal().Check(e.options.Width, e.options.Height); err != nil {
		return Stats{}, err
	}
	start := time.Now()
	var made *Surface
	if e.options.isDeferred() {
		var err error
		if made, err = e.options.surfaceOf(ctx, source, e.machine); err != nil {
			return Stats{}, err
		}
	}
	e.begin(ctx, source, made, cam, parts)
	e.machine.Run(e.workFn)
	e.dirty = e.cancelled() // stays true after a panic, for example of a trace
	for _, s := range e.begun {
		s.End(e.dirty)
	}
	err := ctx.Err()
	for i := range e.workers {
		err = errors.Join(err, e.workers[i].err)
	}
	e.job = job{}
	e.deferred.forget()
	if err != nil {
		return Stats{}, err
	}
	stats := e.stats()
	stats.Seconds.Frame = time.Since(start)
	return stats, nil
}

// begin prepares a frame: first the schedule, and then what each stage needs by it. made is the surface of a
// source whose pixels are lit one by one, else nil.
func (e *engine) begin(ctx context.Context, source scenes.Source, made *Surface, cam *Camera, parts frameParts) {
	e.job = job{done: ctx.Done(), stale: e.dirty, source: source, view: cam.internal().Geometry(e.options.screen()), parts: parts, depth: cam.internal().Depths()}
	if e.options.Light == LightStudio {
		e.job.lights = cam.internal().Lights()
	}
	if made != nil {
		e.beginScene(made, cam)
	}
	q := e.request(source, cam, &parts)
	e.job.schedule = newSchedule(&e.options, &q)
	j := &e.job
	j.view.Height = int32(j.window.height * j.grid)
	j.view.CenterY -= int32(j.window.top * j.grid * array.Sub)
	if parts.picture != nil {
		e.beginPicture(parts.picture)
	}
	if j.deferred {
		e.beginDeferred(cam)
	}
	for i := range e.workers {
		e.workers[i].begin(e)
		e.workers[i].beginTrace(&e.trace)
	}
	e.begun = append(e.begun[:0], &e.large, &e.merging, &e.backs)
	e.beginLarge()
	e.beginMerge()
	e.beginBacks()
	if j.storeChunks > 0 {
		e.beginStore()
	}
	e.dirty = true
	e.trace.begin(j.units)
	if j.timed {
		e.blockSeconds = resize(e.blockSeconds, j.units)
		clear(e.blockSeconds)
	}
	e.units.Reset(len(e.workers), j.units)
	e.rows.Reset(len(e.workers), j.needed.Len())
}

// beginLarge prepares for large polygons.
func (e *engine) beginLarge() {
	j := &e.job
	f := frame.LargeFrame{
		Workers: len(e.workers), Layout: j.layout, Width: j.view.Width, BlockSize: j.blockSize,
		Policy: j.sharing, Cost: e.estimate.Sharing, Cached: j.cached, AtOnce: j.rangesAtOnce,
		Rows: e.mergeRowsFn, ZBuffer: e.kernels.ZBuffer, Sync: e.syncFn, Stop: e.cancelledFn,
	}
	if j.mergeFirst {
		f.Rows = nil
	}
	e.large.Begin(f)
}

// beginMerge prepares the merge.
func (e *engine) beginMerge() {
	e.merging.Begin(frame.MergeFrame{Layout: e.job.layout, Private: e.private, Loop: e.kernels.Merge, Stop: e.cancelledFn})
}

// beginBacks prepares for deferred back faces.
func (e *engine) beginBacks() {
	f := frame.BackFacesFrame{
		Workers: len(e.workers), View: &e.job.view, Bands: e.job.backRanges, Layout: e.job.layout, BlockSize: e.job.blockSize,
		Merge: &e.merging, Keep: e.kernels.Keep, Hidden: e.kernels.Hidden, Geometry: e.kernels.Geometry, Stop: e.cancelledFn,
	}
	if f.Bands > 0 {
		f.Mesh = &e.deferred.scene.Block
	}
	e.backs.Begin(f)
}

// beginStore prepares the span store, to which the spans of blocks go.
func (e *engine) beginStore() {
	e.begun = append(e.begun, &e.spans)
	e.spans.Begin(frame.SpanStoreFrame{
		Layout: e.job.layout, Chunks: e.job.storeChunks, Private: e.private, Keep: e.kernels.Keep, ZBuffer: e.kernels.ZBuffer, Stop: e.cancelledFn,
	})
	for i := range e.workers {
		e.workers[i].target = e.spans.Target(i)
	}
}

// beginPicture makes room for the pixels.
func (e *engine) beginPicture(pic *Picture) {
	o := &e.options
	e.job.picture = pic
	pic.Width, pic.Height = o.Width, e.job.window.pictureHeight
	n := pic.Width * pic.Height
	if n := 4 * n; cap(pic.Pix) < n {
		pic.Pix = hugepages.Make[byte](n)
	} else {
		pic.Pix = pic.Pix[:n]
	}
	if o.Depth {
		pic.Depth = resize(pic.Depth, n)
	} else {
		pic.Depth = nil
	}
	pic.Triangles = wanted(pic.Triangles, o.Triangles, n)
	pic.Normals = wanted(pic.Normals, o.Normals, n)
	pic.Coverage = wanted(pic.Coverage, o.Coverage, n)
}

// work is one worker's part of a frame: the stages in their order. Between two stages all workers wait for each
// other where the second reads what others wrote in the first. Merging also clears the private frames, so
// it is done after an error too.
func (e *engine) work(worker int) {
	j := &e.job
	if j.deferred {
		e.workers[worker].beginLight(e)
	}
	written := false // rows of pixels, with the ranges of large polygons
	if j.gather {
		e.collect(worker)
		e.machine.Sync()
	} else {
		e.draw(worker)
		e.machine.Sync()
		w := &e.workers[worker]
		written = e.large.Run(worker, w.target, &w.raster)
	}
	switch {
	case written:
	case j.toLayer:
		e.finishLayer(worker)
	case j.deferred:
		e.resolveDeferred(worker)
	default:
		e.merge(worker)
	}
}

// resize returns a slice of n elements, s itself where it is large enough.
func resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}
