package render

import (
	"slices"
	"time"

	"lockstep/render/internal/kernel/array"
	"lockstep/render/internal/kernel/geometry"
	"lockstep/render/internal/kernel/hidden"
	"lockstep/render/internal/spanstore"
	"lockstep/scenes"
)

// Of a closed surface half of the triangles face away, and nearly all of these are hidden. Where
// spans are kept, small back faces are set aside, see array.Aside: a row of tiles is first drawn
// without them. Then they are compared with the least nearness of cells of 8 x 8 samples there, and
// only those that are not behind are drawn. Keys are a maximum, so that the picture is the same.
// Which are drawn does not depend on the workers either, since all else is drawn before.

const (
	// asideMost is the most bands of a back face that is set aside: those of most triangles
	// that are no higher than array.AsideExtent.
	asideMost = 4
	tileShift = 6 // of tileWidth
	// boxesMost bounds the boxes that a worker may have to keep, 64 MiB.
	boxesMost = 4 << 20
)

// backs is what a worker has of the back faces that were set aside.
type backs struct {
	aside array.Aside
	store spanstore.Store // boxes, of its blocks, for all workers
	table hidden.Table
	boxes *array.Spans                               // scratch
	near  [spanstore.ChunkSpans + array.Lanes]uint32 // boxes that are not behind the cells, scratch
	seen  []uint32                                   // triangles that may be visible in a row of tiles
	block scenes.Block                               // of some of them
	order []int32                                    // of their polygons, see arrange
	view  geometry.View
	count geometry.Counts // of triangles that are drawn again
}

// asideBands returns the most bands of a back face that the frame sets aside, 0 for none. Their
// boxes are sure to fit whichever worker takes which block, or what is drawn would depend on it.
func (r *Renderer) asideBands() int32 {
	_, inMemory := r.job.source.(slicer)
	n := r.job.source.Len()
	if !r.job.keepsSpans || !inMemory || n == 0 || r.options.Cull != CullNone || r.deferred.scene.Sheer() {
		return 0
	}
	return int32(min(asideMost, boxesMost/n))
}

// begin prepares for a frame.
func (b *backs) begin(r *Renderer) {
	b.aside.Bands, b.aside.Stride = r.job.asideBands, int32(r.layout.stride)
	if b.aside.Bands == 0 {
		return
	}
	if size := r.options.BlockSize; b.aside.Boxes == nil {
		b.aside.Boxes = array.MakeSpans(asideMost * size)
		b.boxes = array.MakeSpans(spanstore.ChunkSpans)
		b.block.Resize(size, false)
	}
	b.aside.Boxes.N = 0
	bands := r.layout.tilesY
	// A chunk of each band may be full in part; as much room is wanted for more.
	chunks := (int(b.aside.Bands)*r.job.source.Len()+spanstore.ChunkSpans-1)/spanstore.ChunkSpans + 2*bands + 2
	b.store.Begin(bands, r.layout.stride*tileHeight, chunks, r.kernels.Keep)
	b.view = r.job.view
	b.view.CullFront = true
}

// keep keeps the boxes of a block.
func (b *backs) keep() {
	if b.aside.Set() {
		b.store.Add(b.aside.Boxes)
		b.aside.Boxes.N = 0
	}
}

// drawBacks draws those back faces into a row of tiles, whose owners are known, that may be visible
// there, and returns how long it took.
func (w *worker) drawBacks(r *Renderer, ty int) time.Duration {
	start, before := time.Now(), w.times.Scan+w.times.ZBuffer
	if w.findBacks(r, ty) {
		size := len(w.polys.Payload) - geometry.ClipMost
		if len(w.backs.seen) > size {
			slices.Sort(w.backs.seen) // so that the parts are the same for any workers
		}
		for seen := range slices.Chunk(w.backs.seen, size) {
			if !r.cancelled() {
				w.drawSeen(r, ty, seen)
			}
		}
	}
	spent := time.Since(start)
	w.times.ZBuffer += spent - (w.times.Scan + w.times.ZBuffer - before)
	return spent
}

// findBacks finds the back faces that may be visible in a row of tiles, and reports whether there
// are any.
func (w *worker) findBacks(r *Renderer, ty int) bool {
	b, some := &w.backs, false
	for i := range r.workers {
		some = some || r.workers[i].backs.store.Last(ty) != 0
	}
	if !some {
		return false
	}
	b.table.Begin(r.layout.tilesX * tileWidth)
	for lo, hi, f := r.tilesFrom(ty, 0); lo < hi; lo, hi, f = r.tilesFrom(ty, hi) {
		if f != nil {
			b.table.Add(r.kernels.Hidden, lo*tileWidth, (hi-lo)*tileWidth, f.keys[f.tile(lo, ty*tileHeight):], f.stride)
		}
	}
	b.table.End(r.kernels.Hidden)
	b.seen = b.seen[:0]
	for i := range r.workers {
		store := &r.workers[i].backs.store
		for end := store.Last(ty); end != 0 && !r.cancelled(); {
			end = store.Unpack(end, b.boxes)
			n := r.kernels.Hidden.Visible(&b.table, b.boxes, b.near[:])
			for _, box := range b.near[:n] {
				if !r.behind(ty, b.boxes, int(box)) {
					b.seen = append(b.seen, b.boxes.Payload[box])
				}
			}
		}
	}
	return len(b.seen) > 0
}

// behind reports whether all samples of a box in a row of tiles are nearer than it may be.
func (r *Renderer) behind(ty int, boxes *array.Spans, box int) bool {
	x, _, _ := array.PlaceOf(boxes.DE[box])
	for end := x + int(boxes.Count[box]); x < end; {
		tx := x / tileWidth
		next := min((tx+1)*tileWidth, end)
		f := r.owners[ty*r.layout.tilesX+tx]
		if f == nil || !hidden.Behind(boxes, box, x, next, f.keys[f.tile(tx, ty*tileHeight)+x%tileWidth:], f.stride) {
			return false
		}
		x = next
	}
	return true
}

// drawSeen draws triangles, of which only the backs count, into a row of tiles.
func (w *worker) drawSeen(r *Renderer, ty int, triangles []uint32) {
	b, p, start := &w.backs, w.polys, time.Now()
	from := &r.deferred.scene.Block
	b.block.Resize(len(triangles), false)
	for k := range 3 {
		take(b.block.X[k], from.X[k], triangles)
		take(b.block.Y[k], from.Y[k], triangles)
		take(b.block.Z[k], from.Z[k], triangles)
	}
	p.Reset()
	p.Aside = nil
	r.kernels.Geometry(&b.view, &b.block, p, w.toClip, &b.count)
	for n, t := range p.Source[:p.N] {
		p.Payload[n] = triangles[t]
	}
	if w.band == nil {
		w.band = array.MakeRowRanges(len(p.Payload))
	}
	top := int32(ty * tileHeight)
	w.band.TakeRows(p, b.arrange(p, top), top, top+tileHeight)
	w.band.MinX, w.band.MaxX = 0, array.AsideExtent>>array.SubBits
	r.claim(&w.strip, ty, w.band)
	w.scan.Start()
	w.drawSpans(r, &w.strip, w.band, start)
}

// arrange returns the polygons in the order of their rows in a band, most first: lanes that are
// stepped together then end together, and what is counted does not depend on the order of p.
func (b *backs) arrange(p *array.Polygons, top int32) []int32 {
	b.order = resize(b.order, p.N)
	var next [tileHeight + 1]int32
	rows := func(n int) int32 { return min(p.First[n]+p.Rows[n], top+tileHeight) - max(p.First[n], top) }
	for n := range p.N {
		next[tileHeight-rows(n)+1]++
	}
	for i := range tileHeight {
		next[i+1] += next[i]
	}
	for n := range p.N {
		at := &next[tileHeight-rows(n)]
		b.order[*at] = int32(n)
		*at++
	}
	return b.order
}

// claim makes a strip the owner of the tiles of a row that polygons may reach.
func (r *Renderer) claim(strip *frame, ty int, p *array.Polygons) {
	owners, last := r.owners[ty*r.layout.tilesX:][:r.layout.tilesX], int32(r.layout.tilesX-1)
	ax, bx, cx := p.X[0][:p.N], p.X[1][:p.N], p.X[2][:p.N]
	for n := range ax {
		const shift = array.SubBits + tileShift
		lo := max(min(ax[n], bx[n], cx[n])>>shift, 0)
		hi := min(max(ax[n], bx[n], cx[n])>>shift, last)
		for tx := lo; tx <= hi; tx++ {
			if owners[tx] != strip {
				r.moveTo(strip, ty, int(tx))
			}
		}
	}
}

// moveTo makes a strip the owner of a tile.
func (r *Renderer) moveTo(strip *frame, ty, tx int) {
	owner := &r.owners[ty*r.layout.tilesX+tx]
	strip.touchedRow(ty)[tx] = true
	if f := *owner; f != nil {
		for y := ty * tileHeight; y < (ty+1)*tileHeight; y++ {
			r.kernels.Merge(strip.tileKeys(tx, y), f.tileKeys(tx, y))
		}
		f.touchedRow(ty)[tx] = false
	}
	*owner = strip
}

// take sets to to the elements of from with an index.
func take[T any](to, from []T, index []uint32) {
	to = to[:len(index)]
	for n, i := range index {
		to[n] = from[i]
	}
}
