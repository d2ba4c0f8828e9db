package frame

import (
	"slices"
	"sync/atomic"
	"time"

	"lockstep/render/internal/framebuffer"
	"lockstep/render/internal/groups"
	"lockstep/render/internal/kernel/array"
	"lockstep/render/internal/kernel/geometry"
	"lockstep/render/internal/tile"
	"lockstep/scenes"
)

// numBoxes returns the number of boxes that pushBoxes makes for a group with bounds b.
func numBoxes(b *array.Box) int32 {
	return ((b.Y1-1)>>array.TileShift - b.Y0>>array.TileShift + 1) * ((b.X1 - b.X0 + boxWidth - 1) / boxWidth)
}

// pushBoxes appends boxes for the bounds b of a group to the worker's boxes: in each tile row that the group covers,
// boxes of at most boxWidth samples, side by side. number is the payload of the boxes.
func (w *leafWorker) pushBoxes(b *groups.Bound, stride int32, number uint32) {
	for y := b.Y0; y < b.Y1; {
		next := min((y|(array.TileRows-1))+1, b.Y1)
		for x := b.X0; x < b.X1; x += boxWidth {
			s, n := w.boxes, w.boxes.N
			s.Start[n], s.Count[n], s.E[n], s.Payload[n] = uint32(y*stride+x), min(boxWidth, b.X1-x), b.Near, number
			s.DE[n] = array.PlaceBits(x, y%array.TileRows, next-y)
			if s.N = n + 1; s.Room() == 0 {
				w.flushBoxes()
			}
		}
		y = next
	}
}

func (w *leafWorker) flushBoxes() {
	w.store.Add(w.boxes)
	w.boxes.N = 0
}

// Run draws the deferred groups that may be visible in tile row ty, which must be merged already. It draws into the
// worker's own buffer if buffer is nil. Run returns the time that it took, and adds that time to the times of the
// worker's raster.
func (l *Leaves) Run(worker, ty int, buffer *framebuffer.Buffer) time.Duration {
	if l.frame.Groups == nil {
		return 0
	}
	w, r := &l.workers[worker], l.frame.Rasters[worker]
	start, before := time.Now(), r.Scan+r.Merge
	l.findVisible(w, ty)
	slices.Sort(w.toDraw) // sorted, so that counts do not depend on the number of workers
	w.toDraw = slices.Compact(w.toDraw)
	if len(w.toDraw) > 0 && buffer == nil {
		buffer = &w.buffer
		buffer.ResizeRows(l.frame.Layout, 1)
		buffer.Top = ty
	}
	for seen := w.toDraw; len(seen) > 0 && !l.frame.Stop(); {
		n := min(l.frame.BlockSize/groups.Size, len(seen))
		l.draw(w, ty, seen[:n], buffer, r)
		seen = seen[n:]
	}
	spent := time.Since(start)
	r.Merge += spent - (r.Scan + r.Merge - before)
	return spent
}

// findVisible sets w.seen to the deferred groups that are not hidden in tile row ty.
func (l *Leaves) findVisible(w *leafWorker, ty int) {
	w.toDraw = w.toDraw[:0]
	measured := false
	for i := range l.workers {
		store := &l.workers[i].store
		for end := store.Last(ty); end != 0 && !l.frame.Stop(); {
			if !measured {
				l.frame.Merge.Measure(&w.table, l.frame.Hidden, ty)
				measured = true
			}
			end = store.Unpack(end, w.rowBoxes)
			n := l.frame.Hidden.Visible(&w.table, w.rowBoxes, w.visible[:])
			for _, box := range w.visible[:n] {
				l.markSeen(w, w.rowBoxes.Payload[box])
			}
		}
	}
}

// markSeen records that a group is not hidden in the current tile row. number is the payload of one of its boxes.
// Another worker may record the same group in another tile row.
func (l *Leaves) markSeen(w *leafWorker, number uint32) {
	group, drawn := number&^drawnBit, number >= drawnBit
	shown := &l.lastSeen[group]
	if before := atomic.LoadUint32(shown); before != l.frameNumber && atomic.CompareAndSwapUint32(shown, before, l.frameNumber) {
		if drawn {
			w.hidden--
		} else {
			w.late++
		}
	}
	if !drawn {
		w.toDraw = append(w.toDraw, int32(group))
	}
}

// draw draws those parts of the groups in seen that lie in tile row ty.
func (l *Leaves) draw(w *leafWorker, ty int, seen []int32, buffer *framebuffer.Buffer, r *framebuffer.Raster) {
	f := &l.frame
	block, ok := w.triangles(f.Groups, seen)
	if !ok {
		return
	}
	w.polys.Reset()
	w.polys.Deferred, w.polys.Groups = nil, seen
	toClip := f.Geometry(f.View, &block, w.polys, w.toClip, &w.counts)
	for {
		toClip = geometry.ClipTriangles(f.View, &block, toClip, w.polys, &w.counts)
		f.Payloads.SetPayloads(w.polys, &block, 0)
		w.drawRow(int32(ty*tile.Height), ty, f.Merge, buffer, r)
		if len(toClip) == 0 {
			return
		}
		w.polys.Reset()
	}
}

// triangles returns the triangles of the groups in seen. ok is false if they cannot be read; the file that stores them
// then keeps the error.
func (w *leafWorker) triangles(g *groups.Groups, seen []int32) (block scenes.Block, ok bool) {
	w.polys.Numbers = nil
	if g.Stored == nil {
		w.block.Resize(len(seen)*groups.Size, g.Mesh.Colors != nil)
		return w.block.Slice(0, groups.Copy(&w.block, g.Mesh, seen)), true
	}
	w.polys.Numbers = w.numbers
	if err := g.Stored.ReadGroups(seen, &w.block, w.numbers); err != nil {
		return block, false
	}
	return w.block.Slice(0, w.block.Len()), true
}

// drawRow draws the parts of the polygons that lie in tile row ty, whose first row of samples is top.
func (w *leafWorker) drawRow(top int32, ty int, m *framebuffer.Merge, buffer *framebuffer.Buffer, r *framebuffer.Raster) {
	start, n := time.Now(), 0
	for i, first := range w.polys.First[:w.polys.N] {
		if first < top+tile.Height && first+w.polys.Rows[i] > top {
			w.index[n] = int32(i)
			n++
		}
	}
	w.rows.TakeRows(w.polys, w.index[:n], top, top+tile.Height)
	w.rows.MinX, w.rows.MaxX = 0, groups.MaxExtent>>array.SubBits
	m.Claim(buffer, ty, w.rows)
	r.Draw(buffer, w.rows, start)
}
