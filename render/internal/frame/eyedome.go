package frame

import (
	"time"

	"lockstep/render/internal/framebuffer"
	"lockstep/render/internal/kernel/array"
	"lockstep/render/internal/kernel/dome"
	"lockstep/render/internal/kernel/pixel"
	"lockstep/render/internal/tile"
	"lockstep/vp/machine"
)

// EyeDome is the stage after the last one in frames of clouds. All discs of a cloud face the eye and have the same
// light. To show the cloud's shape, the stage darkens pixels that lie behind neighbouring pixels. The last stage calls
// RecordLevels while the keys still exist, because they hold the nearness of pixels.
type EyeDome struct {
	frame     EyeDomeFrame
	grid      dome.Grid
	levels    dome.Levels
	remaining machine.Ranges // tile rows that no worker has darkened yet
	workers   []eyeDomeWorker
}

type eyeDomeWorker struct {
	spent time.Duration
	_     [64]byte // padding, so that two workers do not share a cache line
}

// An EyeDomeFrame holds the parameters of the stage for a frame.
type EyeDomeFrame struct {
	Workers int
	Pixels  Pixels
	Lit     tile.Rows // tile rows that are darkened; neighbouring tile rows must be recorded too
	View    dome.View
	Merge   *framebuffer.Merge
	Stop    func() bool // reports whether the frame was called off
}

// Begin prepares for a frame.
func (d *EyeDome) Begin(f EyeDomeFrame) {
	d.frame = f
	d.levels.Begin(f.View)
	d.grid.Begin(f.Pixels.Width, f.Pixels.Rows, f.View.Reach)
	d.remaining.Reset(f.Workers, f.Lit.Len())
	if d.workers == nil {
		d.workers = make([]eyeDomeWorker, f.Workers)
	}
	clear(d.workers)
}

// End ends a frame and drops its picture, so that the picture can be garbage collected.
func (d *EyeDome) End(bool) { d.frame = EyeDomeFrame{} }

// Spent returns the time for which a worker darkened pixels.
func (d *EyeDome) Spent(worker int) time.Duration { return d.workers[worker].spent }

// RecordLevels stores the levels of the pixels of tile row ty. A level is an integer that stands for the nearness, see
// package dome. A pixel has the level of its nearest sample, so points that show through gaps between nearer points do
// not count. The tile row must be merged and not cleared yet. If d is nil, RecordLevels does nothing.
func (d *EyeDome) RecordLevels(ty int) {
	if d == nil {
		return
	}
	p := &d.frame.Pixels
	perTile := tile.Width / p.Grid
	for y, end := p.rows(ty); y < end; y++ {
		row := d.grid.Row(y)
		for tx, hi, f := d.frame.Merge.OwnerRun(ty, 0); tx < hi; tx, hi, f = d.frame.Merge.OwnerRun(ty, hi) {
			levels := row[tx*perTile : min(hi*perTile, p.Width)]
			if f == nil {
				dome.Clear(levels)
				continue
			}
			d.setLevels(levels, f.Keys[f.KeyIndex(tx, y*p.Grid):], f.Stride)
		}
	}
}

// setLevels sets the levels of pixels from their keys.
func (d *EyeDome) setLevels(levels []int32, keys []uint64, stride int) {
	grid := d.frame.Pixels.Grid
	last, level := uint32(0), d.levels.Nothing()
	for i := range levels {
		var nearest uint64
		if grid == 1 {
			nearest = keys[i]
		} else {
			nearest = pixel.Nearest(keys, stride, grid, i)
		}
		if e := uint32(nearest >> 32); e != last {
			last, level = e, d.levels.Nothing()
			if e != 0 {
				level = d.levels.Of(array.Nearness(nearest))
			}
		}
		levels[i] = level
	}
}

// Run darkens rows of pixels until no row is left or the frame is called off. Before the first worker calls Run, all
// workers must have left the last stage.
func (d *EyeDome) Run(worker int) {
	start, p := time.Now(), &d.frame.Pixels
	for !d.frame.Stop() {
		i, ok := d.remaining.Next(worker)
		if !ok {
			break
		}
		for y, end := p.rows(d.frame.Lit.Lo + i); y < end; y++ {
			at := 4 * p.pixelIndex(0, y)
			d.grid.Shade(y, p.Pix[at:at+4*p.Width])
		}
	}
	d.workers[worker].spent += time.Since(start)
}
