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

// numBoxes returns the number of boxes that pushBoxes makes for a group or a bundle with bounds b.
func numBoxes(b *array.Box) int32 {
	if b.X0 >= b.X1 || b.Y0 >= b.Y1 {
		return 0
	}
	return ((b.Y1-1)>>array.TileShift - b.Y0>>array.TileShift + 1) * ((b.X1 - b.X0 + boxWidth - 1) / boxWidth)
}

// pushBoxes appends boxes for the bounds b of a group or a bundle to the worker's boxes. In each tile row within b,
// it appends adjacent boxes of at most boxWidth samples. number is the payload of the boxes.
func (w *leafWorker) pushBoxes(b *groups.Bound, stride int32, number uint32) {
	for y := b.Y0; y < b.Y1; {
		next := min((y|(array.TileRows-1))+1, b.Y1)
		for x := b.X0; x < b.X1; x += boxWidth {
			addBox(w.boxes, array.Box{X0: x, X1: min(x+boxWidth, b.X1), Y0: y, Y1: next}, b.Near, stride, number)
			if w.boxes.Room() == 0 {
				w.flushBoxes()
			}
		}
		y = next
	}
}

// addBox appends a box that lies in one tile row. near is an upper bound of the nearness of the box's content.
func addBox(s *array.Spans, b array.Box, near float32, stride int32, number uint32) {
	n := s.N
	s.Start[n], s.Count[n], s.E[n], s.Payload[n] = uint32(b.Y0*stride+b.X0), b.X1-b.X0, near, number
	s.DE[n] = array.PlaceBits(b.X0, b.Y0%array.TileRows, b.Y1-b.Y0)
	s.N = n + 1
}

func (w *leafWorker) flushBoxes() {
	w.store.Add(w.boxes)
	w.boxes.N = 0
}

// Run draws the deferred groups that may be visible in tile row ty. The tile row must be merged already. If buffer is
// nil, Run draws into the worker's own buffer. It returns the time that it took, and adds this time to the times of
// the worker's raster.
func (l *Leaves) Run(worker, ty int, buffer *framebuffer.Buffer) time.Duration {
	if l.frame.Groups == nil {
		return 0
	}
	w, r := &l.workers[worker], l.frame.Rasters[worker]
	start, before := time.Now(), r.Scan+r.Merge
	l.frame.Timer.BeginShared(worker)
	l.findVisible(w, ty)
	l.shareTestTime(worker)
	slices.Sort(w.toDraw) // sorted, so that counts do not depend on the number of workers
	w.toDraw = slices.Compact(w.toDraw)
	if len(w.toDraw) > 0 && buffer == nil {
		buffer = &w.buffer
		buffer.ResizeRows(l.frame.Layout, 1)
		buffer.Top = ty
	}
	for seen := w.toDraw; len(seen) > 0 && !l.frame.Stop(); {
		n := min(l.frame.BlockSize/groups.Size, copiedGroups, len(seen))
		l.frame.Timer.BeginShared(worker)
		l.draw(worker, ty, seen[:n], buffer, r)
		l.shareDrawTime(worker, seen[:n])
		seen = seen[n:]
	}
	spent := time.Since(start)
	r.Merge += spent - (r.Scan + r.Merge - before)
	return spent
}

// findVisible sets w.toDraw to the deferred groups that are not hidden in tile row ty, in any order.
func (l *Leaves) findVisible(w *leafWorker, ty int) {
	w.toDraw, w.bundles, w.timed = w.toDraw[:0], w.bundles[:0], w.timed[:0]
	measured := false
	for i := range l.workers {
		store := &l.workers[i].store
		for end := store.Last(ty); end != 0 && !l.frame.Stop(); {
			if !measured {
				l.frame.Merge.MeasureDepths(&w.table, l.frame.Hidden, ty)
				measured = true
			}
			end = store.Unpack(end, w.rowBoxes)
			l.noteUnits(w)
			l.testBoxes(w)
		}
	}
	slices.Sort(w.bundles) // sorted for Compact: a wide bundle has several boxes in the tile row
	w.rowBoxes.N = 0
	for _, bundle := range slices.Compact(w.bundles) {
		l.testGroups(w, int(bundle), int32(ty))
	}
	l.testBoxes(w)
}

// testBoxes finds the boxes in w.rowBoxes that may be visible. If such a box belongs to a bundle, testBoxes appends
// the bundle to w.bundles. Otherwise it marks the box's group as seen.
func (l *Leaves) testBoxes(w *leafWorker) {
	n := l.frame.Hidden.Visible(&w.table, w.rowBoxes, w.visible[:])
	for _, box := range w.visible[:n] {
		switch number := w.rowBoxes.Payload[box]; number & (bundleBit | drawnBit) {
		case bundleBit:
			w.bundles = append(w.bundles, int32(number&^bundleBit))
		case bundleBit | drawnBit:
			l.markBundle(w, int(number&^(bundleBit|drawnBit)))
		default:
			l.markSeen(w, number)
		}
	}
	w.rowBoxes.N = 0
}

// testGroups adds boxes for the groups of a bundle in tile row ty to w.rowBoxes. When there are many boxes, it tests
// them.
func (l *Leaves) testGroups(w *leafWorker, bundle int, ty int32) {
	for g := bundle * groups.Bundle; g < (bundle+1)*groups.Bundle; g++ {
		w.tests++
		b, ok := l.project.Bound(g)
		if !ok { // the bundle has a bound only because of a rounding error
			l.markSeen(w, uint32(g))
			continue
		}
		l.frame.clip(&b)
		y, next := max(b.Y0, ty*array.TileRows), min(b.Y1, (ty+1)*array.TileRows)
		for x := b.X0; x < b.X1 && y < next; x += boxWidth {
			box := array.Box{X0: x, X1: min(x+boxWidth, b.X1), Y0: y, Y1: next}
			addBox(w.rowBoxes, box, b.Near, int32(l.frame.Layout.Stride), uint32(g))
			if w.rowBoxes.Room() == 0 {
				l.testBoxes(w)
			}
		}
	}
}

// markSeen records that a group is visible in the current tile row. number is the payload of a box of the group.
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

// draw draws the parts of the given groups that lie in tile row ty. seen holds the numbers of the groups.
func (l *Leaves) draw(worker, ty int, seen []int32, buffer *framebuffer.Buffer, r *framebuffer.Raster) {
	f, w := &l.frame, &l.workers[worker]
	block, ok := w.readTriangles(l.sieve(worker), f.Groups, seen)
	if !ok || block.Len() == 0 {
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

// readTriangles returns the triangles of the groups whose numbers are in `seen`. If s is not nil, triangles that the
// sieve leaves out are missing. ok is false if the triangles cannot be read; the file that stores them keeps the error.
func (w *leafWorker) readTriangles(s *groups.Sieve, g *groups.Groups, seen []int32) (block scenes.Block, ok bool) {
	if s != nil {
		s.Reset()
		s.Add(seen)
		err := s.Collect()
		w.polys.Numbers = s.Numbers
		return s.Block.Slice(0, s.Len()), err == nil
	}
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

// noteUnits appends the units of the boxes in w.rowBoxes to w.timed, if units are timed.
func (l *Leaves) noteUnits(w *leafWorker) {
	if l.frame.Timer == nil {
		return
	}
	for _, number := range w.rowBoxes.Payload[:w.rowBoxes.N] {
		first := int(number&^(bundleBit|drawnBit)) * groups.Size
		if number&bundleBit != 0 {
			first *= groups.Bundle
		}
		w.timed = append(w.timed, int32(first/l.frame.UnitSize))
	}
}

// shareTestTime divides the time of testing the boxes of a tile row among their units.
func (l *Leaves) shareTestTime(worker int) {
	for _, unit := range l.workers[worker].timed {
		l.frame.Timer.Share(worker, int(unit), 1)
	}
	l.frame.Timer.EndShared(worker)
}

// shareDrawTime divides the time of drawing groups among their units.
func (l *Leaves) shareDrawTime(worker int, drawn []int32) {
	if l.frame.Timer == nil {
		return
	}
	for _, group := range drawn {
		l.frame.Timer.Share(worker, int(group)*groups.Size/l.frame.UnitSize, 1)
	}
	l.frame.Timer.EndShared(worker)
}
