package render

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"lockstep/render/calibration"
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

// Errors of a renderer.
var (
	// ErrBlank is the error of a picture that shows nothing but its background. The
	// picture and its statistics are whole all the same.
	ErrBlank = errors.New("nothing is visible")
	// ErrBusy is the error of a method that is called while the renderer draws a frame
	// on another goroutine, or further up on the same one.
	ErrBusy = errors.New("the renderer is drawing a frame")
	// ErrClosed is the error of a renderer that was closed.
	ErrClosed = errors.New("the renderer is closed")
)

// A Renderer draws frames, one after the other. It owns its workers and their
// private frames, whose memory grows with the largest picture and is kept: once
// warm, a frame allocates nothing. Its methods may be called by any goroutine, and
// return ErrBusy rather than wait for a frame; only Close waits.
type Renderer struct {
	mu         sync.Mutex // held while a frame is drawn
	setting    sync.Mutex // held while options change
	closed     bool
	ending     atomic.Bool // Close was called
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
	buffers    machine.Ranges     // of the picture, with what workers kept of large polygons
	dry        atomic.Int32       // number of workers that found no block left
	owners     []*frame           // by tile, while frames are merged
	down       *pixel.Downsampler // nil until a picture has several samples a pixel

	trace        frameTrace
	blockSeconds []float64 // by unit of work; empty unless Options.TimeBlocks

	// The frame being drawn.
	job      job
	deferred deferred
	backsNow bool // no back face is drawn last, for tests
	dirty    bool // the last frame was called off: tiles that it touched are not clear
	// The method values are made once: making them anew would allocate.
	workFn      func(worker int)
	cancelledFn func() bool
}

// job is what the workers share while they draw one frame.
type job struct {
	schedule
	done    <-chan struct{} // closed when the frame is called off
	stale   bool            // Renderer.dirty before this frame
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

// New returns a renderer, or every fault found in the options. Close ends it.
func New(o Options) (*Renderer, error) {
	o, err := o.Check()
	if err != nil {
		return nil, err
	}
	level, err := isa.Select(o.ISA)
	if err != nil {
		return nil, err
	}
	r := &Renderer{
		machine: machine.New(machine.Options{Workers: o.Workers, NoPin: !o.Pin}),
		kernels: kernel.Select(level),
	}
	r.workers = make([]worker, r.machine.Workers())
	r.workFn, r.cancelledFn = r.work, r.cancelled
	r.use(o)
	return r, nil
}

// Options returns the options of the next frame, with defaults in place of zeros.
func (r *Renderer) Options() Options {
	r.setting.Lock()
	defer r.setting.Unlock()
	return r.options
}

// SetOptions changes the options of the frames to come: start from those that
// Options returns. The error lists every fault, among them a change of
// Workers, Pin, BlockSize or ISA, and leaves the options as they were.
func (r *Renderer) SetOptions(o Options) error {
	if err := r.lock(); err != nil {
		return fmt.Errorf("set options: %w", err)
	}
	defer r.unlock()
	o, err := o.Check()
	if old := &r.options; o.Workers != old.Workers || o.Pin != old.Pin || o.BlockSize != old.BlockSize || o.ISA != old.ISA {
		err = errors.Join(err, errors.New("workers, pinning, block size and instruction set cannot change"))
	}
	if err != nil {
		return fmt.Errorf("set options: %w", err)
	}
	r.use(o)
	return nil
}

// use takes over valid options.
func (r *Renderer) use(o Options) {
	base, _ := o.baseColor()
	if r.shader == nil {
		r.shader = shade.NewShader(uint32(base))
	} else if base != r.base {
		r.shader.SetBase(uint32(base))
	}
	r.base = base
	if o.Light == LightStudio && r.colors == nil {
		r.colors = surface.NewColors()
	}
	r.background, _ = tint.Background(o.Background)
	if o.Samples > 1 && r.down == nil {
		r.down = pixel.NewDownsampler()
	}
	r.setting.Lock()
	r.options = o
	r.setting.Unlock()
	r.layout = tile.New(o.Width*o.grid(), o.Height*o.grid())
	r.setEstimate()
	r.trace.write = o.Trace
}

// lock takes the renderer for one caller, or returns why that cannot be.
func (r *Renderer) lock() error {
	if !r.mu.TryLock() {
		return ErrBusy
	}
	if r.closed {
		r.mu.Unlock()
		return ErrClosed
	}
	return nil
}

// Machine returns the renderer's workers, which are idle between frames.
func (r *Renderer) Machine() *machine.Machine { return r.machine }

// BlockSeconds returns the time of each block of the source in the last frame, from geometry
// to z-buffer, in seconds, if Options.TimeBlocks is set. Where the system tells the processor
// time of a thread (Linux) it is that, so that other programs do not count; elsewhere it is
// wall time. A mesh in memory is cut into blocks of Options.BlockSize triangles, other sources
// into their own. The slice is overwritten by the next frame.
func (r *Renderer) BlockSeconds() []float64 { return r.blockSeconds }

// ISA returns the instruction set that the renderer's loops use.
func (r *Renderer) ISA() isa.Level { return r.kernels.Level }

// Close ends the workers, after the frame that is being drawn. Frames that are begun
// later return ErrClosed. It may be called again. Inside a frame, by its source or its
// Trace, it returns at once, and the workers end with the frame, which is drawn to its end.
func (r *Renderer) Close() {
	if !r.mu.TryLock() {
		if r.machine.Inside() {
			r.ending.Store(true)
			return
		}
		r.mu.Lock()
	}
	r.ending.Store(true)
	r.unlock()
}

// unlock gives the renderer back, and ends it where Close was called meanwhile.
func (r *Renderer) unlock() {
	if r.ending.Load() && !r.closed {
		r.closed = true
		r.machine.Close()
	}
	r.mu.Unlock()
}

// Frame draws one frame of a mesh into pic, whose memory it reuses.
//
// It returns ErrBlank, with a whole picture and its statistics, when nothing of the
// mesh is visible. After any other error the contents of pic are undefined, but the renderer
// stays usable, as it does after a source that panics or calls runtime.Goexit: the panic
// arrives as machine.Machine.Run says. Such errors are ErrBusy and ErrClosed, a context, a source
// or a picture that is nil, the fault of a camera that can show
// nothing or was fitted to another shape of picture, the context's error when the frame was
// called off, and the source's when a block could not be read. All are wrapped. Frame returns
// within some 50 milliseconds after the context has ended, whatever it draws, unless
// a block of the source takes longer to read.
func (r *Renderer) Frame(ctx context.Context, source scenes.Source, cam Camera, pic *Picture) (Stats, error) {
	start := time.Now()
	if err := r.lock(); err != nil {
		return Stats{}, fmt.Errorf("draw frame: %w", err)
	}
	defer r.unlock()
	if pic == nil {
		return Stats{}, errors.New("draw frame: expected a picture")
	}
	stats, err := r.run(ctx, source, &cam, frameParts{picture: pic})
	if err != nil {
		return Stats{}, fmt.Errorf("draw frame: %w", err)
	}
	stats.Seconds.Frame = time.Since(start)
	if stats.Covered == 0 {
		return stats, errBlankFrame
	}
	return stats, nil
}

// run draws a frame or a part of one.
func (r *Renderer) run(ctx context.Context, source scenes.Source, cam *Camera, parts frameParts) (Stats, error) {
	if err := parts.check(ctx, source); err != nil {
		return Stats{}, err
	}
	if err := cam.internal().Check(r.options.Width, r.options.Height); err != nil {
		return Stats{}, err
	}
	start := time.Now()
	var made *Surface
	if r.options.isDeferred() {
		var err error
		if made, err = r.options.surfaceOf(ctx, source, r.machine); err != nil {
			return Stats{}, err
		}
	}
	r.begin(ctx, source, made, cam, parts)
	r.machine.Run(r.workFn)
	r.reserveKept()
	r.dirty = r.cancelled() // stays true after a panic, for example of a trace
	err := ctx.Err()
	for i := range r.workers {
		err = errors.Join(err, r.workers[i].err)
	}
	r.job = job{}
	r.deferred.forget()
	if err != nil {
		return Stats{}, err
	}
	stats := r.stats()
	stats.Seconds.Frame = time.Since(start)
	return stats, nil
}

// errBlankFrame is made once: blank frames do not allocate either.
var errBlankFrame = fmt.Errorf("draw frame: %w", ErrBlank)

// begin prepares a frame: first the schedule, and then what each stage needs by it. made is the surface of a
// source whose pixels are lit one by one, else nil.
func (r *Renderer) begin(ctx context.Context, source scenes.Source, made *Surface, cam *Camera, parts frameParts) {
	r.job = job{done: ctx.Done(), stale: r.dirty, source: source, view: cam.internal().Geometry(r.options.screen()), parts: parts, depth: cam.internal().Depths()}
	if r.options.Light == LightStudio {
		r.job.lights = cam.internal().Lights()
	}
	if made != nil {
		r.beginScene(made, cam)
	}
	q := r.request(source, cam, &parts)
	r.job.schedule = newSchedule(&r.options, &q)
	j := &r.job
	j.view.Height = int32(j.window.height * j.grid)
	j.view.CenterY -= int32(j.window.top * j.grid * array.Sub)
	if parts.picture != nil {
		r.beginPicture(parts.picture)
	}
	if j.deferred {
		r.beginDeferred(cam)
	}
	for i := range r.workers {
		r.workers[i].begin(r)
		r.workers[i].beginTrace(&r.trace)
	}
	r.dirty = true
	r.trace.begin(j.units)
	if j.timed {
		r.blockSeconds = resize(r.blockSeconds, j.units)
		clear(r.blockSeconds)
	}
	r.dry.Store(0)
	r.owners = resize(r.owners, j.layout.TilesX*j.layout.TilesY)
	r.units.Reset(len(r.workers), j.units)
	r.rows.Reset(len(r.workers), j.needed.Len())
}

// beginPicture makes room for the pixels.
func (r *Renderer) beginPicture(pic *Picture) {
	o := &r.options
	r.job.picture = pic
	pic.Width, pic.Height = o.Width, r.job.window.pictureHeight
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
func (r *Renderer) work(worker int) {
	j := &r.job
	if j.deferred {
		r.workers[worker].beginLight(r)
	}
	written := false // rows of pixels, with the ranges of large polygons
	if j.gather {
		r.collect(worker)
		r.machine.Sync()
	} else {
		r.draw(worker)
		r.machine.Sync()
		if drawn := r.drawRowRanges(worker); drawn && j.mergeFirst {
			r.machine.Sync()
		} else {
			written = drawn
		}
	}
	switch {
	case written:
	case j.toLayer:
		r.finishLayer(worker)
	case j.deferred:
		r.resolveDeferred(worker)
	default:
		r.merge(worker)
	}
}

// resize returns a slice of n elements, s itself where it is large enough.
func resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}
