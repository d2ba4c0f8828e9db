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

// LargePolygons is the stage that spreads the large polygons of blocks over the workers. The rule by which it shares
// work among workers is that by which rows are redistributed among lanes. The stage adds up the work of a block's large
// polygons. If spreading this work saves more time than it costs, the stage cuts the polygons' rows into row ranges of
// the picture. When no block is left, any worker may draw these ranges. The decision assumes that there is a processor
// for each range, and that only the processor of the block is busy. Therefore neither the ranges nor the counts depend
// on the number of workers.
//
// When no block is left, each worker repeatedly takes some tile rows of the picture. It draws all row ranges of these
// tile rows into its buffer, which is a frame with only these tile rows. Then the private frames are merged with the
// buffer, and the pixels are written. In this way the keys of large polygons never leave the caches. In private
// frames they would be written to memory and read again, twice. One core can use the full memory bandwidth, so a
// second core would gain little: with private frames, two workers drew a picture of 3840x2160 only 1.5 times as fast
// as one worker.
type LargePolygons struct {
	// IdleWorkers is the number of workers that have found no block left. The stage that draws blocks updates it.
	IdleWorkers atomic.Int32
	// MaxPieces limits the pieces of polygons that a worker stores; a polygon has a piece in each row range. Above
	// this number, the worker draws the ranges of later blocks itself. 0 means a number that limits the worker's
	// memory to some 12 MB.
	MaxPieces int

	frame     LargeFrame
	cost      calibration.Sharing
	minHeight int32 // least height of a range, in rows
	workers   []rangeWorker
	buffers   machine.Ranges // parts of the picture, as high as a buffer, that no worker has taken yet
	dirty     bool           // true if End was not called for the last frame, or the frame was called off
}

// rangeWorker holds the large polygons that one worker has stored. It also has scratch memory for drawing the stored
// polygons of any worker.
type rangeWorker struct {
	large  selection // large polygons of the current block
	store  rangeStore
	shared int64           // number of polygons that were cut
	rows   *array.Polygons // scratch memory for the parts of polygons in a row range
	buffer framebuffer.Buffer

	_ [64]byte // padding, so that two workers do not share a cache line
}

// A LargeFrame holds the parameters of the stage for a frame.
type LargeFrame struct {
	Workers    int
	Layout     tile.Layout
	Width      int32     // width of the frame in samples
	BlockSize  int       // largest number of triangles in a block, the same in all frames
	Policy     lb.Policy // decides whether polygons are cut; with Never, no polygon is
	Cost       calibration.Sharing
	FitsCache  bool // a private frame fits into a cache, so cutting saves no memory traffic
	DrawAtOnce bool // the worker that cuts polygons draws all their row ranges at once
	// Rows is called when the row ranges of tile rows lo to hi (exclusive) are drawn into buffer. It writes their
	// pixels, clears buffer, and returns false if the frame was called off. If Rows is nil, row ranges are drawn to
	// Targets.
	Rows    func(worker, lo, hi int, buffer *framebuffer.Buffer) bool
	Targets []framebuffer.Target  // targets of the spans of blocks, one for each worker
	Rasters []*framebuffer.Raster // one for each worker
	Watcher CutWatcher            // is notified of each cut; may be nil
	ZBuffer zbuffer.Loop
	Sync    func()      // waits for all workers
	Stop    func() bool // reports whether the frame was called off
}

// A Cut describes how the large polygons of a block are cut into row ranges.
type Cut struct {
	Polygons int
	Rows     int64 // sum of the rows of all polygons
	MaxRows  int32 // rows of the tallest polygon
	Ranges   int
	Saved    int64 // iterations that scan conversion of the block saves because the large polygons are removed
}

// A CutWatcher is notified when a worker cuts polygons. Cut is called before the row ranges are drawn or stored, and
// CutDone afterwards.
type CutWatcher interface {
	Cut(worker int, c Cut)
	CutDone(worker int)
}

// Begin prepares for a frame.
func (l *LargePolygons) Begin(f LargeFrame) {
	if l.workers == nil {
		l.workers = make([]rangeWorker, f.Workers)
	}
	l.frame, l.cost, l.minHeight = f, f.Cost, bufferRows(f.Layout)
	if f.FitsCache {
		l.cost.Band, l.cost.Piece = cachedCharge*l.cost.Band, cachedCharge*l.cost.Piece
	}
	l.IdleWorkers.Store(0)
	for i := range l.workers {
		w := &l.workers[i]
		w.store.reset(l.MaxPieces)
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

// Shared returns the number of polygons of the frame that were cut, and the number of blocks whose cut polygons were
// stored for all workers.
func (l *LargePolygons) Shared() (polygons int64, blocks int) {
	for i := range l.workers {
		polygons += l.workers[i].shared
		blocks += len(l.workers[i].store.shares)
	}
	return polygons, blocks
}

// Take implements Taker. It removes the large polygons from a worker's block if cutting them saves time. Most blocks
// have no large polygons.
func (l *LargePolygons) Take(worker int, p *array.Polygons) {
	if l.frame.Policy == lb.Never || p.MaxRows <= largeRows || int64(p.MaxRows)*int64(widestRow(p)) <= largeSamples {
		return
	}
	large := &l.workers[worker].large
	large.selectLarge(p, l.frame.Width)
	if height := large.rangeHeight(l.frame.Policy, l.cost, l.minHeight); height > 0 {
		l.cut(worker, p, height)
	}
}

// cut removes the large polygons from a worker's block and stores them for all workers, in row ranges of the given
// height. If the worker has too many pieces and no worker has run out of blocks, it draws the ranges itself instead.
// This choice changes neither the picture nor the counts.
func (l *LargePolygons) cut(worker int, p *array.Polygons, height int32) {
	w, r, watcher := &l.workers[worker], l.frame.Rasters[worker], l.frame.Watcher
	large := &w.large
	saved := p.SavedIterations(large.index)
	if watcher != nil {
		watcher.Cut(worker, Cut{len(large.index), large.rows, large.maxRows, large.numRanges(height), saved})
	}
	w.store.add(p, large, height)
	if l.frame.DrawAtOnce || w.store.isFull() && l.IdleWorkers.Load() == 0 {
		s := &w.store.shares[len(w.store.shares)-1]
		for i := range int32(len(s.ranges) - 1) {
			l.draw(worker, l.frame.Targets[worker], &w.store, s, s.firstRange+i)
		}
		w.store.dropLast()
	}
	if watcher != nil {
		watcher.CutDone(worker)
	}
	for _, n := range large.index {
		p.Rows[n] = 0
	}
	r.IterationsUnbalanced += saved
	r.Redistributions++
	w.shared += int64(len(large.index))
}

const (
	// bufferBytes is the largest size of a buffer's keys, in bytes, so that they fit into a second-level cache.
	bufferBytes = 1 << 20
	// minBuffers is the least number of buffers that a picture is divided into, unless it has fewer tile rows. With 32
	// buffers and two workers, one worker waits while the other draws the last buffer, for at most a sixteenth of its
	// own time.
	minBuffers = 32
)

// bufferRows returns the least height of the frame's buffers, in rows of samples.
func bufferRows(l tile.Layout) int32 {
	tiles := 1
	for 2*tiles*minBuffers <= l.TilesY && 8*l.Stride*2*tiles*tile.Height <= bufferBytes {
		tiles *= 2
	}
	return int32(tiles * tile.Height)
}

// bufferHeight returns the height of the frame's buffers in rows. It is the height of the tallest row range, or 0 if no
// polygons were stored.
func (l *LargePolygons) bufferHeight() (height int32) {
	for i := range l.workers {
		for s := range l.workers[i].store.shares {
			height = max(height, l.workers[i].store.shares[s].height)
		}
	}
	return height
}

// Run draws the stored polygons after all workers have drawn their blocks. If Rows is nil, it draws to the targets of
// blocks. Otherwise it draws into buffers and passes each buffer to Rows; written reports that it passed the whole
// picture.
func (l *LargePolygons) Run(worker int) (written bool) {
	height := l.bufferHeight()
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
		for b, ok := l.nextBuffer(worker); ok; b, ok = l.nextBuffer(worker) {
			l.drawAll(worker, l.frame.Targets[worker], b, height)
		}
		l.frame.Sync()
		return false
	}
	buffer.ResizeRows(l.frame.Layout, tiles)
	for b, ok := l.nextBuffer(worker); ok; b, ok = l.nextBuffer(worker) {
		lo := int(b) * tiles
		buffer.Top = lo
		l.drawAll(worker, buffer, b, height)
		if !l.frame.Rows(worker, lo, min(lo+tiles, rows), buffer) {
			break
		}
	}
	return true
}

// nextBuffer returns the number of the buffer that the worker draws next. ok is false if no buffer is left or the frame
// was called off.
func (l *LargePolygons) nextBuffer(worker int) (buffer int32, ok bool) {
	b, ok := l.buffers.Next(worker)
	return int32(b), ok && !l.frame.Stop()
}

// drawAll draws all row ranges that lie in the given buffer, which is height rows high.
func (l *LargePolygons) drawAll(worker int, target framebuffer.Target, buffer, height int32) {
	for i := range l.workers {
		k := &l.workers[i].store
		for n := range k.shares {
			s := &k.shares[n]
			for b := buffer * (height / s.height); b < (buffer+1)*(height/s.height); b++ {
				l.draw(worker, target, k, s, b)
			}
		}
	}
}

// draw draws the pieces of share s in one row range of the picture, unless the frame was called off. It does not
// change IterationsUnbalanced, because cut has counted these iterations already.
func (l *LargePolygons) draw(worker int, target framebuffer.Target, k *rangeStore, s *share, rowRange int32) {
	w, r := &l.workers[worker], l.frame.Rasters[worker]
	if w.rows == nil {
		w.rows = array.MakeRowRanges(l.frame.BlockSize + geometry.MaxClipped)
	}
	start := time.Now()
	p := w.rows
	if k.copyRange(p, s, rowRange); p.N == 0 || l.frame.Stop() {
		return
	}
	p.MinX, p.MaxX, p.MinY, p.MaxY = 0, l.frame.Width, rowRange*s.height, (rowRange+1)*s.height
	unbalanced := r.IterationsUnbalanced
	target.TouchRows(p)
	r.Draw(target, p, start)
	r.IterationsUnbalanced = unbalanced
}
