package hidden

import (
	"fmt"
	"math"
	"math/bits"

	"lockstep/render/internal/kernel/array"
	"lockstep/vp/isa"
)

const (
	// CellWidth and CellHeight are the size of a cell in samples.
	CellShift  = 3
	CellWidth  = 1 << CellShift
	CellHeight = array.TileRows / 2
	// Step divides the samples of a row of tiles: those of whole vectors of cells.
	Step = 8 * CellWidth
	// levels is the number of windows, of 1, 2, 4 and 8 cells: no box is wider than two of
	// the widest.
	levels     = 4
	levelShift = 2
)

// A Table holds, for a row of tiles, the least nearness in windows of cells, as bits of float32: 0 where a
// sample is not covered. It has a line for the cells of the upper rows, one for those of both and
// one for those of the lower rows. Each is followed by lines for the windows of 2, 4 and 8 cells
// that begin with a cell. So the cells of any box are those of two windows.
type Table struct {
	near []uint32
	line int // cells
}

// Loops are for one instruction set.
type Loops struct {
	// Cells is Cells.
	Cells func(keys []uint64, stride int, upper, lower []uint32)
	// Least sets to to the smaller of a and b, which are as long.
	Least func(a, b, to []uint32)
	// Visible is Table.Visible.
	Visible func(t *Table, boxes *array.Spans, to []uint32) int
}

// Select returns the loops for an instruction set.
func Select(level isa.Level) *Loops { return selectLoops(level) }

// Begin prepares for a row of tiles with a number of samples a row, a multiple of Step, none covered.
func (t *Table) Begin(samples int) {
	line := (samples/CellWidth + array.Lanes - 1) &^ (array.Lanes - 1)
	// Windows of the last cells reach beyond the line.
	if n := 3*levels*line + 1<<(levels-1); cap(t.near) < n {
		t.near = make([]uint32, n)
	} else {
		t.near = t.near[:n]
	}
	t.line = line
	clear(t.window(0, 0))
	clear(t.window(2, 0))
}

// window returns a line: 0, 1 or 2 for the upper, both or lower rows, for windows of 1<<level cells.
func (t *Table) window(rows, level int) []uint32 {
	return t.near[(rows<<levelShift+level)*t.line:][:t.line]
}

// Add notes the keys from column x on, of a number of samples, both multiples of Step, whose rows
// are stride apart.
func (t *Table) Add(l *Loops, x, samples int, keys []uint64, stride int) {
	cells := samples / CellWidth
	l.Cells(keys, stride, t.window(0, 0)[x/CellWidth:][:cells], t.window(2, 0)[x/CellWidth:][:cells])
}

// End makes the table of what Add has noted.
func (t *Table) End(l *Loops) {
	l.Least(t.window(0, 0), t.window(2, 0), t.window(1, 0))
	for rows := range 3 {
		for level := 1; level < levels; level++ {
			narrow := t.near[(rows<<levelShift+level-1)*t.line:]
			l.Least(narrow[:t.line], narrow[1<<(level-1):][:t.line], t.window(rows, level))
		}
	}
}

// Cells sets the cells of the upper and of the lower rows of a row of tiles to the least nearness of their
// keys. It is the specification of the loop.
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

// least is the specification of Loops.Least.
func least(a, b, to []uint32) {
	for i := range to {
		to[i] = min(a[i], b[i])
	}
}

// Visible stores which boxes may be visible, since a sample of their cells is not nearer than they
// may be. to has room for all of them and a vector more. It returns the number of these boxes. It is
// the specification of the loop.
func (t *Table) Visible(boxes *array.Spans, to []uint32) int {
	n := 0
	for i := range boxes.N {
		x0, y0, rows := array.PlaceOf(boxes.DE[i])
		y1 := y0 + rows - 1
		c0, c1 := x0/CellWidth, (x0+int(boxes.Count[i])-1)/CellWidth
		level := bits.Len(uint(c1-c0+1)) - 1
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

// Behind reports whether all keys of a part of box b are nearer than it may be: of columns x0 to x1
// (exclusive), which keys, the row of tiles from there on, begins with. Rows are stride apart.
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
