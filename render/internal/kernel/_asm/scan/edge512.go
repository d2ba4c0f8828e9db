package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Comparison predicates of VPCMPD; lessThan also of VCMPPD.
const (
	lessThan    = 1
	notLessThan = 5
	greaterThan = 6
)

// As in package kernel.
const (
	lookLanes = 8
	dealCost  = 4
)

// edge512 is kernel.edge for sixteen lanes.
type edge512 struct{ x, r, dx, dr, d reg.VecVirtual }

func (e edge512) columns() [5]reg.VecVirtual { return [5]reg.VecVirtual{e.x, e.r, e.dx, e.dr, e.d} }

func newEdge512() edge512 { return edge512{ZMM(), ZMM(), ZMM(), ZMM(), ZMM()} }

// constants that fill a register, in memory.
var (
	one       = ConstData("one", U32(1))
	nothing   = ConstData("nothing", U32(0)) // avo does not see that x^x needs no x
	allBits   = ConstData("allBits", U32(0xffffffff))
	half      = ConstData("half", U32(128))
	halfLess  = ConstData("halfLess", U32(127))
	sub       = ConstData("sub", U32(256))
	subMask   = ConstData("subMask", U32(255))
	subFloat  = ConstData("subFloat", F64(256))
	oneFloat  = ConstData("oneFloat", F64(1))
	smallMost = ConstData("smallMost", U32(1<<15-1))
	tallMost  = ConstData("tallMost", U32(1<<22))
	tallRows  = ConstData("tallRows", U32(32))
	oneSingle = ConstData("oneSingle", F32(1))
	perSub    = ConstData("perSub", F32(1.0/256))
	roundDown = U8(9) // towards minus infinity, no exceptions
)

// at loads argument i.
func at(args reg.Register, name string) Mem {
	for i, f := range fields {
		if f.name == name {
			return Mem{Base: args, Disp: 8 * i}
		}
	}
	panic("no argument " + name)
}

func loadPointer(args reg.Register, name string) reg.GPVirtual {
	p := GP64()
	MOVQ(at(args, name), p)
	return p
}

// broadcast fills a register with an argument that fits 32 bits.
func broadcast(args reg.Register, name string) reg.VecVirtual {
	z := ZMM()
	VPBROADCASTD(at(args, name), z)
	return z
}

// half512 converts the lower (0) or upper (1) eight lanes to float64.
func half512(h int, ints bool, z reg.VecVirtual) reg.VecVirtual {
	from, to := z.AsY(), ZMM()
	if h == 1 {
		upper := YMM()
		VEXTRACTF64X4(Imm(1), z, upper)
		from = upper.AsY()
	}
	if ints {
		VCVTDQ2PD(from, to)
	} else {
		VCVTPS2PD(from, to)
	}
	return to
}

// plane512 is lane.plane for eight lanes: gx and gy from the differences of
// coordinates and nearness to corner 0, and where the area is negative.
func plane512(x1, y1, x2, y2, e0, e1, e2 reg.VecVirtual) (gx, gy reg.VecVirtual, negative reg.OpmaskVirtual) {
	VSUBPD(e0, e1, e1)
	VSUBPD(e0, e2, e2)
	area, t := ZMM(), ZMM()
	VMULPD(y2, x1, area)
	VMULPD(y1, x2, t)
	VSUBPD(t, area, area)
	negative = K()
	VPMOVQ2M(area, negative)
	VBROADCASTSD(oneFloat, t)
	VDIVPD(area, t, area)
	gx, gy = ZMM(), ZMM()
	VMULPD(y2, e1, gx)
	VMULPD(y1, e2, t)
	VSUBPD(t, gx, gx)
	VMULPD(area, gx, gx)
	VMULPD(x1, e2, gy)
	VMULPD(x2, e1, t)
	VSUBPD(t, gy, gy)
	VMULPD(area, gy, gy)
	return gx, gy, negative
}

// edgeAt512 is edgeAt for polygons up to tallMost high. yc is the row's centre. With
// a.X-Half = Sub*A + B, 0 <= B < Sub, and d = Sub*dy,
//
//	x = A + floor(m/d), m = (B+Sub)*dy + (yc-a.Y)*dx - 1
//
// Divisions are slow, so one reciprocal of dy serves m/d and dx/dy. Everything in
//
//	m/d = (B + Sub + (yc-a.Y)*dx/dy - 1/dy) / Sub
//
// is known exactly but for (yc-a.Y)*dx/dy, which float32 finds to within three
// roundings: it is at most 2^23, so they are far below Sub. dx/dy, below 2^23 where
// dy is no power of two, is off by less than one after two roundings. So both floors
// are within one, and the remainder says which way: m does not fit 32 bits, but
// the remainder does, between -d and 2*d <= 2^31, and so it does not matter that
// the products wrap. Edges that cross no row have dy = 0 and come out as rubbish
// that is never used.
func edgeAt512(e edge512, ax, ay, bx, by, yc reg.VecVirtual) {
	dx, dy, per, slope := ZMM(), ZMM(), ZMM(), ZMM()
	VPSUBD(ax, bx, dx)
	VPSUBD(ay, by, dy)
	VPSLLD(Imm(8), dy, e.d)
	VCVTDQ2PS(dy, slope)
	VBROADCASTSS(oneSingle, per)
	VDIVPS(slope, per, per)
	VCVTDQ2PS(dx, slope)
	VMULPS(per, slope, slope)

	// Columns of e that are not known yet serve as scratch.
	m, t, q, b := e.r, e.dr, e.dx, per
	VPSUBD_BCST(half, ax, e.x)
	VPANDD_BCST(subMask, e.x, m)
	VPADDD_BCST(sub, m, m)
	VPSRAD(Imm(8), e.x, e.x)
	VCVTDQ2PS(m, b)
	VPMULLD(dy, m, m)
	VPSUBD(ay, yc, t)
	VCVTDQ2PS(t, q)
	VPMULLD(dx, t, t)
	VPADDD(t, m, m)
	VPADDD_BCST(allBits, m, m)
	VMULPS(slope, q, q)
	VADDPS(b, q, q)
	VMULPS_BCST(perSub, q, q)
	floorDiv512(q, m, e.d)
	VPADDD(q, e.x, e.x)

	VMOVDQA32(slope, q)
	floorDiv512(q, dx, dy)
	VPSLLD(Imm(8), dx, e.dr)
}

// floorDiv512 sets q to floor(n/d) and n to the remainder, given the nearly exact
// float32 of n/d in q.
func floorDiv512(q, n, d reg.VecVirtual) {
	t, k := ZMM(), K()
	VCVTPS2DQ_RD_SAE(q, q)
	VPMULLD(d, q, t)
	VPSUBD(t, n, n)
	// One too high leaves a negative remainder, one too low a whole d.
	VPMOVD2M(n, k)
	VPADDD_BCST(allBits, q, k, q)
	VPADDD(d, n, k, n)
	VPCMPD(Imm(notLessThan), d, n, k)
	VPSUBD_BCST(allBits, q, k, q)
	VPSUBD(d, n, k, n)
}

// step512 is edge.step.
func step512(e edge512) {
	k := K()
	VPADDD(e.dx, e.x, e.x)
	VPADDD(e.dr, e.r, e.r)
	VPCMPUD(Imm(notLessThan), e.d, e.r, k)
	VPSUBD(e.d, e.r, k, e.r)
	VPSUBD_BCST(allBits, e.x, k, e.x)
}

// sort512 orders two corners by y and returns the lanes in which it swapped them.
func sort512(ax, ay, bx, by reg.VecVirtual) reg.OpmaskVirtual {
	k, t := K(), ZMM()
	VPCMPD(Imm(lessThan), ay, by, k)
	VPMINSD(by, ay, t)
	VPMAXSD(by, ay, by)
	VMOVDQA32(t, ay)
	VPBLENDMD(bx, ax, k, t)
	VPBLENDMD(ax, bx, k, bx)
	VMOVDQA32(t, ax)
	return k
}
