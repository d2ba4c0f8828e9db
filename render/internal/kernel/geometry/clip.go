package geometry

import (
	"math"

	"lockstep/render/internal/kernel/array"
)

// MaxClipped is the largest number of polygons that clipping makes of a triangle. Six planes add at most one corner
// each, which makes 9 corners: a fan of 7 triangles.
const MaxClipped = 7

// The planes at which triangles are clipped, in this order.
const (
	nearPlane = iota
	leftPlane // the first of four sides of the guard band, see array.Guard
	rightPlane
	topPlane
	bottomPlane
	farPlane // used in orthographic and distant views
	planes
)

// clipVertex is a corner of a polygon during clipping. A corner of the mesh (original) keeps its float32 projection,
// and so snaps to the same subpixel in clipped and unclipped triangles. New corners are computed in float64.
type clipVertex struct {
	x, y, w, e float64
	original   bool
	projected  projected
}

// clip clips a triangle with a corner that must not be snapped (see View.inside). It cuts the triangle at all planes,
// and appends the remaining part as a fan of polygons.
//
// Two triangles that share an edge get the same new corners on this edge. For this, a cut is always computed from the
// inner end of the edge to the outer end, whatever their order in the triangle.
func (v *View) clip(t int, tri *triangle, out *array.Polygons, counts *Counts) {
	counts.Clipped++
	for _, h := range tri.homogeneous {
		if !finite(h.x) || !finite(h.y) || !finite(h.w) || !finite(h.e) {
			counts.Culled++ // the triangle is magnified so much that its coordinates exceed float32
			return
		}
	}
	var store [2][3 + planes]clipVertex
	poly := store[0][:3]
	for k, h := range tri.homogeneous {
		poly[k] = clipVertex{float64(h.x), float64(h.y), float64(h.w), float64(h.e), true, tri.projected[k]}
	}
	for plane := range planes {
		poly = v.cut(poly, store[1-plane%2][:0], plane)
		// In a polygon that is almost a line, rounding may put corners alternately on both sides of a plane. The cut
		// would then add too many corners.
		poly = poly[:min(len(poly), 4+plane)]
	}
	var corners [3 + planes]array.Vertex
	for k := range poly {
		corners[k] = v.snapClipped(&poly[k])
	}
	before, intensity := out.N, v.intensity(tri.local[0], tri.local[1], tri.local[2])
	for k := 2; k < len(poly); k++ {
		if box, ok := v.Visible(corners[0], corners[k-1], corners[k]); ok {
			out.Push(corners[0], corners[k-1], corners[k], box, intensity, t)
		}
	}
	if out.N == before {
		counts.Culled++
	} else {
		counts.Drawn++
	}
}

// cut cuts off the part of poly on the outer side of one plane, and appends the corners of the rest to `kept`.
func (v *View) cut(poly, kept []clipVertex, plane int) []clipVertex {
	for k := range poly {
		a, b := &poly[k], &poly[(k+1)%len(poly)]
		da, db := v.inward(a, plane), v.inward(b, plane)
		if da >= 0 {
			kept = append(kept, *a)
		}
		switch {
		case da >= 0 && db < 0:
			kept = append(kept, between(a, b, da, db))
		case da < 0 && db >= 0:
			kept = append(kept, between(b, a, db, da))
		}
	}
	return kept
}

// inward returns the distance of corner c from a plane. It is positive on the inner side and negative on the outer
// side. If c is a corner of the mesh, the sign agrees with View.inside.
func (v *View) inward(c *clipVertex, plane int) float64 {
	switch plane {
	case nearPlane:
		if !v.affine() {
			return c.w - float64(v.Near)
		}
		return c.inward(float64(float64(v.Near)*c.w)-c.e, c.projected.e <= v.Near)
	case farPlane:
		if !v.affine() {
			return 1
		}
		return c.inward(c.e, c.projected.e >= 0)
	}
	d, p := c.x, c.projected.x
	if plane >= topPlane {
		d, p = c.y, c.projected.y
	}
	if plane == rightPlane || plane == bottomPlane {
		d, p = -d, -p
	}
	return c.inward(float64(array.Guard*c.w)+d, p >= -array.Guard)
}

// inward returns d, the distance of the corner from a plane, positive on the inner side. inside says on which side the
// projection of the corner lies. For a corner of the mesh, inside is decisive: if d has the other sign, inward returns
// a number of the right sign instead.
func (c *clipVertex) inward(d float64, inside bool) float64 {
	switch {
	case !c.original:
		return d
	case inside:
		return math.Max(d, 0)
	}
	return math.Min(d, -math.SmallestNonzeroFloat64)
}

// between returns the point where an edge meets the plane. The edge leads from the inner corner `in` to the outer
// corner `out`. din and dout are the distances of the corners from the plane.
func between(in, out *clipVertex, din, dout float64) clipVertex {
	t := din / (din - dout)
	lerp := func(a, b float64) float64 { return a + float64(t*(b-a)) }
	return clipVertex{x: lerp(in.x, out.x), y: lerp(in.y, out.y), w: lerp(in.w, out.w), e: lerp(in.e, out.e)}
}

// snapClipped projects and snaps a corner of a clipped polygon.
func (v *View) snapClipped(c *clipVertex) array.Vertex {
	if c.original {
		return v.snap(c.projected)
	}
	w, e := c.w, c.e
	if v.affine() {
		e = math.Min(math.Max(e/w, 0), float64(v.Near)) // rounding may have moved e out of this range
	} else {
		w = math.Max(w, float64(v.Near)) // rounding may have moved w below Near
		e = float64(v.Near) / w
	}
	bound := func(x float64) float32 { return float32(math.Min(math.Max(x/w, -array.Guard), array.Guard)) }
	return v.snap(projected{bound(c.x), bound(c.y), float32(e)})
}

// finite reports whether x is neither infinite nor NaN.
func finite(x float32) bool {
	return math.Float32bits(x)&0x7f800000 != 0x7f800000
}
