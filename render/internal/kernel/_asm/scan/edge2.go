package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// sort2 orders corners a and b by y.
func (h half2) sort2(a, b int) {
	xa, xb, ya, yb := h.get(slotX+a), h.get(slotX+b), h.get(slotY+a), h.get(slotY+b)
	swap, lo, hi := YMM(), YMM(), YMM()
	VPCMPGTD(yb, ya, swap)
	VPMINSD(yb, ya, lo)
	VPMAXSD(yb, ya, hi)
	h.set(slotY+a, lo)
	h.set(slotY+b, hi)
	VPBLENDVB(swap, xb, xa, lo)
	VPBLENDVB(swap, xa, xb, hi)
	h.set(slotX+a, lo)
	h.set(slotX+b, hi)
	VPXOR(h.at(slotTurnsLeft), swap, swap)
	h.set(slotTurnsLeft, swap)
}

// edges2 sets both sides, the edge to turn to, and when to turn.
func (h half2) edges2(first reg.VecVirtual) {
	// turn = firstCenter(b.Y) - first; the lower edge starts there, or at first.
	turn, lower := broadcast2(halfLess), YMM()
	VPADDD(h.at(slotY+1), turn, turn)
	VPSRAD(Imm(8), turn, turn)
	VPSUBD(first, turn, turn)
	h.set(slotTurn, turn)
	VPMAXSD(zero2(), turn, lower)
	VPSLLD(Imm(8), lower, lower)
	VPADDD(h.at(slotCenter), lower, lower)
	h.edgeAt2(1, 2, lower, slotOther)
	h.edgeAt2(0, 1, h.get(slotCenter), slotLeft)  // the upper edge
	h.edgeAt2(0, 2, h.get(slotCenter), slotRight) // the long one

	turnsLeft, started := h.get(slotTurnsLeft), YMM()
	VPSRAD(Imm(31), turnsLeft, turnsLeft)
	h.set(slotTurnsLeft, turnsLeft)
	VPCMPGTD(zero2(), h.get(slotTurn), started)
	for i := range 5 {
		short, long, left := h.get(slotOther+i), h.get(slotRight+i), YMM()
		VPBLENDVB(started, h.at(slotLeft+i), short, short)
		VPBLENDVB(turnsLeft, short, long, left)
		VPBLENDVB(turnsLeft, long, short, long)
		h.set(slotLeft+i, left)
		h.set(slotRight+i, long)
	}
}

// edgeAt2 is edgeAt512 for eight lanes: the edge from corner a to b at the row
// with centre yc, to five slots.
func (h half2) edgeAt2(a, b int, yc reg.VecVirtual, slot int) {
	dx, dy, d := h.get(slotX+b), h.get(slotY+b), YMM()
	VPSUBD(h.at(slotX+a), dx, dx)
	VPSUBD(h.at(slotY+a), dy, dy)
	VPSLLD(Imm(8), dy, d)
	h.set(slot+4, d)

	per, slope := YMM(), YMM()
	VCVTDQ2PS(dy, slope)
	VBROADCASTSS(oneSingle, per)
	VDIVPS(slope, per, per)
	VCVTDQ2PS(dx, slope)
	VMULPS(per, slope, slope)

	whole, m, fraction, t, q := h.get(slotX+a), YMM(), YMM(), YMM(), YMM()
	VPSUBD(broadcast2(half), whole, whole)
	VPAND(broadcast2(subMask), whole, m)
	VPADDD(broadcast2(sub), m, m)
	VPSRAD(Imm(8), whole, whole)
	VCVTDQ2PS(m, fraction)
	VPMULLD(dy, m, m)
	VPSUBD(h.at(slotY+a), yc, t)
	VCVTDQ2PS(t, q)
	VPMULLD(dx, t, t)
	VPADDD(t, m, m)
	VPCMPEQD(t, t, t)
	VPADDD(t, m, m)

	VMULPS(slope, q, q)
	VADDPS(fraction, q, q)
	VBROADCASTSS(perSub, t)
	VMULPS(t, q, q)
	floorDiv2(q, m, d)
	h.set(slot+1, m)
	VPADDD(q, whole, whole)
	h.set(slot, whole)

	floorDiv2(slope, dx, dy)
	h.set(slot+2, slope)
	VPSLLD(Imm(8), dx, dx)
	h.set(slot+3, dx)
}

// floorDiv2 is floorDiv512 for eight lanes; the remainder replaces n.
func floorDiv2(q, n, d reg.VecVirtual) {
	t, off := YMM(), YMM()
	VROUNDPS(roundDown, q, q)
	VCVTTPS2DQ(q, q)
	VPMULLD(d, q, t)
	VPSUBD(t, n, n)
	VPSRAD(Imm(31), n, off)
	VPADDD(off, q, q)
	VPAND(d, off, off)
	VPADDD(off, n, n)
	VPCMPGTD(n, d, off) // all bits set where the remainder is below d
	VPCMPEQD(t, t, t)
	VPANDN(t, off, off)
	VPSUBD(off, q, q)
	VPAND(d, off, off)
	VPSUBD(off, n, n)
}
