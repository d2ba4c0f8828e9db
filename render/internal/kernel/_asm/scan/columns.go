package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	. "lockstep/render/internal/kernel/_asm/lanes"
)

// solving is the redistribution of a polygon that is nowhere wider than a pixel and crosses few columns, so that it
// covers a pixel only in few of its rows. Each of eight lanes has one column of pixels and computes the rows in which
// the polygon covers it; only these rows become spans. If these intervals of rows are long, all lanes then do the rows
// of one column; otherwise every lane does those of its own column.
//
// A pixel is covered if its centre lies right of a left edge or on it, and left of every right edge. Let an edge go
// from corner (ax, ay) to the right by dx and down by dy. In the column with centre xc, it lies N/D rows below the
// centre of row 0, with N = (ay-Half)*dx + (xc-ax)*dy and D = Sub*dx.
//
// An edge above the polygon's inside gives the first row that is covered, and an edge below it the row after the last:
//
//	above, going up (a left edge):      first row          = ceil(N/D)
//	above, going down (a right edge):   first row          = floor(N/D) + 1
//	below, going up (a right edge):     row after the last = ceil(N/D)
//	below, going down (a left edge):    row after the last = floor(N/D) + 1
//
// All of these are floor(M/D), with M = N + D - 1 if the edge goes up, and M = N + D if it goes down. A level edge
// counts as going up: ceil(N/D) is then array.FirstCenter of its height, to which rows are limited anyway.
//
// M stays below 2^49 and D is at most 2^31, so M and M+1/2 are exact in float64. Let Q be (M+1/2)/D. Q has the same
// floor as M/D, and is at least 2^-32 away from a whole number. In a row of the picture, Q is below 2^15. The roundings
// of 1/D and of its product with M+1/2 move Q by less than 2^-36, so the floor of Q is exact. Outside the picture, Q is
// limited to the rows that are wanted. A vertical edge has D = 0 and does not bound the rows of the columns between its
// polygon's corners. Q is then an infinity with the sign that sets no limit.
//
// All three edges bound the rows of all columns, because a triangle is the intersection of half-planes.
type solving struct {
	*spreading
	eight  *Lanes        // emits vectors of eight lanes: half of an AVX-512 vector, or an AVX2 vector
	at     reg.GPVirtual // index of the polygon
	column reg.GPVirtual // first column of the lanes
}

// columnLanes is the number of columns that are processed together.
const columnLanes = AVX2

// Offsets in bytes of a polygon's scratch memory in the group's state.
const (
	atBase   = 0  // for each of three edges, float64: M+1/2 in a column whose centre is 0
	atSlope  = 32 // dy
	atPer    = 64 // 1/D
	atLo     = 96 // first row and row after the last, for each lane
	atHi     = 128
	atE      = 160 // eight float64: nearness at the column's centre, in the row of corner 0
	atFirst  = 224 // float64: first row wanted, and the row after the last
	atEnd    = 232
	atColumn = 240 // column after the last column, int32
	atUpper  = 244 // -1 if the long edge is the upper one
	atFromY  = 248 // Half - y of corner 0
	atLong   = 252 // not 0 if intervals of rows are long
	atBytes  = 256
)

// solve emits the rows of one polygon, whose bit is the lowest in bits, and jumps to polygonDone. If the spans do not
// fit into the span array, it jumps to interruptColumns. It does nothing if the polygon is too wide or too flat, see
// steepness.
func (s *spreading) solve(bits reg.GPVirtual) {
	v := &solving{spreading: s, eight: s.Half(), at: s.GP64()}
	s.TZCNTQ(bits, v.at)
	s.ADDQ(s.Arg("group"), v.at)
	v.corners()
	v.band()
	s.Label("columns")
	s.Comment("Solve for the rows of eight columns.")
	lo, hi, columns := v.rowsOfColumns()
	fromX := v.nearnessOfColumns(columns)
	s.CMPL(v.word(atLong), operand.Imm(0))
	s.JNE(operand.LabelRef("longRuns"))
	v.shortRuns(lo, hi, columns, fromX)
	s.JMP(operand.LabelRef("columnsDone"))
	s.Label("longRuns")
	v.longRuns(lo, hi, fromX)
	s.Label("columnsDone")
	s.ADDQ(operand.Imm(columnLanes), v.column)
	s.CMPL(v.column.As32(), v.word(atColumn))
	s.JLT(operand.LabelRef("columns"))
	v.bandDone()
	s.Label("notSolved")
}

// word returns the memory of a number in the scratch.
func (v *solving) word(at int) operand.Mem { return v.columnScratch.Offset(at) }

// corners loads the corners and prepares the edges. It jumps to notSolved if the polygon is too wide or too flat.
func (v *solving) corners() {
	v.Comment("The corners, x above y, from left to right.")
	var corner [3]reg.GPVirtual
	for k := range corner {
		load := func(column string) reg.GPVirtual {
			r := v.Int(fmt.Sprint(column, k))
			v.MOVL(operand.Mem{Base: r, Index: v.at, Scale: 4}, r.As32())
			return r
		}
		y := load("y")
		if k == 0 {
			half := v.GP32()
			v.MOVL(operand.U32(v.Go("Half")), half)
			v.SUBL(y.As32(), half)
			v.MOVL(half, v.word(atFromY))
		}
		corner[k] = load("x")
		v.SHLQ(operand.Imm(32), corner[k])
		v.ORQ(y, corner[k])
	}
	for _, k := range [][2]int{{0, 1}, {1, 2}, {0, 1}} {
		a, b, t := corner[k[0]], corner[k[1]], v.GP64()
		v.MOVQ(a, t)
		v.CMPQ(b, a)
		v.CMOVQLT(b, a)
		v.CMOVQLT(t, b)
	}
	v.edgesOfColumns(corner)

	v.Comment("The columns that it crosses. Without one it covers no pixel.")
	v.column = v.GP64()
	columns, zero := v.GP64(), v.zeroed()
	v.firstCenter(corner[0], v.column)
	v.TESTQ(v.column, v.column)
	v.CMOVQLT(zero, v.column)
	v.firstCenter(corner[2], columns)
	v.CMPQ(columns, v.Arg("width"))
	v.CMOVQGT(v.Arg("width"), columns)
	v.MOVL(columns.As32(), v.word(atColumn))
	v.SUBQ(v.column, columns)
	v.JLE(operand.LabelRef("polygonDone"))

	v.Comment("Is it narrow enough, and steep enough, to be solved?")
	v.SHLQ(operand.Imm(uint64(log2(steepness))), columns)
	v.CMPQ(columns, v.rowsOfPolygon())
	v.JG(operand.LabelRef("notSolved"))
	area, height := v.area(corner)
	v.SHLQ(operand.Imm(uint64(v.Go("SubBits"))), height)
	v.CMPQ(area, height)
	v.JG(operand.LabelRef("notSolved"))

	v.Comment("Are its intervals of rows longer than as many columns as there are at a time?")
	most, long := v.GP64(), v.zeroed()
	v.MOVQ(operand.U32(columnLanes*steepness), most)
	v.CMPQ(columns, most)
	v.CMOVQLT(columns, most)
	v.IMULQ(columns, most)
	v.SHLQ(operand.Imm(uint64(log2(columnLanes)+2*v.Go("SubBits")+1-2*log2(steepness))), most)
	v.CMPQ(area, most)
	v.SETGT(long.As8())
	v.MOVL(long.As32(), v.word(atLong))
}

// steepness is the least number of rows per column for which the rows of a polygon are computed by columns. With
// fewer rows, the loop over rows is as fast.
const steepness = 8

// zeroed returns a register with 0.
func (v *solving) zeroed() reg.GPVirtual {
	r := v.GP64()
	v.XORQ(r, r)
	return r
}

// firstCenter emits the code of array.FirstCenter for x of a corner, which is the upper half of the corner.
func (v *solving) firstCenter(corner, column reg.GPVirtual) {
	v.MOVQ(corner, column)
	v.SARQ(operand.Imm(32), column)
	v.ADDQ(operand.Imm(uint64(v.Go("Half")-1)), column)
	v.SARQ(operand.Imm(uint64(v.Go("SubBits"))), column)
}

// area returns twice the polygon's area and its height in subpixels. It stores at atUpper whether the long edge is the
// upper one.
func (v *solving) area(corner [3]reg.GPVirtual) (area, height reg.GPVirtual) {
	var x [3]reg.GPVirtual
	y := corner
	for k, c := range corner {
		x[k] = v.GP64()
		v.MOVQ(c, x[k])
		v.SARQ(operand.Imm(32), x[k])
		v.MOVLQSX(c.As32(), y[k])
	}
	for k := 1; k < 3; k++ {
		v.SUBQ(x[0], x[k])
		v.SUBQ(y[0], y[k])
	}
	height = v.zeroed()
	top := v.zeroed()
	for k := 1; k < 3; k++ {
		v.CMPQ(y[k], top)
		v.CMOVQLT(y[k], top)
		v.CMPQ(y[k], height)
		v.CMOVQGT(y[k], height)
	}
	v.SUBQ(top, height)
	area = x[1]
	v.IMULQ(y[2], area)
	v.IMULQ(x[2], y[1])
	v.SUBQ(y[1], area)
	// If the area is negative, the middle corner is below the long edge.
	upper, negative := x[0], x[2]
	v.MOVQ(area, upper)
	v.SARQ(operand.Imm(63), upper)
	v.MOVL(upper.As32(), v.word(atUpper))
	v.MOVQ(area, negative)
	v.NEGQ(negative)
	v.CMOVQGT(negative, area)
	return area, height
}

// rowsOfPolygon returns the number of rows that the polygon had left at the start of its redistribution.
func (v *solving) rowsOfPolygon() reg.GPVirtual {
	rows, last := v.GP64(), v.GP64()
	v.MOVL(v.of(v.vectors[0].piece), rows.As32())
	v.MOVL(v.of(v.vectors[0].lastPiece), last.As32())
	v.ADDQ(last, rows)
	return rows
}

// edgesOfColumns stores atBase, atSlope and atPer for the long edge and the left and the right short edge, as vectors
// of four float64.
func (v *solving) edgesOfColumns(corner [3]reg.GPVirtual) {
	v.Comment("The long edge, the left and the right short one.")
	left, right, all := v.XMM(), v.XMM(), v.YMM()
	v.VMOVQ(corner[0], left)
	v.VPINSRQ(operand.Imm(1), corner[1], left, left)
	v.VMOVQ(corner[2], right)
	v.join(left, right, all)
	var x, y [2]reg.VecVirtual
	for i, order := range [][]int{{1, 1, 3, 1, 0, 0, 2, 0}, {5, 3, 5, 5, 4, 2, 4, 4}} { // x, then y
		var table []operand.Constant
		for _, n := range order {
			table = append(table, operand.U32(n))
		}
		both, high := v.YMM(), v.XMM()
		v.VMOVDQU(v.Table([]string{"edgesFrom", "edgesTo"}[i], table...), both)
		v.VPERMD(all, both, both)
		x[i], y[i] = v.YMM(), v.YMM()
		if v.N == AVX512 {
			v.VEXTRACTI32X4(operand.Imm(1), both, high)
		} else {
			v.VEXTRACTI128(operand.Imm(1), both, high)
		}
		v.VCVTDQ2PD(both.AsX(), x[i])
		v.VCVTDQ2PD(high, y[i])
	}
	of := func(name string, x float64) reg.VecVirtual {
		c := v.YMM()
		v.VBROADCASTSD(v.WideConstant(name, x).Mem, c)
		return c
	}
	one := of("oneWide", 1)
	v.VSUBPD(x[0], x[1], x[1]) // dx
	v.VSUBPD(y[0], y[1], y[1]) // dy
	v.VMOVUPD(y[1], v.word(atSlope))
	d, base, t := v.YMM(), v.YMM(), v.YMM()
	v.VMULPD(of("rowHeight", float64(v.Go("Sub"))), x[1], d)
	v.VSUBPD(of("halfWide", float64(v.Go("Half"))), y[0], base)
	v.VMULPD(x[1], base, base)
	v.VMULPD(y[1], x[0], t)
	v.VSUBPD(t, base, base)
	v.VADDPD(d, base, base)
	v.VSUBPD(of("halfOne", 0.5), base, base)
	// M is 1 more if the edge goes down.
	v.VMAXPD(of("zeroWide", 0), y[1], t)
	v.VMINPD(one, t, t)
	v.VADDPD(t, base, base)
	v.VMOVUPD(base, v.word(atBase))
	v.VDIVPD(d, one, d)
	v.VMOVUPD(d, v.word(atPer))
}

// join joins two halves to a vector of 256 bits.
func (v *solving) join(low, high, both reg.VecVirtual) {
	if v.N == AVX512 {
		v.VINSERTI32X4(operand.Imm(1), high, low.AsY(), both)
	} else {
		v.VINSERTI128(operand.Imm(1), high, low.AsY(), both)
	}
}

// band stores the range of rows that are computed next. It is the remaining rows of the polygon, limited by the free
// space for spans. If there is no free space, band jumps to interruptColumns.
func (v *solving) band() {
	v.Comment("The rows to be solved for: those left, as many as spans are free.")
	room, rows, first := v.Int("most"), v.rowsOfPolygon(), v.GP64()
	v.SUBQ(v.Arg("solvedRows"), rows)
	v.SUBQ(v.n, room)
	v.INCQ(room)
	v.JLE(operand.LabelRef("interruptColumns"))
	v.CMPQ(rows, room)
	v.CMOVQGT(room, rows)
	v.ADDQ(rows, v.Arg("solvedRows"))
	v.MOVLQSX(v.of(v.vectors[0].rowDistance), first)
	fromY := v.GP64()
	v.MOVLQSX(v.word(atFromY), fromY)
	v.SUBQ(fromY, first)
	v.SARQ(operand.Imm(uint64(v.Go("SubBits"))), first)
	v.ADDQ(v.Arg("solvedRows"), first)
	v.MOVL(first.As32(), v.word(atFirst+4))
	v.SUBQ(rows, first)
	v.MOVL(first.As32(), v.word(atFirst))
	both := v.XMM()
	v.VCVTDQ2PD(v.word(atFirst), both)
	v.VMOVUPD(both, v.word(atFirst))
}

// bandDone jumps to polygonDone if no row is left, otherwise to interruptColumns.
func (v *solving) bandDone() {
	rows := v.rowsOfPolygon()
	v.CMPQ(rows, v.Arg("solvedRows"))
	v.JNE(operand.LabelRef("interruptColumns"))
	v.MOVQ(operand.I32(0), v.Arg("solvedRows"))
	v.JMP(operand.LabelRef("polygonDone"))
}

// wides is eight float64: one vector of AVX-512, or two of AVX2.
type wides []Vec

// widen converts eight lanes to float64.
func (v *solving) widen(a Vec) wides {
	if v.N == AVX512 {
		w := v.ZMM()
		v.VCVTDQ2PD(a, w)
		return wides{w}
	}
	return wides{v.WideInt(a, 0), v.WideInt(a, 1)}
}

// truncate converts wides to int32, rounding towards 0.
func (v *solving) truncate(w wides) Vec {
	a := v.YMM()
	if v.N == AVX512 {
		v.VCVTTPD2DQ(w[0], a)
		return a
	}
	low, high := v.XMM(), v.XMM()
	v.VCVTTPD2DQY(w[0], low)
	v.VCVTTPD2DQY(w[1], high)
	v.join(low, high, a)
	return a
}

// round converts wides to float32.
func (v *solving) round(w wides) Vec {
	a := v.YMM()
	if v.N == AVX512 {
		v.VCVTPD2PS(w[0], a)
		return a
	}
	low, high := v.XMM(), v.XMM()
	v.VCVTPD2PSY(w[0], low)
	v.VCVTPD2PSY(w[1], high)
	v.join(low, high, a)
	return a
}

// rowsOfColumns returns the columns of the lanes. lo and hi (exclusive) are the rows that the polygon covers in each
// column. If it covers no row, hi <= lo.
func (v *solving) rowsOfColumns() (lo, hi, columns Vec) {
	e := v.eight
	columns = e.AddInt(e.BroadcastInt(v.column), e.Iota())
	x := e.ShiftLeft(columns, v.Go("SubBits"))
	x = e.Into(x).AddInt(x, e.Constant("half", operand.U32(v.Go("Half"))))
	centers := v.widen(x)
	scalar := func(at int) WideScalar { return WideScalar{Mem: v.word(at)} }
	var rows [3]Vec
	for i := range rows {
		var m wides
		for _, c := range centers {
			w := v.MulWide(c, scalar(atSlope+8*i))
			v.Into(w).AddWide(w, scalar(atBase+8*i))
			v.Into(w).MulWide(w, scalar(atPer+8*i))
			v.Into(w).MaxWide(w, scalar(atFirst))
			m = append(m, v.Into(w).MinWide(w, scalar(atEnd)))
		}
		rows[i] = v.truncate(m)
	}
	upper := v.upper()
	lo = e.Blend(upper, rows[0], e.MaxInt(rows[1], rows[2]))
	hi = e.Blend(upper, e.MinInt(rows[1], rows[2]), rows[0])
	within := e.GreaterInt(e.Broadcast(Scalar{Mem: v.word(atColumn)}), columns, nil)
	return lo, e.Blend(within, hi, e.Zero()), columns
}

// upper returns a mask. It selects all lanes if the long edge is the upper edge, otherwise no lane.
func (v *solving) upper() Mask {
	if v.N == AVX512 {
		return v.LoadMask(v.word(atUpper))
	}
	return MaskOf(v.Broadcast(Scalar{Mem: v.word(atUpper)}))
}

func suffix(lanes int) string { return map[int]string{AVX2: "8", AVX512: "16"}[lanes] }
