package framebuffer

import (
	"math"

	"lockstep/render/internal/kernel/array"
	"lockstep/render/internal/kernel/zbuffer"
	"lockstep/render/internal/scratch"
	"lockstep/render/internal/tile"
	"lockstep/vp/hugepages"
)

// A Buffer has a key for each sample of a frame, or of some rows of its tiles, row by row, and which tiles may hold keys
// that are not 0. Between frames all keys are 0. Memory that no polygon touches is never written, so the system does
// not have to provide it. It is a Target, whose spans are merged into the keys at once.
type Buffer struct {
	tile.Layout
	Keys    []uint64
	Touched []bool // by tile, row by row
	Top     int    // row of tiles of the picture that the buffer begins with

	zbuffer zbuffer.Loop
	stop    func() bool
	some    array.Spans // a part of an array of spans, see Take
}

// Begin prepares for a frame, in which spans are merged by a loop, until stop says that the frame was called off.
func (f *Buffer) Begin(loop zbuffer.Loop, stop func() bool) { f.zbuffer, f.stop = loop, stop }

// hugeBudget is the size in bytes of all workers' frames up to which they are put
// in huge pages. Above it small pages save memory: a huge page is provided whole
// where a polygon touches a part of it.
const hugeBudget = 1 << 30

// Resize gives an empty buffer another layout. All of its keys are 0, in any layout, so its
// memory serves every layout that is no larger. New memory holds at least most keys. workers is
// the number of frames, by which the choice of huge pages is made.
func (f *Buffer) Resize(l tile.Layout, workers, most int) {
	if f.Layout == l {
		return
	}
	f.Layout = l
	n := l.Keys()
	if most = max(most, n); cap(f.Keys) < n {
		f.Keys = nil // so that the old memory can be collected first
		if 8*most*workers <= hugeBudget {
			f.Keys = hugepages.Make[uint64](most)
		} else {
			f.Keys = make([]uint64, most)
		}
	}
	f.Keys = f.Keys[:n]
	f.Touched = scratch.Resize(f.Touched, l.TilesX*l.TilesY)
}

// Touch marks the tiles that the polygons may reach.
func (f *Buffer) Touch(p *array.Polygons) {
	if p.N == 0 {
		return
	}
	x0, x1 := int(p.MinX)/tile.Width, int(p.MaxX-1)/tile.Width
	y0, y1 := int(p.MinY)/tile.Height, int(p.MaxY-1)/tile.Height
	// Neighbouring triangles of a mesh lie together, so one rectangle around
	// the block is as good as marking every polygon, unless the block is spread
	// over more tiles than it has polygons to fill.
	if (x1-x0+1)*(y1-y0+1) <= max(p.N/4, 16) {
		f.TouchTiles(x0, x1, y0, y1)
		return
	}
	ax, bx, cx, first, rows := p.X[0][:p.N], p.X[1][:p.N], p.X[2][:p.N], p.First[:p.N], p.Rows[:p.N]
	last := int32(f.TilesX*tile.Width - 1)
	for n := range ax {
		if rows[n] == 0 { // shared
			continue
		}
		lo := min(max(min(ax[n], bx[n], cx[n])>>array.SubBits, 0), last)
		hi := max(min(max(ax[n], bx[n], cx[n])>>array.SubBits, last), lo)
		// Unsigned, so that the divisions become shifts. Most polygons lie in one tile or two.
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

// TouchRows marks the tiles that the polygons may reach in the rows that they have left.
func (f *Buffer) TouchRows(p *array.Polygons) {
	for n := range p.N {
		x0, x1 := f.Reach(p, n)
		f.TouchTiles(x0/tile.Width, x1/tile.Width, int(p.First[n])/tile.Height-f.Top, int(p.First[n]+p.Rows[n]-1)/tile.Height-f.Top)
	}
}

// Reach returns bounds of the samples, inclusive, of polygon n in the rows that it has
// left, at least to the tile. A polygon is convex: it reaches farthest at a corner between the
// first row and the last, or in one of them.
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
		if l < left { // min would ask for NaN and -0 in addition
			left = l
		}
		if r > right {
			right = r
		}
	}
	// A sample more on each side, since x was rounded.
	const most = math.MaxInt32
	return max(int(min(max(left, 0), most))>>array.SubBits-1, x0), min(int(min(max(right, 0), most))>>array.SubBits+1, x1)
}

// edgeReach returns the least and the greatest x of an edge from (ax, ay) to (bx, by) between
// two rows, all in subpixels; infinities where it lies beyond them.
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

// Clear empties the tiles that are marked as touched. It reports false when the frame
// was called off before it was done.
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

// TouchTiles marks the tiles (x0..x1) x (y0..y1) of the frame, inclusive.
func (f *Buffer) TouchTiles(x0, x1, y0, y1 int) {
	for y := y0; y <= y1; y++ {
		row := f.Touched[y*f.TilesX : (y+1)*f.TilesX]
		for x := x0; x <= x1; x++ {
			row[x] = true
		}
	}
}

// Tile returns where the keys of a tile's row start; y counts from the top of the picture.
func (f *Buffer) Tile(tx, y int) int { return (y-f.Top*tile.Height)*f.Stride + tx*tile.Width }

// TileKeys returns the keys of a tile's row.
func (f *Buffer) TileKeys(tx, y int) []uint64 { return f.Keys[f.Tile(tx, y):][:tile.Width] }

// TouchedRow returns which tiles are touched in a row of tiles of the picture.
func (f *Buffer) TouchedRow(ty int) []bool { return f.Touched[(ty-f.Top)*f.TilesX:][:f.TilesX] }

// shift makes the places of spans in the picture those in the frame.
func (f *Buffer) shift(s *array.Spans) {
	by := uint32(f.Top * tile.Height * f.Stride)
	if by == 0 {
		return
	}
	for i := range s.Start[:s.N] {
		s.Start[i] -= by
	}
}

// RowKeys returns the number of keys from row to row.
func (f *Buffer) RowKeys() int32 { return int32(f.Stride) }

const (
	// UnwatchedSamples bounds the samples that the z-buffer merges between two looks
	// whether the frame was called off: 64 MiB of keys, in some 10 milliseconds. The
	// spans of a picture up to 2048 samples wide are never more.
	UnwatchedSamples = 8 << 20
	// WatchedSamples is how many it merges at a time where they could be more.
	WatchedSamples = 1 << 20
)

// Take merges spans, whose places are those in the picture, none longer than widest, into the keys.
func (f *Buffer) Take(spans *array.Spans, widest int64) (tested, runs int64) {
	f.shift(spans)
	if widest*int64(spans.N) <= UnwatchedSamples {
		return f.zbuffer(f.Keys, spans)
	}
	for lo := 0; lo < spans.N && !f.stop(); {
		hi, samples := lo, 0
		for hi < spans.N && samples < WatchedSamples {
			samples += int(spans.Count[hi])
			hi++
		}
		f.some = spans.Slice(lo, hi)
		t, n := f.zbuffer(f.Keys, &f.some)
		tested, runs, lo = tested+t, runs+n, hi
	}
	return tested, runs
}

// ResizeRows gives an empty buffer the layout of some rows of tiles of another.
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
