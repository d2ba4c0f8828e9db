package render

import (
	"lockstep/render/internal/kernel"
)

// A tile is the unit in which frames are cleared and merged. Its width is a
// cache line of eight pixels eight times over; it is low, so that slanting
// outlines touch few pixels that they do not cover. Both sides are multiples of
// the largest sample grid.
const (
	tileWidth  = 64
	tileHeight = 16
)

// frame is the private frame of one worker: a key for each sample, row by row,
// and which tiles may hold keys that are not 0. Memory that no polygon touches
// is never written, so the system does not have to provide it.
type frame struct {
	keys           []uint64
	stride         int // keys from row to row, a whole number of tiles
	tilesX, tilesY int
	touched        []bool // by tile, row by row
}

// hugeBudget bounds the frames of all workers up to which they are asked for in
// huge pages: these are also provided where a polygon touches only part of one.
const hugeBudget = 1 << 30

// newFrame returns an empty frame for that many samples, one of workers.
func newFrame(width, height, workers int) frame {
	f := frame{
		tilesX: (width + tileWidth - 1) / tileWidth,
		tilesY: (height + tileHeight - 1) / tileHeight,
	}
	f.stride = f.tilesX * tileWidth
	f.keys = make([]uint64, f.stride*f.tilesY*tileHeight)
	f.touched = make([]bool, f.tilesX*f.tilesY)
	if 8*len(f.keys)*workers <= hugeBudget {
		adviseHuge(f.keys)
	}
	return f
}

// touch marks the tiles that the polygons may reach.
func (f *frame) touch(p *kernel.Polygons) {
	if p.N == 0 {
		return
	}
	x0, x1 := int(p.MinX)/tileWidth, int(p.MaxX-1)/tileWidth
	y0, y1 := int(p.MinY)/tileHeight, int(p.MaxY-1)/tileHeight
	// Neighbouring triangles of a mesh lie together, so one rectangle around
	// the block is as good as marking every polygon, unless the block is spread
	// over more tiles than it has polygons to fill.
	if (x1-x0+1)*(y1-y0+1) <= max(p.N/4, 16) {
		f.touchTiles(x0, x1, y0, y1)
		return
	}
	for n := range p.N {
		if p.Rows[n] == 0 { // shared
			continue
		}
		lo := min(p.X[0][n], p.X[1][n], p.X[2][n]) >> kernel.SubBits
		hi := max(p.X[0][n], p.X[1][n], p.X[2][n]) >> kernel.SubBits
		f.touchTiles(
			int(max(lo, 0))/tileWidth, min(int(hi)/tileWidth, f.tilesX-1),
			int(p.First[n])/tileHeight, int(p.First[n]+p.Rows[n]-1)/tileHeight)
	}
}

// touchSpans marks the tiles that the spans lie in. Dividing each span's place by
// the stride took a tenth of the frame of a cube, hence the multiplication: with
// inverse = ceil(2^40/tilesX) it exceeds the quotient columns/tilesX by less than
// columns/2^40, and columns < 2^25 and tilesX <= 2^9 make that less than 1/tilesX, what
// the quotient lacks to the next whole number at least.
func (f *frame) touchSpans(s *kernel.Spans) {
	inverse := (1<<40 + uint64(f.tilesX) - 1) / uint64(f.tilesX)
	start, count := s.Start[:s.N], s.Count[:s.N]
	for i, first := range start {
		columns := uint64(first / tileWidth) // of tiles, before the span's first
		y := int(columns * inverse >> 40)
		x := int(columns) - y*f.tilesX
		last := x + (int(first%tileWidth)+int(count[i])-1)/tileWidth
		row := f.touched[y/tileHeight*f.tilesX:][:f.tilesX]
		for ; x <= last; x++ {
			row[x] = true
		}
	}
}

// touchTiles marks the tiles (x0..x1) x (y0..y1), inclusive.
func (f *frame) touchTiles(x0, x1, y0, y1 int) {
	for y := y0; y <= y1; y++ {
		row := f.touched[y*f.tilesX : (y+1)*f.tilesX]
		for x := x0; x <= x1; x++ {
			row[x] = true
		}
	}
}

// tile returns where the keys of a tile's row start.
func (f *frame) tile(tx, y int) int { return y*f.stride + tx*tileWidth }
