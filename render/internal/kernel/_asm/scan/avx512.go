package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Comparison predicates of VPCMPD.
const (
	lessThan    = 1
	notLessThan = 5
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
// coordinates and nearness to corner 0.
func plane512(x1, y1, x2, y2, e0, e1, e2 reg.VecVirtual) (gx, gy reg.VecVirtual) {
	VSUBPD(e0, e1, e1)
	VSUBPD(e0, e2, e2)
	area, t := ZMM(), ZMM()
	VMULPD(y2, x1, area)
	VMULPD(y1, x2, t)
	VSUBPD(t, area, area)
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
	return gx, gy
}

// edgeAt512 is edgeAt for small polygons, whose differences of coordinates stay
// below 2^15. yc is the row's centre. With a.X-Half = Sub*A + B, 0 <= B < Sub,
//
//	x = A + floor(m/d), m = B*dy + (yc-a.Y)*dx + d-1, d = Sub*dy,
//
// where |m| < 2^31. Divisions are slow, so one reciprocal of dy serves m/d, below
// 2^8, and dx/dy, below 2^15: products with it are within one of the floor,
// and the exact remainder says which way. Edges that cross no row have dy = 0
// and come out as rubbish that is never used.
func edgeAt512(ax, ay, bx, by, yc reg.VecVirtual) edge512 {
	e := newEdge512()
	dx, dy, per := ZMM(), ZMM(), ZMM()
	VPSUBD(ax, bx, dx)
	VPSUBD(ay, by, dy)
	VPSLLD(Imm(8), dy, e.d)
	VCVTDQ2PS(dy, e.dx)
	VBROADCASTSS(oneSingle, per)
	VDIVPS(e.dx, per, per)

	// Columns of e that are not known yet serve as scratch.
	m, t, q := e.r, e.dr, e.dx
	VPSUBD_BCST(half, ax, e.x)
	VPANDD_BCST(subMask, e.x, m)
	VPSRAD(Imm(8), e.x, e.x)
	VPMULLD(dy, m, m)
	VPSUBD(ay, yc, t)
	VPMULLD(dx, t, t)
	VPADDD(t, m, m)
	VPADDD(e.d, m, m)
	VPADDD_BCST(allBits, m, m)
	VCVTDQ2PS(m, q)
	VMULPS_BCST(perSub, q, q)
	floorDiv512(q, per, m, e.d)
	VPADDD(q, e.x, e.x)

	VCVTDQ2PS(dx, q)
	floorDiv512(q, per, dx, dy)
	VPSLLD(Imm(8), dx, e.dr)
	return e
}

// floorDiv512 sets q to floor(n/d) and n to the remainder, given the float32 of
// n in q and per = 1/d, both up to a common factor and nearly exact.
func floorDiv512(q, per, n, d reg.VecVirtual) {
	t, k := ZMM(), K()
	VMULPS(per, q, q)
	VRNDSCALEPS(roundDown, q, q)
	VCVTTPS2DQ(q, q)
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

// sort512 orders two corners by y.
func sort512(ax, ay, bx, by reg.VecVirtual) {
	k, t := K(), ZMM()
	VPCMPD(Imm(lessThan), ay, by, k)
	VPMINSD(by, ay, t)
	VPMAXSD(by, ay, by)
	VMOVDQA32(t, ay)
	VPBLENDMD(bx, ax, k, t)
	VPBLENDMD(ax, bx, k, bx)
	VMOVDQA32(t, ax)
}

// group512 holds the state of a group of sixteen polygons: what changes from row
// to row in registers, the rest in memory.
type group512 struct {
	left, right edge512
	turn, rows  reg.VecVirtual
	turnsLeft   reg.OpmaskVirtual
	fromY0      reg.VecVirtual // of the row's centre line, from corner 0
	rowStart    reg.VecVirtual // index of the row's first key

	other      [5]Mem // x, r, dx, dr, d
	gx, gy, e0 [2]Mem // of eight lanes each
	fromX0     Mem    // of the first pixel's centre
	de         Mem
	payload    Mem
}

// groupBytes is the size of the part in memory.
const groupBytes = (5 + 6 + 3) * 64

func newGroup512(local Mem) (g group512) {
	next := func() Mem {
		m := local
		local = local.Offset(64)
		return m
	}
	for i := range g.other {
		g.other[i] = next()
	}
	for i := range 2 {
		g.gx[i], g.gy[i], g.e0[i] = next(), next(), next()
	}
	g.fromX0, g.de, g.payload = next(), next(), next()
	return g
}

// load sets up the lanes for the polygons from index group on; lanes beyond the
// mask get no rows. It is lane.set.
func (g *group512) load(args reg.Register, group reg.GPVirtual, mask reg.OpmaskVirtual) {
	column := func(name string) reg.VecVirtual {
		z := ZMM()
		VMOVDQU32_Z(Mem{Base: loadPointer(args, name), Index: group, Scale: 4}, mask, z)
		return z
	}
	VMOVDQU32(column("payload"), g.payload)
	var x, y [3]reg.VecVirtual
	for k, n := range []string{"0", "1", "2"} {
		x[k], y[k] = column("x"+n), column("y"+n)
	}
	g.plane(x, y, column("e0"), column("e1"), column("e2"))

	first := column("first")
	g.rows = column("rows")
	halfs, center := ZMM(), ZMM()
	VPBROADCASTD(half, halfs)
	VPSLLD(Imm(8), first, center)
	VPADDD(halfs, center, center)
	VPSUBD(x[0], halfs, halfs)
	VMOVDQU32(halfs, g.fromX0)
	g.fromY0, g.rowStart = ZMM(), ZMM()
	VPSUBD(y[0], center, g.fromY0)
	VPMULLD(broadcast(args, "stride"), first, g.rowStart)

	sort512(x[0], y[0], x[1], y[1])
	sort512(x[1], y[1], x[2], y[2])
	sort512(x[0], y[0], x[1], y[1])
	// (b.X-a.X)*(c.Y-a.Y) < (c.X-a.X)*(b.Y-a.Y): the short side is the left one.
	g.turnsLeft = K()
	p, q := ZMM(), ZMM()
	VPSUBD(x[0], x[1], p)
	t := ZMM()
	VPSUBD(y[0], y[2], t)
	VPMULLD(t, p, p)
	VPSUBD(x[0], x[2], q)
	VPSUBD(y[0], y[1], t)
	VPMULLD(t, q, q)
	VPCMPD(Imm(lessThan), q, p, g.turnsLeft)
	short := g.shortSide(x, y, first, center)
	long := edgeAt512(x[0], y[0], x[2], y[2], center)

	g.left, g.right = newEdge512(), newEdge512()
	l, r, a, b := g.left.columns(), g.right.columns(), short.columns(), long.columns()
	for i := range l {
		VPBLENDMD(a[i], b[i], g.turnsLeft, l[i])
		VPBLENDMD(b[i], a[i], g.turnsLeft, r[i])
	}
}

// shortSide finds the edges on the side of the middle corner: it keeps the
// lower one for later and returns the one that the first row meets.
func (g *group512) shortSide(x, y [3]reg.VecVirtual, first, center reg.VecVirtual) edge512 {
	// turn = firstCenter(b.Y) - first; the lower edge starts there, or at first.
	g.turn = ZMM()
	VPADDD_BCST(halfLess, y[1], g.turn)
	VPSRAD(Imm(8), g.turn, g.turn)
	VPSUBD(first, g.turn, g.turn)
	zero, lowerCenter := ZMM(), ZMM()
	VPBROADCASTD(nothing, zero)
	VPMAXSD(zero, g.turn, lowerCenter)
	VPSLLD(Imm(8), lowerCenter, lowerCenter)
	VPADDD(center, lowerCenter, lowerCenter)
	for i, v := range edgeAt512(x[1], y[1], x[2], y[2], lowerCenter).columns() {
		VMOVDQU32(v, g.other[i])
	}
	// The short side starts on the lower edge when no row comes before the turn.
	short := edgeAt512(x[0], y[0], x[1], y[1], center)
	turned := K()
	VPCMPD(Imm(notLessThan), g.turn, zero, turned)
	for i, v := range short.columns() {
		VMOVDQU32(g.other[i], turned, v)
	}
	return short
}

// plane sets the plane of nearness. The corners are those of the mesh's order.
func (g *group512) plane(x, y [3]reg.VecVirtual, e0, e1, e2 reg.VecVirtual) {
	var de [2]reg.VecVirtual
	for h := range 2 {
		diff := func(a, b reg.VecVirtual) reg.VecVirtual {
			z := ZMM()
			VPSUBD(b, a, z)
			return half512(h, true, z)
		}
		e := half512(h, false, e0)
		VMOVUPD(e, g.e0[h])
		gx, gy := plane512(diff(x[1], x[0]), diff(y[1], y[0]), diff(x[2], x[0]), diff(y[2], y[0]),
			e, half512(h, false, e1), half512(h, false, e2))
		VMOVUPD(gx, g.gx[h])
		VMOVUPD(gy, g.gy[h])
		de[h] = gx
		VMULPD_BCST(subFloat, gx, gx)
	}
	join(de[0], de[1], de[0])
	VMOVUPS(de[0], g.de)
}

// join rounds two halves to float32.
func join(lo, hi, dst reg.VecVirtual) {
	l, h := ZMM(), YMM()
	VBROADCASTSS(nothing, l) // the conversion clears the upper half, which avo cannot know
	VCVTPD2PS(lo, l.AsY())
	VCVTPD2PS(hi, h)
	VINSERTF64X4(Imm(1), h, l, dst)
}

// emit stores the spans of the active lanes' next rows: lane.emit.
func (g *group512) emit(out spanColumns, active reg.OpmaskVirtual, zero, width reg.VecVirtual) {
	x, count := ZMM(), ZMM()
	VPMAXSD(zero, g.left.x, x)
	VPMINSD(width, g.right.x, count)
	covers := K()
	VPCMPD(Imm(lessThan), count, x, active, covers)
	bits := GP32()
	KMOVW(covers, bits)
	TESTL(bits, bits)
	JZ(LabelRef("step"))

	VPSUBD(x, count, count)
	from := ZMM()
	VPSLLD(Imm(8), x, from)
	VPADDD(g.fromX0, from, from)
	var e [2]reg.VecVirtual
	for h := range 2 {
		e[h] = half512(h, true, from)
		ey := half512(h, true, g.fromY0)
		VMULPD(g.gx[h], e[h], e[h])
		VMULPD(g.gy[h], ey, ey)
		VADDPD(g.e0[h], e[h], e[h])
		VADDPD(ey, e[h], e[h])
	}
	join(e[0], e[1], e[0])
	VPADDD(g.rowStart, x, x)
	de, payload := ZMM(), ZMM()
	VMOVDQU32(g.de, de)
	VMOVDQU32(g.payload, payload)
	out.store(covers, x, count, e[0], de, payload)
	POPCNTL(bits, bits)
	ADDQ(bits.As64(), out.n)
}

// spanColumns is where spans go.
type spanColumns struct {
	base [5]reg.GPVirtual
	n    reg.GPVirtual
}

// store compresses the lanes of the mask and stores whole registers: a
// compress straight to memory is very slow on some processors.
func (o *spanColumns) store(k reg.OpmaskVirtual, columns ...reg.VecVirtual) {
	for i, c := range columns {
		z := ZMM()
		VPCOMPRESSD_Z(c, k, z)
		VMOVDQU32(z, Mem{Base: o.base[i], Index: o.n, Scale: 4})
	}
}

// turnCorner replaces the short side of lanes that have come to the middle
// corner.
func (g *group512) turnCorner() {
	k, onLeft := K(), K()
	VPSUBD_BCST(one, g.turn, g.turn)
	VPTESTNMD(g.turn, g.turn, k)
	KANDW(g.turnsLeft, k, onLeft)
	KANDNW(k, g.turnsLeft, k)
	for i, v := range g.left.columns() {
		VMOVDQU32(g.other[i], onLeft, v)
	}
	for i, v := range g.right.columns() {
		VMOVDQU32(g.other[i], k, v)
	}
}

func avx512() {
	TEXT("scanAVX512", 0, "func(args *byte)")
	args := Load(Param("args"), GP64()).(reg.GPVirtual)
	g := newGroup512(AllocLocal(groupBytes))

	group := loadPointer(args, "group")
	out := spanColumns{n: loadPointer(args, "n")}
	for i, name := range []string{"start", "count", "e", "de", "spanPayload"} {
		out.base[i] = loadPointer(args, name)
	}

	Label("group")
	left := GP64()
	MOVQ(at(args, "small"), left)
	SUBQ(group, left)
	JLE(LabelRef("done"))
	CMPQ(out.n, at(args, "most"))
	JG(LabelRef("done"))
	// The lanes that have a polygon: all, or the lowest bits.
	bits, mask := GP32(), K()
	MOVL(U32(0xffff), bits)
	CMPQ(left, Imm(16))
	JGE(LabelRef("masked"))
	BZHIL(left.As32(), bits, bits)
	Label("masked")
	KMOVW(bits, mask)

	g.load(args, group, mask)
	zero := ZMM()
	VPBROADCASTD(nothing, zero)
	width, stride := broadcast(args, "width"), broadcast(args, "stride")

	Label("row")
	active := K()
	VPTESTMD(g.rows, g.rows, active)
	tasks := GP32()
	KMOVW(active, tasks)
	TESTL(tasks, tasks)
	JZ(LabelRef("next"))
	POPCNTL(tasks, tasks)
	ADDQ(tasks.As64(), at(args, "tasks"))
	INCQ(at(args, "iterations"))
	g.emit(out, active, zero, width)

	Label("step")
	step512(g.left)
	step512(g.right)
	g.turnCorner()
	VPADDD_BCST(sub, g.fromY0, g.fromY0)
	VPADDD(stride, g.rowStart, g.rowStart)
	VPSUBD_BCST(one, g.rows, active, g.rows)
	JMP(LabelRef("row"))

	Label("next")
	ADDQ(Imm(16), group)
	JMP(LabelRef("group"))

	Label("done")
	MOVQ(group, at(args, "group"))
	MOVQ(out.n, at(args, "n"))
	VZEROUPPER()
	RET()
}
