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
	// ErrBlank is the error of a picture that shows nothing but its background. The picture and its statistics are
	// complete nevertheless.
	ErrBlank = errors.New("nothing is visible")
	// ErrBusy is the error of a method that is called while the renderer draws a frame, on another goroutine or
	// further up the call stack.
	ErrBusy = errors.New("the renderer is drawing a frame")
	// ErrClosed is the error of methods that are called after Close.
	ErrClosed = errors.New("the renderer is closed")
)

// A Renderer draws frames, one after the other. It owns its workers, and for each worker a buffer as large as the
// frame (a private frame). These buffers grow to the largest picture and are kept, so later frames allocate nothing.
//
// Any goroutine may call the methods of a Renderer. During a frame, methods that draw or change the renderer return
// ErrBusy. Close waits for the frame's end.
type Renderer struct {
	mu        sync.Mutex // held while a frame is drawn
	optionsMu sync.Mutex // held while options change
	options   Options    // what the method Options returns; the engine has a copy, which it changes while it draws a frame
	closed    bool
	closing   atomic.Bool // Close was called
	engine    engine
}

// New returns a renderer, or an error that lists every fault of the options. Close ends the renderer.
func New(o Options) (*Renderer, error) {
	o, err := o.Check()
	if err != nil {
		return nil, err
	}
	level, err := isa.Select(o.ISA)
	if err != nil {
		return nil, err
	}
	r := &Renderer{options: o}
	r.engine.start(o, level)
	return r, nil
}

// Options returns the options of the next frame, with defaults in place of zeros.
func (r *Renderer) Options() Options {
	r.optionsMu.Lock()
	defer r.optionsMu.Unlock()
	return r.options
}

// SetOptions changes the options of later frames. o should be a changed copy of the result of Options. The error lists
// every fault; the options are then as before. Workers, Pin, BlockSize and ISA cannot be changed.
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
	r.optionsMu.Lock()
	r.engine.applyOptions(o)
	r.options = o
	r.optionsMu.Unlock()
	return nil
}

// lock reserves the renderer for one caller. It returns ErrBusy if another caller has it, or ErrClosed.
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

// BlockSeconds returns the time of each block of the source in the last frame, from geometry to z-buffer, in seconds.
// It needs Options.TimeBlocks. The next frame overwrites the slice.
//
// On Linux the times are processor times of threads, without the time of other programs; elsewhere they are wall
// times. A mesh in memory has blocks of Options.BlockSize triangles; other sources define their own.
//
// The time of a block includes the time of its deferred groups that turned out to be visible and were drawn late, see
// Options.Leaves. Blocks of a Stored are those of Stored.BlockCentres unless Options.Leaves is lb.Never.
func (r *Renderer) BlockSeconds() []float64 { return r.engine.timer.Seconds }

// AppendWorkerSeconds appends the stage times of the last frame to dst, one element for each worker. Stats.Seconds
// has the means over the workers. During a frame, and before the first frame, it appends nothing.
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

// Close waits for the frame that is being drawn and ends the workers. Frames that begin later return ErrClosed. Close
// may be called again. If the source or the Trace of the current frame calls Close, it returns at once, and the
// workers end after the frame.
func (r *Renderer) Close() {
	if !r.mu.TryLock() {
		if r.engine.machine.Inside() {
			r.closing.Store(true)
			return
		}
		r.mu.Lock()
	}
	r.closing.Store(true)
	r.unlock()
}

// unlock releases the renderer, and ends the workers if Close was called.
func (r *Renderer) unlock() {
	if r.closing.Load() && !r.closed {
		r.closed = true
		r.engine.machine.Close()
	}
	r.mu.Unlock()
}

// Frame draws one frame of source into pic, in the memory of pic.
//
// If nothing is visible, Frame returns ErrBlank with a complete picture and its statistics. After any other error the
// contents of pic are undefined, but the renderer stays usable. The renderer also stays usable after a source panics
// or calls runtime.Goexit; machine.Machine.Run says how the panic reaches the caller.
//
// These are the other errors, all wrapped:
//   - ErrBusy and ErrClosed
//   - a context, source or picture is nil
//   - the camera cannot show anything, or was fitted to pictures of another shape
//   - the context ended during the frame; the error is the context's
//   - the source could not read a block; the error is the source's
//
// Frame returns within about 50 milliseconds after the context has ended, unless a block of the source takes longer to
// read.
func (r *Renderer) Frame(ctx context.Context, source scenes.Source, cam Camera, pic *Picture) (Stats, error) {
	start := time.Now()
	if err := r.lock(); err != nil {
		return Stats{}, fmt.Errorf("draw frame: %w", err)
	}
	defer r.unlock()
	if pic == nil {
		return Stats{}, errors.New("draw frame: expected a picture")
	}
	stats, err := r.engine.run(ctx, source, &cam, framePart{picture: pic})
	if err != nil {
		return Stats{}, fmt.Errorf("draw frame: %w", err)
	}
	stats.Seconds.Frame = time.Since(start)
	if stats.Covered == 0 {
		return stats, errBlankFrame
	}
	return stats, nil
}

// errBlankFrame is made once, so blank frames do not allocate.
var errBlankFrame = fmt.Errorf("draw frame: %w", ErrBlank)
