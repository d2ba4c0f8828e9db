package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Constants of float64.
var (
	halfFloat = ConstData("halfFloat", F64(128))
)

// tallEdges finds the three edges for polygons of any size, eight lanes at a time
// in float64.
func (g *group512) tallEdges(short, long edge512, x, y [3]reg.VecVirtual, center, lowerCenter reg.VecVirtual) {
	for h := range 2 {
		edgeAtTall(h, g.saved[:5], x[0], y[0], x[1], y[1], center)
		edgeAtTall(h, g.saved[5:10], x[0], y[0], x[2], y[2], center)
		edgeAtTall(h, g.other[:], x[1], y[1], x[2], y[2], lowerCenter)
	}
	for i, v := range short.columns() {
		VMOVDQU32(g.saved[i], v)
	}
	for i, v := range long.columns() {
		VMOVDQU32(g.saved[5+i], v)
	}
}

// edgeAtTall is edgeAt for eight lanes, into half h of the columns x, r, dx, dr
// and d in memory. With
//
//	m = (a.X-Half)*dy + (yc-a.Y)*dx + d-1, d = Sub*dy,
//
// m stays below 2^48, so all of it is exact but for the quotient. Unless it is
// a whole number the true quotient is at least 1/d >= 2^-31 away from one. It
// is below 2^17, so that rounding moves it by at most 2^-37: its floor is
// exact, and so are the remainder and, by the same argument, dx/dy. Edges
// that cross no row come out as rubbish that is never used.
func edgeAtTall(h int, to []Mem, ax, ay, bx, by, yc reg.VecVirtual) {
	wide := func(v reg.VecVirtual) reg.VecVirtual { return half512(h, true, v) }
	put := func(i int, signed bool, v reg.VecVirtual) {
		y := YMM()
		if signed {
			VCVTPD2DQ(v, y)
		} else {
			VCVTPD2UDQ(v, y)
		}
		VMOVDQU(y, to[i].Offset(32*h))
	}
	a, dx, dy, m, d, q := wide(ay), wide(bx), wide(by), wide(ax), ZMM(), ZMM()
	VSUBPD(m, dx, dx)
	VSUBPD(a, dy, dy)
	VMULPD_BCST(subFloat, dy, d)
	put(4, false, d)
	VSUBPD_BCST(halfFloat, m, m)
	VMULPD(dy, m, m)
	t := wide(yc)
	VSUBPD(a, t, t)
	VMULPD(dx, t, t)
	VADDPD(t, m, m)
	VADDPD(d, m, m)
	VSUBPD_BCST(oneFloat, m, m)

	floor := func(n, d reg.VecVirtual) {
		VDIVPD(d, n, q)
		VRNDSCALEPD(roundDown, q, q)
		VMULPD(d, q, t)
		VSUBPD(t, n, n)
	}
	floor(m, d)
	put(0, true, q)
	put(1, false, m)
	floor(dx, dy)
	put(2, true, q)
	VMULPD_BCST(subFloat, dx, dx)
	put(3, false, dx)
}
