package frame

import (
	"time"

	"lockstep/render/internal/framebuffer"
	"lockstep/render/internal/scratch"
	"lockstep/render/internal/tile"
	"lockstep/vp/machine"
)

// Flat is the last stage of frames whose keys carry colours. It merges tile rows, writes their pixels and clears them.
type Flat struct {
	frame     FlatFrame
	remaining machine.Ranges // tile rows that no worker has taken yet
	workers   []flatWriter
}

type flatWriter struct {
	Written
	_ [64]byte // padding, so that two workers do not share a cache line
}

// A FlatFrame holds the parameters of the stage for a frame.
type FlatFrame struct {
	Workers int
	Pixels  Pixels
	Rows    tile.Rows             // tile rows that are merged
	Lit     tile.Rows             // tile rows whose pixels are written; part or all of Rows
	Dome    *EyeDome              // records the nearness of pixels; nil if the frame has no eye-dome light
	Merge   *framebuffer.Merge    // stage Merge; Merge.Begin must be called before Flat.Begin
	Spans   *SpanStore            // span store with keys that are not in private frames; nil if all keys are in private frames
	Rasters []*framebuffer.Raster // one for each worker
	Hidden  *Hidden               // stage that defers polygons; Hidden.Begin must be called before Blocks.Begin
	Leaves  *Leaves               // stage that defers groups; Leaves.Begin must be called before Blocks.Begin
	Empty   *framebuffer.Buffer   // buffer that stands for all tiles in which nothing was drawn; its keys there are 0
	Stop    func() bool           // reports whether the frame was called off
}

// Begin prepares for a frame.
func (f *Flat) Begin(frame FlatFrame) {
	f.frame = frame
	f.remaining.Reset(frame.Workers, frame.Rows.Len())
	f.workers = scratch.Resize(f.workers, frame.Workers)
	clear(f.workers)
}

// End ends a frame and drops its picture, so that the picture can be garbage collected.
func (f *Flat) End(bool) { f.frame = FlatFrame{} }

// Written returns the counts of a worker.
func (f *Flat) Written(worker int) Written { return f.workers[worker].Written }

// Run writes tile rows until no row is left or the frame is called off.
func (f *Flat) Run(worker int) {
	for {
		i, ok := f.remaining.Next(worker)
		if !ok || f.frame.Stop() {
			return
		}
		ty := f.frame.Rows.Lo + i
		if !f.WriteRows(worker, ty, ty+1, f.mergeStored(worker, ty)) {
			return
		}
	}
}

// mergeStored draws the stored spans of tile row ty into a buffer and returns the buffer. It returns nil if the frame
// does not store spans.
func (f *Flat) mergeStored(worker, ty int) *framebuffer.Buffer {
	if f.frame.Spans == nil {
		return nil
	}
	start := time.Now()
	buffer := f.frame.Spans.Run(worker, ty)
	f.frame.Rasters[worker].Merge += time.Since(start)
	return buffer
}

// WriteRows merges tile rows lo to hi (exclusive), writes their pixels and clears them. If buffer is not nil, it holds
// more keys of these tile rows. WriteRows returns false if the frame was called off.
func (f *Flat) WriteRows(worker, lo, hi int, buffer *framebuffer.Buffer) bool {
	w := &f.workers[worker]
	for ty := lo; ty < hi; ty++ {
		t0 := time.Now()
		if !f.frame.Merge.Run(ty, buffer) {
			return false
		}
		t1 := time.Now()
		drawn := f.frame.Hidden.Run(worker, ty, buffer, f.frame.Rasters[worker])
		drawn += f.frame.Leaves.Run(worker, ty, buffer)
		f.frame.Dome.RecordLevels(ty)
		if !f.frame.Lit.Has(ty) {
			f.frame.Merge.Clear(ty)
			continue
		}
		// Adjacent tiles with keys in the same private frame are written together, by one call for each row of pixels.
		for lo, hi, owner := f.frame.Merge.OwnerRun(ty, 0); lo < hi; lo, hi, owner = f.frame.Merge.OwnerRun(ty, hi) {
			w.Covered += f.writeTiles(ty, lo, hi, owner)
		}
		w.Merge += t1.Sub(t0)
		w.Resolve += time.Since(t1) - drawn
	}
	return true
}

// writeTiles writes the pixels of tiles lo to hi (exclusive) of tile row ty, and returns the number of covered
// pixels. owner holds all keys of these tiles. If owner is nil, nothing was drawn there.
func (f *Flat) writeTiles(ty, lo, hi int, owner *framebuffer.Buffer) (covered int64) {
	p, touched, b := &f.frame.Pixels, owner != nil, owner
	if !touched {
		b = f.frame.Empty
	}
	x0, x1 := lo*tile.Width/p.Grid, min(hi*tile.Width/p.Grid, p.Width)
	for y, end := p.rows(ty); y < end; y++ {
		from := p.pixelIndex(x0, y)
		to := from + x1 - x0
		keys := b.Keys[b.KeyIndex(lo, y*p.Grid):]
		p.resolveData(from, to, keys, b.Stride, touched)
		covered += int64(p.resolve(p.Pix[4*from:4*to], keys, b.Stride, touched))
	}
	if touched {
		clear(b.TouchedRow(ty)[lo:hi])
	}
	return covered
}
