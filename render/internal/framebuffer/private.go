package framebuffer

import (
	"lockstep/render/internal/kernel/zbuffer"
	"lockstep/render/internal/tile"
)

// Private is the stage that empties the private frames of the workers before anything is drawn. Every worker has one, so
// that any of them may draw any block.
type Private struct {
	frame  PrivateFrame
	frames []privateFrame
	all    []*Buffer
	stale  bool // the frames may hold keys of the frame before
	dirty  bool // a frame was begun and has not ended, or was called off
}

type privateFrame struct {
	Buffer
	_ [64]byte // keep workers apart
}

// A PrivateFrame is what the stage wants to know of a frame.
type PrivateFrame struct {
	Layout  tile.Layout
	Most    int // keys of the largest frame that will be drawn so, or less than those of this one
	ZBuffer zbuffer.Loop
	Stop    func() bool // whether the frame was called off
}

// NewPrivate returns the private frames of a number of workers. They have no memory yet.
func NewPrivate(workers int) Private {
	p := Private{frames: make([]privateFrame, workers)}
	for i := range p.frames {
		p.all = append(p.all, &p.frames[i].Buffer)
	}
	return p
}

// Buffers returns the frames, one a worker. They are the same for as long as the stage lives.
func (p *Private) Buffers() []*Buffer { return p.all }

// Begin prepares for a frame.
func (p *Private) Begin(f PrivateFrame) {
	p.frame, p.stale, p.dirty = f, p.dirty, true
	for _, b := range p.all {
		b.Begin(f.ZBuffer, f.Stop)
	}
}

// End ends a frame.
func (p *Private) End(calledOff bool) { p.dirty = calledOff }

// Run empties a worker's frame, and gives it the layout of what is drawn next. A frame that is called off meanwhile keeps
// the layout by which it can be emptied later.
func (p *Private) Run(worker int) {
	b := p.all[worker]
	if p.stale && !b.Clear(p.frame.Stop) {
		return
	}
	b.Resize(p.frame.Layout, len(p.all), p.frame.Most)
}
