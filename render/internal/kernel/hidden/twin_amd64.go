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
		return &Loops{cells(cellsAVX512), leastOf(leastAVX512), visible(visibleAVX512)}
	case isa.AVX2:
		return &Loops{cells(cellsAVX2), leastOf(leastAVX2), visible(visibleAVX2)}
	}
	return &Loops{Cells, least, (*Table).Visible}
}

// batch is the largest number of columns of samples that one call of the assembly loop handles, because the call cannot
// be preempted.
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
		least(a[n:], b[n:], to[n:])
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
		race.Read(t.near)
		race.Read(boxes.Count[:n])
		race.Read(boxes.E[:n])
		race.Read(boxes.DE[:n])
		a := hiddenArgs{
			near: &t.near[0], line: int32(t.line), last: int32(len(t.near) - 1), n: int64(n), count: &boxes.Count[0], bound: &boxes.E[0],
			place: &boxes.DE[0], to: &to[0],
		}
		loop(&a)
		race.Write(to[:a.found])
		return int(a.found)
	}
}
