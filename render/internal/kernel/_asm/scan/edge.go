package main

import (
	"github.com/mmcloughlin/avo/operand"

	. "lockstep/render/internal/kernel/_asm/lanes"
)

// tallMost is the largest height of a polygon, in subpixels, for which edgeAt is exact.
const tallMost = 1 << 22

// edgeAt emits the code of scanline.edgeAt for polygons up to tallMost high. yc is the row's centre. With a.X-Half =
// Sub*A + B, 0 <= B < Sub, and d = Sub*dy,
//
//	x = A + floor(m/d), m = (B+Sub)*dy + (yc-a.Y)*dx - 1
//
// Divisions are slow, so a single reciprocal of dy is used for both m/d and dx/dy. Everything in
//
//	m/d = (B + Sub + (yc-a.Y)*dx/dy - 1/dy) / Sub
//
// is exact except (yc-a.Y)*dx/dy, which float32 gives to within three roundings. It is at most 2^23, so the error is
// far below Sub. dx/dy is below 2^23 if dy is no power of two, and is off by less than one after two roundings. So both
// floors are within one of the exact result, and the remainder says in which direction. m does not fit 32 bits, but
// the remainder does, because it is between -d and 2*d <= 2^31; so it does not matter that the products wrap. Edges
// that cross no row have dy = 0; their results are meaningless and never used.
func (v *vector) edgeAt(e edge, ax, ay, bx, by, yc Kept) {
	dx, dy := v.SubInt(v.Again(bx), v.Use(ax)), v.SubInt(v.Again(by), v.Use(ay))
	d := v.To(e.d).ShiftLeft(dy, v.Go("SubBits"))
	v.Set(e.d, d)
	slope := v.ToFloat(dy)
	per := v.Div(v.Broadcast(v.Constant("oneSingle", operand.F32(1))), slope)
	slope = v.Mul(v.Into(slope).ToFloat(dx), per)

	x := v.To(e.x).SubInt(v.Again(ax), v.Constant("half", operand.U32(v.Go("Half"))))
	m := v.To(e.r).And(x, v.Constant("subMask", operand.U32(v.Go("Sub")-1)))
	v.Into(m).AddInt(m, v.Constant("sub", operand.U32(v.Go("Sub"))))
	v.Into(x).ShiftRight(x, v.Go("SubBits"))
	fraction := v.ToFloat(m)
	v.Into(m).MulInt(m, dy)
	t := v.SubInt(v.Again(yc), v.Use(ay))
	q := v.ToFloat(t)
	v.Into(t).MulInt(t, dx)
	v.Into(m).AddInt(m, t)
	v.Into(m).AddInt(m, v.Constant("minusOne", operand.I32(-1)))

	v.Into(q).Mul(q, slope)
	v.Into(q).Add(q, fraction)
	v.Into(q).Mul(q, v.Constant("perSub", operand.F32(1/float32(v.Go("Sub")))))
	v.floorDiv(v.Into(q).Floor(q), m, d)
	v.Set(e.x, v.Into(x).AddInt(x, q))
	v.Set(e.r, m)

	q = v.To(e.dx).Floor(slope)
	v.floorDiv(q, dx, dy)
	v.Set(e.dx, q)
	v.Set(e.dr, v.To(e.dr).ShiftLeft(dx, v.Go("SubBits")))
}

// floorDiv corrects q, which must be floor(n/d) or differ from it by 1, and sets n to the remainder.
func (v *vector) floorDiv(q, n, d Vec) {
	v.Into(n).SubInt(n, v.MulInt(q, d))
	// If q is 1 too high, the remainder is negative. If q is 1 too low, the remainder is d or more.
	over := v.Negative(n)
	v.SubOneWhere(over, q)
	v.AddWhere(over, n, d)
	under := v.AtLeastInt(n, d)
	v.AddOneWhere(under, q)
	v.SubWhere(under, n, d)
}

// tallEdge is edgeAt for polygons of any size. It works in float64, on half of the lanes at a time, and stores the
// result in the edge's memory. With
//
//	m = (a.X-Half)*dy + (yc-a.Y)*dx + d-1, d = Sub*dy,
//
// m stays below 2^48, so everything except the quotient is exact. Unless the true quotient is a whole number, it is at
// least 1/d >= 2^-31 away from one. It is below 2^17, so rounding moves it by at most 2^-37, and its floor is exact. So
// are the remainder and, by the same argument, dx/dy. The results for edges that cross no row are meaningless and
// never used.
func (v *vector) tallEdge(e edge, ax, ay, bx, by, yc Kept) {
	sub := v.WideConstant("rowHeight", float64(v.Go("Sub")))
	for h := range 2 {
		put := func(k Kept, a Vec) { v.StoreWideInt(a, k.Home().Offset(h*v.Bytes()/2)) }
		wide := func(k Kept) Vec { return v.WideInt(v.Use(k), h) }
		a, dx, dy, m := wide(ay), wide(bx), wide(by), wide(ax)
		v.Into(dx).SubWide(dx, m)
		v.Into(dy).SubWide(dy, a)
		d := v.MulWide(dy, sub)
		put(e.d, d)
		v.Into(m).SubWide(m, v.WideConstant("halfWide", float64(v.Go("Half"))))
		v.Into(m).MulWide(m, dy)
		t := wide(yc)
		v.Into(t).SubWide(t, a)
		v.Into(t).MulWide(t, dx)
		v.Into(m).AddWide(m, t)
		v.Into(m).AddWide(m, d)
		v.Into(m).SubWide(m, v.WideConstant("oneWide", 1))
		put(e.x, v.floorDivWide(m, d))
		put(e.r, m)
		put(e.dx, v.floorDivWide(dx, dy))
		put(e.dr, v.Into(dx).MulWide(dx, sub))
	}
}

// floorDivWide returns floor(n/d), and sets n to the remainder.
func (v *vector) floorDivWide(n, d Vec) (q Vec) {
	q = v.DivWide(n, d)
	v.Into(q).FloorWide(q)
	v.Into(n).SubWide(n, v.MulWide(q, d))
	return q
}
