package main

import (
	"github.com/mmcloughlin/avo/operand"

	. "lockstep/render/internal/kernel/_asm/lanes"
)

// nearnessOfColumns returns the nearness at the centre of each lane's column, in the row of corner 0.
func (v *solving) nearnessOfColumns(columns Vec) (e wides) {
	eight, first := v.eight, v.vectors[0]
	x := eight.ShiftLeft(columns, v.Go("SubBits"))
	x = eight.Into(x).AddInt(x, Scalar{Mem: v.of(first.fromX0)})
	for _, w := range v.widen(x) {
		v.Into(w).MulWide(w, WideScalar{Mem: v.plane})
		e = append(e, v.Into(w).AddWide(w, WideScalar{Mem: v.plane.Offset(16)}))
	}
	return e
}

// shortRuns emits the spans of rows lo to hi (exclusive) of the columns. It processes one row of every column at a
// time.
func (v *solving) shortRuns(lo, hi, columns Vec, e wides) {
	v.Comment("A row of every column at a time.")
	eight, first := v.eight, v.vectors[0]
	constant := func(m operand.Mem) func() Vec {
		return v.hold(func() Vec { return eight.Broadcast(Scalar{Mem: m}) })
	}
	wide := func(m operand.Mem) func() Vec {
		return v.hold(func() Vec { return v.BroadcastWide(WideScalar{Mem: m}) })
	}
	stride, de, payload := constant(v.Arg("stride")), constant(v.of(first.de)), constant(v.of(first.payload))
	one := constant(v.Constant("one", operand.U32(1)).Mem)
	gy, rowHeight := wide(v.plane.Offset(8)), wide(v.rowHeights().Mem)
	start := eight.MulInt(lo, stride())
	eight.Into(start).AddInt(start, columns)
	y := eight.ShiftLeft(lo, v.Go("SubBits"))
	eight.Into(y).AddInt(y, Scalar{Mem: v.word(atFromY)})
	fromY := v.widen(y)
	row, numbers := lo, Vec(nil)
	if v.N == AVX512 {
		numbers = eight.Numbers()
	}

	v.Label("shortRow")
	some := eight.GreaterInt(hi, row, nil)
	bits := eight.Bits(some)
	v.TESTL(bits, bits)
	v.JZ(operand.LabelRef("columnsDone"))
	packing := eight.PackingOf(numbers, some, bits)
	var nearness wides
	for h := range fromY {
		w := v.MulWide(fromY[h], gy())
		nearness = append(nearness, v.Into(w).AddWide(w, e[h]))
	}
	put := func(column string, a Vec) { v.VMOVUPS(a, v.At(column, v.n)) }
	put("start", eight.Pack(packing, start))
	put("count", one())
	put("e", eight.Pack(packing, v.round(nearness)))
	put("de", de())
	put("spanPayload", payload())
	v.POPCNTL(bits, bits)
	v.ADDQ(bits.As64(), v.n)
	eight.Into(row).AddInt(row, one())
	eight.Into(start).AddInt(start, stride())
	for _, w := range fromY {
		v.Into(w).AddWide(w, rowHeight())
	}
	v.JMP(operand.LabelRef("shortRow"))
}

// longRuns emits the spans of rows lo to hi (exclusive) of the columns, one column after the other.
func (v *solving) longRuns(lo, hi Vec, e wides) {
	v.Comment("All rows of a column at a time.")
	eight, first := v.eight, v.vectors[0]
	v.VMOVDQU(lo, v.word(atLo))
	v.VMOVDQU(hi, v.word(atHi))
	for h, w := range e {
		v.VMOVUPD(w, v.word(atE).Offset(h*v.Bytes()))
	}
	bits := eight.Bits(eight.GreaterInt(hi, lo, nil))
	constant := func(m operand.Mem) Vec { return v.Broadcast(Scalar{Mem: m}) }
	stride, numbers := constant(v.Arg("stride")), v.Vec()
	v.VMOVUPS(v.Iota(), numbers)
	starts := v.MulInt(stride, numbers)
	v.Into(stride).ShiftLeft(stride, log2(v.N))
	v.Into(numbers).ShiftLeft(numbers, v.Go("SubBits"))
	de, payload := constant(v.of(first.de)), constant(v.of(first.payload))
	one := constant(v.Constant("one", operand.U32(1)).Mem)
	wide := func(m operand.Mem) func() Vec {
		return v.hold(func() Vec { return v.BroadcastWide(WideScalar{Mem: m}) })
	}
	gy, below := wide(v.plane.Offset(8)), wide(v.WideConstant("vectorHeight"+suffix(v.N), float64(v.N*v.Go("Sub"))).Mem)

	v.Label("longRun")
	v.TESTL(bits, bits)
	v.JZ(operand.LabelRef("columnsDone"))
	lane, row, rows := v.GP64(), v.GP64(), v.GP64()
	v.TZCNTL(bits, lane.As32())
	v.BLSRL(bits, bits)
	element := func(at int) operand.Mem {
		m := v.word(at)
		m.Index, m.Scale = lane, 4
		return m
	}
	v.MOVLQSX(element(atLo), row)
	v.MOVLQSX(element(atHi), rows)
	v.SUBQ(row, rows)
	from := element(atE)
	from.Scale = 8
	nearness := v.hold(func() Vec { return v.BroadcastWide(WideScalar{Mem: from}) })
	if v.N == AVX2 {
		kept := v.BroadcastWide(WideScalar{Mem: from})
		nearness = func() Vec { return kept }
	}
	y := v.GP64()
	v.MOVQ(row, y)
	v.SHLQ(operand.Imm(uint64(v.Go("SubBits"))), y)
	v.ADDL(v.word(atFromY), y.As32())
	fromRow := v.BroadcastInt(y)
	v.Into(fromRow).AddInt(fromRow, numbers)
	fromY := Halves{v.WideInt(fromRow, 0), v.WideInt(fromRow, 1)}
	v.IMULQ(v.Arg("stride"), row)
	v.ADDQ(v.column, row)
	v.ADDQ(lane, row)
	start := v.BroadcastInt(row)
	v.Into(start).AddInt(start, starts)

	v.Label("longRows")
	var at Halves
	for h := range at {
		at[h] = v.MulWide(fromY[h], gy())
		v.Into(at[h]).AddWide(at[h], nearness())
	}
	v.Store(start, v.At("start", v.n))
	v.Store(one, v.At("count", v.n))
	v.Store(v.NarrowWide(at), v.At("e", v.n))
	v.Store(de, v.At("de", v.n))
	v.Store(payload, v.At("spanPayload", v.n))
	v.Into(start).AddInt(start, stride)
	for _, w := range fromY {
		v.Into(w).AddWide(w, below())
	}
	v.ADDQ(operand.Imm(uint64(v.N)), v.n)
	v.SUBQ(operand.Imm(uint64(v.N)), rows)
	v.JG(operand.LabelRef("longRows"))
	v.ADDQ(rows, v.n)
	v.JMP(operand.LabelRef("longRun"))
}
