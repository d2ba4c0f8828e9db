package render

import (
	"context"
	"errors"
	"time"

	"lockstep/render/calibration"
	"lockstep/render/internal/frame"
	"lockstep/render/internal/framebuffer"
	"lockstep/render/internal/groups"
	"lockstep/render/internal/kernel"
	"lockstep/render/internal/kernel/array"
	"lockstep/render/internal/kernel/dome"
	"lockstep/render/internal/kernel/geometry"
	"lockstep/render/internal/kernel/pixel"
	"lockstep/render/internal/kernel/shade"
	"lockstep/render/internal/parts"
	"lockstep/render/internal/sources"
	"lockstep/render/internal/surface"
	"lockstep/render/internal/tile"
	"lockstep/render/internal/tint"
	"lockstep/render/internal/view"
	"lockstep/scenes"
	"lockstep/vp/isa"
	"lockstep/vp/machine"
)

// An engine draws the frames of a renderer, which makes sure that frames are drawn one at a time. The engine owns the
// workers, the stages of the frame, and memory that is used again for later frames.
type engine struct {
	options     Options
	machine     *machine.Machine
	rasters     []*framebuffer.Raster // one rasterizer for each worker
	layout      tile.Layout           // tiles of the whole picture
	kernels     *kernel.Loops
	shader      *shade.Shader
	colors      *surface.Colors      // nil until the options want studio lights
	shaderBase  RGB                  // base colour for which `shader` was made
	background  uint32               // colour of pixels that show nothing
	estimate    calibration.Estimate // estimated cost of redistributions
	judge       calibration.Judge
	downsampler *pixel.Downsampler // nil until a picture has several samples a pixel
	trace       frameTrace

	// These fields hold the state of the frame that is being drawn.
	job           job
	scene         surface.Scene // mesh, materials and lights, which determine the colours of lit pixels
	occlusionView surface.OcclusionView
	storedRecords surface.Stored // copy of the source's records; scene.Stored points to it
	glass         behindGlass
	stages
	minDeferred     int  // a mesh with fewer triangles does not defer groups; 0 means frame.MinDeferred; set by tests
	drawBacksAtOnce bool // draw back faces at once instead of deferring them; set by tests

	// Method values, made once because making them for every frame would allocate:
	workFn      func(worker int)
	cancelledFn func() bool
	syncFn      func()
	flatRowsFn  func(worker, lo, hi int, buffer *framebuffer.Buffer) bool
}

// job is the state that the stages share while one frame is drawn.
type job struct {
	schedule
	done    <-chan struct{} // closed when the context ends
	view    geometry.View
	lights  surface.Lights // lights of the studio
	picture *Picture
	depth   view.Depths
	dome    dome.View // parameters of the eye-dome light of a cloud

	subject subject
	// stored holds the groups of triangles of a mesh that stays in a file. It is nil for meshes in memory or drawn
	// block by block.
	stored *groups.Groups

	leavesTime time.Duration // time spent on finding groups of triangles in this frame
	orderTime  time.Duration // time that Surface.Order took, in the first frame with the new order; otherwise 0
}

// framePart says which part of a frame is drawn, and into which picture or layer.
type framePart struct {
	picture *Picture // nil if the part is drawn into a layer
	parts.Part
}

// start creates the workers, selects the kernels and applies the options.
func (e *engine) start(o Options, level isa.Level) {
	e.machine = machine.New(machine.Options{Workers: o.Workers, NoPin: !o.Pin})
	e.kernels = kernel.Select(level)
	workers := e.machine.Workers()
	for range workers {
		e.rasters = append(e.rasters, new(framebuffer.Raster))
	}
	e.private, e.targets = framebuffer.NewPrivate(workers), make([]framebuffer.Target, workers)
	e.workFn, e.cancelledFn, e.syncFn, e.flatRowsFn = e.work, e.cancelled, e.machine.Sync, e.flat.WriteRows
	e.applyOptions(o)
}

// applyOptions applies the options, which must be valid.
func (e *engine) applyOptions(o Options) {
	base, _ := o.baseColor()
	if e.shader == nil {
		e.shader = shade.NewShader(uint32(base))
	} else if base != e.shaderBase {
		e.shader.SetBase(uint32(base))
	}
	e.shaderBase = base
	if o.Light == LightStudio && e.colors == nil {
		e.colors = surface.NewColors()
	}
	e.background, _ = tint.Background(o.Background)
	if o.Samples > 1 && e.downsampler == nil {
		e.downsampler = pixel.NewDownsampler(&e.kernels.Loops)
	}
	e.options = o
	e.layout = tile.New(o.Width*o.grid(), o.Height*o.grid())
	e.setEstimate()
	e.trace.write = o.Trace
}

// run draws a frame, or a part of a frame, and returns its statistics.
func (e *engine) run(ctx context.Context, source scenes.Source, cam *Camera, part framePart) (Stats, error) {
	if ctx == nil || source != nil || part.Strip == nil { // lighting rows of finished layers needs no source
		if err := sources.Check(ctx, source); err != nil {
			return Stats{}, err
		}
	}
	if err := cam.internal().Check(e.options.Width, e.options.Height); err != nil {
		return Stats{}, err
	}
	start := time.Now()
	subject, err := e.options.subjectOf(ctx, source, e.machine)
	if err != nil {
		return Stats{}, err
	}
	e.begin(ctx, subject, cam)
	if subject.lit != nil && subject.source != nil && e.scene.HasBodies() {
		if err := e.showBehind(ctx, subject, cam, &part); err != nil {
			return Stats{}, err
		}
	}
	q := e.request(cam, &part)
	e.beginJob(&q, part.picture)
	e.beginStages(cam, &part)
	judges := e.job.mayPredict
	found, ordered := e.job.leavesTime, e.job.orderTime
	e.machine.Run(e.workFn)
	if err := e.end(ctx); err != nil {
		return Stats{}, err
	}
	stats := e.stats()
	if judges {
		e.judgeHidden(&stats)
	}
	stats.Seconds.Leaves = found + ordered
	stats.Seconds.Frame = time.Since(start) - found
	return stats, nil
}

// begin prepares the state of the frame that does not depend on the schedule.
func (e *engine) begin(ctx context.Context, s subject, cam *Camera) {
	e.job = job{done: ctx.Done(), subject: s, view: cam.internal().Geometry(e.options.screen()), depth: cam.internal().Depths()}
	if e.options.Light == LightStudio {
		e.job.lights = cam.internal().Lights()
	}
	if s.lit != nil {
		e.beginScene(s.lit, cam)
	}
}

// beginJob makes the schedule, limits the view to the window (the rows to be drawn), and sizes pic for it. pic may be
// nil.
func (e *engine) beginJob(q *request, pic *Picture) {
	j := &e.job
	j.schedule = newSchedule(&e.options, q)
	j.view.Height = int32(j.window.height * j.grid)
	j.view.CenterY -= int32(j.window.top * j.grid * array.Sub)
	if pic != nil {
		e.beginPicture(pic)
	}
	e.trace.begin(j.units)
}

// work is one worker's part of a frame: it runs the stages in order. Before a stage that reads results of other
// workers, all workers wait for each other. The last stage runs even after an error, because it also clears the
// private frames.
func (e *engine) work(worker int) {
	e.private.Run(worker)
	e.first.Run(worker)
	e.machine.Sync()
	if written := e.large.Run(worker); !written {
		e.last.Run(worker)
	}
	if e.job.domed {
		e.machine.Sync()
		e.dome.Run(worker)
	}
}

// end ends all stages. It drops their references to the mesh, which may then be garbage collected. It returns the
// errors that left the frame incomplete.
func (e *engine) end(ctx context.Context) error {
	calledOff, err := e.cancelled(), ctx.Err()
	for i := range e.rasters {
		_, failed := e.first.Drawn(i)
		err = errors.Join(err, failed)
	}
	err = errors.Join(err, e.job.subject.readError())
	for _, s := range e.activeStages {
		s.End(calledOff)
	}
	e.job, e.scene = job{}, surface.Scene{}
	return err
}

// judgeHidden decides, from the counts of this frame, whether the next frames predict which polygons are hidden.
func (e *engine) judgeHidden(s *Stats) {
	grid := int64(e.options.grid())
	e.hidden.Judge(frame.FrameWork{Polygons: s.Triangles.Drawn, Spans: s.Spans, Tested: s.Pixels, Covered: s.Covered * grid * grid}, e.options.Leaves)
}

// cancelled reports whether the frame's context has ended.
func (e *engine) cancelled() bool {
	select {
	case <-e.job.done:
		return true
	default:
		return false
	}
}
