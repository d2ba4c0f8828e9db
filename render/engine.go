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
	rasters    []*frame.Raster    // of the workers

	trace        frameTrace
	blockSeconds []float64 // by unit of work; empty unless Options.TimeBlocks

	// The frame being drawn.
	job      job
	scene    surface.Scene // that its pixels may show
	sky      surface.OcclusionView
	spans    frame.SpanStore
	large    frame.LargePolygons
	merging  frame.Merge
	backs    frame.BackFaces
	light    frame.Light
	flat     frame.Flat
	layer    frame.Layer
	last     lastStage // one of these
	begun    []stage   // that take part in the frame
	backsNow bool      // no back face is drawn last, for tests
	dirty    bool      // the last frame was called off: tiles that it touched are not clear
	// The method values are made once: making them anew would allocate.
	workFn      func(worker int)
	cancelledFn func() bool
	syncFn      func()
	flatRowsFn  func(worker, lo, hi int, buffer *frame.Buffer) bool
}

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
		e.rasters = append(e.rasters, &e.workers[i].raster)
	}
	e.workFn, e.cancelledFn, e.syncFn, e.flatRowsFn = e.work, e.cancelled, e.machine.Sync, e.flat.Rows
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
	e.job, e.scene = job{}, surface.Scene{} // so that the mesh can be collected
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
	for i := range e.workers {
		e.workers[i].begin(e)
		e.workers[i].beginTrace(&e.trace)
	}
	e.beginStages(cam)
	e.dirty = true
	e.trace.begin(j.units)
	if j.timed {
		e.blockSeconds = resize(e.blockSeconds, j.units)
		clear(e.blockSeconds)
	}
	e.units.Reset(len(e.workers), j.units)
}

// work is one worker's part of a frame: the stages in their order. Between two stages all workers wait for each
// other where the second reads what others wrote in the first. Merging also clears the private frames, so
// it is done after an error too.
func (e *engine) work(worker int) {
	j := &e.job
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
	if !written {
		e.last.Run(worker)
	}
}

// resize returns a slice of n elements, s itself where it is large enough.
func resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}
