package hidden

import (
	"math"

	"lockstep/render/internal/kernel/array"
)

// A Grid holds the tables of farthest depths of all tile rows of a frame. The next frame uses them to predict which
// polygons are hidden.
type Grid struct {
	nearness []uint32
	line     int // length of a line of a table, in cells
	size     int // length of a table
}

// Begin prepares for a frame and marks all samples as not covered. samples is the frame's width, a multiple of Step,
// and rows its height in tile rows.
func (g *Grid) Begin(samples, rows int) {
	g.line = lineOf(samples)
	g.size = 3*levels*g.line + array.Lanes // larger than a table
	if n := g.size * rows; cap(g.nearness) < n {
		g.nearness = make([]uint32, n)
	} else {
		g.nearness = g.nearness[:n]
		clear(g.nearness)
	}
}

// Row returns the table of tile row ty, with memory: Table.Begin will not allocate any.
func (g *Grid) Row(ty int) Table {
	return Table{nearness: g.nearness[ty*g.size:][:g.size:g.size], line: g.line}
}

// GridBytes returns the memory of a Grid in bytes.
func GridBytes(samples, rows int) int64 {
	return 4 * int64(3*levels*lineOf(samples)+array.Lanes) * int64(rows)
}

const (
	// takeExtent is the largest width and height of polygons that Take makes into boxes: 128 pixels, in subpixels.
	takeExtent = 1 << 15
	// takeFactor replaces the factor of array.NearestBound for polygons up to takeExtent. The proof there holds with
	// other numbers: a dozen roundings are off by at most m*2^(15+15+1-53) each, together by less than m*2^-18.
	takeFactor = 1 + 0x1p-16
	// minTakeBound is the least value of a bound, the same as in array.NearestBound.
	minTakeBound = 0x1p-125
	// takeCells limits the width of boxes, in cells. Narrower boxes fit into two of the widest windows.
	takeCells = 1 << levels
)

// A Taking holds the parameters and results of Take, which removes polygons from a polygon array if they are probably
// hidden.
type Taking struct {
	Grid  *Grid
	Boxes *array.Spans // receives the boxes of removed polygons, see array.Deferred
	First uint32       // number of the block's first triangle
	// Stride is the number of keys between the starts of two rows of the frame. Width is the width of the frame in
	// samples.
	Stride, Width int32
	MaxRows       int32 // polygons that cover more tile rows are kept
	// Rows and Samples measure the work of drawing the removed polygons. Rows is the number of their rows. Samples is
	// twice the number of samples that polygons of their size cover on average. Take adds to both.
	Rows, Samples int64
}

// Take removes polygons from p that lie behind the depths in t.Grid, from index `from` to `to` (exclusive). A polygon
// is removed if all samples of all cells that it may cover are nearer than the polygon. Large polygons, and those in
// many tile rows, are kept. For each tile row of a removed polygon, Take appends a box to t.Boxes; the boxes must fit.
//
// Take moves the other polygons to index kept and after, and returns the index after the last of them. kept must not
// be above `from`. `from` must be a multiple of array.Lanes, and so must `to` unless it is p.N. Vector loops must give
// the same results.
func (t *Taking) Take(p *array.Polygons, from, to, kept int) int {
	for i := from; i < to; i++ {
		if t.take(p, i) {
			continue
		}
		if kept != i {
			for k := range 3 {
				p.X[k][kept], p.Y[k][kept], p.E[k][kept] = p.X[k][i], p.Y[k][i], p.E[k][i]
			}
			p.First[kept], p.Rows[kept], p.Source[kept], p.Payload[kept] = p.First[i], p.Rows[i], p.Source[i], p.Payload[i]
		}
		kept++
	}
	return kept
}

// take reports whether polygon i is hidden. If it is, take appends its boxes.
func (t *Taking) take(p *array.Polygons, i int) bool {
	x0, x1 := min(p.X[0][i], p.X[1][i], p.X[2][i]), max(p.X[0][i], p.X[1][i], p.X[2][i])
	y0, y1 := min(p.Y[0][i], p.Y[1][i], p.Y[2][i]), max(p.Y[0][i], p.Y[1][i], p.Y[2][i])
	first, end := p.First[i], p.First[i]+p.Rows[i]
	if x1-x0 >= takeExtent || y1-y0 >= takeExtent || (end-1)>>array.TileShift-first>>array.TileShift >= t.MaxRows {
		return false
	}
	x0, x1 = max(array.FirstCenter(x0), 0), min(array.FirstCenter(x1), t.Width)
	if (x1-1)>>CellShift-x0>>CellShift+1 >= takeCells {
		return false
	}
	bound := max(float32(max(p.E[0][i], p.E[1][i], p.E[2][i])*takeFactor), minTakeBound)
	box := array.Box{X0: x0, X1: x1, Y0: first, Y1: end}
	if !t.Grid.Hides(box, bound) {
		return false
	}
	array.PushBoxes(t.Boxes, box, bound, t.First+uint32(p.Source[i]), t.Stride)
	t.Rows += int64(p.Rows[i])
	t.Samples += int64(p.Rows[i]) * int64(x1-x0)
	return true
}

// Hides reports whether box b is hidden: all samples of all cells that it touches are nearer than bound. The box must
// touch fewer than takeCells columns of cells.
func (g *Grid) Hides(b array.Box, bound float32) bool {
	c0, c1 := int(b.X0)>>CellShift, int(b.X1-1)>>CellShift
	level := levelOf(c1 - c0 + 1)
	for y := b.Y0; y < b.Y1; {
		next := min((y|(array.TileRows-1))+1, b.Y1)
		table := g.Row(int(y) >> array.TileShift)
		line := table.window(int(y)%array.TileRows/CellHeight+int(next-1)%array.TileRows/CellHeight, level)
		if math.Float32bits(bound) >= min(line[c0], line[c1+1-1<<level]) {
			return false
		}
		y = next
	}
	return true
}

// Rewrite changes the depths. Tests use it to check that pictures do not depend on them.
func (g *Grid) Rewrite(change func(near uint32) uint32) {
	for i, near := range g.nearness {
		g.nearness[i] = change(near)
	}
}
