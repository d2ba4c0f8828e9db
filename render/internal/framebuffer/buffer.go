package framebuffer

import (
	"math"

	"lockstep/render/internal/kernel/array"
	"lockstep/render/internal/kernel/zbuffer"
	"lockstep/render/internal/scratch"
	"lockstep/render/internal/tile"
	"lockstep/vp/hugepages"
)

// A Buffer holds a key for each sample of a frame, or of some of its tile rows. A key is the depth and the payload (a
// colour, or a triangle's number) in 64 bits. Keys are stored row by row. Between frames all keys are 0.
//
// A Buffer also marks the tiles that polygons have touched. The keys of all other tiles are 0. The system provides no
// memory for parts that are never touched. A Buffer is a Target that merges spans into its keys at once.
type Buffer struct {
	tile.Layout
	Keys    []uint64
	Touched []bool // whether something was drawn in each tile, row by row
	Top     int    // tile row of the picture at which the buffer begins

	zbuffer zbuffer.Loop
	stop    func() bool
	part    array.Spans // scratch memory of Take: some spans of a span array
}

// Begin prepares for a frame. loop merges spans, and stop reports whether the frame was called off.
func (f *Buffer) Begin(loop zbuffer.Loop, stop func() bool) { f.zbuffer, f.stop = loop, stop }

// hugeBudget is the largest total size, in bytes, of all workers' frames in huge pages. The system provides a huge
// page as a whole, even if polygons touch only a part of it. So larger frames use small pages to save memory.
const hugeBudget = 1 << 30

// Resize changes the layout of an empty buffer. Old memory that is large enough is used again, because all its keys
// are 0. New memory has at least `most` keys. workers is the number of frames of this size, which decides whether huge
// pages are used.
func (f *Buffer) Resize(l tile.Layout, workers, most int) {
	if f.Layout == l {
		return
	}
	f.Layout = l
	n := l.Keys()
	if most = max(most, n); cap(f.Keys) < n {
		f.Keys = nil // so that the old memory can be collected before the new is allocated
		if 8*most*workers <= hugeBudget {
			f.Keys = hugepages.Make[uint64](most)
		} else {
			f.Keys = make([]uint64, most)
		}
	}
	f.Keys = f.Keys[:n]
	f.Touched = scratch.Resize(f.Touched, l.TilesX*l.TilesY)
}

// Touch marks the tiles that the polygons may cover.
func (f *Buffer) Touch(p *array.Polygons) {
	if p.N == 0 {
		return
	}
	x0, x1 := int(p.MinX)/tile.Width, int(p.MaxX-1)/tile.Width
	y0, y1 := int(p.MinY)/tile.Height, int(p.MaxY-1)/tile.Height
	// Usually a block's triangles lie close together. Then marking all tiles of one rectangle around them is as good as
	// marking the tiles of each polygon. But the rectangle must not have more tiles than the polygons can touch.
	if (x1-x0+1)*(y1-y0+1) <= max(p.N/4, 16) {
		f.TouchTiles(x0, x1, y0, y1)
		return
	}
	ax, bx, cx, first, rows := p.X[0][:p.N], p.X[1][:p.N], p.X[2][:p.N], p.First[:p.N], p.Rows[:p.N]
	last := int32(f.TilesX*tile.Width - 1)
	for n := range ax {
		if rows[n] == 0 { // another stage draws the polygon
			continue
		}
		lo := min(max(min(ax[n], bx[n], cx[n])>>array.SubBits, 0), last)
		hi := max(min(max(ax[n], bx[n], cx[n])>>array.SubBits, last), lo)
		// Divisions of unsigned numbers become shifts. Most polygons lie in one or two tiles.
		x0, x1 := uint32(lo)/tile.Width, uint32(hi)/tile.Width
		y0, y1 := uint32(first[n])/tile.Height, uint32(first[n]+rows[n]-1)/tile.Height
		for at := int(y0) * f.TilesX; y0 <= y1; y0, at = y0+1, at+f.TilesX {
			f.Touched[at+int(x0)], f.Touched[at+int(x1)] = true, true
			for x := x0 + 1; x < x1; x++ {
				f.Touched[at+int(x)] = true
			}
		}
	}
}

// TouchRows marks the tiles that the rest of each polygon may cover. p.First holds its first remaining row, and p.Rows
// the number of remaining rows.
func (f *Buffer) TouchRows(p *array.Polygons) {
	for n := range p.N {
		x0, x1 := f.Reach(p, n)
		f.TouchTiles(x0/tile.Width, x1/tile.Width, int(p.First[n])/tile.Height-f.Top, int(p.First[n]+p.Rows[n]-1)/tile.Height-f.Top)
	}
}

// Reach returns the range of samples, inclusive, that the remaining rows of polygon n may cover. The range may be too
// large by less than a tile. A polygon is convex, so each end of the range lies at a corner within these rows, or in
// their first or last row.
func (f *Buffer) Reach(p *array.Polygons, n int) (x0, x1 int) {
	last := f.TilesX*tile.Width - 1
	x, y := [3]int32{p.X[0][n], p.X[1][n], p.X[2][n]}, [3]int32{p.Y[0][n], p.Y[1][n], p.Y[2][n]}
	x0, x1 = min(max(int(min(x[0], x[1], x[2]))>>array.SubBits, 0), last), min(max(int(max(x[0], x[1], x[2]))>>array.SubBits, 0), last)
	if x0/tile.Width == x1/tile.Width {
		return x0, x1
	}
	top := p.First[n]<<array.SubBits + array.Half
	bottom := (p.First[n]+p.Rows[n]-1)<<array.SubBits + array.Half
	left, right := math.Inf(1), math.Inf(-1)
	for k := range 3 {
		l, r := edgeReach(x[k], y[k], x[(k+1)%3], y[(k+1)%3], top, bottom)
		if l < left { // the min builtin would also handle NaN and -0, which takes longer
			left = l
		}
		if r > right {
			right = r
		}
	}
	// The range is enlarged by one sample on each side, because x was rounded.
	const most = math.MaxInt32
	return max(int(min(max(left, 0), most))>>array.SubBits-1, x0), min(int(min(max(right, 0), most))>>array.SubBits+1, x1)
}

// edgeReach returns the least and the greatest x of the edge from (ax, ay) to (bx, by) between the rows top and
// bottom, all in subpixels. If the edge lies outside these rows, left is +Inf and right is -Inf.
func edgeReach(ax, ay, bx, by, top, bottom int32) (left, right float64) {
	if ay > by {
		ax, ay, bx, by = bx, by, ax, ay
	}
	lo, hi := max(ay, top), min(by, bottom)
	switch {
	case lo > hi:
		return math.Inf(1), math.Inf(-1)
	case ay == by:
		return float64(min(ax, bx)), float64(max(ax, bx))
	}
	slope := float64(bx-ax) / float64(by-ay)
	left, right = float64(ax)+float64(slope*float64(lo-ay)), float64(ax)+float64(slope*float64(hi-ay))
	if slope < 0 {
		left, right = right, left
	}
	return left, right
}

// Clear sets the keys of touched tiles to 0. When cancelled reports that the frame was cancelled, it stops and returns
// false.
func (f *Buffer) Clear(cancelled func() bool) bool {
	for t, touched := range f.Touched {
		if !touched {
			continue
		}
		if cancelled() {
			return false
		}
		tx, ty := t%f.TilesX, t/f.TilesX
		for y := ty * tile.Height; y < (ty+1)*tile.Height; y++ {
			clear(f.Keys[y*f.Stride+tx*tile.Width:][:tile.Width])
		}
		f.Touched[t] = false
	}
	return true
}

// TouchTiles marks tile columns x0 to x1 of the buffer's tile rows y0 to y1, all inclusive.
func (f *Buffer) TouchTiles(x0, x1, y0, y1 int) {
	for y := y0; y <= y1; y++ {
		row := f.Touched[y*f.TilesX : (y+1)*f.TilesX]
		for x := x0; x <= x1; x++ {
			row[x] = true
		}
	}
}

// KeyIndex returns the index of the first key of tile column tx in row y, counted from the top of the picture.
func (f *Buffer) KeyIndex(tx, y int) int { return (y-f.Top*tile.Height)*f.Stride + tx*tile.Width }

// TileKeys returns the keys of row y, counted from the top of the picture, in tile column tx.
func (f *Buffer) TileKeys(tx, y int) []uint64 { return f.Keys[f.KeyIndex(tx, y):][:tile.Width] }

// TouchedRow returns the touched marks of tile row ty of the picture.
func (f *Buffer) TouchedRow(ty int) []bool { return f.Touched[(ty-f.Top)*f.TilesX:][:f.TilesX] }

// toLocal converts the starts of spans from indices into the picture's keys to indices into this buffer.
func (f *Buffer) toLocal(s *array.Spans) {
	by := uint32(f.Top * tile.Height * f.Stride)
	if by == 0 {
		return
	}
	for i := range s.Start[:s.N] {
		s.Start[i] -= by
	}
}

// RowKeys returns the number of keys between the starts of two rows.
func (f *Buffer) RowKeys() int32 { return int32(f.Stride) }

const (
	// MaxUnchecked is the largest number of samples that the z-buffer merges without checking whether the frame was
	// cancelled. This is 64 MiB of keys, or some 10 milliseconds. In pictures up to 2048 samples wide, no span array
	// has more samples.
	MaxUnchecked = 8 << 20
	// CheckInterval is the number of samples between two checks whether the frame was cancelled. The z-buffer checks
	// if the spans may have more than MaxUnchecked samples.
	CheckInterval = 1 << 20
)

// Take merges spans into the keys. The starts of spans count from the top of the picture. No span is longer than
// widest samples.
func (f *Buffer) Take(spans *array.Spans, widest int64) (tested, runs int64) {
	f.toLocal(spans)
	if widest*int64(spans.N) <= MaxUnchecked {
		return f.zbuffer(f.Keys, spans)
	}
	for lo := 0; lo < spans.N && !f.stop(); {
		hi, samples := lo, 0
		for hi < spans.N && samples < CheckInterval {
			samples += int(spans.Count[hi])
			hi++
		}
		f.part = spans.Slice(lo, hi)
		t, n := f.zbuffer(f.Keys, &f.part)
		tested, runs, lo = tested+t, runs+n, hi
	}
	return tested, runs
}

// ResizeRows gives an empty buffer the layout l, but only the given number of tile rows.
func (f *Buffer) ResizeRows(l tile.Layout, tiles int) {
	l.TilesY = tiles
	if f.Layout == l {
		return
	}
	f.Layout = l
	if n := l.Keys(); cap(f.Keys) < n {
		f.Keys = hugepages.Make[uint64](n)
	} else {
		f.Keys = f.Keys[:n]
	}
	f.Touched = scratch.Resize(f.Touched, l.TilesX*l.TilesY)
}
