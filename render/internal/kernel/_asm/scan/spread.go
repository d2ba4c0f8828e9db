package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	. "lockstep/render/internal/kernel/_asm/lanes"
)

// spreading is the redistribution of one polygon's rows. Each lane of a vector processes one of several consecutive
// rows. Rows that cover a pixel are set aside: their columns and their number are stored in the memory that will hold
// their spans. In this way the loop over rows never waits for the computation of spans. When the polygon is done, the
// rows that were set aside are converted to spans, in full vectors.
type spreading struct {
	*loop
	lane   reg.GPVirtual // address of the polygon's elements in the vectors of the group's state
	rows   reg.GPVirtual // number of rows left in the piece, which ends at the turn or at the polygon's end
	end    reg.GPVirtual // number of the row after the piece
	from   reg.GPVirtual // first row that was set aside
	within KeptMask      // lanes that still have a row
	x, r   [2]Vec        // crossings of the left and the right edge
	by     [2]edge       // change of the edges from one vector of rows to the next
	number Vec           // numbers of the lanes' rows, counted from the row in the polygon's memory

	spanLoops int // number of loops of spans emitted so far
}

// of returns the memory of the polygon's element in a vector of the group's state.
func (s *spreading) of(m operand.Mem) operand.Mem { return operand.Mem{Base: s.lane, Disp: m.Disp} }

// spread emits the rows of the polygons whose bits are set in the argument spread, one polygon after the other. Then it
// jumps to the label next.
func (l *loop) spread() {
	for _, v := range l.vectors {
		v.pieces()
	}
	s := &spreading{loop: l, lane: l.GP64(), rows: l.GP64(), end: l.GP64(), from: l.GP64()}
	l.Label("polygon")
	l.Comment("The next polygon whose rows are spread over all lanes.")
	l.Forget()
	bits := l.Int("spread")
	l.TESTQ(bits, bits)
	l.JZ(operand.LabelRef("spreadEnd"))
	s.locate(bits)
	s.solve(bits)
	l.MOVQ(l.n, s.from)
	l.XORQ(s.end, s.end)

	l.Label("piece")
	l.Comment("Its rows up to the turn at the middle corner, or from there on: a row a lane.")
	s.begin()
	l.Label("interval")
	l.Comment("As many rows as a vector has lanes.")
	l.CMPQ(l.n, l.Arg("most"))
	l.JG(operand.LabelRef("interruptSpread"))
	l.CMPQ(s.rows, operand.Imm(uint64(l.N)))
	l.JGE(operand.LabelRef("whole"))
	l.TESTQ(s.rows, s.rows)
	l.JZ(operand.LabelRef("pieceEnd"))
	l.Shorten(s.within, s.rows)
	l.Label("whole")
	s.setAside()
	l.CMPQ(s.rows, operand.Imm(uint64(l.N)))
	l.JL(operand.LabelRef("pieceEnd"))
	s.down()
	l.SUBQ(operand.Imm(uint64(l.N)), s.rows)
	l.JMP(operand.LabelRef("interval"))

	l.Label("pieceEnd")
	left := l.GP64()
	l.MOVL(s.of(l.vectors[0].lastPiece), left.As32())
	l.TESTL(left.As32(), left.As32())
	l.JZ(operand.LabelRef("polygonEnd"))
	s.turn(left)
	l.JMP(operand.LabelRef("piece"))

	l.Label("polygonEnd")
	s.spans()
	l.Label("polygonDone")
	l.MOVQ(l.Arg("spread"), left)
	l.BLSRQ(left, left)
	l.MOVQ(left, l.Arg("spread"))
	l.JMP(operand.LabelRef("polygon"))

	l.Label("interruptSpread")
	l.Comment("Too few spans are free: remember the polygon.")
	s.spans()
	s.interrupt()
	l.Label("interruptColumns")
	l.spentSince()
	l.JMP(operand.LabelRef("interrupted"))

	l.Label("spreadEnd")
	spent := l.spentSince()
	l.CMPQ(l.Arg("iterationTicks"), operand.Imm(0))
	l.JEQ(operand.LabelRef("next"))
	l.INCQ(l.Arg("judged"))
	l.CMPQ(spent, l.Arg("atMost"))
	l.JLE(operand.LabelRef("next"))
	l.INCQ(l.Arg("dearer"))
}

// spentSince adds the time since the redistribution started or continued. It returns the whole time of the
// redistribution.
func (l *loop) spentSince() reg.GPVirtual {
	l.Comment("The time of the redistribution.")
	spent := l.now()
	l.SUBQ(l.Arg("began"), spent)
	l.ADDQ(spent, l.Arg("spreadTicks"))
	l.ADDQ(l.Arg("spent"), spent)
	l.MOVQ(spent, l.Arg("spent"))
	return spent
}

// pieces computes the numbers of rows before and after the turn at the middle corner. It saves all values that change
// to memory.
func (v *vector) pieces() {
	v.Comment("Rows to the turn at the middle corner, and from there on.")
	v.Save(v.changing...)
	if v.N == AVX512 {
		v.Store(v.Again(v.until), v.piece)
		v.Store(v.Again(v.rest), v.lastPiece)
		for h, k := range v.fromY0 {
			v.StoreWideInt(v.Again(k), v.rowDistance.Offset(h*v.Bytes()/2))
		}
		return
	}
	rows, turn := v.Again(v.rows), v.Again(v.turn)
	ahead := v.Positive(turn, nil)
	ahead = v.GreaterInt(rows, turn, &ahead)
	piece := v.Blend(ahead, turn, rows)
	v.Store(piece, v.piece)
	v.Store(v.SubInt(rows, piece), v.lastPiece)
	v.Store(v.Again(v.distance), v.rowDistance)
}

// locate finds the lane of the lowest bit. It copies the lane's plane of nearness and the lane's bit of turnsLeft to
// plane, because these values do not have 32 bits in every instruction set.
func (s *spreading) locate(bits reg.GPVirtual) {
	v, number := s.vectors[0], s.GP64()
	s.TZCNTQ(bits, number)
	s.MOVQ(s.Arg("state"), s.lane)
	if s.N == AVX2 {
		half := s.GP64()
		s.MOVQ(number, half)
		s.ANDQ(operand.Imm(uint64(s.N-1)), number)
		s.SHRQ(operand.Imm(uint64(log2(s.N))), half)
		s.IMUL3Q(operand.U32(s.vectorBytes), half, half)
		s.ADDQ(half, s.lane)
	}
	s.LEAQ(operand.Mem{Base: s.lane, Index: number, Scale: 4}, s.lane)
	element := s.GP64()
	for i, m := range []operand.Mem{v.gx[0], v.gy[0], v.e0[0]} {
		s.MOVQ(operand.Mem{Base: s.lane, Index: number, Scale: 4, Disp: m.Disp}, element)
		s.MOVQ(element, s.plane.Offset(8*i))
	}
	if s.N == AVX512 {
		s.MOVL(v.turnsLeft, element.As32())
		s.BTL(number.As32(), element.As32())
		s.SBBL(element.As32(), element.As32())
	} else {
		s.MOVL(s.of(v.turnsLeft), element.As32())
	}
	s.MOVL(element.As32(), s.plane.Offset(24))
}

// begin prepares the lanes for the rows of a piece.
func (s *spreading) begin() {
	s.Forget()
	v := s.vectors[0]
	s.MOVLQSX(s.of(v.piece), s.rows)
	s.within = s.NewTail()
	if s.number == nil {
		s.x, s.r, s.number = [2]Vec{s.Vec(), s.Vec()}, [2]Vec{s.Vec(), s.Vec()}, s.Vec()
	}
	for i, e := range []edge{v.left, v.right} {
		s.spreadEdge(i, e)
	}
	s.Into(s.number).AddInt(s.BroadcastInt(s.end), s.Iota())
	s.ADDQ(s.rows, s.end)
}

// spreadEdge moves the edge in each lane down by as many rows as the number of the lane. It moves the edge by one row
// if the lowest bit of the number is set, by two rows if the next bit is set, and so on. The change of the edge
// doubles from bit to bit. At the end it is the change for a whole vector of rows.
func (s *spreading) spreadEdge(i int, e edge) {
	of := func(k Kept) Vec { return s.Broadcast(Scalar{Mem: s.of(k.Home())}) }
	x, r := s.x[i], s.r[i]
	s.Into(x).Broadcast(Scalar{Mem: s.of(e.x.Home())})
	s.Into(r).Broadcast(Scalar{Mem: s.of(e.r.Home())})
	dx, dr, d := of(e.dx), of(e.dr), of(e.d)
	for bit := 1; bit < s.N; bit *= 2 {
		some := s.bitTable(bit)
		s.Into(x).AddInt(x, s.And(dx, some))
		s.Into(r).AddInt(r, s.And(dr, some))
		s.carry(x, r, d)
		s.Into(dx).AddInt(dx, dx)
		s.Into(dr).AddInt(dr, dr)
		s.carry(dx, dr, d)
	}
	s.by[i] = edge{dx: s.Keep(dx), dr: s.Keep(dr), d: s.Keep(d)}
}

// carry reduces r below d. It adds 1 to x where r was not below d.
func (s *spreading) carry(x, r Vec, d Operand) {
	over := s.AtLeastUnsigned(r, d)
	s.SubWhere(over, r, d)
	s.AddOneWhere(over, x)
}

// bitTable returns a table. All bits of a lane are set if the number of the lane has the given bit.
func (s *spreading) bitTable(bit int) operand.Mem {
	var table []operand.Constant
	for i := range AVX512 {
		c := operand.I32(0)
		if i&bit != 0 {
			c = operand.I32(-1)
		}
		table = append(table, c)
	}
	return s.Table([]string{1: "bit0", 2: "bit1", 4: "bit2", 8: "bit3"}[bit], table...)
}

// down moves the edges in all lanes down by as many rows as a vector has lanes.
func (s *spreading) down() {
	s.Comment("Down by a vector of rows.")
	for i, by := range s.by {
		x, r := s.x[i], s.r[i]
		s.Into(x).AddInt(x, s.Use(by.dx))
		s.Into(r).AddInt(r, s.Use(by.dr))
		s.carry(x, r, s.Use(by.d))
	}
	s.Into(s.number).AddInt(s.number, s.Constant(fmt.Sprint("rows", s.N), operand.U32(s.N)))
}

// columnBits is the number of bits of a column. A picture is at most 1<<15 wide, and 1<<15 itself only occurs as the
// end of a span.
const columnBits = 16

// setAside sets aside the rows that cover a pixel. It has no branch for the case without such rows. This branch would
// be hard to predict, and a wrong prediction takes as long as an unnecessary store.
func (s *spreading) setAside() {
	x := s.MaxInt(s.vectors[0].zeros(), s.x[0])
	end := s.MinInt(s.either(s.width, "width"), s.x[1])
	within := s.Mask(s.within)
	covers := s.GreaterInt(end, x, &within)
	bits := s.Bits(covers)
	s.Comment("Set rows that cover a pixel aside.")
	s.Into(x).ShiftLeft(x, columnBits)
	s.Into(x).AddInt(x, end)
	packing := s.PackingOf(s.numbers, covers, bits)
	s.Store(s.Pack(packing, x), s.At("start", s.n))
	s.Store(s.Pack(packing, s.number), s.At("count", s.n))
	s.POPCNTL(bits, bits)
	s.ADDQ(bits.As64(), s.n)
}

// spans converts the rows that were set aside to spans.
func (s *spreading) spans() {
	s.spanLoops++
	again, done := fmt.Sprint("spans", s.spanLoops), fmt.Sprint("spansDone", s.spanLoops)
	s.Comment("Spans of the rows set aside.")
	v := s.vectors[0]
	held := func(m operand.Mem) func() Vec { return s.hold(func() Vec { return s.Broadcast(Scalar{Mem: m}) }) }
	wide := func(i int) func() Vec {
		return s.hold(func() Vec { return s.BroadcastWide(WideScalar{Mem: s.plane.Offset(8 * i)}) })
	}
	s.CMPQ(s.from, s.n)
	s.JGE(operand.LabelRef(done))
	stride, rowStart, fromY0 := held(s.Arg("stride")), held(s.of(v.rowStart.Home())), held(s.of(v.rowDistance))
	fromX0, de, payload := held(s.of(v.fromX0)), held(s.of(v.de)), held(s.of(v.payload))
	gx, gy, e0 := wide(0), wide(1), wide(2)
	column := func(name string) operand.Mem { return s.At(name, s.from) }
	s.Label(again)
	x, number := s.Load(column("start")), s.Load(column("count"))
	end := s.And(x, s.Constant("columnMask", operand.U32(1<<columnBits-1)))
	s.Into(x).ShiftRight(x, columnBits)
	s.Store(s.SubInt(end, x), column("count"))
	start := s.MulInt(number, stride())
	s.Into(start).AddInt(start, rowStart())
	s.Store(s.Into(start).AddInt(start, x), column("start"))
	s.Into(x).ShiftLeft(x, s.Go("SubBits"))
	s.Into(x).AddInt(x, fromX0())
	s.Into(number).ShiftLeft(number, s.Go("SubBits"))
	s.Into(number).AddInt(number, fromY0())
	var e Halves
	for h := range e {
		e[h] = s.WideInt(x, h)
		s.Into(e[h]).MulWide(e[h], gx())
		ey := s.WideInt(number, h)
		s.Into(ey).MulWide(ey, gy())
		s.Into(e[h]).AddWide(e[h], e0())
		s.Into(e[h]).AddWide(e[h], ey)
	}
	s.Store(s.NarrowWide(e), column("e"))
	s.Store(de(), column("de"))
	s.Store(payload(), column("spanPayload"))
	s.ADDQ(operand.Imm(uint64(s.N)), s.from)
	s.CMPQ(s.from, s.n)
	s.JL(operand.LabelRef(again))
	s.Label(done)
}

// hold returns a function for use in a loop. The function returns the vector that make emits. With AVX-512, hold
// calls make once, before the loop, and the vector stays in a register. With AVX2, which has fewer registers, every
// use calls make.
func (s *spreading) hold(make func() Vec) func() Vec {
	if s.N == AVX2 {
		return make
	}
	v := make()
	return func() Vec { return v }
}

// turn starts the last piece: the lower edge replaces the short side.
func (s *spreading) turn(left reg.GPVirtual) {
	s.Comment("At the middle corner the lower edge replaces the short side.")
	s.writeBack(s.rows)
	v := s.vectors[0]
	s.MOVL(left.As32(), s.of(v.piece))
	s.XORL(left.As32(), left.As32())
	s.MOVL(left.As32(), s.of(v.lastPiece))
	side, right := s.GP64(), s.GP64()
	s.LEAQ(s.of(v.left.x.Home()), right)
	s.CMPL(s.plane.Offset(24), operand.Imm(0))
	s.LEAQ(s.of(v.right.x.Home()), side)
	s.CMOVQNE(right, side)
	from := v.other.columns()
	for c, k := range v.left.columns() {
		s.MOVL(s.of(from[c].Home()), right.As32())
		s.MOVL(right.As32(), operand.Mem{Base: side, Disp: k.Home().Disp - v.left.x.Home().Disp})
	}
}

// writeBack sets the edges in the polygon's memory to those of one lane. The parameter rows is the number of that lane.
func (s *spreading) writeBack(rows reg.GPVirtual) {
	v := s.vectors[0]
	to := []operand.Mem{v.left.x.Home(), v.left.r.Home(), v.right.x.Home(), v.right.r.Home()}
	element := s.GP64()
	for i, from := range []Vec{s.x[0], s.r[0], s.x[1], s.r[1]} {
		s.Store(from, s.scratch[i])
	}
	for i, m := range to {
		from := s.scratch[i]
		from.Index, from.Scale = rows, 4
		s.MOVL(from, element.As32())
		s.MOVL(element.As32(), s.of(m))
	}
}

// interrupt sets the polygon's memory to its next row, at which a later call continues.
func (s *spreading) interrupt() {
	v := s.vectors[0]
	s.MOVL(s.rows.As32(), s.of(v.piece))
	s.SUBQ(s.rows, s.end)
	first := s.GP64()
	s.XORQ(first, first)
	s.writeBack(first)
	s.MOVQ(s.end, first)
	s.IMULQ(s.Arg("stride"), first)
	s.ADDL(first.As32(), s.of(v.rowStart.Home()))
	s.SHLQ(operand.Imm(uint64(s.Go("SubBits"))), s.end)
	s.ADDL(s.end.As32(), s.of(v.rowDistance))
}
