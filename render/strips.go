package render

import (
	"slices"
	"time"

	"lockstep/render/internal/backs"
	"lockstep/render/internal/kernel/array"
	"lockstep/render/internal/kernel/hidden"
	"lockstep/render/internal/spanstore"
	"lockstep/vp/hugepages"
)

// When no block is left, workers draw the kept polygons strip by strip of the picture. A
// worker draws all bands in a strip into a frame of the strip's size, merges the tiles that
// blocks were drawn to, and writes the pixels. Then it uses the frame for the next strip. So
// the keys of large polygons never leave the caches. In private frames they are written to
// memory and read again twice. One core alone can keep memory busy, so a second one gains
// little: with private frames two workers drew a picture of 3840x2160 only 1.5 times as fast
// as one.

const (
	// stripBytes bounds the keys of a strip in bytes, so that they fit a second-level cache.
	stripBytes = 1 << 20
	// stripsLeast is the least number of strips that a picture is cut into, where rows of
	// tiles allow it. While one of two workers draws the last of 32 strips, the other waits
	// for a sixteenth of its own time at most.
	stripsLeast = 32
)

// stripRows returns the height of the lowest strips.
func (l layout) stripRows() int32 {
	tiles := 1
	for 2*tiles*stripsLeast <= l.tilesY && 8*l.stride*2*tiles*tileHeight <= stripBytes {
		tiles *= 2
	}
	return int32(tiles * tileHeight)
}

// stripHeight returns the height of the frame's strips, 0 where nothing was kept: that of
// the highest bands.
func (r *Renderer) stripHeight() (height int32) {
	for i := range r.workers {
		for s := range r.workers[i].kept.shares {
			height = max(height, r.workers[i].kept.shares[s].height)
		}
	}
	return height
}

// drawStrips draws the polygons that were kept and, unless the frame is lit later, merges and resolves
// the picture on the way. All workers call it together. It reports whether there was
// anything.
func (r *Renderer) drawStrips(index int) bool {
	height := r.stripHeight()
	if height == 0 {
		return false
	}
	tiles := int(height / tileHeight)
	if index == 0 {
		r.strips.Reset(len(r.workers), (r.job.layout.tilesY+tiles-1)/tiles)
	}
	w := &r.workers[index]
	target := &w.frame
	if !r.job.mergeFirst {
		target = &w.strip
		target.resizeStrip(r.job.layout, tiles)
	}
	r.machine.Sync()
	for {
		s, ok := r.strips.Next(index)
		if !ok || r.cancelled() {
			return true
		}
		if target == &w.strip {
			target.top = s * tiles
		}
		w.drawStrip(r, target, int32(s), height)
		if !r.job.mergeFirst && !r.mergeRows(w, s*tiles, min((s+1)*tiles, r.job.layout.tilesY), target) {
			return true
		}
	}
}

// drawStrip draws all bands in a strip of a height.
func (w *worker) drawStrip(r *Renderer, target *frame, strip, height int32) {
	for i := range r.workers {
		k := &r.workers[i].kept
		for n := range k.shares {
			s := &k.shares[n]
			for b := strip * (height / s.height); b < (strip+1)*(height/s.height); b++ {
				w.drawBand(r, target, k, s, b)
			}
		}
	}
}

// drawBand draws the pieces that a share has in a band of the picture, unless the frame was
// called off. It does not count the iterations without redistributions: these were counted
// where the block was cut.
func (w *worker) drawBand(r *Renderer, target *frame, k *kept, s *share, band int32) {
	if w.band == nil {
		w.band = array.MakeRowRanges(len(w.polys.Payload))
	}
	start := time.Now()
	p := w.band
	if k.fill(p, s, band); p.N == 0 || r.cancelled() {
		return
	}
	p.MinX, p.MaxX, p.MinY, p.MaxY = 0, r.job.view.Width, band*s.height, (band+1)*s.height
	unbalanced := w.scan.IterationsUnbalanced
	if target == &w.frame {
		w.marks(r).touchRows(p)
	} else {
		target.touchRows(p)
	}
	w.scan.Start()
	w.drawSpans(r, target, p, start)
	w.scan.IterationsUnbalanced = unbalanced
}

// resizeStrip gives an empty frame the layout of some rows of tiles of another.
func (f *frame) resizeStrip(l layout, tiles int) {
	l.tilesY = tiles
	if f.layout == l {
		return
	}
	f.layout = l
	if n := l.keys(); cap(f.keys) < n {
		f.keys = hugepages.Make[uint64](n)
	} else {
		f.keys = f.keys[:n]
	}
	f.touched = resize(f.touched, l.tilesX*l.tilesY)
}

// The keys of four samples a pixel are more than caches hold. So where a frame is lit
// later, the spans of blocks are not merged into private frames at once, but kept by rows
// of tiles. When no block is left a worker takes a row of tiles, merges all its spans into
// a strip of that height, which stays in the second-level cache, and notes what its pixels
// show. Spans are the same either way, and so is all that is counted.

const (
	// storeLeast is the size of a private frame, in bytes, from which spans are kept. Smaller
	// frames stay in a second-level cache anyway.
	storeLeast = 1 << 20
	// storePart says that the spans of a worker may take one part in storePart of a private
	// frame's size. All spans of the bunny with four samples take a third of a frame.
	storePart = 2
	// storeMost bounds them, in bytes.
	storeMost = 64 << 20
)

// storeChunks returns how many chunks of spans a worker keeps: 0 where that does not pay.
func (l layout) storeChunks() int {
	bytes := 8 * l.keys()
	n := min(bytes/storePart, storeMost) / spanstore.ChunkBytes
	if bytes < storeLeast || n < 2*l.tilesY || l.stride*tileHeight > spanstore.MostKeys || int64(l.keys()) > spanstore.MostFrame {
		return 0 // small, or so narrow that most chunks would stay empty, or very wide
	}
	return n
}

// storeBytes returns what keeping spans takes for a worker.
func (l layout) storeBytes() int64 {
	n := l.storeChunks()
	if n == 0 {
		return 0
	}
	return int64(n+1)*spanstore.ChunkBytes + 8*int64(l.stride*tileHeight)
}

// beginStore prepares for keeping the spans of a frame.
func (w *worker) beginStore(r *Renderer) {
	l, stale := r.job.layout, r.job.stale
	if w.few == nil {
		w.few = array.MakeSpans(spanstore.ChunkSpans)
	}
	tiles := &w.reached
	if tiles.layout != l {
		tiles.layout = l
		tiles.touched = resize(tiles.touched, l.tilesX*l.tilesY)
		stale = true
	}
	if stale {
		clear(tiles.touched)
	}
	w.store.Begin(l.tilesY, l.stride*tileHeight, r.job.storeChunks, r.kernels.Keep)
}

// marks returns the frame in which the worker marks the tiles that it draws to: its private
// frame, or reached if it keeps its spans.
func (w *worker) marks(r *Renderer) *frame {
	if r.job.storeChunks > 0 {
		return &w.reached
	}
	return &w.frame
}

// keep keeps the worker's spans. Those that it kept before go to its private frame when
// there is no room for more.
func (w *worker) keep(r *Renderer) (tested, runs int64) {
	if !w.store.Room(w.spans.N) {
		w.drawStore(r)
	}
	return w.store.Add(w.spans)
}

// drawStore moves all spans that the worker keeps to its private frame.
func (w *worker) drawStore(r *Renderer) {
	for ty := range w.frame.tilesY {
		w.drawKeptSpans(r, w.frame.keys[ty*tileHeight*w.frame.stride:][:tileHeight*w.frame.stride], &w.store, ty)
	}
	// They stay marked in reached, too: the block at hand may have more spans there.
	for t, touched := range w.reached.touched {
		if touched {
			w.frame.touched[t] = true
		}
	}
	w.store.Empty()
}

// drawKeptSpans merges the spans of a row of tiles into its keys. It stops between two chunks
// when the frame is called off; a chunk has few samples.
func (w *worker) drawKeptSpans(r *Renderer, keys []uint64, s *spanstore.Store, ty int) {
	for end := s.Last(ty); end != 0 && !r.cancelled(); {
		end = s.Merge(end, keys, w.few)
	}
}

// drawKeptRow draws what all workers kept of a row of tiles into the worker's strip, and
// marks the tiles.
func (w *worker) drawKeptRow(r *Renderer, ty int) *frame {
	strip := &w.strip
	strip.resizeStrip(r.job.layout, 1)
	strip.top = ty
	marks := strip.touchedRow(ty)
	for i := range r.workers {
		reached := r.workers[i].reached.touchedRow(ty)
		for tx, touched := range reached {
			marks[tx] = marks[tx] || touched
		}
		clear(reached)
		w.drawKeptSpans(r, strip.keys, &r.workers[i].store, ty)
	}
	return strip
}

// Of a closed surface half of the triangles face away, and nearly all of these are hidden. Where
// spans are kept, small back faces are set aside, see array.Aside: a row of tiles is first drawn
// without them. Then each is compared with what is drawn there: first with the farthest depth of
// every cell of 8 x 8 samples, then with the samples. Only those that are not behind are drawn. Keys
// are a maximum, so that the picture is the same. Which are drawn does not depend on the workers
// either, since all else is drawn before.

// AsideBytes bounds the memory that the back faces of a mesh take which frames set aside: a worker may take
// as many bytes of addresses, all workers together as many of memory.
func AsideBytes(triangles int) int64 {
	return int64(backs.BandsOf(triangles)) * int64(triangles) * backs.BoxBytes
}

// beginBacks prepares for the back faces of a frame.
func (w *worker) beginBacks(r *Renderer) {
	f := backs.Frame{
		View: &r.job.view, Bands: r.job.backRanges, Stride: r.job.layout.stride, Height: r.job.layout.tilesY,
		BlockSize: r.job.blockSize, Keep: r.kernels.Keep,
	}
	if f.Bands > 0 {
		f.Triangles = r.job.source.Len()
	}
	w.backs.Begin(f)
}

// drawBacks draws those back faces into a row of tiles, whose owners are known, that may be visible
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

// findBacks returns the triangles that were set aside and may be visible in a row of tiles.
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

// measure makes the table of a row of tiles.
func (w *worker) measure(r *Renderer, ty int) {
	table := &w.backs.Table
	table.Begin(r.job.layout.tilesX * tileWidth)
	for lo, hi, f := r.tilesFrom(ty, 0); lo < hi; lo, hi, f = r.tilesFrom(ty, hi) {
		if f != nil {
			table.Add(r.kernels.Hidden, lo*tileWidth, (hi-lo)*tileWidth, f.keys[f.tile(lo, ty*tileHeight):], f.stride)
		}
	}
	table.End(r.kernels.Hidden)
}

// behind reports whether all samples of a box in a row of tiles are nearer than it may be.
func (r *Renderer) behind(ty int, boxes *array.Spans, box int) bool {
	x, _, _ := array.PlaceOf(boxes.DE[box])
	for end := x + int(boxes.Count[box]); x < end; {
		tx := x / tileWidth
		next := min((tx+1)*tileWidth, end)
		f := r.owners[ty*r.job.layout.tilesX+tx]
		if f == nil || !hidden.Behind(boxes, box, x, next, f.keys[f.tile(tx, ty*tileHeight)+x%tileWidth:], f.stride) {
			return false
		}
		x = next
	}
	return true
}

// drawSeen draws back faces into a row of tiles.
func (w *worker) drawSeen(r *Renderer, ty int, triangles []uint32) {
	start, top := time.Now(), int32(ty*tileHeight)
	w.backs.Project(triangles, &r.deferred.scene.Block, w.polys, r.kernels.Geometry, w.toClip)
	if w.band == nil {
		w.band = array.MakeRowRanges(len(w.polys.Payload))
	}
	w.band.TakeRows(w.polys, w.backs.Arrange(w.polys, top), top, top+tileHeight)
	w.band.MinX, w.band.MaxX = 0, array.AsideExtent>>array.SubBits
	r.claim(&w.strip, ty, w.band)
	w.scan.Start()
	w.drawSpans(r, &w.strip, w.band, start)
}

// claim makes a strip the owner of the tiles of a row that polygons may reach.
func (r *Renderer) claim(strip *frame, ty int, p *array.Polygons) {
	owners := r.owners[ty*r.job.layout.tilesX:][:r.job.layout.tilesX]
	ax, bx, cx := p.X[0][:p.N], p.X[1][:p.N], p.X[2][:p.N]
	for n := range ax {
		lo := max(int(min(ax[n], bx[n], cx[n])), 0) / (tileWidth * array.Sub)
		hi := min(max(int(max(ax[n], bx[n], cx[n])), 0)/(tileWidth*array.Sub), len(owners)-1)
		for tx := lo; tx <= hi; tx++ {
			if owners[tx] != strip {
				r.moveTile(strip, ty, tx)
			}
		}
	}
}

// moveTile makes a strip the owner of a tile.
func (r *Renderer) moveTile(strip *frame, ty, tx int) {
	owner := &r.owners[ty*r.job.layout.tilesX+tx]
	strip.touchedRow(ty)[tx] = true
	if f := *owner; f != nil {
		for y := ty * tileHeight; y < (ty+1)*tileHeight; y++ {
			r.kernels.Merge(strip.tileKeys(tx, y), f.tileKeys(tx, y))
		}
		f.touchedRow(ty)[tx] = false
	}
	*owner = strip
}
