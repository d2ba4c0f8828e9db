package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// loop512 is the generator of scanAVX512.
type loop512 struct {
	group512
	args                reg.GPVirtual
	out                 spanColumns
	zero, width, stride reg.VecVirtual
	rowHeight           reg.VecVirtual // 256.0
	iterations, tasks   reg.GPVirtual  // of this call
	count               reg.GPVirtual  // active lanes
	tall                reg.GPVirtual  // not 0 in a group where events are rare
}

func avx512() {
	numbers := laneNumbers()
	TEXT("scanAVX512", 0, "func(args *byte)")
	args := Load(Param("args"), GP64()).(reg.GPVirtual)
	l := &loop512{args: args, group512: newGroup512(loadPointer(args, "state"))}
	l.out.n = loadPointer(args, "n")
	for i, name := range []string{"start", "count", "e", "de", "spanPayload"} {
		l.out.base[i] = loadPointer(args, name)
	}
	l.out.laneNumbers = ZMM()
	l.zero, l.width, l.stride, l.rowHeight = ZMM(), ZMM(), ZMM(), ZMM()
	l.iterations, l.tasks, l.count, l.tall = GP64(), GP64(), GP64(), GP32()
	XORQ(l.iterations, l.iterations)
	XORQ(l.tasks, l.tasks)
	l.toIterations()
	CMPQ(at(args, "open"), Imm(0))
	JEQ(LabelRef("group"))
	l.restore()
	l.constants(numbers)
	KMOVW(l.active, l.count.As32())
	POPCNTL(l.count.As32(), l.count.As32())
	l.isTall(l.rows())
	JMP(LabelRef("row"))

	Label("group")
	group, mask := l.lanes()
	l.load(args, group, mask)
	l.constants(numbers)
	l.begin()
	JMP(LabelRef("ended"))

	// The rows between two events.
	Label("row")
	CMPQ(l.out.n, at(args, "most"))
	JG(LabelRef("interrupt"))
	INCQ(l.iterations)
	ADDQ(l.count, l.tasks)
	l.emit(l.out, l.zero, l.width)
	Label("step")
	events := l.down()
	TESTL(l.tall, l.tall)
	JZ(LabelRef("event"))
	KORTESTW(events, events)
	JZ(LabelRef("row"))
	Label("event")
	l.event(events)
	Label("ended")
	l.countActive()
	l.due()
	l.look()

	Label("next")
	ADDQ(Imm(16), at(args, "group"))
	JMP(LabelRef("group"))

	Label("interrupt")
	l.save()
	MOVQ(I32(1), at(args, "open"))
	l.toRows()
	JMP(LabelRef("return"))
	Label("done")
	MOVQ(I32(0), at(args, "open"))
	Label("return")
	MOVQ(l.iterations, at(args, "iterations"))
	MOVQ(l.tasks, at(args, "tasks"))
	MOVQ(l.out.n, at(args, "n"))
	VZEROUPPER()
	RET()
}

// constants fills the registers that hold a constant. They are free while a
// group is set up.
func (l *loop512) constants(laneNumbers Mem) {
	VPBROADCASTD(nothing, l.zero)
	VPBROADCASTD(at(l.args, "width"), l.width)
	VPBROADCASTD(at(l.args, "stride"), l.stride)
	VBROADCASTSD(subFloat, l.rowHeight)
	VMOVDQU32(laneNumbers, l.out.laneNumbers)
}

// lanes returns the group's first polygon and the lanes that have one: all, or the
// lowest bits. It goes to done when there is none, when too much is set aside, or for a
// pause.
func (l *loop512) lanes() (group reg.GPVirtual, mask reg.OpmaskVirtual) {
	group = loadPointer(l.args, "group")
	left, aside := GP64(), GP64()
	MOVQ(at(l.args, "polygons"), left)
	SUBQ(group, left)
	JLE(LabelRef("done"))
	CMPQ(l.iterations, at(l.args, "pause"))
	JG(LabelRef("done"))
	MOVQ(at(l.args, "aside"), aside)
	CMPQ(aside, at(l.args, "asideMost"))
	JG(LabelRef("done"))
	bits := GP32()
	mask = K()
	MOVL(U32(0xffff), bits)
	CMPQ(left, Imm(16))
	JGE(LabelRef("masked"))
	BZHIL(left.As32(), bits, bits)
	Label("masked")
	KMOVW(bits, mask)
	return group, mask
}

// toIterations makes of row the value of iterations when the group began, and of
// tallest the one when the tallest polygon ends.
func (l *loop512) toIterations() {
	row := loadPointer(l.args, "row")
	NEGQ(row)
	MOVQ(row, at(l.args, "row"))
	ADDQ(row, at(l.args, "tallest"))
}

// toRows is its inverse.
func (l *loop512) toRows() {
	row := loadPointer(l.args, "row")
	SUBQ(row, at(l.args, "tallest"))
	NEGQ(row)
	ADDQ(l.iterations, row)
	MOVQ(row, at(l.args, "row"))
}

// begin is at row 0 of a group: the end of Scan.load.
func (l *loop512) begin() {
	MOVQ(l.iterations, at(l.args, "row"))
	MOVQ(U32(lookLanes), at(l.args, "look"))
	rows := l.rows()
	l.isTall(rows)
	tallest, tall, bits := GP64(), K(), GP32()
	XORQ(tallest, tallest)
	VPCMPD_BCST(Imm(greaterThan), at(l.args, "tall"), rows, tall)
	KMOVW(tall, bits)
	TESTL(bits, bits)
	JZ(LabelRef("begun"))
	MOVQ(fold512(rows, func(a, b, dst reg.Register) { VPMAXSD(a, b, dst) }), tallest)
	ADDQ(l.iterations, tallest)
	Label("begun")
	MOVQ(tallest, at(l.args, "tallest"))
}

// due is cursor.due: it goes on to row when no look is due.
func (l *loop512) due() {
	end := GP64()
	MOVQ(l.count, end)
	IMULQ(at(l.args, "cost"), end)
	ADDQ(l.iterations, end)
	CMPQ(end, at(l.args, "tallest"))
	JGE(LabelRef("row"))
	CMPQ(l.count, at(l.args, "look"))
	JG(LabelRef("row"))
}

// countActive counts the lanes with rows left. It goes to next when there is
// none.
func (l *loop512) countActive() {
	KMOVW(l.active, l.count.As32())
	TESTL(l.count.As32(), l.count.As32())
	JZ(LabelRef("next"))
	POPCNTL(l.count.As32(), l.count.As32())
}

// down moves the group one row down and returns the lanes that have an event there.
func (l *loop512) down() (events reg.OpmaskVirtual) {
	step512(l.left)
	step512(l.right)
	for h := range 2 {
		VADDPD(l.rowHeight, l.fromY0[h], l.fromY0[h])
	}
	VPADDD(l.stride, l.rowStart, l.rowStart)
	VPSUBD_BCST(one, l.until, l.until)
	events = K()
	VPTESTNMD(l.until, l.until, events)
	return events
}

// event lets lanes turn or end.
func (l *loop512) event(lanes reg.OpmaskVirtual) {
	turn, ends := K(), K()
	VPTESTMD(l.rest, l.rest, lanes, turn)
	KANDNW(lanes, turn, ends)
	KANDNW(l.active, ends, l.active)
	VMOVDQA32(l.rest, turn, l.until)
	VMOVDQA32(l.zero, turn, l.rest)
	l.turnCorner(turn)
}

// rows returns the rows left of the active lanes.
func (l *loop512) rows() reg.VecVirtual {
	z := ZMM()
	VPADDD_Z(l.rest, l.until, l.active, z)
	return z
}

// isTall sets tall.
func (l *loop512) isTall(rows reg.VecVirtual) {
	k := K()
	VPCMPD_BCST(Imm(greaterThan), tallRows, rows, k)
	KMOVW(k, l.tall)
}

// look is Scan.setAside: it goes on to row when that is not worth its cost.
func (l *loop512) look() {
	next := GP64()
	MOVQ(l.count, next)
	SHRQ(Imm(1), next)
	MOVQ(next, at(l.args, "look"))
	rows := l.rows()
	most := fold512(rows, func(a, b, dst reg.Register) { VPMAXSD(a, b, dst) })
	saved := fold512(rows, func(a, b, dst reg.Register) { VPADDD(a, b, dst) })
	ADDQ(Imm(15), saved)
	SHRQ(Imm(4), saved)
	NEGQ(saved)
	ADDQ(most, saved) // most - ceil(sum / 16)
	CMPQ(saved, costOf(l.args, l.count))
	JLE(LabelRef("row"))

	ADDQ(most, at(l.args, "unbalanced"))
	group, aside, done := loadPointer(l.args, "group"), loadPointer(l.args, "aside"), GP64()
	put := func(z reg.VecVirtual, name string) {
		VPCOMPRESSD_Z(z, l.active, z)
		VMOVDQU32(z, Mem{Base: loadPointer(l.args, name), Index: aside, Scale: 4})
	}
	column := func(name string) reg.VecVirtual {
		z := ZMM()
		VMOVDQU32(Mem{Base: loadPointer(l.args, name), Index: group, Scale: 4}, z)
		return z
	}
	put(rows, "asideRows")
	MOVQ(l.iterations, done)
	SUBQ(at(l.args, "row"), done)
	first, rowsDone := column("first"), ZMM()
	VPBROADCASTD(done.As32(), rowsDone)
	VPADDD(rowsDone, first, first)
	put(first, "asideFirst")
	for _, c := range copied {
		put(column(c[0]), c[1])
	}
	ADDQ(l.count, at(l.args, "aside"))
	INCQ(at(l.args, "redistributions"))
}

// costOf returns what it costs to set so many polygons aside.
func costOf(args, count reg.Register) reg.GPVirtual {
	cost := GP64()
	XORQ(cost, cost)
	CMPQ(at(args, "aside"), Imm(0))
	SETEQ(cost.As8())
	LEAQ(Mem{Base: count, Index: cost, Scale: dealCost}, cost)
	IMULQ(at(args, "cost"), cost)
	return cost
}

// fold512 joins all lanes, which are not negative, by an operation.
func fold512(v reg.VecVirtual, do func(a, b, dst reg.Register)) reg.GPVirtual {
	y, x, t, result := YMM(), XMM(), XMM(), GP64()
	VEXTRACTI64X4(Imm(1), v, y)
	do(v.AsY(), y, y)
	VEXTRACTI32X4(Imm(1), y, x)
	do(y.AsX(), x, x)
	for _, order := range []uint8{0x4e, 0xb1} {
		VPSHUFD(U8(order), x, t)
		do(t, x, x)
	}
	VMOVD(x, result.As32())
	return result
}

// laneNumbers is 0, 1, 2, ...
func laneNumbers() Mem {
	m := GLOBL("laneNumbers", RODATA|NOPTR)
	for i := range 16 {
		DATA(4*i, U32(i))
	}
	return m
}
