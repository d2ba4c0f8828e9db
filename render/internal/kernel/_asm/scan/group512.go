package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// group512 holds the state of a group of sixteen polygons: what changes from row
// to row in registers, the rest in memory.
type group512 struct {
	left, right edge512
	// until counts the rows to a lane's next event: to its turn or, when that is
	// behind it or never comes, to its end. It is never 0 but at an event. rest is
	// the number of rows from the turn on, 0 when there is none ahead.
	until, rest reg.VecVirtual
	active      reg.OpmaskVirtual // lanes with rows left
	fromY0      [2]reg.VecVirtual // of the row's centre line, from corner 0: float64, always whole
	rowStart    reg.VecVirtual    // index of the row's first key

	other      [5]Mem // x, r, dx, dr, d
	gx, gy, e0 [2]Mem // of eight lanes each
	fromX0     Mem    // of the first pixel's centre
	de         Mem
	payload    Mem
	turnsLeft  Mem // a bit a lane

	// The registers, while the group is interrupted. Before it begins, the first
	// ten serve as scratch.
	saved       [15]Mem
	savedActive Mem
}

// groupSlots is the number of vectors in memory.
const groupSlots = 5 + 6 + 4 + 15 + 1

func newGroup512(state reg.Register) (g group512) {
	slots := 0
	next := func() Mem {
		slots++
		return Mem{Base: state, Disp: 64 * (slots - 1)}
	}
	for i := range g.other {
		g.other[i] = next()
	}
	for i := range 2 {
		g.gx[i], g.gy[i], g.e0[i] = next(), next(), next()
	}
	g.fromX0, g.de, g.payload, g.turnsLeft = next(), next(), next(), next()
	for i := range g.saved {
		g.saved[i] = next()
	}
	g.savedActive = next()
	g.left, g.right = newEdge512(), newEdge512()
	g.until, g.rest, g.rowStart = ZMM(), ZMM(), ZMM()
	g.fromY0 = [2]reg.VecVirtual{ZMM(), ZMM()}
	g.active = K()
	return g
}

// registers returns what changes from row to row.
func (g *group512) registers() []reg.VecVirtual {
	l, r := g.left.columns(), g.right.columns()
	return append(append(l[:], r[:]...), g.until, g.rest, g.fromY0[0], g.fromY0[1], g.rowStart)
}

func (g *group512) save() {
	for i, z := range g.registers() {
		VMOVDQU32(z, g.saved[i])
	}
	KMOVW(g.active, g.savedActive)
}

func (g *group512) restore() {
	for i, z := range g.registers() {
		VMOVDQU32(g.saved[i], z)
	}
	KMOVW(g.savedActive, g.active)
}

// load sets up the lanes for the polygons or parts from index group on; lanes
// beyond the mask get no rows. It is lane.set.
func (g *group512) load(args reg.Register, group reg.GPVirtual, mask reg.OpmaskVirtual) {
	var x, y, e [3]reg.VecVirtual
	for k := range 3 {
		x[k], y[k], e[k] = ZMM(), ZMM(), ZMM()
	}
	payload, first, rows := ZMM(), ZMM(), ZMM()
	consecutive := func(name string, z reg.VecVirtual) {
		VMOVDQU32_Z(Mem{Base: loadPointer(args, name), Index: group, Scale: 4}, mask, z)
	}
	columns := func(load func(name string, z reg.VecVirtual)) {
		load("payload", payload)
		for k, n := range []string{"0", "1", "2"} {
			load("x"+n, x[k])
			load("y"+n, y[k])
			load("e"+n, e[k])
		}
	}
	consecutive("first", first)
	consecutive("rows", rows)
	index := loadPointer(args, "index")
	TESTQ(index, index)
	JNZ(LabelRef("gather"))
	columns(consecutive)
	JMP(LabelRef("loaded"))
	Label("gather")
	polygons := ZMM()
	VMOVDQU32_Z(Mem{Base: index, Index: group, Scale: 4}, mask, polygons)
	columns(func(name string, z reg.VecVirtual) {
		k := K()
		KMOVW(mask, k)
		VPBROADCASTD(nothing, z)
		VPGATHERDD(Mem{Base: loadPointer(args, name), Index: polygons, Scale: 4}, k, z)
	})
	Label("loaded")
	VMOVDQU32(payload, g.payload)
	turnsLeft := g.plane(x, y, e)

	halfs, center := ZMM(), ZMM()
	VPBROADCASTD(half, halfs)
	VPSLLD(Imm(8), first, center)
	VPADDD(halfs, center, center)
	VPSUBD(x[0], halfs, halfs)
	VMOVDQU32(halfs, g.fromX0)
	VPSUBD(y[0], center, halfs)
	for h := range 2 {
		VMOVAPD(half512(h, true, halfs), g.fromY0[h])
	}
	VPMULLD(broadcast(args, "stride"), first, g.rowStart)

	// The short side is the left one, (b.X-a.X)*(c.Y-a.Y) < (c.X-a.X)*(b.Y-a.Y), when
	// the area is negative, which every swap of corners makes it or stops it from being.
	for _, k := range [][2]int{{0, 1}, {1, 2}, {0, 1}} {
		KXORW(sort512(x[k[0]], y[k[0]], x[k[1]], y[k[1]]), turnsLeft, turnsLeft)
	}
	KMOVW(turnsLeft, g.turnsLeft)
	g.edges(x, y, first, rows, center, turnsLeft)
}

// edges finds the edges, between corners from top to bottom: both sides as the
// first row meets them and, in memory, the lower edge on the side of the middle
// corner, the short one.
func (g *group512) edges(x, y [3]reg.VecVirtual, first, rows, center reg.VecVirtual, turnsLeft reg.OpmaskVirtual) {
	// turn = firstCenter(b.Y) - first; the lower edge starts there, or at first.
	turn, zero, lowerCenter, turned, turns := ZMM(), ZMM(), ZMM(), K(), K()
	VPADDD_BCST(halfLess, y[1], turn)
	VPSRAD(Imm(8), turn, turn)
	VPSUBD(first, turn, turn)
	VPBROADCASTD(nothing, zero)
	VPMAXSD(zero, turn, lowerCenter)
	VPSLLD(Imm(8), lowerCenter, lowerCenter)
	VPADDD(center, lowerCenter, lowerCenter)
	VPCMPD(Imm(notLessThan), turn, zero, turned)
	VPTESTMD(rows, rows, g.active)
	VPCMPD(Imm(greaterThan), turn, rows, turns)
	KANDNW(turns, turned, turns)
	VMOVDQA32(rows, g.until)
	VMOVDQA32(turn, turns, g.until)
	VPSUBD(g.until, rows, g.rest)

	short, long, tall, bits := newEdge512(), newEdge512(), K(), GP32()
	VPSUBD(y[0], y[2], zero)
	VPCMPD_BCST(Imm(greaterThan), tallMost, zero, tall)
	KMOVW(tall, bits)
	TESTL(bits, bits)
	JNZ(LabelRef("tall"))
	edgeAt512(long, x[1], y[1], x[2], y[2], lowerCenter)
	for i, v := range long.columns() {
		VMOVDQU32(v, g.other[i])
	}
	edgeAt512(short, x[0], y[0], x[1], y[1], center)
	edgeAt512(long, x[0], y[0], x[2], y[2], center)
	JMP(LabelRef("sides"))
	Label("tall")
	g.tallEdges(short, long, x, y, center, lowerCenter)
	Label("sides")

	// The short side starts on the lower edge when no row comes before the turn.
	for i, v := range short.columns() {
		VMOVDQU32(g.other[i], turned, v)
	}
	l, r, a, b := g.left.columns(), g.right.columns(), short.columns(), long.columns()
	for i := range l { // avo would take the target of a blend for one of its sources
		VMOVDQA32(b[i], l[i])
		VMOVDQA32(a[i], turnsLeft, l[i])
		VMOVDQA32(a[i], r[i])
		VMOVDQA32(b[i], turnsLeft, r[i])
	}
}

// plane sets the plane of nearness and returns where the area is negative. The
// corners are those of the mesh's order.
func (g *group512) plane(x, y, e [3]reg.VecVirtual) (negative reg.OpmaskVirtual) {
	var diffs [4]reg.VecVirtual
	for i, v := range [][2]reg.VecVirtual{{x[1], x[0]}, {y[1], y[0]}, {x[2], x[0]}, {y[2], y[0]}} {
		diffs[i] = ZMM()
		VPSUBD(v[1], v[0], diffs[i])
	}
	var de [2]reg.VecVirtual
	var sides [2]reg.OpmaskVirtual
	for h := range 2 {
		e0 := half512(h, false, e[0])
		VMOVUPD(e0, g.e0[h])
		var d [4]reg.VecVirtual
		for i := range d {
			d[i] = half512(h, true, diffs[i])
		}
		gx, gy, side := plane512(d[0], d[1], d[2], d[3], e0, half512(h, false, e[1]), half512(h, false, e[2]))
		VMOVUPD(gx, g.gx[h])
		VMOVUPD(gy, g.gy[h])
		de[h], sides[h] = gx, side
		VMULPD_BCST(subFloat, gx, gx)
	}
	join(de[0], de[1], de[0])
	VMOVUPS(de[0], g.de)
	KUNPCKBW(sides[0], sides[1], sides[0])
	return sides[0]
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
func (g *group512) emit(out spanColumns, zero, width reg.VecVirtual) {
	x, count := ZMM(), ZMM()
	VPMAXSD(zero, g.left.x, x)
	VPMINSD(width, g.right.x, count)
	covers := K()
	VPCMPD(Imm(lessThan), count, x, g.active, covers)
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
		ey := ZMM()
		VMULPD(g.gx[h], e[h], e[h])
		VMULPD(g.gy[h], g.fromY0[h], ey)
		VADDPD(g.e0[h], e[h], e[h])
		VADDPD(ey, e[h], e[h])
	}
	join(e[0], e[1], e[0])
	VPADDD(g.rowStart, x, x)
	out.store(covers, x, count, e[0], g.de, g.payload)
	POPCNTL(bits, bits)
	ADDQ(bits.As64(), out.n)
}

// spanColumns is where spans go.
type spanColumns struct {
	base        [5]reg.GPVirtual
	n           reg.GPVirtual
	laneNumbers reg.VecVirtual
}

// store moves the lanes of the mask together and stores whole registers: a
// compress straight to memory is very slow on some processors. A compress takes
// two shuffles, so only the lanes' order is compressed.
func (o *spanColumns) store(k reg.OpmaskVirtual, columns ...Op) {
	order := ZMM()
	VPCOMPRESSD_Z(o.laneNumbers, k, order)
	for i, c := range columns {
		z := ZMM()
		VPERMD(c, order, z)
		VMOVDQU32(z, Mem{Base: o.base[i], Index: o.n, Scale: 4})
	}
}

// turnCorner replaces the short side of the lanes in k.
func (g *group512) turnCorner(k reg.OpmaskVirtual) {
	onLeft, onRight := K(), K()
	KMOVW(g.turnsLeft, onLeft)
	KANDNW(k, onLeft, onRight)
	KANDW(k, onLeft, onLeft)
	for i, v := range g.left.columns() {
		VMOVDQU32(g.other[i], onLeft, v)
	}
	for i, v := range g.right.columns() {
		VMOVDQU32(g.other[i], onRight, v)
	}
}
