package render

import (
	"slices"
	"time"

	"lockstep/render/internal/backs"
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
func (w *worker) beginBacks(r *Renderer) {
	f := backs.Frame{
		View: &r.job.view, Bands: r.job.backRanges, Stride: r.job.layout.Stride, Height: r.job.layout.TilesY,
		BlockSize: r.job.blockSize, Keep: r.kernels.Keep,
	}
	if f.Bands > 0 {
		f.Triangles = r.job.source.Len()
	}
	w.backs.Begin(f)
}

// drawBacks draws those deferred back faces into a tile row, whose owners are known, that may be visible
// there, and returns how long it took.
func (w *worker) drawBacks(r *Renderer, ty int) time.Duration {
	start, before := time.Now(), w.times.Scan+w.times.ZBuffer
	seen := w.findBacks(r, ty)
	most := len(w.toClip)
	slices.Sort(seen) // so that parts, and the order within them, are the same for any workers
	for len(seen) > 0 && !r.cancelled() {
		n := min(most, len(seen))
		w.drawSeen(r, ty, seen[:n])
		seen = seen[n:]
	}
	spent := time.Since(start)
	w.times.ZBuffer += spent - (w.times.Scan + w.times.ZBuffer - before)
	return spent
}

// findBacks returns the triangles that were deferred and may be visible in a tile row.
func (w *worker) findBacks(r *Renderer, ty int) []uint32 {
	w.seen = w.seen[:0]
	behind := func(boxes *array.Spans, box int) bool { return r.behind(ty, boxes, box) }
	measured := false
	for i := range r.workers {
		of := &r.workers[i].backs
		if !of.Any(ty) {
			continue
		}
		if !measured {
			w.measure(r, ty)
			measured = true
		}
		w.seen = w.backs.AppendVisible(w.seen, of, ty, r.kernels.Hidden, behind, r.cancelledFn)
	}
	return w.seen
}

// measure makes the table of depths of a tile row, by which deferred faces are tested.
func (w *worker) measure(r *Renderer, ty int) {
	table := &w.backs.Table
	table.Begin(r.job.layout.TilesX * tile.Width)
	for lo, hi, f := r.tilesFrom(ty, 0); lo < hi; lo, hi, f = r.tilesFrom(ty, hi) {
		if f != nil {
			table.Add(r.kernels.Hidden, lo*tile.Width, (hi-lo)*tile.Width, f.keys[f.tile(lo, ty*tile.Height):], f.Stride)
		}
	}
	table.End(r.kernels.Hidden)
}

// behind reports whether all samples of a box in a tile row are nearer than it may be.
func (r *Renderer) behind(ty int, boxes *array.Spans, box int) bool {
	x, _, _ := array.PlaceOf(boxes.DE[box])
	for end := x + int(boxes.Count[box]); x < end; {
		tx := x / tile.Width
		next := min((tx+1)*tile.Width, end)
		f := r.owners[ty*r.job.layout.TilesX+tx]
		if f == nil || !hidden.Behind(boxes, box, x, next, f.keys[f.tile(tx, ty*tile.Height)+x%tile.Width:], f.Stride) {
			return false
		}
		x = next
	}
	return true
}

// drawSeen draws deferred back faces into a tile row.
func (w *worker) drawSeen(r *Renderer, ty int, triangles []uint32) {
	start, top := time.Now(), int32(ty*tile.Height)
	w.backs.Project(triangles, &r.deferred.scene.Block, w.polys, r.kernels.Geometry, w.toClip)
	if w.ranged == nil {
		w.ranged = array.MakeRowRanges(len(w.polys.Payload))
	}
	w.ranged.TakeRows(w.polys, w.backs.Arrange(w.polys, top), top, top+tile.Height)
	w.ranged.MinX, w.ranged.MaxX = 0, array.AsideExtent>>array.SubBits
	r.claim(&w.buffer, ty, w.ranged)
	w.scan.Start()
	w.drawSpans(r, &w.buffer, w.ranged, start)
}

// claim makes a buffer the owner of the tiles of a row that polygons may reach.
func (r *Renderer) claim(buffer *frame, ty int, p *array.Polygons) {
	owners := r.owners[ty*r.job.layout.TilesX:][:r.job.layout.TilesX]
	ax, bx, cx := p.X[0][:p.N], p.X[1][:p.N], p.X[2][:p.N]
	for n := range ax {
		lo := max(int(min(ax[n], bx[n], cx[n])), 0) / (tile.Width * array.Sub)
		hi := min(max(int(max(ax[n], bx[n], cx[n])), 0)/(tile.Width*array.Sub), len(owners)-1)
		for tx := lo; tx <= hi; tx++ {
			if owners[tx] != buffer {
				r.moveTile(buffer, ty, tx)
			}
		}
	}
}

// moveTile makes a buffer the owner of a tile.
func (r *Renderer) moveTile(buffer *frame, ty, tx int) {
	owner := &r.owners[ty*r.job.layout.TilesX+tx]
	buffer.touchedRow(ty)[tx] = true
	if f := *owner; f != nil {
		for y := ty * tile.Height; y < (ty+1)*tile.Height; y++ {
			r.kernels.Merge(buffer.tileKeys(tx, y), f.tileKeys(tx, y))
		}
		f.touchedRow(ty)[tx] = false
	}
	*owner = buffer
}
