package frame

import (
	"slices"
	"sync/atomic"
	"time"

	"lockstep/render/internal/blocktime"
	"lockstep/render/internal/framebuffer"
	"lockstep/render/internal/groups"
	"lockstep/render/internal/kernel/array"
	"lockstep/render/internal/kernel/geometry"
	"lockstep/render/internal/sources"
	"lockstep/scenes"
)

// Blocks is the first stage of frames whose source is drawn by this process. It passes the blocks of the source
// through geometry and scan conversion, and the resulting spans to the workers' targets.
type Blocks struct {
	frame   BlocksFrame
	unit    func(b *Blocks, worker, unit int) error // method that draws a unit of the source
	mesh    sources.Slicer
	frustum groups.Frustum // the space that the picture shows; set in frames with groups
	workers []blockWorker
}

// blockWorker is the memory of one worker.
type blockWorker struct {
	Drawn
	polys   *array.Polygons
	toClip  []int32      // scratch memory for the geometry loop
	read    scenes.Block // scratch memory for blocks that are read, decoded or copied
	part    scenes.Block // triangles that are being drawn; a field, because a local variable would escape
	picked  []int32      // numbers of the groups of the current unit that are drawn
	numbers []uint32     // numbers of the triangles of these groups, if the mesh is not in memory
	err     error

	_ [64]byte // padding, so that the counters of two workers do not share a cache line
}

// Drawn holds one worker's counts and times of drawing a frame.
type Drawn struct {
	Triangles      geometry.Counts
	Read, Geometry time.Duration // time to read blocks, and time of the geometry loop
}

// A BlocksFrame holds the parameters of the stage for a frame.
type BlocksFrame struct {
	Workers   int
	Source    scenes.Source
	Units     Units          // hands out the units of the source
	Numbers   []int          // numbers of the source's blocks that the units stand for; nil if units are numbered like the source's blocks
	Groups    *groups.Groups // groups of a source that can be cut anywhere or is stored; nil if all triangles are drawn
	Leaves    *Leaves        // stage that defers groups; its Begin must be called before Blocks.Begin; nil if no group is deferred
	UnitSize  int            // triangles in a unit, if the source can be cut anywhere; 0 if units are the source's blocks
	BlockSize int            // largest number of triangles that are drawn at a time, the same in all frames

	View        *geometry.View
	Geometry    geometry.Loop
	Payloads    Payloads
	Hidden      *Hidden               // stage that defers polygons; Hidden.Begin must be called before Blocks.Begin
	Takers      []Taker               // stages that take polygons out of a block, in this order
	Targets     []framebuffer.Target  // one for each worker
	Rasters     []*framebuffer.Raster // one for each worker
	Watchers    []Watcher
	Timer       *blocktime.Timer // divides the time of sieves (see groups.Sieve) among units; nil if units are not timed
	IdleWorkers *atomic.Int32    // number of workers that found no unit left
	Stop        func() bool      // reports whether the frame was called off
}

// Units hands out the numbers of units of work, each number once. Workers may call Next concurrently.
type Units interface {
	Next(worker int) (unit int, ok bool)
}

// Payloads sets the payloads of polygons. The key of a sample consists of the polygon's payload and a depth. The first
// triangle of block b has number `first`.
type Payloads interface {
	SetPayloads(p *array.Polygons, b *scenes.Block, first int)
}

// A Taker removes some polygons from a worker's block and draws them in its own way. It sets the numbers of rows of
// these polygons to 0, so the block is drawn without them.
type Taker interface {
	Take(worker int, p *array.Polygons)
}

// A Watcher is notified about the units and blocks that workers draw. Leave is called when a worker stops because no
// unit is left, or after a panic. After a panic, the worker's unit ends without a call of EndUnit.
type Watcher interface {
	BeginUnit(worker, unit int)
	// BeginBlock is called before block i of the unit is drawn. Blocks of this unit have `size` triangles.
	BeginBlock(worker, i, size int)
	// EndUnit is called with the error of the unit, or nil. If it returns an error, the worker stops with that error.
	EndUnit(worker int, err error) error
	Leave(worker int)
}

// Begin prepares for a frame. Only the first call allocates memory.
func (b *Blocks) Begin(f BlocksFrame) {
	b.frame, b.unit = f, (*Blocks).readAndDraw
	if f.UnitSize > 0 {
		b.unit = (*Blocks).drawSlice
		b.mesh, _ = f.Source.(sources.Slicer)
		if f.Groups != nil {
			b.frustum = f.Groups.Frustum(f.View)
			switch {
			case f.Groups.Stored != nil:
				b.unit = (*Blocks).readAndDrawPicked
			case f.Leaves != nil:
				b.unit, b.mesh = (*Blocks).drawPicked, b.orderedSource()
			default:
				b.unit, b.mesh = (*Blocks).drawInFrustum, b.orderedSource()
			}
		}
	}
	if b.workers == nil {
		b.workers = make([]blockWorker, f.Workers)
	}
	for i := range b.workers {
		w := &b.workers[i]
		if w.polys == nil {
			w.polys, w.toClip = array.MakePolygons(f.BlockSize+geometry.MaxClipped), make([]int32, f.BlockSize)
		}
		w.Drawn, w.err = Drawn{}, nil
		if f.Groups != nil && f.Groups.Stored != nil && w.numbers == nil && areNumbers(f.Payloads) {
			w.numbers = make([]uint32, scenes.BlockSize)
		}
	}
}

// orderedSource returns the source in the order of the groups: the frame's source, or a copy with reordered triangles.
func (b *Blocks) orderedSource() sources.Slicer {
	if b.frame.Groups.Numbers != nil {
		return b.frame.Groups.Mesh
	}
	return b.mesh
}

// End ends a frame and drops its source, so that the source can be garbage collected.
func (b *Blocks) End(bool) {
	b.frame, b.mesh, b.frustum = BlocksFrame{}, nil, groups.Frustum{}
	for i := range b.workers {
		b.workers[i].part = scenes.Block{}
	}
}

// Drawn returns the counts of a worker, and the error that ended its work.
func (b *Blocks) Drawn(worker int) (Drawn, error) {
	return b.workers[worker].Drawn, b.workers[worker].err
}

// Run draws units until no unit is left, a unit fails or the frame is called off.
func (b *Blocks) Run(worker int) {
	f, w := &b.frame, &b.workers[worker]
	defer b.notifyLeave(worker)
	f.Rasters[worker].WarmUp()
	for !f.Stop() {
		unit, ok := f.Units.Next(worker)
		if !ok {
			if f.Leaves != nil {
				w.err = b.endSieve(worker)
				f.Leaves.flush(worker)
			}
			f.IdleWorkers.Add(1)
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

// notifyLeave notifies the watchers that a worker stops.
func (b *Blocks) notifyLeave(worker int) {
	for _, o := range b.frame.Watchers {
		o.Leave(worker)
	}
}

// drawSlice draws a unit of a source that can be cut anywhere.
func (b *Blocks) drawSlice(worker, unit int) error {
	first, end := b.triangleRange(unit)
	b.drawRange(worker, first, end)
	return nil
}

// drawInFrustum is like drawSlice, but leaves out groups outside the picture.
func (b *Blocks) drawInFrustum(worker, unit int) error {
	w := &b.workers[worker]
	first, end := b.triangleRange(unit)
	for from := first; from < end; {
		to := min((from/groups.Size+1)*groups.Size, end)
		if b.frustum.Outside(from / groups.Size) {
			w.Triangles.Culled += int64(to - from)
			if first < from {
				b.drawRange(worker, first, from)
			}
			first = to
		}
		from = to
	}
	if first < end {
		b.drawRange(worker, first, end)
	}
	return nil
}

// drawPicked is like drawInFrustum, but also leaves out deferred groups. It copies the remaining groups into one
// block. If groups were drawn one by one, many vector lanes would stay empty.
func (b *Blocks) drawPicked(worker, unit int) error {
	w := &b.workers[worker]
	first, end := b.triangleRange(unit)
	w.picked = b.frame.Leaves.pick(worker, w.picked[:0], &b.frustum, first, end)
	if s := b.frame.Leaves.sieve(worker); s != nil {
		return b.addToSieve(worker, s, end-first)
	}
	left, before := len(w.picked)*groups.Size, w.Triangles.Drawn
	defer func() { b.frame.Leaves.countUnsieved(worker, left, w.Triangles.Drawn-before) }()
	if left >= end-first {
		b.drawRange(worker, first, end)
		return nil
	}
	w.Triangles.Culled += int64(end - first)
	mesh := b.frame.Groups.Mesh
	for picked := range slices.Chunk(w.picked, copiedGroups) { // a unit may have more triangles than a scenes.Block can hold
		w.read.Resize(len(picked)*groups.Size, mesh.Colors != nil)
		n := groups.Copy(&w.read, mesh, picked)
		w.Triangles.Culled -= int64(n)
		w.part = w.read.Slice(0, n)
		w.polys.Groups = picked
		b.draw(worker, 0, 0, scenes.BlockSize)
	}
	w.polys.Groups = nil
	return nil
}

// copiedGroups is the largest number of groups whose triangles are copied into one scenes.Block, see
// scenes.Block.Resize.
const copiedGroups = scenes.BlockSize / groups.Size

// readAndDrawPicked is like drawPicked, but for a mesh that is not in memory. It reads and draws the groups of a unit
// that lie in the picture and are not deferred.
func (b *Blocks) readAndDrawPicked(worker, unit int) error {
	w := &b.workers[worker]
	first, end := b.triangleRange(unit)
	if b.frame.Leaves != nil {
		w.picked = b.frame.Leaves.pick(worker, w.picked[:0], &b.frustum, first, end)
	} else {
		w.picked = b.frustum.AppendInside(w.picked[:0], first, end)
	}
	if s := b.frame.Leaves.sieve(worker); s != nil {
		return b.addToSieve(worker, s, end-first)
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
	n, before := w.read.Len(), w.Triangles.Drawn
	w.Triangles.Culled -= int64(n)
	w.part = w.read.Slice(0, n)
	w.polys.Groups, w.polys.Numbers = w.picked, w.numbers
	b.draw(worker, 0, 0, scenes.BlockSize)
	w.polys.Groups, w.polys.Numbers = nil, nil
	if b.frame.Leaves != nil {
		b.frame.Leaves.countUnsieved(worker, n, w.Triangles.Drawn-before)
	}
	return nil
}

// addToSieve adds the picked groups of the worker's unit, which has the given number of triangles, to a sieve.
func (b *Blocks) addToSieve(worker int, s *groups.Sieve, triangles int) error {
	w, t := &b.workers[worker], b.frame.Timer
	w.Triangles.Culled += int64(triangles) // drawSieved subtracts the triangles that are drawn
	var err error
	if !s.Add(w.picked) {
		err = b.collect(worker, s)
		s.Add(w.picked)
	}
	t.Share(worker, t.Unit(worker), len(w.picked))
	return err
}

// collect makes a sieve examine the added groups. If the sieve then has enough triangles for a block, it is emptied.
func (b *Blocks) collect(worker int, s *groups.Sieve) error {
	w, start := &b.workers[worker], time.Now()
	b.frame.Timer.BeginShared(worker)
	err := s.Collect()
	b.frame.Timer.DivideShared(worker)
	if b.frame.Groups.Stored != nil {
		w.Read += time.Since(start)
	} else {
		w.Geometry += time.Since(start)
	}
	if err == nil && s.Len() >= b.frame.BlockSize {
		b.drawSieved(worker, s)
	}
	return err
}

// endSieve is called when no unit is left. If the worker has a sieve, endSieve draws all triangles of the sieve.
func (b *Blocks) endSieve(worker int) error {
	s := b.frame.Leaves.sieve(worker)
	if s == nil {
		return nil
	}
	if err := b.collect(worker, s); err != nil {
		return err
	}
	b.drawSieved(worker, s)
	return nil
}

// drawSieved draws the triangles that the worker's sieve has collected.
func (b *Blocks) drawSieved(worker int, s *groups.Sieve) {
	w, t := &b.workers[worker], b.frame.Timer
	t.BeginShared(worker)
	w.Triangles.Culled -= int64(s.Len())
	for lo := 0; lo < s.Len(); lo += b.frame.BlockSize {
		end := min(lo+b.frame.BlockSize, s.Len())
		w.part, w.polys.Numbers = s.Block.Slice(lo, end), s.Numbers[lo:end]
		b.draw(worker, 0, 0, scenes.BlockSize)
	}
	w.polys.Numbers = nil
	t.EndShared(worker)
	s.Reset()
}

// triangleRange returns the range of triangles of a unit.
func (b *Blocks) triangleRange(unit int) (first, end int) {
	first = unit * b.frame.UnitSize
	return first, min(first+b.frame.UnitSize, b.frame.Source.Len())
}

// drawRange draws triangles `first` to `end` (exclusive) of a source that can be divided at any triangle. The range
// must not exceed the size of a block.
func (b *Blocks) drawRange(worker, first, end int) {
	b.workers[worker].part = b.mesh.Slice(first, end)
	b.draw(worker, first, 0, scenes.BlockSize)
}

// readAndDraw reads a block of the source, and draws it in blocks of BlockSize triangles.
func (b *Blocks) readAndDraw(worker, unit int) error {
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

// draw passes the triangles in the worker's part through geometry and scan conversion to the worker's target. The first
// triangle has number `first`. Watchers are notified that the part is block i of its unit, whose blocks have `size`
// triangles.
func (b *Blocks) draw(worker, first, i, size int) {
	f, w := &b.frame, &b.workers[worker]
	target, part := f.Targets[worker], &w.part
	for _, o := range f.Watchers {
		o.BeginBlock(worker, i, size)
	}
	start := time.Now()
	w.polys.Reset()
	w.polys.Deferred = f.Hidden.Deferred(worker, uint32(first))
	toClip := f.Geometry(f.View, part, w.polys, w.toClip, &w.Triangles)
	f.Hidden.Keep(worker, w.polys, uint32(first))
	for {
		toClip = geometry.ClipTriangles(f.View, part, toClip, w.polys, &w.Triangles)
		f.Payloads.SetPayloads(w.polys, part, first)
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
