package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	. "lockstep/render/internal/kernel/_asm/lanes"
)

// spreading is the redistribution of one polygon's rows: in an iteration every lane of a
// vector emits another row, in order. Rows that cover a pixel queue up until they fill a
// vector, and only then their nearness is computed.
type spreading struct {
	*loop
	lane      reg.GPVirtual // where the polygon's lane has its element of a vector
	rows      reg.GPVirtual // left of the piece
	queued    reg.GPVirtual
	within    KeptMask // lanes that have a row
	x, r      [2]Vec   // of the left and the right edge
	by        [2]edge  // by which they change from one vector of rows to the next
	rowStart  Vec
	fromY     Vec
	rowsStart Kept // by which rowStart changes
}

// of is the lane's element in a vector of the group's state.
func (s *spreading) of(m operand.Mem) operand.Mem { return operand.Mem{Base: s.lane, Disp: m.Disp} }

// spread emits the rows of the polygons that the argument spread names, one after the
// other. It goes to next at their end.
func (l *loop) spread() {
	began := l.now()
	l.MOVQ(began, l.Arg("began"))
	for _, v := range l.vectors {
		v.pieces()
	}
	s := &spreading{loop: l, lane: l.GP64(), rows: l.GP64(), queued: l.GP64()}
	l.Label("polygon")
	l.Comment("The next polygon whose rows are spread over all lanes.")
	l.Forget()
	bits := l.Int("spread")
	l.TESTQ(bits, bits)
	l.JZ(operand.LabelRef("spreadEnd"))
	s.locate(bits)
	l.XORQ(s.queued, s.queued)

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
	s.queueCovering("uncovered")
	l.Label("uncovered")
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
	s.nearness()
	l.MOVQ(l.Arg("spread"), left)
	l.BLSRQ(left, left)
	l.MOVQ(left, l.Arg("spread"))
	l.JMP(operand.LabelRef("polygon"))

	l.Label("interruptSpread")
	l.Comment("Too few spans are free: remember the polygon.")
	l.MOVL(s.rows.As32(), s.of(l.vectors[0].piece))
	l.XORQ(s.rows, s.rows)
	s.writeBack()
	s.nearness()
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

// spentSince adds the time since a redistribution began, or went on.
func (l *loop) spentSince() reg.GPVirtual {
	l.Comment("The time of the redistribution.")
	spent := l.now()
	l.SUBQ(l.Arg("began"), spent)
	l.ADDQ(spent, l.Arg("spreadTicks"))
	l.ADDQ(l.Arg("spent"), spent)
	l.MOVQ(spent, l.Arg("spent"))
	return spent
}

// pieces finds the rows to the turn and from there on, and brings all that changes to
// memory.
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

// locate finds the lane of the lowest bit, and brings its elements that are not of 32 bits
// to a place of their own.
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

// begin sets the lanes up for the rows of a piece.
func (s *spreading) begin() {
	s.Forget()
	v := s.vectors[0]
	s.MOVLQSX(s.of(v.piece), s.rows)
	s.within = s.NewTail()
	if s.x[0] == nil {
		s.x, s.r, s.rowStart, s.fromY = [2]Vec{s.Vec(), s.Vec()}, [2]Vec{s.Vec(), s.Vec()}, s.Vec(), s.Vec()
	}
	for i, e := range []edge{v.left, v.right} {
		s.spreadEdge(i, e)
	}
	number := s.Load(s.Iota())
	s.Into(s.fromY).ShiftLeft(number, s.Go("SubBits"))
	s.Into(s.fromY).AddInt(s.fromY, s.Broadcast(Scalar{Mem: s.of(v.rowDistance)}))
	stride := s.Broadcast(s.Scalar("stride"))
	s.Into(s.rowStart).MulInt(number, stride)
	s.Into(s.rowStart).AddInt(s.rowStart, s.Broadcast(Scalar{Mem: s.of(v.rowStart.Home())}))
	s.rowsStart = s.Keep(s.Into(stride).ShiftLeft(stride, log2(s.N)))
}

// spreadEdge moves the edge down by as many rows as a lane has in number: by a row where
// the number's lowest bit is set, by two where the next one is, and so on. The
// differences double from bit to bit, and end as those of a whole vector of rows.
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

// carry brings a remainder below d.
func (s *spreading) carry(x, r Vec, d Operand) {
	over := s.AtLeastUnsigned(r, d)
	s.SubWhere(over, r, d)
	s.AddOneWhere(over, x)
}

// bitTable has all bits set in the lanes in whose number a bit is set.
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

// down moves all lanes down by a vector of rows.
func (s *spreading) down() {
	s.Comment("Down by a vector of rows.")
	for i, by := range s.by {
		x, r := s.x[i], s.r[i]
		s.Into(x).AddInt(x, s.Use(by.dx))
		s.Into(r).AddInt(r, s.Use(by.dr))
		s.carry(x, r, s.Use(by.d))
	}
	s.Into(s.rowStart).AddInt(s.rowStart, s.Use(s.rowsStart))
	s.Into(s.fromY).AddInt(s.fromY, s.Constant(fmt.Sprintf("rows%d", s.N), operand.U32(s.N*s.Go("Sub"))))
}

// queueCovering queues the rows that cover a pixel, and computes their nearness when they
// fill a vector. It jumps when there are none.
func (s *spreading) queueCovering(ifNone string) {
	x := s.MaxInt(s.vectors[0].zeros(), s.x[0])
	count := s.MinInt(s.either(s.width, "width"), s.x[1])
	within := s.Mask(s.within)
	covers := s.GreaterInt(count, x, &within)
	bits := s.Bits(covers)
	s.TESTL(bits, bits)
	s.JZ(operand.LabelRef(ifNone))

	s.Comment("Queue rows that cover a pixel.")
	count = s.Into(count).SubInt(count, x)
	packing := s.PackingOf(s.numbers, covers, bits)
	s.Store(s.Pack(packing, s.AddInt(x, s.rowStart)), s.At("start", s.n))
	s.Store(s.Pack(packing, count), s.At("count", s.n))
	s.Store(s.Pack(packing, x), s.inQueue(s.queueX))
	s.Store(s.Pack(packing, s.fromY), s.inQueue(s.queueY))
	s.POPCNTL(bits, bits)
	s.ADDQ(bits.As64(), s.n)
	s.ADDQ(bits.As64(), s.queued)
	s.CMPQ(s.queued, operand.Imm(uint64(s.N)))
	s.JL(operand.LabelRef(ifNone))
	s.nearness()
	for _, queue := range []operand.Mem{s.queueX, s.queueY} {
		s.Store(s.Load(queue.Offset(s.Bytes())), queue)
	}
	s.SUBQ(operand.Imm(uint64(s.N)), s.queued)
}

// inQueue is the end of a queue.
func (s *spreading) inQueue(queue operand.Mem) operand.Mem {
	queue.Index, queue.Scale = s.queued, 4
	return queue
}

// nearness computes the nearness of the first vector of queued rows at their first
// pixels. What follows the queued ones is arbitrary.
func (s *spreading) nearness() {
	s.Comment("Nearness of the queued rows.")
	v := s.vectors[0]
	wide := func(i int) Vec { return s.BroadcastWide(WideScalar{Mem: s.plane.Offset(8 * i)}) }
	from := s.ShiftLeft(s.Load(s.queueX), s.Go("SubBits"))
	s.Into(from).AddInt(from, s.Broadcast(Scalar{Mem: s.of(v.fromX0)}))
	gx, gy, e0 := wide(0), wide(1), wide(2)
	var e Halves
	for h := range e {
		e[h] = s.WideInt(from, h)
		s.Into(e[h]).MulWide(e[h], gx)
		ey := s.WideInt(s.queueY, h)
		s.Into(ey).MulWide(ey, gy)
		s.Into(e[h]).AddWide(e[h], e0)
		s.Into(e[h]).AddWide(e[h], ey)
	}
	at := s.GP64()
	s.MOVQ(s.n, at)
	s.SUBQ(s.queued, at)
	s.Store(s.NarrowWide(e), s.At("e", at))
	s.Store(s.Broadcast(Scalar{Mem: s.of(v.de)}), s.At("de", at))
	s.Store(s.Broadcast(Scalar{Mem: s.of(v.payload)}), s.At("spanPayload", at))
}

// turn goes on with the last piece: the lower edge replaces the short side.
func (s *spreading) turn(left reg.GPVirtual) {
	s.Comment("At the middle corner the lower edge replaces the short side.")
	s.writeBack()
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

// writeBack sets the lane to the row that lane rows of the vectors has.
func (s *spreading) writeBack() {
	v := s.vectors[0]
	to := []operand.Mem{v.left.x.Home(), v.left.r.Home(), v.right.x.Home(), v.right.r.Home(), v.rowStart.Home(), v.rowDistance}
	element := s.GP64()
	for i, from := range []Vec{s.x[0], s.r[0], s.x[1], s.r[1], s.rowStart, s.fromY} {
		s.Store(from, s.scratch[i])
	}
	for i, m := range to {
		from := s.scratch[i]
		from.Index, from.Scale = s.rows, 4
		s.MOVL(from, element.As32())
		s.MOVL(element.As32(), s.of(m))
	}
}
