package render

import (
	"slices"
	"time"

	"lockstep/render/internal/backs"
	"lockstep/render/internal/frame"
	"lockstep/render/internal/kernel/array"
	"lockstep/render/internal/kernel/hidden"
	"lockstep/render/internal/tile"
)

// Of a closed surface half of the triangles face away, and nearly all of these are hidden. Where
// spans are stored, small back faces are deferred, see array.Aside: a tile row is first drawn
// without them. Then each is compared with what is drawn there: first with the farthest depth of
// every cell of 8 x 8 samples, then with the samples. Only those that are not behind are drawn. Keys
// are a maximum, so that the picture is the same. Which are drawn does not depend on the workers
// either, since all else is drawn before.

// beginBacks prepares for the deferred back faces of a frame.
func (w *worker) beginBacks(e *engine) {
	f := backs.Frame{
		View: &e.job.view, Bands: e.job.backRanges, Stride: e.job.layout.Stride, Height: e.job.layout.TilesY,
		BlockSize: e.job.blockSize, Keep: e.kernels.Keep,
	}
	if f.Bands > 0 {
		f.Triangles = e.job.source.Len()
	}
	w.backs.Begin(f)
}

// drawBacks draws those deferred back faces into the buffer of a tile row, whose owners are known, that may be visible
// there, and returns how long it took.
func (w *worker) drawBacks(e *engine, ty int, buffer *frame.Buffer) time.Duration {
	r := &w.raster
	start, before := time.Now(), r.Scan+r.Merge
	seen := w.findBacks(e, ty)
	most := len(w.toClip)
	slices.Sort(seen) // so that parts, and the order within them, are the same for any workers
	for len(seen) > 0 && !e.cancelled() {
		n := min(most, len(seen))
		w.drawSeen(e, ty, buffer, seen[:n])
		seen = seen[n:]
	}
	spent := time.Since(start)
	r.Merge += spent - (r.Scan + r.Merge - before)
	return spent
}

// findBacks returns the triangles that were deferred and may be visible in a tile row.
func (w *worker) findBacks(e *engine, ty int) []uint32 {
	w.seen = w.seen[:0]
	behind := func(boxes *array.Spans, box int) bool { return e.behind(ty, boxes, box) }
	measured := false
	for i := range e.workers {
		of := &e.workers[i].backs
		if !of.Any(ty) {
			continue
		}
		if !measured {
			w.measure(e, ty)
			measured = true
		}
		w.seen = w.backs.AppendVisible(w.seen, of, ty, e.kernels.Hidden, behind, e.cancelledFn)
	}
	return w.seen
}

// measure makes the table of depths of a tile row, by which deferred faces are tested.
func (w *worker) measure(e *engine, ty int) {
	table := &w.backs.Table
	table.Begin(e.job.layout.TilesX * tile.Width)
	for lo, hi, f := e.tilesFrom(ty, 0); lo < hi; lo, hi, f = e.tilesFrom(ty, hi) {
		if f != nil {
			table.Add(e.kernels.Hidden, lo*tile.Width, (hi-lo)*tile.Width, f.Keys[f.Tile(lo, ty*tile.Height):], f.Stride)
		}
	}
	table.End(e.kernels.Hidden)
}

// behind reports whether all samples of a box in a tile row are nearer than it may be.
func (e *engine) behind(ty int, boxes *array.Spans, box int) bool {
	x, _, _ := array.PlaceOf(boxes.DE[box])
	for end := x + int(boxes.Count[box]); x < end; {
		tx := x / tile.Width
		next := min((tx+1)*tile.Width, end)
		f := e.owners[ty*e.job.layout.TilesX+tx]
		if f == nil || !hidden.Behind(boxes, box, x, next, f.Keys[f.Tile(tx, ty*tile.Height)+x%tile.Width:], f.Stride) {
			return false
		}
		x = next
	}
	return true
}

// drawSeen draws deferred back faces into a tile row.
func (w *worker) drawSeen(e *engine, ty int, buffer *frame.Buffer, triangles []uint32) {
	start, top := time.Now(), int32(ty*tile.Height)
	w.backs.Project(triangles, &e.deferred.scene.Block, w.polys, e.kernels.Geometry, w.toClip)
	if w.ranged == nil {
		w.ranged = array.MakeRowRanges(len(w.polys.Payload))
	}
	w.ranged.TakeRows(w.polys, w.backs.Arrange(w.polys, top), top, top+tile.Height)
	w.ranged.MinX, w.ranged.MaxX = 0, array.AsideExtent>>array.SubBits
	e.claim(buffer, ty, w.ranged)
	w.raster.Draw(buffer, w.ranged, start)
}

// claim makes a buffer the owner of the tiles of a row that polygons may reach.
func (e *engine) claim(buffer *frame.Buffer, ty int, p *array.Polygons) {
	owners := e.owners[ty*e.job.layout.TilesX:][:e.job.layout.TilesX]
	ax, bx, cx := p.X[0][:p.N], p.X[1][:p.N], p.X[2][:p.N]
	for n := range ax {
		lo := max(int(min(ax[n], bx[n], cx[n])), 0) / (tile.Width * array.Sub)
		hi := min(max(int(max(ax[n], bx[n], cx[n])), 0)/(tile.Width*array.Sub), len(owners)-1)
		for tx := lo; tx <= hi; tx++ {
			if owners[tx] != buffer {
				e.moveTile(buffer, ty, tx)
			}
		}
	}
}

// moveTile makes a buffer the owner of a tile.
func (e *engine) moveTile(buffer *frame.Buffer, ty, tx int) {
	owner := &e.owners[ty*e.job.layout.TilesX+tx]
	buffer.TouchedRow(ty)[tx] = true
	if f := *owner; f != nil {
		for y := ty * tile.Height; y < (ty+1)*tile.Height; y++ {
			e.kernels.Merge(buffer.TileKeys(tx, y), f.TileKeys(tx, y))
		}
		f.TouchedRow(ty)[tx] = false
	}
	*owner = buffer
}
