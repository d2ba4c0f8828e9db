package framebuffer

import (
	"lockstep/render/internal/kernel/zbuffer"
	"lockstep/render/internal/tile"
)

// Private is the stage that owns the workers' private frames, and clears them before anything is drawn. Every worker
// has a frame of its own, so it may draw any block without waiting.
type Private struct {
	frame   PrivateFrame
	frames  []privateFrame
	buffers []*Buffer
	stale   bool // the frames may hold keys of an earlier frame
	dirty   bool // the last frame was cancelled or did not end
}

type privateFrame struct {
	Buffer
	_ [64]byte // padding, so that workers do not share a cache line
}

// A PrivateFrame holds the parameters of the stage for a frame.
type PrivateFrame struct {
	Layout tile.Layout
	// MinKeys is the least number of keys to allocate. It may be more than this frame needs, for the sake of later
	// frames.
	MinKeys int
	ZBuffer zbuffer.Loop
	Stop    func() bool // reports whether the frame was cancelled
}

// NewPrivate returns private frames for the given number of workers. The frames have no memory yet.
func NewPrivate(workers int) Private {
	p := Private{frames: make([]privateFrame, workers)}
	for i := range p.frames {
		p.buffers = append(p.buffers, &p.frames[i].Buffer)
	}
	return p
}

// Buffers returns the frames, one for each worker. Every call returns the same frames.
func (p *Private) Buffers() []*Buffer { return p.buffers }

// Begin prepares for a frame.
func (p *Private) Begin(f PrivateFrame) {
	p.frame, p.stale, p.dirty = f, p.dirty, true
	for _, b := range p.buffers {
		b.Begin(f.ZBuffer, f.Stop)
	}
}

// End ends a frame.
func (p *Private) End(calledOff bool) { p.dirty = calledOff }

// Run clears a worker's frame if necessary, and gives it the layout of the current frame. If the frame is cancelled
// meanwhile, the buffer keeps its old layout. A later frame then knows which keys are not cleared yet.
func (p *Private) Run(worker int) {
	b := p.buffers[worker]
	if p.stale && !b.Clear(p.frame.Stop) {
		return
	}
	b.Resize(p.frame.Layout, len(p.buffers), p.frame.MinKeys)
}
