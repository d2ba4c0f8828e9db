package render

import (
	"math"
	"time"

	"lockstep/render/internal/kernel/array"
	"lockstep/render/internal/kernel/pixel"
)

// merge takes rows of tiles until none is left: it brings together what all
// workers drew there, writes the pixels and clears the frames.
func (r *Renderer) merge(index int) {
	w := &r.workers[index]
	for {
		i, ok := r.rows.Next(index)
		if !ok || r.cancelled() {
			return
		}
		ty := r.job.need.Lo + i
		t0 := time.Now()
		if !r.mergeRow(ty) {
			return
		}
		t1 := time.Now()
		r.resolveRow(ty, w)
		w.times.Merge += t1.Sub(t0)
		w.times.Resolve += time.Since(t1)
	}
}

// mergeRow finds who owns each tile of a row, and moves the keys of all others
// into the owner's frame. That is the first worker that touched the tile: what
// only one has drawn stays where it is. It returns false when the frame was called
// off.
func (r *Renderer) mergeRow(ty int) bool {
	const look = 16 // tiles: their keys are 128 KiB a worker
	tilesX := r.layout.tilesX
	for tx := range tilesX {
		if tx%look == 0 && r.cancelled() {
			return false
		}
		t := ty*tilesX + tx
		r.owners[t] = nil
		for i := range r.workers {
			f := &r.workers[i].frame
			if !f.touched[t] {
				continue
			}
			if r.owners[t] == nil {
				r.owners[t] = f
				continue
			}
			for y := ty * tileHeight; y < (ty+1)*tileHeight; y++ {
				at := f.tile(tx, y)
				r.kernels.Merge(r.owners[t].keys[at:at+tileWidth], f.keys[at:at+tileWidth])
			}
			f.touched[t] = false
		}
	}
	return true
}

// resolveRow writes the pixels of a row of tiles and clears it. Neighbouring
// tiles with the same owner make one call a row of pixels.
func (r *Renderer) resolveRow(ty int, w *worker) {
	tilesX := r.layout.tilesX
	owners := r.owners[ty*tilesX : (ty+1)*tilesX]
	for lo := 0; lo < len(owners); {
		hi := lo + 1
		for hi < len(owners) && owners[hi] == owners[lo] {
			hi++
		}
		r.resolveTiles(ty, lo, hi, owners[lo], w)
		lo = hi
	}
}

// resolveTiles writes the pixels of tiles lo to hi (exclusive) of a row, all in
// one frame or, if that is nil, all untouched.
func (r *Renderer) resolveTiles(ty, lo, hi int, owner *frame, w *worker) {
	touched, f, grid, pic := owner != nil, owner, r.job.grid, r.job.picture
	if !touched {
		f = &r.workers[0].frame // empty there
	}
	x0, x1 := lo*tileWidth/grid, min(hi*tileWidth/grid, pic.Width)
	rows := tileHeight / grid
	for y := ty * rows; y < min((ty+1)*rows, pic.Height); y++ {
		from, to := y*pic.Width+x0, y*pic.Width+x1
		keys := f.keys[f.tile(lo, y*grid):]
		if pic.Depth != nil {
			r.resolveDepth(pic.Depth[from:to], keys, f.stride, touched)
		}
		w.covered += int64(r.resolvePixels(pic.Pix[4*from:4*to], keys, f.stride, touched))
	}
	if touched {
		clear(f.touched[ty*f.tilesX+lo : ty*f.tilesX+hi])
	}
}

// resolvePixels writes part of a row of pixels from its keys.
func (r *Renderer) resolvePixels(pix []byte, keys []uint64, stride int, touched bool) (covered int) {
	switch {
	case !touched:
		r.kernels.Fill(pix, r.background)
		return 0
	case r.job.grid > 1:
		return r.down.Resolve(pix, keys, stride, r.job.grid, r.background)
	}
	return r.kernels.Resolve(pix, keys[:len(pix)/4], r.background)
}

// resolveDepth writes part of a row of depths: of the nearest sample.
func (r *Renderer) resolveDepth(depth []float32, keys []uint64, stride int, touched bool) {
	grid := r.job.grid
	for i := range depth {
		depth[i] = float32(math.Inf(1))
		if !touched {
			continue
		}
		if nearest := pixel.Nearest(keys, stride, grid, i); nearest != 0 {
			depth[i] = r.job.depth.distance(array.Nearness(nearest))
		}
	}
}
