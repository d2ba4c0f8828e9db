package render

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"lockstep/scenes"
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
	mu      sync.Mutex // held while a frame is drawn
	setting sync.Mutex // held while options change
	closed  bool
	ending  atomic.Bool // Close was called
	engine  engine
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
	r := new(Renderer)
	r.engine.start(o, level)
	return r, nil
}

// Options returns the options of the next frame, with defaults in place of zeros.
func (r *Renderer) Options() Options {
	r.setting.Lock()
	defer r.setting.Unlock()
	return r.engine.options
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
	if old := &r.engine.options; o.Workers != old.Workers || o.Pin != old.Pin || o.BlockSize != old.BlockSize || o.ISA != old.ISA {
		err = errors.Join(err, errors.New("workers, pinning, block size and instruction set cannot change"))
	}
	if err != nil {
		return fmt.Errorf("set options: %w", err)
	}
	r.setting.Lock()
	r.engine.use(o)
	r.setting.Unlock()
	return nil
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
func (r *Renderer) Machine() *machine.Machine { return r.engine.machine }

// BlockSeconds returns the time of each block of the source in the last frame, from geometry
// to z-buffer, in seconds, if Options.TimeBlocks is set. Where the system tells the processor
// time of a thread (Linux) it is that, so that other programs do not count; elsewhere it is
// wall time. A mesh in memory is cut into blocks of Options.BlockSize triangles, other sources
// into their own. The slice is overwritten by the next frame.
func (r *Renderer) BlockSeconds() []float64 { return r.engine.timer.Seconds }

// AppendWorkerSeconds appends the stages of the last frame, for each worker its own: Stats.Seconds has their means.
func (r *Renderer) AppendWorkerSeconds(dst []Seconds) []Seconds {
	if r.lock() != nil {
		return dst
	}
	defer r.unlock()
	if r.engine.last == nil || r.engine.first == nil {
		return dst
	}
	for i := range r.engine.rasters {
		dst = append(dst, r.engine.workerSeconds(i))
	}
	return dst
}

// ISA returns the instruction set that the renderer's loops use.
func (r *Renderer) ISA() isa.Level { return r.engine.kernels.Level }

// Close ends the workers, after the frame that is being drawn. Frames that are begun
// later return ErrClosed. It may be called again. Inside a frame, by its source or its
// Trace, it returns at once, and the workers end with the frame, which is drawn to its end.
func (r *Renderer) Close() {
	if !r.mu.TryLock() {
		if r.engine.machine.Inside() {
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
		r.engine.machine.Close()
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
	stats, err := r.engine.run(ctx, source, &cam, frameParts{picture: pic})
	if err != nil {
		return Stats{}, fmt.Errorf("draw frame: %w", err)
	}
	stats.Seconds.Frame = time.Since(start)
	if stats.Covered == 0 {
		return stats, errBlankFrame
	}
	return stats, nil
}

// errBlankFrame is made once: blank frames do not allocate either.
var errBlankFrame = fmt.Errorf("draw frame: %w", ErrBlank)
