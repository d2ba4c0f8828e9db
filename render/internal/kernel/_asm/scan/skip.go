package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	. "lockstep/render/internal/kernel/_asm/lanes"
)

// skip does several iterations at once, in which no lane emits a span. It is used in groups of tall polygons, after
// an iteration without spans. If there are no such iterations, it jumps to the label none.
//
// The rows of a thin polygon cover a pixel only where an edge has just crossed a column of pixel centres. A steep
// edge stays in its column while its remainder r changes by less than d. If the edge goes to the right, r grows by dr
// per row, and stays below d for floor((d-1-r)/dr) rows. If the edge goes to the left, r falls by d-dr per row, and
// stays at 0 or above for floor(r/(d-dr)) rows. The quotients are computed in float32 and reduced by more than their
// rounding error, so that they are never too large. The remaining rows are done one by one. d is at most 2^31, and r,
// dr and d-1-r are below d. d-dr = 2^31 gives a negative quotient, which is also too small.
//
// All lanes move down by the same number of rows, and stop before the next event of any lane. Therefore iterations,
// tasks, and all decisions that depend on them are the same as without skip.
func (l *loop) skip(none string) {
	l.Comment("How many rows of all lanes are sure to cover nothing?")
	var rows []Vec
	for _, v := range l.vectors {
		rows = append(rows, v.quiet())
	}
	k := l.Fold((*Lanes).MinInt, rows...)
	l.TESTL(k.As32(), k.As32())
	l.JLE(operand.LabelRef(none))
	l.Comment("Go down by as many at once.")
	l.ADDQ(k, l.iterations)
	tasks := l.GP64()
	l.MOVQ(k, tasks)
	l.IMULQ(l.count, tasks)
	l.ADDQ(tasks, l.tasks)
	for _, v := range l.vectors {
		v.downBy(k)
	}
}

// skipAVX2 is skip for AVX2, where the lanes are in two vectors. It first tests whether the last row and the next row
// cover nothing.
func (l *loop) skipAVX2() {
	l.Comment("In a group of tall polygons, after a row that covered nothing, does the next one?")
	l.CMPL(l.Arg("isTall"), operand.Imm(0))
	l.JEQ(operand.LabelRef("oneRow"))
	l.CMPQ(l.n, l.Arg("before"))
	l.MOVQ(l.n, l.Arg("before"))
	l.JNE(operand.LabelRef("oneRow"))
	for _, v := range l.vectors {
		_, _, covers := v.covers(v.lanes())
		bits := l.Bits(covers)
		l.TESTL(bits, bits)
		l.JNZ(operand.LabelRef("oneRow"))
	}
	l.skip("oneRow")
	l.Label("oneRow")
}

// farRows is more rows than any polygon has.
const farRows = 1 << 20

// quiet returns, for each active lane, the number of rows after the current row in which its edges stay in their
// columns. The rows end at the next event. For idle lanes it returns farRows.
func (v *vector) quiet() Vec {
	rows := v.toEvent()
	for _, e := range []edge{v.left, v.right} {
		dx := v.Again(e.dx)
		left := v.Negative(dx)
		d, dr, r := v.Again(e.d), v.Use(e.dr), v.Use(e.r)
		slower := v.SubInt(d, r)
		slower = v.Into(slower).AddInt(slower, v.Constant("minusOne", operand.I32(-1)))
		v.MoveWhere(left, slower, r)
		by := v.SubInt(d, dr)
		by = v.Blend(left, by, v.Again(e.dr))
		stay := v.Div(v.ToFloat(slower), v.ToFloat(by))
		v.Into(stay).Mul(stay, v.Constant("lessThanOne", operand.F32(1-1./(1<<20))))
		v.Into(stay).Min(stay, v.Constant("farRows", operand.F32(farRows)))
		stay = v.Into(stay).Truncate(stay)
		// An edge that is not steep leaves its column with the next row.
		v.MoveWhere(v.Positive(v.Xor(dx, v.ShiftRight(dx, 31)), nil), stay, v.Zero())
		rows = v.MinInt(rows, stay)
	}
	far := v.Broadcast(v.Constant("farRowsWhole", operand.U32(farRows)))
	return v.Blend(v.lanes(), rows, far)
}

// toEvent returns, for each active lane, the number of rows before its next event.
func (v *vector) toEvent() Vec {
	one := v.Constant("one", operand.I32(1))
	if v.N == AVX512 {
		return v.SubInt(v.Again(v.until), one)
	}
	less, turn := v.MinusOne(), v.Again(v.turn)
	rows := v.AddInt(less, v.Use(v.rows))
	sooner := v.MinInt(rows, v.AddInt(less, turn))
	v.MoveWhere(v.GreaterInt(turn, v.Zero(), nil), rows, sooner)
	return rows
}

// downBy moves all lanes down by the given number of rows. No edge leaves its column in these rows.
func (v *vector) downBy(rows reg.GPVirtual) {
	k := v.BroadcastInt(rows)
	for _, e := range []edge{v.left, v.right} {
		dr := v.Again(e.dr)
		by := v.Blend(v.Negative(v.Again(e.dx)), v.SubInt(dr, v.Use(e.d)), dr)
		v.Into(by).MulInt(by, k)
		v.Set(e.r, v.To(e.r).AddInt(by, v.Use(e.r)))
	}
	start := v.MulInt(k, v.either(v.stride, "stride"))
	v.Set(v.rowStart, v.To(v.rowStart).AddInt(start, v.Use(v.rowStart)))
	if v.N == AVX512 {
		v.Set(v.until, v.To(v.until).SubInt(v.Again(v.until), k))
		by := v.WideInt(k, 0)
		v.Into(by).MulWide(by, v.rowHeight)
		for _, y := range v.fromY0 {
			v.Set(y, v.To(y).AddWide(by, v.Use(y)))
		}
		return
	}
	v.Set(v.distance, v.AddInt(v.ShiftLeft(k, v.Go("SubBits")), v.Use(v.distance)))
	v.Set(v.rows, v.SubInt(v.Again(v.rows), k))
	v.Set(v.turn, v.SubInt(v.Again(v.turn), k))
}
