package frame

import (
	"sync/atomic"
	"time"

	"lockstep/lb"
	"lockstep/render/calibration"
	"lockstep/render/internal/framebuffer"
	"lockstep/render/internal/kernel/array"
	"lockstep/render/internal/kernel/geometry"
	"lockstep/render/internal/kernel/zbuffer"
	"lockstep/render/internal/tile"
	"lockstep/vp/machine"
)

// LargePolygons is the stage that spreads the large polygons of blocks over the workers, which balance like lanes. The
// work of a block's large polygons is added up. Where spreading it saves more than it costs, the polygons' rows are cut
// into ranges of the picture. Ranges wait until no block is left, and then any worker may draw them. The decision assumes
// as many processors as ranges, of which all but the block's own are idle. So neither the ranges nor the counts depend on
// the number of workers.
//
// When no block is left, workers draw the kept polygons, some rows of tiles of the picture at a time. A worker draws all
// row ranges there into its buffer, a frame of so many rows of tiles, and hands it over: the tiles that blocks were drawn
// to are merged, and the pixels written. Then it uses the buffer for the next rows. So the keys of large polygons never
// leave the caches. In private frames they are written to memory and read again twice. One core alone can keep memory
// busy, so a second one gains little: with private frames two workers drew a picture of 3840x2160 only 1.5 times as fast
// as one.
type LargePolygons struct {
	// Dry is the number of workers that found no block left. Those who take blocks count.
	Dry atomic.Int32
	// MostPieces is how many pieces a worker keeps at most before it draws further ones itself; 0: a number that bounds
	// its memory to some 12 MB.
	MostPieces int

	frame   LargeFrame
	cost    calibration.Sharing
	lowest  int32 // ranges, in rows
	workers []sharing
	buffers machine.Ranges // of the picture
	dirty   bool           // a frame was begun and has not ended, or was called off
}

// sharing is what one worker keeps of large polygons, and its memory to draw what others have.
type sharing struct {
	large  selection // of the block at hand
	kept   kept
	shared int64           // polygons
	rows   *array.Polygons // of a row range
	buffer framebuffer.Buffer

	_ [64]byte // keep workers apart
}

// A LargeFrame is what the stage wants to know of a frame.
type LargeFrame struct {
	Workers   int
	Layout    tile.Layout
	Width     int32     // in samples
	BlockSize int       // the most triangles of a block, always the same
	Policy    lb.Policy // Never: every block keeps its polygons
	Cost      calibration.Sharing
	Cached    bool // a private frame stays in a cache, so that ranges of rows save no memory traffic
	AtOnce    bool // the worker that cuts ranges draws them itself
	// Rows takes rows lo to hi (exclusive) of tiles with their ranges in a buffer, and clears it. It returns false when
	// the frame was called off. Where it is nil the ranges go to the targets of blocks.
	Rows    func(worker, lo, hi int, buffer *framebuffer.Buffer) bool
	Targets []framebuffer.Target  // of the spans of blocks, by worker
	Rasters []*framebuffer.Raster // of the workers
	Watcher CutWatcher            // may be nil
	ZBuffer zbuffer.Loop
	Sync    func()      // waits for all workers
	Stop    func() bool // whether the frame was called off
}

// A Cut says that the rows of a block's large polygons are drawn in ranges.
type Cut struct {
	Polygons int
	Rows     int64 // of all of them
	MostRows int32 // of one
	Ranges   int
	Spared   int64 // iterations that their groups of lanes save by that
}

// A CutWatcher is told of a worker's cut before its ranges are drawn, where the worker draws them at once, and when these
// are.
type CutWatcher interface {
	Cut(worker int, c Cut)
	CutDone(worker int)
}

// Begin prepares for a frame.
func (l *LargePolygons) Begin(f LargeFrame) {
	if l.workers == nil {
		l.workers = make([]sharing, f.Workers)
	}
	l.frame, l.cost, l.lowest = f, f.Cost, bufferRows(f.Layout)
	if f.Cached {
		l.cost.Band, l.cost.Piece = cachedCharge*l.cost.Band, cachedCharge*l.cost.Piece
	}
	l.Dry.Store(0)
	for i := range l.workers {
		w := &l.workers[i]
		w.kept.reset(l.MostPieces)
		w.shared = 0
		w.buffer.Begin(f.ZBuffer, f.Stop)
		if l.dirty {
			w.buffer.Clear(f.Stop)
		}
	}
	l.dirty = true
}

// End ends a frame.
func (l *LargePolygons) End(calledOff bool) {
	l.reserve()
	l.dirty = calledOff
}

// Shared returns how many polygons of the frame were cut, and of how many blocks there are still some kept.
func (l *LargePolygons) Shared() (polygons int64, blocks int) {
	for i := range l.workers {
		polygons += l.workers[i].shared
		blocks += len(l.workers[i].kept.shares)
	}
	return polygons, blocks
}

// Take makes the stage a Taker: it takes the large polygons out of a worker's block where cutting their rows pays. Mostly
// there is none.
func (l *LargePolygons) Take(worker int, p *array.Polygons) {
	if l.frame.Policy == lb.Never || p.MaxRows <= largeRows || int64(p.MaxRows)*int64(widestRow(p)) <= largeSamples {
		return
	}
	large := &l.workers[worker].large
	large.gather(p, l.frame.Width)
	if height := large.height(l.frame.Policy, l.cost, l.lowest); height > 0 {
		l.cut(worker, p, height)
	}
}

// cut takes the large polygons out of a worker's block and keeps them for all workers, in ranges of a height. A worker that
// has kept enough draws the ranges itself, unless another worker has run out of blocks. Neither the picture nor the counts
// depend on that.
func (l *LargePolygons) cut(worker int, p *array.Polygons, height int32) {
	w, r, watcher := &l.workers[worker], l.frame.Rasters[worker], l.frame.Watcher
	large := &w.large
	spared := p.Spared(large.index)
	if watcher != nil {
		watcher.Cut(worker, Cut{len(large.index), large.rows, large.most, large.ranges(height), spared})
	}
	w.kept.add(p, large, height)
	if l.frame.AtOnce || w.kept.full() && l.Dry.Load() == 0 {
		s := &w.kept.shares[len(w.kept.shares)-1]
		for i := range int32(len(s.ranges) - 1) {
			l.draw(worker, l.frame.Targets[worker], &w.kept, s, s.first+i)
		}
		w.kept.drop()
	}
	if watcher != nil {
		watcher.CutDone(worker)
	}
	for _, n := range large.index {
		p.Rows[n] = 0
	}
	r.IterationsUnbalanced += spared
	r.Redistributions++
	w.shared += int64(len(large.index))
}

const (
	// bufferBytes bounds the keys of a buffer in bytes, so that they fit a second-level cache.
	bufferBytes = 1 << 20
	// buffersLeast is the least number of times that a buffer is filled for a picture, where tile rows
	// allow it. While one of two workers draws the last of 32, the other waits
	// for a sixteenth of its own time at most.
	buffersLeast = 32
)

// bufferRows returns the height of the lowest buffers, in rows of samples.
func bufferRows(l tile.Layout) int32 {
	tiles := 1
	for 2*tiles*buffersLeast <= l.TilesY && 8*l.Stride*2*tiles*tile.Height <= bufferBytes {
		tiles *= 2
	}
	return int32(tiles * tile.Height)
}

// height returns the height of the frame's buffers, 0 where nothing was kept: that of the highest ranges.
func (l *LargePolygons) height() (height int32) {
	for i := range l.workers {
		for s := range l.workers[i].kept.shares {
			height = max(height, l.workers[i].kept.shares[s].height)
		}
	}
	return height
}

// Run draws the polygons that were kept, when all workers have drawn their blocks: to the target of blocks, or into buffers
// that are handed over at once. It reports whether all of the picture was handed over.
func (l *LargePolygons) Run(worker int) (written bool) {
	height := l.height()
	if height == 0 {
		return false
	}
	tiles, buffer := int(height/tile.Height), &l.workers[worker].buffer
	rows := l.frame.Layout.TilesY
	if worker == 0 {
		l.buffers.Reset(len(l.workers), (rows+tiles-1)/tiles)
	}
	l.frame.Sync()
	if l.frame.Rows == nil {
		for b, ok := l.next(worker); ok; b, ok = l.next(worker) {
			l.drawAll(worker, l.frame.Targets[worker], b, height)
		}
		l.frame.Sync()
		return false
	}
	buffer.ResizeRows(l.frame.Layout, tiles)
	for b, ok := l.next(worker); ok; b, ok = l.next(worker) {
		lo := int(b) * tiles
		buffer.Top = lo
		l.drawAll(worker, buffer, b, height)
		if !l.frame.Rows(worker, lo, min(lo+tiles, rows), buffer) {
			break
		}
	}
	return true
}

// next returns a worker's next buffer of the picture; none when the frame was called off.
func (l *LargePolygons) next(worker int) (buffer int32, ok bool) {
	b, ok := l.buffers.Next(worker)
	return int32(b), ok && !l.frame.Stop()
}

// drawAll draws all row ranges in one buffer of a height.
func (l *LargePolygons) drawAll(worker int, target framebuffer.Target, buffer, height int32) {
	for i := range l.workers {
		k := &l.workers[i].kept
		for n := range k.shares {
			s := &k.shares[n]
			for b := buffer * (height / s.height); b < (buffer+1)*(height/s.height); b++ {
				l.draw(worker, target, k, s, b)
			}
		}
	}
}

// draw draws the pieces that a share has in a row range of the picture, unless the frame was called off. It does not
// count the iterations without redistributions: these were counted where the block was cut.
func (l *LargePolygons) draw(worker int, target framebuffer.Target, k *kept, s *share, rowRange int32) {
	w, r := &l.workers[worker], l.frame.Rasters[worker]
	if w.rows == nil {
		w.rows = array.MakeRowRanges(l.frame.BlockSize + geometry.ClipMost)
	}
	start := time.Now()
	p := w.rows
	if k.fill(p, s, rowRange); p.N == 0 || l.frame.Stop() {
		return
	}
	p.MinX, p.MaxX, p.MinY, p.MaxY = 0, l.frame.Width, rowRange*s.height, (rowRange+1)*s.height
	unbalanced := r.IterationsUnbalanced
	target.TouchRows(p)
	r.Draw(target, p, start)
	r.IterationsUnbalanced = unbalanced
}
