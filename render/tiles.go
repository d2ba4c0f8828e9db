package render

import (
	"math"

	"lockstep/render/internal/kernel/array"
	"lockstep/render/internal/tile"
	"lockstep/vp/hugepages"
)

// frame is the private frame of one worker: a key for each sample, row by row,
// and which tiles may hold keys that are not 0. Memory that no polygon touches
// is never written, so the system does not have to provide it.
type frame struct {
	tile.Layout
	keys    []uint64
	touched []bool // by tile, row by row
	top     int    // row of tiles of the picture that the frame begins with
}

// hugeBudget is the size in bytes of all workers' frames up to which they are put
// in huge pages. Above it small pages save memory: a huge page is provided whole
// where a polygon touches a part of it.
const hugeBudget = 1 << 30

// resize gives an empty frame another layout. All of its keys are 0, in any layout, so its
// memory serves every layout that is no larger. New memory holds at least most keys. workers is
// the number of frames, by which the choice of huge pages is made.
func (f *frame) resize(l tile.Layout, workers, most int) {
	if f.Layout == l {
		return
	}
	f.Layout = l
	n := l.Keys()
	if most = max(most, n); cap(f.keys) < n {
		f.keys = nil // so that the old memory can be collected first
		if 8*most*workers <= hugeBudget {
			f.keys = hugepages.Make[uint64](most)
		} else {
			f.keys = make([]uint64, most)
		}
	}
	f.keys = f.keys[:n]
	f.touched = resize(f.touched, l.TilesX*l.TilesY)
}

// touch marks the tiles that the polygons may reach.
func (f *frame) touch(p *array.Polygons) {
	if p.N == 0 {
		return
	}
	x0, x1 := int(p.MinX)/tile.Width, int(p.MaxX-1)/tile.Width
	y0, y1 := int(p.MinY)/tile.Height, int(p.MaxY-1)/tile.Height
	// Neighbouring triangles of a mesh lie together, so one rectangle around
	// the block is as good as marking every polygon, unless the block is spread
	// over more tiles than it has polygons to fill.
	if (x1-x0+1)*(y1-y0+1) <= max(p.N/4, 16) {
		f.touchTiles(x0, x1, y0, y1)
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
			f.touched[at+int(x0)], f.touched[at+int(x1)] = true, true
			for x := x0 + 1; x < x1; x++ {
				f.touched[at+int(x)] = true
			}
		}
	}
}

// touchRows marks the tiles that the polygons may reach in the rows that they have left.
func (f *frame) touchRows(p *array.Polygons) {
	for n := range p.N {
		x0, x1 := f.reach(p, n)
		f.touchTiles(x0/tile.Width, x1/tile.Width, int(p.First[n])/tile.Height-f.top, int(p.First[n]+p.Rows[n]-1)/tile.Height-f.top)
	}
}

// reach returns bounds of the samples, inclusive, of polygon n in the rows that it has
// left, at least to the tile. A polygon is convex: it reaches farthest at a corner between the
// first row and the last, or in one of them.
func (f *frame) reach(p *array.Polygons, n int) (x0, x1 int) {
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

// clear empties the tiles that are marked as touched. It reports false when the frame
// was called off before it was done.
func (f *frame) clear(cancelled func() bool) bool {
	for t, touched := range f.touched {
		if !touched {
			continue
		}
		if cancelled() {
			return false
		}
		tx, ty := t%f.TilesX, t/f.TilesX
		for y := ty * tile.Height; y < (ty+1)*tile.Height; y++ {
			clear(f.keys[y*f.Stride+tx*tile.Width:][:tile.Width])
		}
		f.touched[t] = false
	}
	return true
}

// touchTiles marks the tiles (x0..x1) x (y0..y1) of the frame, inclusive.
func (f *frame) touchTiles(x0, x1, y0, y1 int) {
	for y := y0; y <= y1; y++ {
		row := f.touched[y*f.TilesX : (y+1)*f.TilesX]
		for x := x0; x <= x1; x++ {
			row[x] = true
		}
	}
}

// tile returns where the keys of a tile's row start; y counts from the top of the picture.
func (f *frame) tile(tx, y int) int { return (y-f.top*tile.Height)*f.Stride + tx*tile.Width }

// tileKeys returns the keys of a tile's row.
func (f *frame) tileKeys(tx, y int) []uint64 { return f.keys[f.tile(tx, y):][:tile.Width] }

// touchedRow returns which tiles are touched in a row of tiles of the picture.
func (f *frame) touchedRow(ty int) []bool { return f.touched[(ty-f.top)*f.TilesX:][:f.TilesX] }

// shift makes the places of spans in the picture those in the frame.
func (f *frame) shift(s *array.Spans) {
	by := uint32(f.top * tile.Height * f.Stride)
	if by == 0 {
		return
	}
	for i := range s.Start[:s.N] {
		s.Start[i] -= by
	}
}
