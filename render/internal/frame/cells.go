package frame

import (
	"lockstep/render/internal/framebuffer"
	"lockstep/render/internal/kernel/array"
	"lockstep/render/internal/kernel/occlude"
	"lockstep/render/internal/tile"
	"lockstep/render/internal/visible"
)

// fillCells sets the cells of tile row ty, from which the occlusion is computed. A cell is two by two pixels. It
// shows the nearest of the first samples of these pixels.
func (l *Light) fillCells(w *lightWorker, ty int) {
	p, o := &l.frame.Pixels, &l.occlusion
	width := (p.Width + 1) / 2
	lo, hi := p.rows(ty)
	owners, perTile := l.frame.Merge.Owners(ty), tile.Width/p.Grid/2
	for y := (lo + 1) / 2; y < (hi+1)/2; y++ {
		for tx := 0; tx < len(owners); {
			end := tx + 1
			for end < len(owners) && owners[end] == owners[tx] {
				end++ // tiles up to end are adjacent and have their keys in the same buffer
			}
			l.fillTileCells(w, owners[tx], tx, y, tx*perTile, min(end*perTile, width))
			tx = end
		}
		first, end := w.cells.Shown()
		l.toRelative(w.cells.Nearness[first:end], o.Distances(y, first, end))
		x, fy := l.fromCentre(0, 2*y)
		w.shader.SetCells(o, &w.cells, y, x, fy)
	}
}

// fillTileCells sets cells `first` to `end` (exclusive) of row y. Their keys are in buffer f, beginning with tile tx.
// If f is nil, nothing was drawn there.
func (l *Light) fillTileCells(w *lightWorker, f *framebuffer.Buffer, tx, y, first, end int) {
	p, c := &l.frame.Pixels, &w.cells
	grid := p.Grid
	if f == nil {
		clear(c.Nearness[first:end])
		clear(c.Triangles[first:end]) // triangle numbers from an earlier frame may not exist in this mesh
		return
	}
	upper := f.Keys[f.KeyIndex(tx, 2*y*grid):]
	lower := upper // the upper row again if the picture has no row below
	if 2*y+1 < p.Rows {
		lower = f.Keys[f.KeyIndex(tx, (2*y+1)*grid):]
	}
	x := first
	if loops := l.frame.Occlude; loops != nil && grid == 2 {
		whole := min(end, p.Width/2) - first // number of cells that have two columns of pixels
		whole &^= occlude.Lanes - 1
		at, below := cellPlace(first, 0, 0), cellPlace(0, 0, 1)-cellPlace(0, 0, 0)
		loops.Nearest(upper[:4*whole], lower[:4*whole], at, below, c.Nearness[first:], c.Triangles[first:], c.Places[first:])
		x += whole
	}
	for ; x < end; x++ {
		key, px, py := nearestOf(upper, lower, grid, x-first, 2*x+1 == p.Width)
		c.Nearness[x], c.Triangles[x], c.Places[x] = array.Nearness(key), 0, cellPlace(x, px, py)
		if key != 0 {
			c.Triangles[x] = array.Payload(key)
		}
	}
}

// cellPlace returns the position of the centre of a pixel in cell x, relative to the start of the cell's upper row of
// pixels. px is 0 for the cell's left pixels and 1 for the right ones; py is 0 for the upper pixels and 1 for the
// lower ones.
func cellPlace(x, px, py int) uint32 {
	return uint32(visible.MakePlace(int32(2*x+px), 1, 0, int32(2*py)))
}

// nearestOf returns the largest key of the first samples of a cell's four pixels. px and py are the column and the
// row, within the cell, of the pixel with this sample. nearest is 0 if the samples show nothing. upper and lower are
// the keys of the cell's two rows of pixels, and x is the number of the cell in its row. narrow is set for the last
// cell of a row in a picture of odd width, because this cell has no pixels on the right.
func nearestOf(upper, lower []uint64, grid, x int, narrow bool) (nearest uint64, px, py int) {
	left := 2 * x * grid
	right := left + grid
	if narrow {
		right = left
	}
	nearest = upper[left]
	if key := upper[right]; key > nearest {
		nearest, px = key, 1
	}
	if key := lower[left]; key > nearest {
		nearest, px, py = key, 0, 1
	}
	if key := lower[right]; key > nearest {
		nearest, px, py = key, 1, 1
	}
	return nearest, px, py
}
