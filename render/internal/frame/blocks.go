package frame

import (
	"sync/atomic"
	"time"

	"lockstep/render/internal/framebuffer"
	"lockstep/render/internal/groups"
	"lockstep/render/internal/kernel/array"
	"lockstep/render/internal/kernel/geometry"
	"lockstep/render/internal/sources"
	"lockstep/scenes"
)

// Blocks is the first stage of frames that are drawn here: it takes the blocks of a source through geometry and scan
// conversion to the targets of their spans.
type Blocks struct {
	frame   BlocksFrame
	unit    func(b *Blocks, worker, unit int) error // draws a unit of the source
	mesh    sources.Slicer
	seen    groups.Frustum // of frames with groups
	workers []drawing
}

// drawing is the memory of one worker.
type drawing struct {
	Drawn
	polys   *array.Polygons
	toClip  []int32      // scratch for the geometry loop
	read    scenes.Block // scratch for sources that decode
	part    scenes.Block // being drawn; a variable of its own would escape
	picked  []int32      // groups of a unit that are drawn
	numbers []uint32     // of their triangles, where they are not in memory
	err     error

	_ [64]byte // keep the counters of neighbours apart
}

// Drawn counts the triangles that one worker drew in a frame, and the time that it took.
type Drawn struct {
	Triangles      geometry.Counts
	Read, Geometry time.Duration // to deliver blocks, and for the geometry loop
}

// A BlocksFrame is what the stage wants to know of a frame.
type BlocksFrame struct {
	Workers   int
	Source    scenes.Source
	Units     Units          // of the source
	Numbers   []int          // of the units in the source; nil: units have their own
	Groups    *groups.Groups // of a source that can be cut anywhere; nil: all of it is drawn
	Leaves    *Leaves        // which has begun; nil: no group is deferred
	UnitSize  int            // triangles of a unit of a source that can be cut anywhere; 0: units are the source's blocks
	BlockSize int            // the most triangles that are drawn at a time, always the same

	View     *geometry.View
	Geometry geometry.Loop
	Payloads Payloads
	Backs    *BackFaces            // which has begun
	Takers   []Taker               // take polygons out of a block, one after the other
	Targets  []framebuffer.Target  // of the workers
	Rasters  []*framebuffer.Raster // of the workers
	Watchers []Watcher
	Dry      *atomic.Int32 // counts the workers that find no unit left
	Stop     func() bool   // whether the frame was called off
}

// Units hands out units of work, each once, to workers that call it at the same time.
type Units interface {
	Next(worker int) (unit int, ok bool)
}

// Payloads gives the polygons of a block, whose first triangle has a number, their payloads.
type Payloads interface {
	Give(p *array.Polygons, b *scenes.Block, first int)
}

// A Taker draws some polygons of a worker's block in a way of its own, and leaves them without rows.
type Taker interface {
	Take(worker int, p *array.Polygons)
}

// A Watcher is told what workers do. Of a worker that leaves a unit by a panic it hears Leave alone, as of all others
// when no unit is left for them.
type Watcher interface {
	BeginUnit(worker, unit int)
	// BeginBlock says that block i of the unit is drawn, which is cut into blocks of size triangles.
	BeginBlock(worker, i, size int)
	// EndUnit is told the error of the unit, and returns the one that ends the worker's part of the frame.
	EndUnit(worker int, err error) error
	Leave(worker int)
}

// Begin prepares for a frame; the first time it allocates.
func (b *Blocks) Begin(f BlocksFrame) {
	b.frame, b.unit = f, (*Blocks).read
	if f.UnitSize > 0 {
		b.unit = (*Blocks).slice
		b.mesh, _ = f.Source.(sources.Slicer)
		if f.Groups != nil {
			b.seen = f.Groups.Frustum(f.View)
			switch {
			case f.Groups.Stored != nil:
				b.unit = (*Blocks).readPicked
			case f.Leaves != nil:
				b.unit, b.mesh = (*Blocks).slicePicked, b.sliced()
			default:
				b.unit, b.mesh = (*Blocks).sliceSeen, b.sliced()
			}
		}
	}
	if b.workers == nil {
		b.workers = make([]drawing, f.Workers)
	}
	for i := range b.workers {
		w := &b.workers[i]
		if w.polys == nil {
			w.polys, w.toClip = array.MakePolygons(f.BlockSize+geometry.ClipMost), make([]int32, f.BlockSize)
		}
		w.Drawn, w.err = Drawn{}, nil
		if f.Groups != nil && f.Groups.Stored != nil && w.numbers == nil {
			w.numbers = make([]uint32, scenes.BlockSize)
		}
	}
}

// sliced returns what the triangles of groups are taken from: the source, which counts them, or a mesh in another order.
func (b *Blocks) sliced() sources.Slicer {
	if b.frame.Groups.Numbers != nil {
		return b.frame.Groups.Mesh
	}
	return b.mesh
}

// End ends a frame, and lets its source be collected.
func (b *Blocks) End(bool) {
	b.frame, b.mesh, b.seen = BlocksFrame{}, nil, groups.Frustum{}
	for i := range b.workers {
		b.workers[i].part = scenes.Block{}
	}
}

// Drawn returns what a worker counted, and the error that ended its work.
func (b *Blocks) Drawn(worker int) (Drawn, error) {
	return b.workers[worker].Drawn, b.workers[worker].err
}

// Run takes units until none is left.
func (b *Blocks) Run(worker int) {
	f, w := &b.frame, &b.workers[worker]
	defer b.leave(worker)
	f.Rasters[worker].WarmUp()
	for !f.Stop() {
		unit, ok := f.Units.Next(worker)
		if !ok {
			if f.Leaves != nil {
				f.Leaves.done(worker)
			}
			f.Dry.Add(1)
			return
		}
		for _, o := range f.Watchers {
			o.BeginUnit(worker, unit)
		}
		if f.Numbers != nil {
			unit = f.Numbers[unit]
		}
		w.err = b.unit(b, worker, unit)
		for _, o := range f.Watchers {
			w.err = o.EndUnit(worker, w.err)
		}
		if w.err != nil {
			return
		}
	}
}

// leave tells the watchers that a worker is done.
func (b *Blocks) leave(worker int) {
	for _, o := range b.frame.Watchers {
		o.Leave(worker)
	}
}

// slice draws a unit of a source that can be cut anywhere.
func (b *Blocks) slice(worker, unit int) error {
	first, end := b.bounds(unit)
	b.cut(worker, first, end)
	return nil
}

// sliceSeen is slice without groups that lie outside the picture.
func (b *Blocks) sliceSeen(worker, unit int) error {
	w := &b.workers[worker]
	first, end := b.bounds(unit)
	for from := first; from < end; {
		to := min((from/groups.Size+1)*groups.Size, end)
		if b.seen.Outside(from / groups.Size) {
			w.Triangles.Culled += int64(to - from)
			if first < from {
				b.cut(worker, first, from)
			}
			first = to
		}
		from = to
	}
	if first < end {
		b.cut(worker, first, end)
	}
	return nil
}

// slicePicked is sliceSeen without groups that are deferred. The others are copied together: one after the other they would
// fill few vectors.
func (b *Blocks) slicePicked(worker, unit int) error {
	w := &b.workers[worker]
	first, end := b.bounds(unit)
	w.picked = b.frame.Leaves.pick(worker, w.picked[:0], &b.seen, first, end)
	left := len(w.picked) * groups.Size
	if left >= end-first {
		b.cut(worker, first, end)
		return nil
	}
	w.Triangles.Culled += int64(end - first)
	if left == 0 {
		return nil
	}
	mesh := b.frame.Groups.Mesh
	w.read.Resize(left, mesh.Colors != nil)
	n := groups.Copy(&w.read, mesh, w.picked)
	w.Triangles.Culled -= int64(n)
	w.part = w.read.Slice(0, n)
	w.polys.Groups = w.picked
	b.draw(worker, 0, 0, scenes.BlockSize)
	w.polys.Groups = nil
	return nil
}

// readPicked draws those groups of a unit that lie in the picture and are not deferred, of a mesh that is not in memory.
func (b *Blocks) readPicked(worker, unit int) error {
	w := &b.workers[worker]
	first, end := b.bounds(unit)
	if b.frame.Leaves != nil {
		w.picked = b.frame.Leaves.pick(worker, w.picked[:0], &b.seen, first, end)
	} else {
		w.picked = b.seen.Inside(w.picked[:0], first, end)
	}
	w.Triangles.Culled += int64(end - first)
	if len(w.picked) == 0 {
		return nil
	}
	start := time.Now()
	if err := b.frame.Groups.Stored.ReadGroups(w.picked, &w.read, w.numbers); err != nil {
		return err
	}
	w.Read += time.Since(start)
	n := w.read.Len()
	w.Triangles.Culled -= int64(n)
	w.part = w.read.Slice(0, n)
	w.polys.Groups, w.polys.Numbers = w.picked, w.numbers
	b.draw(worker, 0, 0, scenes.BlockSize)
	w.polys.Groups, w.polys.Numbers = nil, nil
	return nil
}

// bounds returns the triangles of a unit.
func (b *Blocks) bounds(unit int) (first, end int) {
	first = unit * b.frame.UnitSize
	return first, min(first+b.frame.UnitSize, b.frame.Source.Len())
}

// cut draws some triangles of a source that can be cut anywhere, no more than a block.
func (b *Blocks) cut(worker, first, end int) {
	b.workers[worker].part = b.mesh.Slice(first, end)
	b.draw(worker, first, 0, scenes.BlockSize)
}

// read reads a block of the source, and draws it in blocks of the wanted size.
func (b *Blocks) read(worker, unit int) error {
	w, size, start := &b.workers[worker], b.frame.BlockSize, time.Now()
	if err := b.frame.Source.ReadBlock(unit, &w.read); err != nil {
		return err
	}
	w.Read += time.Since(start)
	for lo := 0; lo < w.read.Len(); lo += size {
		w.part = w.read.Slice(lo, min(lo+size, w.read.Len()))
		b.draw(worker, unit*scenes.BlockSize+lo, lo/size, size)
	}
	return nil
}

// draw takes a worker's part, whose first triangle has a number, all the way to its target. It is block i of the unit, of
// size triangles.
func (b *Blocks) draw(worker, first, i, size int) {
	f, w := &b.frame, &b.workers[worker]
	target, part := f.Targets[worker], &w.part
	for _, o := range f.Watchers {
		o.BeginBlock(worker, i, size)
	}
	start := time.Now()
	w.polys.Reset()
	w.polys.Deferred = f.Backs.Deferred(worker, uint32(first))
	toClip := f.Geometry(f.View, part, w.polys, w.toClip, &w.Triangles)
	f.Backs.Keep(worker)
	for {
		toClip = geometry.ClipTriangles(f.View, part, toClip, w.polys, &w.Triangles)
		f.Payloads.Give(w.polys, part, first)
		w.Geometry += time.Since(start)
		for _, t := range f.Takers {
			t.Take(worker, w.polys)
		}
		scan := time.Now()
		target.Touch(w.polys)
		start = f.Rasters[worker].Draw(target, w.polys, scan)
		if len(toClip) == 0 || f.Stop() {
			return
		}
		w.polys.Reset()
	}
}
