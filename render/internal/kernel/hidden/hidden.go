package hidden

import (
	"fmt"
	"math"
	"math/bits"

	"lockstep/render/internal/kernel/array"
	"lockstep/vp/isa"
)

const (
	// CellWidth and CellHeight are the size in samples of a cell: a rectangle whose farthest depth is known. CellShift
	// is the logarithm of the width.
	CellShift  = 3
	CellWidth  = 1 << CellShift
	CellHeight = array.TileRows / 2
	// Step divides the width of a tile row in samples. The cells of Step columns of samples fill one vector.
	Step = 8 * CellWidth
	// levels is the number of window sizes: 1, 2, 4 and 8 cells. A box is never wider than two of the widest windows.
	levels     = 4
	levelShift = 2
)

// A Table holds the farthest depth in each cell of a tile row (a row of tiles), and in each window of 2, 4 and 8
// neighbouring cells. A depth is stored as the bits of the least nearness in the window. A nearness is a float32 that
// grows towards the eye. The bits are 0 if a sample of the window is not covered.
//
// A tile row has a row of upper cells and a row of lower cells. The table has three groups of lines: for the upper
// cells, for upper and lower cells together, and for the lower cells. A group has one line for single cells, and one
// line each for windows of 2, 4 and 8 cells. An entry of a line is for the window that starts at one column of cells.
// Two overlapping windows cover the cells of any box.
type Table struct {
	nearness []uint32
	line     int // length of a line, in cells
}

// Loops holds the loops for one instruction set.
type Loops struct {
	// Cells is the vector loop of the function Cells.
	Cells func(keys []uint64, stride int, upper, lower []uint32)
	// Minima sets each element of `to` to the smaller of the elements of a and b with the same index. The three slices
	// have the same length.
	Minima func(a, b, to []uint32)
	// Visible is the vector loop of Table.Visible.
	Visible func(t *Table, boxes *array.Spans, to []uint32) int
	// Take is the vector loop of Taking.Take.
	Take func(t *Taking, p *array.Polygons, from, to, kept int) int
}

// Select returns the loops for an instruction set.
func Select(level isa.Level) *Loops { return selectLoops(level) }

// Begin prepares for a tile row and marks all samples as not covered. samples is the width of the row, a multiple of
// Step.
func (t *Table) Begin(samples int) {
	line := lineOf(samples)
	// Windows of the last cells extend past the end of the line.
	if n := 3*levels*line + 1<<(levels-1); cap(t.nearness) < n {
		t.nearness = make([]uint32, n)
	} else {
		t.nearness = t.nearness[:n]
	}
	t.line = line
	clear(t.window(0, 0))
	clear(t.window(2, 0))
}

// lineOf returns the length of a line, in cells.
func lineOf(samples int) int { return (samples/CellWidth + array.Lanes - 1) &^ (array.Lanes - 1) }

// levelOf returns the smallest level at which two windows cover the given number of cells.
func levelOf(cells int) int { return bits.Len(uint(cells)) - 1 }

// window returns the line for windows of 1<<level cells. rows is 0 for the upper cells, 1 for both, and 2 for the
// lower cells.
func (t *Table) window(rows, level int) []uint32 {
	return t.nearness[(rows<<levelShift+level)*t.line:][:t.line]
}

// Add sets the cells in columns x to x+samples (exclusive) of the tile row. keys starts at column x; its rows are
// stride keys apart. x and samples are multiples of Step.
func (t *Table) Add(l *Loops, x, samples int, keys []uint64, stride int) {
	cells := samples / CellWidth
	l.Cells(keys, stride, t.window(0, 0)[x/CellWidth:][:cells], t.window(2, 0)[x/CellWidth:][:cells])
}

// End computes all windows from the cells that Add has set.
func (t *Table) End(l *Loops) {
	l.Minima(t.window(0, 0), t.window(2, 0), t.window(1, 0))
	for rows := range 3 {
		for level := 1; level < levels; level++ {
			narrow := t.nearness[(rows<<levelShift+level-1)*t.line:]
			l.Minima(narrow[:t.line], narrow[1<<(level-1):][:t.line], t.window(rows, level))
		}
	}
}

// Cells stores the least nearness in each upper cell of a tile row in `upper`, and that in each lower cell in `lower`.
// Vector loops must give the same results.
func Cells(keys []uint64, stride int, upper, lower []uint32) {
	for i := range upper {
		upper[i] = cell(keys[i*CellWidth:], stride)
		lower[i] = cell(keys[CellHeight*stride+i*CellWidth:], stride)
	}
}

// cell returns the least nearness of a cell.
func cell(keys []uint64, stride int) uint32 {
	least := uint32(math.MaxUint32)
	for y := range CellHeight {
		for _, key := range keys[y*stride:][:CellWidth] {
			least = min(least, uint32(key>>32))
		}
	}
	return least
}

// minima does what Loops.Minima does, in plain Go.
func minima(a, b, to []uint32) {
	for i := range to {
		to[i] = min(a[i], b[i])
	}
}

// Visible stores in `to` the indices of the boxes that may be visible, and returns their number. A box may be visible
// if a sample in its cells is not nearer than the box's bound. `to` must have room for all boxes and a vector more.
// Vector loops must give the same results.
func (t *Table) Visible(boxes *array.Spans, to []uint32) int {
	n := 0
	for i := range boxes.N {
		x0, y0, rows := array.PlaceOf(boxes.DE[i])
		y1 := y0 + rows - 1
		c0, c1 := x0/CellWidth, (x0+int(boxes.Count[i])-1)/CellWidth
		level := levelOf(c1 - c0 + 1)
		if level >= levels || c1 >= t.line || y1 >= array.TileRows {
			panic(fmt.Sprintf("hidden: a box of columns %d to %d and rows %d to %d", x0, x0+int(boxes.Count[i])-1, y0, y1))
		}
		line := t.window(y0/CellHeight+y1/CellHeight, level)
		if math.Float32bits(boxes.E[i]) >= min(line[c0], line[c1+1-1<<level]) {
			to[n] = uint32(i)
			n++
		}
	}
	return n
}

// Behind reports whether box b is hidden in columns x0 to x1 (exclusive): all keys there are nearer than the box's
// bound. keys[0] is at column x0 of the tile row; rows are stride keys apart.
func Behind(boxes *array.Spans, b int, x0, x1 int, keys []uint64, stride int) bool {
	_, y, rows := array.PlaceOf(boxes.DE[b])
	bound := uint64(math.Float32bits(boxes.E[b])) + 1
	for at := y * stride; rows > 0; rows, at = rows-1, at+stride {
		for _, key := range keys[at:][:x1-x0] {
			if key>>32 < bound {
				return false
			}
		}
	}
	return true
}
