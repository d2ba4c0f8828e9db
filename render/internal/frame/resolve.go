package frame

import (
	"time"

	"lockstep/render/internal/framebuffer"
	"lockstep/render/internal/kernel/array"
	"lockstep/render/internal/kernel/pixel"
	"lockstep/render/internal/tile"
)

// noTriangle has the value of render.NoTriangle, which this package cannot import.
const noTriangle = 1<<32 - 1

// resolveVisible merges tile row ty and finds the triangles that its pixels show. It writes the results that need no
// light (depths, triangles, normals and coverage), and clears the row's keys.
func (l *Light) resolveVisible(worker, ty int) bool {
	if !l.mergeAndDraw(worker, ty) {
		return false
	}
	l.findPixels(worker, ty)
	return true
}

// resolveCells is like resolveVisible, but also sets the cells for the occlusion.
func (l *Light) resolveCells(worker, ty int) bool {
	if !l.mergeAndDraw(worker, ty) {
		return false
	}
	l.fillCells(&l.workers[worker], ty)
	l.findPixels(worker, ty)
	return true
}

// mergeAndDraw merges tile row ty of the private frames and of the span store, and draws the deferred polygons and
// groups of the row. It returns false if the frame was called off.
func (l *Light) mergeAndDraw(worker, ty int) bool {
	w, r := &l.workers[worker], l.frame.Rasters[worker]
	var buffer *framebuffer.Buffer
	if l.frame.Spans != nil {
		start := time.Now()
		buffer = l.frame.Spans.Run(worker, ty)
		spent := time.Since(start)
		r.Merge += spent
		w.drawTime += spent
	}
	if !l.frame.Merge.Run(ty, buffer) {
		return false
	}
	w.drawTime += l.frame.Hidden.Run(worker, ty, buffer, r)
	w.drawTime += l.frame.Leaves.Run(worker, ty, buffer)
	return true
}

// findPixels clears the keys of tile row ty, which must be merged. Before that, if the row is lit, it finds the
// triangles that the row's pixels show.
func (l *Light) findPixels(worker, ty int) {
	l.frame.Dome.RecordLevels(ty)
	if l.frame.Lit.Has(ty) {
		l.findRow(&l.workers[worker], ty)
	}
	l.frame.Merge.Clear(ty)
}

// findRow finds the triangles that the pixels of tile row ty show, and writes the results that need no light.
func (l *Light) findRow(w *lightWorker, ty int) {
	p, rows := &l.frame.Pixels, &l.rows[ty]
	grid := p.Grid
	perTile := tile.Width / grid
	if w.page == nil || !w.page.HasRoom(rowPoints(l.frame.Layout)) {
		w.page = l.pages.Take()
	}
	lo, hi := p.rows(ty)
	w.page.Begin(rows, p.Width, p.nearness(lo, hi), l.frame.Show)
	for y := lo; y < hi; y++ {
		for tx, hi, f := l.frame.Merge.OwnerRun(ty, 0); tx < hi; tx, hi, f = l.frame.Merge.OwnerRun(ty, hi) {
			x0, x1 := tx*perTile, min(hi*perTile, p.Width)
			from := p.pixelIndex(x0, y)
			to := from + x1 - x0
			if f == nil {
				p.resolveData(from, to, nil, 0, false)
				l.resolveSurface(w, x0, y, x1-x0, nil, 0)
				continue
			}
			keys := f.Keys[f.KeyIndex(tx, y*grid):]
			p.resolveData(from, to, keys, f.Stride, true)
			l.resolveSurface(w, x0, y, x1-x0, keys, f.Stride)
			rows.Add(keys, f.Stride, grid, x0, x1-x0)
		}
		rows.EndRow()
	}
	w.page.End(rows)
}

// rowPoints returns the largest number of points that a tile row can show: one for each sample.
func rowPoints(l tile.Layout) int { return l.TilesX * tile.Width * tile.Height }

// pagePoints is the largest number of points of a page (4 MiB), unless a single tile row may have more points.
const pagePoints = 1 << 19

// pagePointsFor returns the number of points of a page. It is an eighth of the number that the picture can have, but
// at most pagePoints and at least the number of a tile row. Pages are small because each worker leaves a part of its
// last page unused.
func pagePointsFor(l tile.Layout) int {
	const spare = tile.Width // the part of a page after the points holds a row of pixels and one more vector
	return max(rowPoints(l)+spare*l.TilesX, min(rowPoints(l)*l.TilesY/8, pagePoints))
}

// resolveSurface writes the triangle numbers and the normals of n pixels from (x0, y) on, if the options ask for
// them. If keys is nil, nothing was drawn there.
func (l *Light) resolveSurface(w *lightWorker, x0, y, n int, keys []uint64, stride int) {
	p := &l.frame.Pixels
	if p.Triangles == nil && p.Normals == nil {
		return
	}
	from := p.pixelIndex(x0, y)
	for i := range n {
		number, normal := uint32(noTriangle), [3]float32{}
		if keys != nil {
			if key := pixel.Nearest(keys, stride, p.Grid, i); key != 0 {
				number = array.Payload(key)
				if p.Normals != nil {
					x, y := l.fromCentre(x0+i, y)
					normal = w.shader.Normal(number, x, y)
				}
			}
		}
		if p.Triangles != nil {
			p.Triangles[from+i] = number
		}
		if p.Normals != nil {
			p.Normals[from+i] = normal
		}
	}
}
