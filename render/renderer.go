package render

import (
	"context"
	"errors"
	"fmt"
	"time"

	"lockstep/render/internal/kernel"
	"lockstep/scenes"
	"lockstep/vp/isa"
	"lockstep/vp/machine"
)

// A Renderer draws frames with the same options, one after the other. It owns
// its workers and their frames; nothing is allocated for a frame once the first
// one is drawn. Its methods may not be called concurrently.
type Renderer struct {
	options  Options
	machine  *machine.Machine
	units    machine.Ranges // of the source, not yet drawn
	rows     machine.Ranges // of tiles, not yet merged
	workers  []worker
	kernels  *kernel.Set
	shader   *kernel.Shader
	estimate estimate            // of what redistributions cost
	judged   kernel.Dealing      // only its times: of frames too small to be judged
	pieces   pieceList           // of large polygons, for all workers
	owners   []*frame            // by tile, while frames are merged
	down     *kernel.Downsampler // nil with one sample a pixel

	trace        frameTrace
	blockSeconds []float64 // by unit of work; empty unless Options.TimeBlocks

	// The frame being drawn.
	job   job
	dirty bool // the last frame was called off: tiles that it touched are not clear
	// The method value is made once: making it anew would allocate.
	workFn func(worker int)
}

// job is what the workers share while they draw one frame.
type job struct {
	done       <-chan struct{} // closed when the frame is called off
	stale      bool            // Renderer.dirty before this frame
	source     scenes.Source
	view       kernel.View
	picture    *Picture
	background uint32
	depth      depthScale
}

// New returns a renderer, or every fault found in the options.
func New(o Options) (*Renderer, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	if o.ISA == "" {
		o.ISA = "auto"
	}
	level, err := isa.Select(o.ISA)
	if err != nil {
		return nil, err
	}
	base := DefaultColor
	if o.Color != nil {
		base = *o.Color
	}
	r := &Renderer{
		options: o,
		machine: machine.New(machine.Options{Workers: o.Workers, NoPin: o.NoPin}),
		kernels: kernel.For(level),
		shader:  kernel.NewShader(uint32(base)),
	}
	if o.Samples > 1 {
		r.down = kernel.NewDownsampler()
	}
	r.workers = make([]worker, r.machine.Workers())
	r.setEstimate(o.estimate(level))
	r.SetTrace(o.Trace)
	r.workFn = r.work
	return r, nil
}

// Machine returns the renderer's workers.
func (r *Renderer) Machine() *machine.Machine { return r.machine }

// BlockSeconds returns how long each block of the source took in the last
// frame, from geometry to z-buffer, in seconds, if Options.TimeBlocks is set. A
// mesh in memory is cut into blocks of Options.BlockSize triangles, other
// sources into their own. The slice is overwritten by the next frame.
func (r *Renderer) BlockSeconds() []float64 { return r.blockSeconds }

// ISA returns the instruction set that the renderer's loops use.
func (r *Renderer) ISA() isa.Level { return r.kernels.Level }

// Close ends the workers. The renderer cannot be used afterwards.
func (r *Renderer) Close() { r.machine.Close() }

// Frame draws one frame of a mesh into pic, whose memory it reuses. It returns an
// error for a camera that can show nothing, the context's error when the frame
// was called off, and the source's when a block could not be read; pic is then
// worth nothing, but the renderer stays usable. It returns within some 50
// milliseconds after the context has ended, whatever it draws, unless a block of
// the source takes longer to read.
func (r *Renderer) Frame(ctx context.Context, source scenes.Source, cam Camera, pic *Picture) (Stats, error) {
	start := time.Now()
	if err := cam.check(); err != nil {
		return Stats{}, err
	}
	r.begin(ctx, source, &cam, pic)
	r.machine.Run(r.workFn)
	r.dirty = r.cancelled() // and after a panic, of a trace for one
	err := ctx.Err()
	for i := range r.workers {
		err = errors.Join(err, r.workers[i].err)
	}
	r.job = job{}
	if err != nil {
		return Stats{}, fmt.Errorf("draw frame: %w", err)
	}
	stats := r.stats()
	stats.Seconds.Frame = time.Since(start)
	return stats, nil
}

// begin prepares the job and the memory.
func (r *Renderer) begin(ctx context.Context, source scenes.Source, cam *Camera, pic *Picture) {
	o := &r.options
	r.job = job{done: ctx.Done(), stale: r.dirty, source: source, view: makeView(cam, o), picture: pic}
	if o.Background != nil {
		bg := uint32(*o.Background)
		r.job.background = bg>>16&255 | bg&0xff00 | bg&255<<16 | 255<<24
	}
	pic.Width, pic.Height = o.Width, o.Height
	if n := 4 * o.Width * o.Height; cap(pic.Pix) < n {
		pic.Pix = make([]byte, n)
		adviseHuge(pic.Pix)
	} else {
		pic.Pix = pic.Pix[:n]
	}
	if o.Depth {
		pic.Depth = resize(pic.Depth, o.Width*o.Height)
		r.job.depth = newDepthScale(cam)
	} else {
		pic.Depth = nil
	}
	for i := range r.workers {
		r.workers[i].begin(o, len(r.workers))
		r.workers[i].beginTrace(&r.trace)
	}
	r.dirty = true
	n := r.unitCount()
	r.trace.begin(n)
	if o.TimeBlocks {
		r.blockSeconds = resize(r.blockSeconds, n)
		clear(r.blockSeconds)
	}
	r.pieces.begin(len(r.workers))
	r.owners = resize(r.owners, len(r.workers[0].frame.touched))
	r.units.Reset(len(r.workers), n)
	r.rows.Reset(len(r.workers), r.workers[0].frame.tilesY)
}

// work is one worker's part of a frame. Merging also clears the private frames, so
// it is done after an error too.
func (r *Renderer) work(worker int) {
	r.draw(worker)
	r.workers[worker].drawPieces(r, worker)
	r.machine.Sync()
	r.merge(worker)
}

// resize returns a slice of n elements, s itself where it is large enough.
func resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

// stats adds up what the workers counted.
func (r *Renderer) stats() Stats {
	var s Stats
	var scan, zbuffer LoopStats
	var scanTasks, zTasks int64
	for i := range r.workers {
		w := &r.workers[i]
		s.Triangles.In += w.counts.Dropped + w.counts.Culled + w.counts.Drawn
		s.Triangles.Dropped += w.counts.Dropped
		s.Triangles.Culled += w.counts.Culled
		s.Triangles.Clipped += w.counts.Clipped
		s.Triangles.Drawn += w.counts.Drawn
		s.Spans += w.spanCount
		s.Pixels += w.pixels
		s.Covered += w.covered
		scan.Iterations += w.scan.Iterations
		scan.IterationsUnbalanced += w.scan.IterationsUnbalanced
		scan.Redistributions += w.scan.Redistributions
		scanTasks += w.scan.Tasks
		zbuffer.Iterations += w.runs
		zbuffer.IterationsUnbalanced += w.runs
		zTasks += w.pixels
		s.Seconds.add(&w.times)
	}
	s.Seconds.divide(len(r.workers))
	s.Balance = r.balanceStats()
	s.Loops[0] = scan.finish("scan", scanTasks, kernel.Lanes)
	s.Loops[1] = zbuffer.finish("zbuffer", zTasks, kernel.RunPixels)
	return s
}

// finish fills in what follows from the counts.
func (l LoopStats) finish(name string, tasks, lanes int64) LoopStats {
	l.Name = name
	use := func(iterations int64) float64 {
		if iterations == 0 {
			return 0
		}
		return float64(tasks) / float64(iterations*lanes)
	}
	l.LaneUse, l.LaneUseUnbalanced = use(l.Iterations), use(l.IterationsUnbalanced)
	return l
}
