package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	. "lockstep/render/internal/kernel/_asm/lanes"
)

// load emits the code of lane.set, which prepares the lanes for the polygons from index group on. left is the number of
// polygons left. Lanes beyond this number get no rows.
func (v *vector) load(group, left reg.GPVirtual) {
	has := v.First(left)
	consecutive := func(l *Lanes, name string) Vec {
		if v.N == AVX2 { // a masked load would take longer, and values of lanes without rows do not matter
			return l.Load(v.column(name, group))
		}
		return l.LoadMasked(v.column(name, group), has)
	}
	first, rows := v.Keep(consecutive(v.Lanes, "first")), v.Keep(v.LoadMasked(v.column("rows", group), has))
	c, payload := v.corners(consecutive)
	v.Store(v.Again(payload), v.payload)
	turnsLeft := v.plane(c)

	v.Comment("Distances from corner 0.")
	half := v.Broadcast(v.Constant("half", operand.U32(v.Go("Half"))))
	center := v.ShiftLeft(v.Again(first), v.Go("SubBits"))
	v.Into(center).AddInt(center, half)
	v.Store(v.Into(half).SubInt(half, v.Use(c[0][0])), v.fromX0)
	fromY := v.SubInt(center, v.Use(c[1][0]))
	if v.N == AVX2 {
		v.Set(v.distance, fromY)
	} else {
		for h := range v.fromY0 {
			v.To(v.fromY0[h]).WideInt(fromY, h)
		}
	}
	v.Set(v.rowStart, v.To(v.rowStart).MulInt(v.Again(first), v.Scalar("stride")))

	// The corners are sorted. The short side is the left side if (b.X-a.X)*(c.Y-a.Y) < (c.X-a.X)*(b.Y-a.Y), that is,
	// if the area of the sorted corners is negative. Every swap of two corners changes the sign of the area.
	v.Comment("Corners from top to bottom, and the side of the middle one.")
	kept := v.Keep(center)
	for _, k := range [][2]int{{0, 1}, {1, 2}, {0, 1}} {
		turnsLeft = v.IntoMask(turnsLeft).MaskXor(v.sort(&c[0], &c[1], k[0], k[1]), turnsLeft)
	}
	v.StoreMask(turnsLeft, v.turnsLeft)
	v.edges(c[0], c[1], first, rows, kept)
}

// column returns the memory of the vector's part of a column of polygons.
func (v *vector) column(name string, group reg.GPVirtual) operand.Mem {
	return v.At(name, group).Offset(v.number() * v.Bytes())
}

// number returns the number of the vector in its group, from 0 on.
func (v *vector) number() int {
	for i := range v.vectors {
		if v.vectors[i] == v {
			return i
		}
	}
	panic("no vector of the group")
}

// corners loads x, y and nearness of the corners, in the order of the mesh. It also loads the payloads.
func (v *vector) corners(consecutive func(l *Lanes, name string) Vec) (c [3][3]Kept, payload Kept) {
	v.Comment("Corners.")
	load := func(name string) Kept {
		k := v.Slot()
		v.Set(k, consecutive(v.To(k), name))
		return k
	}
	payload = load("payload")
	for k := range 3 {
		for axis, name := range []string{"x", "y", "e"} {
			c[axis][k] = load(fmt.Sprint(name, k))
		}
	}
	return c, payload
}

// plane emits the code of lane.plane. It returns the lanes in which the area is negative.
func (v *vector) plane(c [3][3]Kept) (negative Mask) {
	v.Comment("The plane of nearness.")
	from0 := func(axis, k int) Vec { return v.SubInt(v.Again(c[axis][k]), v.Use(c[axis][0])) }
	diffs := [4]Vec{from0(0, 1), from0(1, 1), from0(0, 2), from0(1, 2)}
	var areas, de Halves
	for h := range de {
		e0 := v.WideFloat(v.Use(c[2][0]), h)
		v.Store(e0, v.e0[h])
		var diff [4]Vec
		for i := range diffs {
			diff[i] = v.WideInt(diffs[i], h)
		}
		e1, e2 := v.WideFloat(v.Use(c[2][1]), h), v.WideFloat(v.Use(c[2][2]), h)
		v.Into(e1).SubWide(e1, e0)
		v.Into(e2).SubWide(e2, e0)
		x1, y1, x2, y2 := diff[0], diff[1], diff[2], diff[3]
		areas[h] = v.crossWide(x1, y2, x2, y1)
		per := v.DivWide(v.BroadcastWide(v.WideConstant("oneWide", 1)), areas[h])
		gx, gy := v.crossWide(e1, y2, e2, y1), v.crossWide(e2, x1, e1, x2)
		v.Into(gx).MulWide(gx, per)
		v.Into(gy).MulWide(gy, per)
		v.Store(gx, v.gx[h])
		v.Store(gy, v.gy[h])
		de[h] = v.Into(gx).MulWide(gx, v.rowHeights())
	}
	v.Store(v.NarrowWide(de), v.de)
	return v.NegativeWide(areas)
}

// crossWide returns a*b - c*d.
func (v *vector) crossWide(a, b, c, d Vec) Vec {
	p := v.MulWide(a, b)
	return v.Into(p).SubWide(p, v.MulWide(c, d))
}

// sort sorts corners a and b by y, and returns the lanes in which it swapped them.
func (v *vector) sort(x, y *[3]Kept, a, b int) (swapped Mask) {
	ya, yb := v.Again(y[a]), v.Again(y[b])
	swapped = v.LessInt(yb, ya, nil)
	y[a], y[b] = v.Keep(v.MinInt(ya, yb)), v.Keep(v.MaxInt(ya, yb))
	xa, xb := v.Again(x[a]), v.Again(x[b])
	x[a], x[b] = v.Keep(v.Blend(swapped, xb, xa)), v.Keep(v.Blend(swapped, xa, xb))
	return swapped
}

// countdown stores two numbers of rows: to the turn at the middle corner, and to the end. It returns the lanes that
// have not reached their turn, and the centre of the row at which the lower edge starts.
func (v *vector) countdown(middle, first, rows, center Kept) (ahead KeptMask, lowerCenter Kept) {
	v.Comment("Rows to the turn at the middle corner, and from there on.")
	// turn becomes FirstCenter(b.Y) - first. The lower edge starts at that row, or at first if first is later.
	turn := v.AddInt(v.Again(middle), v.Constant("halfLess", operand.U32(v.Go("Half")-1)))
	v.Into(turn).ShiftRight(turn, v.Go("SubBits"))
	v.Into(turn).SubInt(turn, v.Use(first))
	zero := v.Zero()
	lower := v.MaxInt(turn, zero)
	v.Into(lower).ShiftLeft(lower, v.Go("SubBits"))
	lowerCenter = v.Keep(v.Into(lower).AddInt(lower, v.Use(center)))
	all := v.Again(rows)
	isAhead := v.GreaterInt(turn, zero, nil)
	if v.N == AVX512 {
		v.IntoMask(v.Mask(v.active)).Positive(all, nil)
		turns := v.GreaterInt(all, turn, &isAhead)
		until := v.To(v.until).Blend(turns, turn, all)
		v.To(v.rest).SubInt(all, until)
	} else {
		v.Set(v.rows, all)
		v.Set(v.turn, turn)
	}
	return v.KeepMask(isAhead), lowerCenter
}

// edges computes the edges between the corners. The corners are sorted from top to bottom. The left and the right
// edge are computed at the first row. The lower edge is computed in memory; it belongs to the short side, on which
// the middle corner lies.
func (v *vector) edges(x, y [3]Kept, first, rows, center Kept) {
	ahead, lowerCenter := v.countdown(y[1], first, rows, center)

	// The upper and the long edge are computed in the registers or the memory of the left and the right side. They
	// become these sides.
	short, long := v.left, v.right
	if v.N == AVX512 {
		for _, e := range []*edge{&short, &long} {
			for _, k := range e.columns() {
				*k = v.Slot()
			}
		}
	}
	tall, sides := fmt.Sprint("tall", v.number()), fmt.Sprint("sides", v.number())
	height := v.SubInt(v.Again(y[2]), v.Use(y[0]))
	bits := v.Bits(v.GreaterInt(height, v.Constant("tallMost", operand.U32(tallMost)), nil))
	v.TESTL(bits, bits)
	v.JNZ(operand.LabelRef(tall))
	v.Comment("The lower, the upper and the long edge.")
	v.edgeAt(v.other, x[1], y[1], x[2], y[2], lowerCenter)
	v.edgeAt(short, x[0], y[0], x[1], y[1], center)
	v.edgeAt(long, x[0], y[0], x[2], y[2], center)
	for _, k := range v.other.columns() {
		v.Save(*k)
	}
	v.JMP(operand.LabelRef(sides))
	v.Label(tall)
	v.Comment("The same for polygons of any height.")
	v.tallEdge(v.other, x[1], y[1], x[2], y[2], lowerCenter)
	v.tallEdge(v.left, x[0], y[0], x[1], y[1], center)
	v.tallEdge(v.right, x[0], y[0], x[2], y[2], center)
	if v.N == AVX512 {
		for c, k := range short.columns() {
			v.Into(v.Again(*k)).Load(v.left.columns()[c].Home())
		}
		for c, k := range long.columns() {
			v.Into(v.Again(*k)).Load(v.right.columns()[c].Home())
		}
	}
	v.Label(sides)
	v.sides(short, long, v.Mask(ahead))
}

// sides sets the left and the right edge from the short and the long edge. If there are no rows before the turn, the
// short side starts with the lower edge.
func (v *vector) sides(short, long edge, ahead Mask) {
	v.Comment("The left and the right side.")
	turnsLeft := v.LoadMask(v.turnsLeft)
	for c, k := range short.columns() {
		a, b := v.Again(*k), v.Again(*long.columns()[c])
		a = v.Blend(ahead, a, v.Load(v.other.columns()[c].Home()))
		left, right := *v.left.columns()[c], *v.right.columns()[c]
		v.Set(left, v.To(left).Blend(turnsLeft, a, b))
		v.Set(right, v.To(right).Blend(turnsLeft, b, a))
	}
}
