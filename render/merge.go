package render

import (
	"math"
	"time"

	"lockstep/render/internal/frame"
	"lockstep/render/internal/kernel/array"
	"lockstep/render/internal/kernel/pixel"
	"lockstep/render/internal/tile"
)

// merge takes rows of tiles until none is left: it brings together what all
// workers drew there, writes the pixels and clears the frames.
func (e *engine) merge(index int) {
	for {
		i, ok := e.rows.Next(index)
		if !ok || e.cancelled() {
			return
		}
		if ty := e.job.needed.Lo + i; !e.mergeRows(index, ty, ty+1, nil) {
			return
		}
	}
}

// mergeRows brings rows lo to hi (exclusive) of tiles together, writes their pixels and
// clears them. It returns false when the frame was called off.
func (e *engine) mergeRows(index, lo, hi int, buffer *frame.Buffer) bool {
	w := &e.workers[index]
	for ty := lo; ty < hi; ty++ {
		t0 := time.Now()
		if !e.merging.Run(ty, buffer) {
			return false
		}
		t1 := time.Now()
		e.resolveRow(ty, w)
		w.times.Merge += t1.Sub(t0)
		w.times.Resolve += time.Since(t1)
	}
	return true
}

// resolveRow writes the pixels of a row of tiles and clears it. Neighbouring
// tiles with the same owner make one call a row of pixels.
func (e *engine) resolveRow(ty int, w *worker) {
	for lo, hi, owner := e.merging.From(ty, 0); lo < hi; lo, hi, owner = e.merging.From(ty, hi) {
		e.resolveTiles(ty, lo, hi, owner, w)
	}
}

// resolveTiles writes the pixels of tiles lo to hi (exclusive) of a row, all in
// one frame or, if that is nil, all untouched.
func (e *engine) resolveTiles(ty, lo, hi int, owner *frame.Buffer, w *worker) {
	touched, f, grid, pic := owner != nil, owner, e.job.grid, e.job.picture
	if !touched {
		f = &e.workers[0].frame // empty there
	}
	x0, x1 := lo*tile.Width/grid, min(hi*tile.Width/grid, pic.Width)
	rows := tile.Height / grid
	for y := ty * rows; y < min((ty+1)*rows, e.job.window.height); y++ {
		from := (y-e.job.window.pictureTop)*pic.Width + x0
		to := from + x1 - x0
		keys := f.Keys[f.Tile(lo, y*grid):]
		e.resolveData(from, to, keys, f.Stride, touched)
		w.covered += int64(e.resolvePixels(pic.Pix[4*from:4*to], keys, f.Stride, touched))
	}
	if touched {
		clear(f.TouchedRow(ty)[lo:hi])
	}
}

// resolvePixels writes part of a row of pixels from its keys.
func (e *engine) resolvePixels(pix []byte, keys []uint64, stride int, touched bool) (covered int) {
	switch {
	case !touched:
		e.kernels.Fill(pix, e.background)
		return 0
	case e.job.grid > 1:
		return e.down.Resolve(pix, keys, stride, e.job.grid, e.background)
	}
	return e.kernels.Resolve(pix, keys[:len(pix)/4], e.background)
}

// resolveData writes what else is wanted of pixels from to to-1 of the picture.
func (e *engine) resolveData(from, to int, keys []uint64, stride int, touched bool) {
	pic := e.job.picture
	if pic.Depth != nil {
		e.resolveDepth(pic.Depth[from:to], keys, stride, touched)
	}
	if pic.Coverage != nil {
		e.resolveCoverage(pic.Coverage[from:to], keys, stride, touched)
	}
}

// resolveCoverage writes how much of part of a row of pixels is covered.
func (e *engine) resolveCoverage(coverage []uint8, keys []uint64, stride int, touched bool) {
	grid := e.job.grid
	all := grid * grid
	for i := range coverage {
		n := 0
		for row := 0; touched && row < grid; row++ {
			for _, key := range keys[row*stride+grid*i : row*stride+grid*(i+1)] {
				if key != 0 {
					n++
				}
			}
		}
		coverage[i] = uint8((255*n + all/2) / all)
	}
}

// resolveDepth writes part of a row of depths: of the nearest sample.
func (e *engine) resolveDepth(depth []float32, keys []uint64, stride int, touched bool) {
	grid := e.job.grid
	for i := range depth {
		depth[i] = float32(math.Inf(1))
		if !touched {
			continue
		}
		if nearest := pixel.Nearest(keys, stride, grid, i); nearest != 0 {
			depth[i] = e.job.depth.Distance(array.Nearness(nearest))
		}
	}
}
