package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// With sixteen registers, a group lives in memory: two halves of eight lanes,
// each a row of 32-byte slots. Everything is loaded where it is used.
const (
	slotLeft      = 0  // x, r, dx, dr, d
	slotRight     = 5  // the same
	slotOther     = 10 // the same
	slotTurn      = 15
	slotRows      = 16
	slotTurnsLeft = 17 // all bits set in lanes whose short side is the left one
	slotFromX0    = 18
	slotFromY0    = 19
	slotRowStart  = 20
	slotDE        = 21
	slotPayload   = 22
	slotGX        = 23 // of four lanes, and of four more
	slotGY        = 25
	slotE0        = 27
	slotX         = 29 // of three corners, while the group is set up
	slotY         = 32
	slotCenter    = 35
	slots         = 36
)

// half2 is one half of a group.
type half2 struct{ local Mem }

func (h half2) at(slot int) Mem { return h.local.Offset(32 * slot) }

func (h half2) get(slot int) reg.VecVirtual {
	y := YMM()
	VMOVDQU(h.at(slot), y)
	return y
}

func (h half2) set(slot int, y reg.VecVirtual) { VMOVDQU(y, h.at(slot)) }

func broadcast2(m Mem) reg.VecVirtual {
	y := YMM()
	VPBROADCASTD(m, y)
	return y
}

func zero2() reg.VecVirtual {
	y := YMM()
	VPXOR(y, y, y)
	return y
}

// wide2 converts the lower or upper four lanes of a slot's integers, or of its
// float32, to float64.
func (h half2) wide2(slot, part int, ints bool) reg.VecVirtual {
	y := YMM()
	m := h.at(slot).Offset(16 * part)
	if ints {
		VCVTDQ2PD(m, y)
	} else {
		VCVTPS2PD(m, y)
	}
	return y
}

// load2 sets up the lanes for eight polygons: lane.set. Lanes beyond the mask
// get no rows; what else they hold is rubbish from behind the polygons in use.
func (h half2) load2(args reg.Register, group reg.GPVirtual, skip int, mask reg.VecVirtual) {
	consecutive := func(name string, slot int) {
		y := YMM()
		VMOVDQU(Mem{Base: loadPointer(args, name), Index: group, Scale: 4, Disp: 4 * skip}, y)
		if name == "rows" {
			VPAND(mask, y, y)
		}
		h.set(slot, y)
	}
	columns := func(load func(name string, slot int)) {
		for k, n := range []string{"0", "1", "2"} {
			load("x"+n, slotX+k)
			load("y"+n, slotY+k)
			load("e"+n, slotOther+k) // other is free until the edges are known
		}
		load("payload", slotPayload)
	}
	index := loadPointer(args, "index")
	gather, loaded := fmt.Sprint("gather", skip), fmt.Sprint("loaded", skip)
	TESTQ(index, index)
	JNZ(LabelRef(gather))
	columns(consecutive)
	JMP(LabelRef(loaded))
	Label(gather)
	polygons := YMM()
	VMOVDQU(Mem{Base: index, Index: group, Scale: 4, Disp: 4 * skip}, polygons)
	columns(func(name string, slot int) {
		y, lanes := zero2(), YMM()
		VMOVDQA(mask, lanes)
		VPGATHERDD(lanes, Mem{Base: loadPointer(args, name), Index: polygons, Scale: 4}, y)
		h.set(slot, y)
	})
	Label(loaded)
	h.plane2()
	consecutive("first", slotCenter)
	consecutive("rows", slotRows)

	first := h.get(slotCenter)
	t := YMM()
	VPBROADCASTD(at(args, "stride"), t)
	VPMULLD(t, first, t)
	h.set(slotRowStart, t)
	halfs, center := broadcast2(half), YMM()
	VPSLLD(Imm(8), first, center)
	VPADDD(halfs, center, center)
	h.set(slotCenter, center)
	VPSUBD(h.at(slotX), halfs, halfs)
	h.set(slotFromX0, halfs)
	VPSUBD(h.at(slotY), center, center)
	h.set(slotFromY0, center)

	h.sort2(0, 1)
	h.sort2(1, 2)
	h.sort2(0, 1)
	h.stopAtTall2(mask)
	h.edges2(first)
}

// stopAtTall2 goes to done when a polygon of the mask, its corners sorted, is too
// tall for edgeAt2.
func (h half2) stopAtTall2(mask reg.VecVirtual) {
	height, bits := h.get(slotY+2), GP32()
	VPSUBD(h.at(slotY), height, height)
	VPCMPGTD(broadcast2(tallMost), height, height)
	VPAND(mask, height, height)
	VMOVMSKPS(height, bits)
	TESTL(bits, bits)
	JNZ(LabelRef("done"))
}

// plane2 sets the plane of nearness through the corners as the mesh has them, and
// the sign of turnsLeft where the area is negative, see group512.load.
func (h half2) plane2() {
	var areas [2]reg.VecVirtual
	slope := YMM()
	VPXOR(slope, slope, slope) // the conversion clears the upper half, which avo cannot know
	for part := range 2 {
		x0, y0 := h.wide2(slotX, part, true), h.wide2(slotY, part, true)
		diff := func(slot int, from reg.VecVirtual, ints bool) reg.VecVirtual {
			y := h.wide2(slot, part, ints)
			VSUBPD(from, y, y) // exact for coordinates
			return y
		}
		x1, x2 := diff(slotX+1, x0, true), diff(slotX+2, x0, true)
		y1, y2 := diff(slotY+1, y0, true), diff(slotY+2, y0, true)
		e0 := h.wide2(slotOther, part, false)
		h.set(slotE0+part, e0)
		e1, e2 := diff(slotOther+1, e0, false), diff(slotOther+2, e0, false)
		area, t, gx, gy := YMM(), YMM(), YMM(), YMM()
		VMULPD(y2, x1, area)
		VMULPD(y1, x2, t)
		VSUBPD(t, area, area)
		areas[part] = YMM()
		VMOVAPD(area, areas[part])
		VBROADCASTSD(oneFloat, t)
		VDIVPD(area, t, area)
		VMULPD(y2, e1, gx)
		VMULPD(y1, e2, t)
		VSUBPD(t, gx, gx)
		VMULPD(area, gx, gx)
		VMULPD(x1, e2, gy)
		VMULPD(x2, e1, t)
		VSUBPD(t, gy, gy)
		VMULPD(area, gy, gy)
		h.set(slotGX+part, gx)
		h.set(slotGY+part, gy)
		scale := YMM()
		VBROADCASTSD(subFloat, scale)
		VMULPD(scale, gx, gx)
		if part == 0 {
			VCVTPD2PSY(gx, slope.AsX())
		} else {
			VCVTPD2PSY(gx, t.AsX())
			VINSERTF128(Imm(1), t.AsX(), slope, slope)
		}
	}
	h.set(slotDE, slope)
	VSHUFPS(U8(0xdd), areas[1], areas[0], slope) // the upper halves of lanes 0, 1, 4, 5, 2, 3, 6, 7
	VPERMQ(U8(0xd8), slope, slope)
	h.set(slotTurnsLeft, slope)
}

// emit2 stores the spans of the active lanes' next rows: lane.emit. It leaves
// the columns' order to a permutation, looked up by the mask of lanes.
func (h half2) emit2(args reg.Register, out reg.GPVirtual, active reg.VecVirtual, table Mem, done string) {
	x, count := YMM(), YMM()
	VPMAXSD(h.at(slotLeft), zero2(), x)
	VPBROADCASTD(at(args, "width"), count)
	VPMINSD(h.at(slotRight), count, count)
	covers := YMM()
	VPCMPGTD(x, count, covers)
	VPAND(active, covers, covers)
	bits := GP32()
	VMOVMSKPS(covers, bits)
	TESTL(bits, bits)
	JZ(LabelRef(done))

	VPSUBD(x, count, count)
	from := YMM()
	VPSLLD(Imm(8), x, from)
	VPADDD(h.at(slotFromX0), from, from)
	VPADDD(h.at(slotRowStart), x, x)
	e := YMM()
	for part := range 2 {
		ex, half := YMM(), XMM()
		if part == 0 {
			VCVTDQ2PD(from.AsX(), ex)
		} else {
			VEXTRACTI128(Imm(1), from, half)
			VCVTDQ2PD(half, ex)
		}
		ey := h.wide2(slotFromY0, part, true)
		VMULPD(h.at(slotGX+part), ex, ex)
		VMULPD(h.at(slotGY+part), ey, ey)
		VADDPD(h.at(slotE0+part), ex, ex)
		VADDPD(ey, ex, ex)
		if part == 0 {
			VPXOR(e, e, e) // the conversion clears the upper half, which avo cannot know
			VCVTPD2PSY(ex, e.AsX())
		} else {
			VCVTPD2PSY(ex, half)
			VINSERTF128(Imm(1), half, e, e)
		}
	}
	base, order := GP64(), YMM()
	LEAQ(table, base)
	VPMOVZXBD(Mem{Base: base, Index: bits.As64(), Scale: 8}, order)
	store := func(name string, y reg.VecVirtual) {
		p := YMM()
		VPERMD(y, order, p)
		VMOVDQU(p, Mem{Base: loadPointer(args, name), Index: out, Scale: 4})
	}
	store("start", x)
	store("count", count)
	store("e", e)
	store("de", h.get(slotDE))
	store("spanPayload", h.get(slotPayload))
	POPCNTL(bits, bits)
	ADDQ(bits.As64(), out)
}

// step2 is edge.step for the edge at a slot.
func (h half2) step2(slot int) {
	x, r, d, over := h.get(slot), h.get(slot+1), h.get(slot+4), YMM()
	VPADDD(h.at(slot+2), x, x)
	VPADDD(h.at(slot+3), r, r)
	VPMAXUD(d, r, over)
	VPCMPEQD(r, over, over) // r >= d, unsigned
	VPSUBD(over, x, x)
	VPAND(d, over, over)
	VPSUBD(over, r, r)
	h.set(slot, x)
	h.set(slot+1, r)
}

// advance2 moves all lanes one row down.
func (h half2) advance2(args reg.Register, label string) {
	h.step2(slotLeft)
	h.step2(slotRight)
	add := func(slot int, y reg.VecVirtual) {
		VPADDD(h.at(slot), y, y)
		h.set(slot, y)
	}
	add(slotFromY0, broadcast2(sub))
	stride := YMM()
	VPBROADCASTD(at(args, "stride"), stride)
	add(slotRowStart, stride)
	less := YMM()
	VPCMPEQD(less, less, less)
	add(slotRows, less)
	turn := YMM()
	VPCMPEQD(turn, turn, turn)
	add(slotTurn, turn)

	VPCMPEQD(zero2(), turn, turn)
	bits := GP32()
	VMOVMSKPS(turn, bits)
	TESTL(bits, bits)
	JZ(LabelRef(label))
	onLeft := h.get(slotTurnsLeft)
	VPAND(turn, onLeft, onLeft)
	VPANDN(turn, h.get(slotTurnsLeft), turn)
	for i := range 5 {
		other, l, r := h.get(slotOther+i), h.get(slotLeft+i), h.get(slotRight+i)
		VPBLENDVB(onLeft, other, l, l)
		VPBLENDVB(turn, other, r, r)
		h.set(slotLeft+i, l)
		h.set(slotRight+i, r)
	}
	Label(label)
}
