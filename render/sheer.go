package render

import (
	"lockstep/render/internal/kernel/array"
	"lockstep/render/internal/kernel/scanline"
)

// drawSheer draws the polygons of the block whose material lets some of their samples through,
// one sample after the other, and takes them out of the block. Meshes without such materials do
// not come here.
func (w *worker) drawSheer(r *Renderer) {
	p, scene := w.polys, &r.deferred.scene
	for n := range p.N {
		t := p.Payload[n]
		if p.Rows[n] == 0 || !scene.SheerTriangle(t) {
			continue
		}
		x0, x1 := w.frame.reach(p, n)
		last := int(p.First[n]+p.Rows[n]-1) / tileHeight
		w.frame.touchTiles(x0/tileWidth, x1/tileWidth, int(p.First[n])/tileHeight, last)
		for row := p.First[n]; row < p.First[n]+p.Rows[n] && !r.cancelled(); row++ {
			w.spans.N = 0
			scanline.AppendRow(w.spans, p, n, row, r.job.view.Width, int32(w.frame.stride))
			for i := range w.spans.N {
				w.sheerSpan(r, i, int(row))
			}
		}
		p.Rows[n] = 0
	}
}

// sheerSpan draws the samples of a span that are there, as the z-buffer does.
func (w *worker) sheerSpan(r *Renderer, span, row int) {
	s, grid := w.spans, r.job.grid
	per := 1 / float32(grid)
	start, t := int(s.Start[span]), s.Payload[span]
	column := start - row*w.frame.stride
	line := row + r.job.window.top*grid
	y := float32(r.options.Height)/2 - float32((float32(line)+0.5)*per)
	keys, low := w.frame.keys[start:start+int(s.Count[span])], uint64(^t)
	for k := range keys {
		x := float32((float32(column+k)+0.5)*per) - float32(r.options.Width)/2
		key := array.Key(s.E[span]+float32(float32(k)*s.DE[span]), low)
		if key > keys[k] && w.shader.There(t, x, y, column+k, line) {
			keys[k] = key
		}
	}
	w.spanCount++
	w.pixels += int64(len(keys))
}
