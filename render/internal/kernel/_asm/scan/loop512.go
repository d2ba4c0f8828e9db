package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// loop512 is the generator of scanAVX512.
type loop512 struct {
	group512
	args, group         reg.GPVirtual
	out                 spanColumns
	zero, width, stride reg.VecVirtual
}

func avx512() {
	TEXT("scanAVX512", 0, "func(args *byte)")
	args := Load(Param("args"), GP64()).(reg.GPVirtual)
	l := &loop512{args: args, group512: newGroup512(loadPointer(args, "state")), group: loadPointer(args, "group")}
	l.out.n = loadPointer(args, "n")
	for i, name := range []string{"start", "count", "e", "de", "spanPayload"} {
		l.out.base[i] = loadPointer(args, name)
	}
	l.zero, l.width, l.stride = ZMM(), ZMM(), ZMM()
	CMPQ(at(args, "open"), Imm(0))
	JEQ(LabelRef("group"))
	l.restore()
	l.constants()
	JMP(LabelRef("row"))

	Label("group")
	mask := l.lanes()
	l.load(args, l.group, mask)
	l.constants()
	l.begin()

	Label("row")
	active, count := l.active()
	CMPQ(count.As64(), at(args, "look"))
	JLE(LabelRef("look"))
	Label("solve")
	CMPQ(l.out.n, at(args, "most"))
	JG(LabelRef("interrupt"))
	ADDQ(count.As64(), at(args, "tasks"))
	INCQ(at(args, "iterations"))
	INCQ(at(args, "row"))
	l.emit(l.out, active, l.zero, l.width)
	Label("step")
	l.down(active)
	JMP(LabelRef("row"))

	Label("next")
	ADDQ(Imm(16), l.group)
	JMP(LabelRef("group"))

	Label("look")
	l.look(active, count)
	JMP(LabelRef("next"))

	Label("interrupt")
	l.save()
	MOVQ(I32(1), at(args, "open"))
	JMP(LabelRef("return"))
	Label("done")
	MOVQ(I32(0), at(args, "open"))
	Label("return")
	MOVQ(l.group, at(args, "group"))
	MOVQ(l.out.n, at(args, "n"))
	VZEROUPPER()
	RET()
}

// constants fills the registers that hold a constant. They are free while a
// group is set up.
func (l *loop512) constants() {
	VPBROADCASTD(nothing, l.zero)
	VPBROADCASTD(at(l.args, "width"), l.width)
	VPBROADCASTD(at(l.args, "stride"), l.stride)
}

// lanes returns the lanes that have a polygon: all, or the lowest bits. It goes
// to done when there is none or when too much is set aside.
func (l *loop512) lanes() reg.OpmaskVirtual {
	left, aside := GP64(), GP64()
	MOVQ(at(l.args, "polygons"), left)
	SUBQ(l.group, left)
	JLE(LabelRef("done"))
	MOVQ(at(l.args, "aside"), aside)
	CMPQ(aside, at(l.args, "asideMost"))
	JG(LabelRef("done"))
	bits, mask := GP32(), K()
	MOVL(U32(0xffff), bits)
	CMPQ(left, Imm(16))
	JGE(LabelRef("masked"))
	BZHIL(left.As32(), bits, bits)
	Label("masked")
	KMOVW(bits, mask)
	return mask
}

// begin is at row 0: firstLook, whose limits are tall2, tall4 and tall8.
func (l *loop512) begin() {
	MOVQ(I32(0), at(l.args, "row"))
	look := GP64()
	XORQ(look, look)
	for lanes := 2; lanes <= lookLanes; lanes *= 2 {
		tall, bits := K(), GP32()
		VPCMPD_BCST(Imm(greaterThan), at(l.args, fmt.Sprint("tall", lanes)), l.rows, tall)
		KMOVW(tall, bits)
		TESTL(bits, bits)
		JZ(LabelRef("begun"))
		MOVL(U32(lanes), look.As32())
	}
	Label("begun")
	MOVQ(look, at(l.args, "look"))
}

// active returns the lanes with rows left and their number. It goes to next
// when there is none.
func (l *loop512) active() (mask reg.OpmaskVirtual, count reg.GPVirtual) {
	mask, count = K(), GP32()
	VPTESTMD(l.rows, l.rows, mask)
	KMOVW(mask, count)
	TESTL(count, count)
	JZ(LabelRef("next"))
	POPCNTL(count, count)
	return mask, count
}

// down moves the group one row down.
func (l *loop512) down(active reg.OpmaskVirtual) {
	step512(l.left)
	step512(l.right)
	l.turnCorner()
	VPADDD_BCST(sub, l.fromY0, l.fromY0)
	VPADDD(l.stride, l.rowStart, l.rowStart)
	VPSUBD_BCST(one, l.rows, active, l.rows)
}

// look is Scan.setAside: it goes on to solve when that is not worth its cost.
func (l *loop512) look(active reg.OpmaskVirtual, count reg.GPVirtual) {
	next := GP64()
	MOVQ(count.As64(), next)
	SHRQ(Imm(1), next)
	MOVQ(next, at(l.args, "look"))
	most := fold512(l.rows, func(a, b, dst reg.Register) { VPMAXSD(a, b, dst) })
	saved := fold512(l.rows, func(a, b, dst reg.Register) { VPADDD(a, b, dst) })
	ADDQ(Imm(15), saved)
	SHRQ(Imm(4), saved)
	NEGQ(saved)
	ADDQ(most, saved) // most - ceil(sum / 16)
	cost := loadPointer(l.args, "cost")
	IMULQ(count.As64(), cost)
	CMPQ(saved, cost)
	JLE(LabelRef("solve"))

	aside, z, n := GP64(), ZMM(), ZMM()
	MOVQ(at(l.args, "aside"), aside)
	put := func(name string) {
		VMOVDQU32(z, Mem{Base: loadPointer(l.args, name), Index: aside, Scale: 4})
	}
	VPCOMPRESSD_Z(l.rows, active, z)
	put("asideLeft")
	VPBROADCASTD(at(l.args, "row"), z)
	put("asideDone")
	VPBROADCASTD(l.group.As32(), n)
	VPADDD(laneNumbers(), n, n)
	VPCOMPRESSD_Z(n, active, z)
	put("asidePolygon")
	ADDQ(count.As64(), at(l.args, "aside"))
	INCQ(at(l.args, "redistributions"))
	ADDQ(most, at(l.args, "unbalanced"))
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
