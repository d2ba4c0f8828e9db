//go:build amd64 && !purego

package hidden

import (
	"lockstep/render/internal/kernel/array"
	"lockstep/vp/isa"
	"lockstep/vp/isa/race"
)

func selectLoops(level isa.Level) *Loops {
	switch level {
	case isa.AVX512:
		return &Loops{cells(cellsAVX512), leastOf(leastAVX512), visible(visibleAVX512), takeWith(takeAVX512)}
	case isa.AVX2:
		return &Loops{cells(cellsAVX2), leastOf(leastAVX2), visible(visibleAVX2), takeWith(takeAVX2)}
	}
	return &Loops{Cells, minima, (*Table).Visible, (*Taking).Take}
}

// batch is the largest number of columns of samples for one call of the assembly loop, which cannot be preempted.
const batch = 1 << 12

func cells(loop func(*hiddenArgs)) func(keys []uint64, stride int, upper, lower []uint32) {
	return func(keys []uint64, stride int, upper, lower []uint32) {
		n := len(upper)
		if len(lower) != n || n%(Step/CellWidth) != 0 {
			panic("hidden: no whole vectors of cells")
		}
		if n == 0 {
			return
		}
		keys = keys[:(array.TileRows-1)*stride+n*CellWidth]
		if race.Enabled {
			for y := range array.TileRows {
				race.Read(keys[y*stride:][:n*CellWidth])
			}
		}
		race.Write(upper)
		race.Write(lower)
		for i := 0; i < n; i += batch / CellWidth {
			a := hiddenArgs{
				keys: &keys[i*CellWidth], stride: int64(8 * stride), upper: &upper[i], lower: &lower[i],
				n: int64(min(batch/CellWidth, n-i)),
			}
			loop(&a)
		}
	}
}

func leastOf(loop func(*hiddenArgs)) func(a, b, to []uint32) {
	return func(a, b, to []uint32) {
		n := len(to) &^ (array.Lanes - 1)
		if len(a) != len(to) || len(b) != len(to) {
			panic("hidden: lines of different lengths")
		}
		if n > 0 {
			race.Read(a[:n])
			race.Read(b[:n])
			race.Write(to[:n])
			loop(&hiddenArgs{upper: &a[0], lower: &b[0], to: &to[0], n: int64(n)})
		}
		minima(a[n:], b[n:], to[n:])
	}
}

func visible(loop func(*hiddenArgs)) func(t *Table, boxes *array.Spans, to []uint32) int {
	return func(t *Table, boxes *array.Spans, to []uint32) int {
		n := boxes.N
		if n == 0 {
			return 0
		}
		if n > len(boxes.Start) || n+array.Lanes > cap(boxes.Start) || n+array.Lanes > len(to) {
			panic("hidden: no room for whole vectors of boxes")
		}
		race.Read(t.nearness)
		race.Read(boxes.Count[:n])
		race.Read(boxes.E[:n])
		race.Read(boxes.DE[:n])
		a := hiddenArgs{
			near: &t.nearness[0], line: int32(t.line), last: int32(len(t.nearness) - 1), n: int64(n), count: &boxes.Count[0], bound: &boxes.E[0],
			place: &boxes.DE[0], to: &to[0],
		}
		loop(&a)
		race.Write(to[:a.found])
		return int(a.found)
	}
}

func takeWith(loop func(*hiddenArgs)) func(t *Taking, p *array.Polygons, from, to, kept int) int {
	return func(t *Taking, p *array.Polygons, from, to, kept int) int {
		if from >= to {
			return kept
		}
		b := t.Boxes
		most := (to - from) * int(t.MaxRows)
		if from%array.Lanes != 0 || to%array.Lanes != 0 && to != p.N || kept < 0 || kept > from || to > p.N || to+array.Lanes > cap(p.Payload) ||
			b.N+most > len(b.Start) || b.N+most+array.Lanes > cap(b.Start) {
			panic("hidden: no room for the boxes of polygons, or no whole vectors of polygons")
		}
		raceTake(t, p, from, to)
		a := hiddenArgs{
			near: &t.Grid.nearness[0], line: int32(t.Grid.line), last: int32(len(t.Grid.nearness) - 1), size: int32(t.Grid.size),
			x0: &p.X[0][0], x1: &p.X[1][0], x2: &p.X[2][0], y0: &p.Y[0][0], y1: &p.Y[1][0], y2: &p.Y[2][0],
			e0: &p.E[0][0], e1: &p.E[1][0], e2: &p.E[2][0], first: &p.First[0], rows: &p.Rows[0], source: &p.Source[0], payload: &p.Payload[0],
			boxStart: &b.Start[0], boxCount: &b.Count[0], boxBound: &b.E[0], boxPlace: &b.DE[0], boxNumber: &b.Payload[0],
			boxes: int64(b.N), from: int64(from), n: int64(to), kept: int64(kept),
			number: int32(t.First), rowKeys: t.Stride, width: t.Width, mostRows: t.MaxRows,
		}
		loop(&a)
		b.N = int(a.boxes)
		for k := range a.takenRows {
			t.Rows += int64(a.takenRows[k])
			t.Samples += int64(a.takenSamples[k])
		}
		return int(a.kept)
	}
}

// raceTake tells the race detector what the loop of Take reads and writes.
func raceTake(t *Taking, p *array.Polygons, from, to int) {
	if !race.Enabled {
		return
	}
	race.Read(t.Grid.nearness)
	for k := range 3 {
		race.Write(p.X[k][from:to])
		race.Write(p.Y[k][from:to])
		race.Write(p.E[k][from:to])
	}
	race.Write(p.First[from:to])
	race.Write(p.Rows[from:to])
	race.Write(p.Source[from:to])
	race.Write(p.Payload[from:to])
}
