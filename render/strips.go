package render

import (
	"time"

	"lockstep/render/internal/kernel/array"
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
