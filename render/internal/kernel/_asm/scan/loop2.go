package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// permutations is, for every mask of eight lanes, the lanes in it in order.
func permutations() Mem {
	m := GLOBL("permutations", RODATA|NOPTR)
	for mask := range 256 {
		n := 0
		var order [8]byte
		for lane := range 8 {
			if mask>>lane&1 != 0 {
				order[n] = byte(lane)
				n++
			}
		}
		for i, lane := range order {
			DATA(8*mask+i, U8(lane))
		}
	}
	return m
}

// lanesBelow is -1 eight times and 0 sixteen times: read from entry 8-n on, for
// n from 0 to 8, it is the mask of the first n lanes.
func lanesBelow() Mem {
	m := GLOBL("lanesBelow", RODATA|NOPTR)
	for i := range 16 {
		v := U32(0)
		if i < 8 {
			v = 0xffffffff
		}
		DATA(4*i, v)
	}
	return m
}

// active2 returns the lanes with rows left, a bit a lane.
func active2(halves [2]half2) reg.GPVirtual {
	bits, upper := GP32(), GP32()
	for i, to := range []reg.GPVirtual{bits, upper} {
		active := YMM()
		VPCMPGTD(zero2(), halves[i].get(slotRows), active)
		VMOVMSKPS(active, to)
	}
	SHLL(Imm(8), upper)
	ORL(upper, bits)
	return bits
}

// beginLook2 is begin of loop512, but that row and tallest count from the group's
// first row.
func beginLook2(args reg.Register, halves [2]half2) {
	MOVQ(I32(0), at(args, "row"))
	MOVQ(U32(lookLanes), at(args, "look"))
	rows, tallest := [2]reg.VecVirtual{halves[0].get(slotRows), halves[1].get(slotRows)}, GP64()
	either, tall, bits := YMM(), YMM(), GP32()
	VPMAXSD(rows[0], rows[1], either)
	VPBROADCASTD(at(args, "tall"), tall)
	VPCMPGTD(tall, either, tall)
	XORQ(tallest, tallest)
	VMOVMSKPS(tall, bits)
	TESTL(bits, bits)
	JZ(LabelRef("begun"))
	MOVQ(fold2(rows, func(a, b, dst reg.Register) { VPMAXSD(a, b, dst) }), tallest)
	Label("begun")
	MOVQ(tallest, at(args, "tallest"))
}

// due2 is due of loop512.
func due2(args reg.Register, count reg.GPVirtual) {
	end := GP64()
	MOVQ(count.As64(), end)
	IMULQ(at(args, "cost"), end)
	ADDQ(at(args, "row"), end)
	CMPQ(end, at(args, "tallest"))
	JGE(LabelRef("solve"))
	CMPQ(count.As64(), at(args, "look"))
	JG(LabelRef("solve"))
}

// look2 is look of loop512.
func look2(args reg.Register, group reg.GPVirtual, halves [2]half2, bits, count reg.GPVirtual) {
	next := GP64()
	MOVQ(count.As64(), next)
	SHRQ(Imm(1), next)
	MOVQ(next, at(args, "look"))
	// Lanes without rows left have gone on counting, below 0.
	var rows [2]reg.VecVirtual
	for i, h := range halves {
		rows[i] = zero2()
		VPMAXSD(h.at(slotRows), rows[i], rows[i])
	}
	most := fold2(rows, func(a, b, dst reg.Register) { VPMAXSD(a, b, dst) })
	saved := fold2(rows, func(a, b, dst reg.Register) { VPADDD(a, b, dst) })
	ADDQ(Imm(15), saved)
	SHRQ(Imm(4), saved)
	NEGQ(saved)
	ADDQ(most, saved) // most - ceil(sum / 16)
	CMPQ(saved, costOf(args, count.As64()))
	JLE(LabelRef("solve"))

	INCQ(at(args, "redistributions"))
	ADDQ(most, at(args, "unbalanced"))
	aside := loadPointer(args, "aside")
	Label("setAside")
	lane, value := GP64(), GP64()
	TZCNTL(bits, lane.As32())
	put := func(name string, v reg.GPVirtual) {
		MOVL(v.As32(), Mem{Base: loadPointer(args, name), Index: aside, Scale: 4})
	}
	from := GP64()
	LEAQ(Mem{Base: group, Index: lane, Scale: 1}, from)
	column := func(name string) reg.GPVirtual {
		MOVL(Mem{Base: loadPointer(args, name), Index: from, Scale: 4}, value.As32())
		return value
	}
	for _, c := range copied {
		put(c[1], column(c[0]))
	}
	ADDL(at(args, "row"), column("first").As32())
	put("asideFirst", value)
	// The second half lies 32*slots behind the first: lanes 8 to 15 are 8*slots-8
	// lanes further than they would be in a row.
	second := GP64()
	LEAQ(Mem{Base: lane, Disp: 8*slots - 8}, second)
	MOVQ(lane, from)
	CMPQ(lane, Imm(8))
	CMOVQGE(second, from)
	base := GP64()
	LEAQ(halves[0].at(slotRows), base)
	MOVL(Mem{Base: base, Index: from, Scale: 4}, value.As32())
	put("asideRows", value)
	INCQ(aside)
	BLSRL(bits, bits)
	JNZ(LabelRef("setAside"))
	MOVQ(aside, at(args, "aside"))
}

// fold2 joins all lanes of both halves, which are not negative, by an operation.
func fold2(v [2]reg.VecVirtual, do func(a, b, dst reg.Register)) reg.GPVirtual {
	y, x, t, result := YMM(), XMM(), XMM(), GP64()
	do(v[0], v[1], y)
	VEXTRACTI128(Imm(1), y, x)
	do(y.AsX(), x, x)
	for _, order := range []uint8{0x4e, 0xb1} {
		VPSHUFD(U8(order), x, t)
		do(t, x, x)
	}
	VMOVD(x, result.As32())
	return result
}

func avx2() {
	table, masks := permutations(), lanesBelow()
	TEXT("scanAVX2", 0, "func(args *byte)")
	args := Load(Param("args"), GP64()).(reg.GPVirtual)
	state := Mem{Base: loadPointer(args, "state")}
	halves := [2]half2{{state}, {state.Offset(32 * slots)}}
	group, out := loadPointer(args, "group"), loadPointer(args, "n")
	CMPQ(at(args, "open"), Imm(0))
	JNE(LabelRef("row"))

	Label("group")
	left := GP64()
	MOVQ(at(args, "polygons"), left)
	SUBQ(group, left)
	JLE(LabelRef("done"))
	iterations := loadPointer(args, "iterations")
	CMPQ(iterations, at(args, "pause"))
	JG(LabelRef("done"))
	aside := loadPointer(args, "aside")
	CMPQ(aside, at(args, "asideMost"))
	JG(LabelRef("done"))
	for i, h := range halves {
		// mask = lanes below min(max(left-8i, 0), 8)
		n, limit, base, mask := GP64(), GP64(), GP64(), YMM()
		MOVQ(left, n)
		SUBQ(Imm(uint64(8*i)), n)
		XORQ(limit, limit)
		CMPQ(n, limit)
		CMOVQLT(limit, n)
		MOVQ(U32(8), limit)
		CMPQ(n, limit)
		CMOVQGT(limit, n)
		SUBQ(n, limit)
		LEAQ(masks, base)
		VMOVDQU(Mem{Base: base, Index: limit, Scale: 4}, mask)
		h.load2(args, group, 8*i, mask)
	}

	beginLook2(args, halves)

	Label("row")
	bits, count := active2(halves), GP32()
	POPCNTL(bits, count)
	JZ(LabelRef("next"))
	due2(args, count)
	look2(args, group, halves, bits, count)
	JMP(LabelRef("next"))
	Label("solve")
	CMPQ(out, at(args, "most"))
	JG(LabelRef("interrupt"))
	ADDQ(count.As64(), at(args, "tasks"))
	INCQ(at(args, "iterations"))
	INCQ(at(args, "row"))
	for i, h := range halves {
		name := string('a' + rune(i))
		active, any := YMM(), GP32()
		VPCMPGTD(zero2(), h.get(slotRows), active)
		VMOVMSKPS(active, any)
		TESTL(any, any)
		JZ(LabelRef(name + "Idle"))
		h.emit2(args, out, active, table, name+"Step")
		Label(name + "Step")
		h.advance2(args, name+"Idle")
	}
	JMP(LabelRef("row"))

	Label("next")
	ADDQ(Imm(16), group)
	JMP(LabelRef("group"))
	Label("interrupt")
	MOVQ(I32(1), at(args, "open"))
	JMP(LabelRef("return"))
	Label("done")
	MOVQ(I32(0), at(args, "open"))
	Label("return")
	MOVQ(group, at(args, "group"))
	MOVQ(out, at(args, "n"))
	VZEROUPPER()
	RET()
}
