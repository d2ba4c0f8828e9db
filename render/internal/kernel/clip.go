package kernel

import "math"

// ClipMost is the largest number of polygons that one triangle gives: five
// planes add at most a corner each, and a fan of 8 corners has 6 triangles.
const ClipMost = 6

// clipVertex is a corner of a polygon while it is clipped. Corners of the mesh
// keep their float32 projection, so that they land on the same subpixel in
// clipped and unclipped triangles; new ones are found in float64.
type clipVertex struct {
	x, y, w, e float64
	original   bool
	p          projected
}

// clip deals with a triangle that cannot be snapped as it is: it cuts it by the
// near plane and the guard band, in this order, and appends what is left as a
// fan.
//
// Two triangles that share an edge find the same new corners on it: every cut
// is computed from the end inside to the end outside, whichever comes first.
func (v *View) clip(t int, tri *triangle, out *Polygons, counts *Counts) {
	counts.Clipped++
	for _, h := range tri.h {
		if !finite(h.x) || !finite(h.y) || !finite(h.w) || !finite(h.e) {
			counts.Culled++ // so far magnified that float32 cannot say where it is
			return
		}
	}
	var store [2][3 + 5]clipVertex
	poly := store[0][:3]
	for k, h := range tri.h {
		poly[k] = clipVertex{float64(h.x), float64(h.y), float64(h.w), float64(h.e), true, tri.p[k]}
	}
	for plane := range 5 {
		poly = v.cut(poly, store[1-plane%2][:0], plane)
	}
	var corners [8]Vertex
	for k := range poly {
		corners[k] = v.snapClipped(&poly[k])
	}
	before, intensity := out.N, v.intensity(tri.q[0], tri.q[1], tri.q[2])
	for k := 2; k < len(poly); k++ {
		if box, ok := v.visible(corners[0], corners[k-1], corners[k]); ok {
			out.push(corners[0], corners[k-1], corners[k], box, intensity, t)
		}
	}
	if out.N == before {
		counts.Culled++
	} else {
		counts.Drawn++
	}
}

// cut keeps the part of poly on the inner side of one plane, appending its
// corners to kept.
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

// inward returns how far a corner lies on the inner side of a plane: 0 is the
// near plane, then left, right, top and bottom of the guard band. For corners
// of the mesh its sign agrees with View.inside.
func (v *View) inward(c *clipVertex, plane int) float64 {
	if plane == 0 {
		if v.Orthographic {
			return 1
		}
		return c.w - float64(v.Near)
	}
	d, p := c.x, c.p.x
	if plane > 2 {
		d, p = c.y, c.p.y
	}
	if plane%2 == 0 {
		d, p = -d, -p
	}
	d = float64(Guard*c.w) + d
	if c.original {
		// The snapped corner decides; d only says how far.
		if p >= -Guard {
			return math.Max(d, 0)
		}
		return math.Min(d, -math.SmallestNonzeroFloat64)
	}
	return d
}

// between returns the point where the edge from a corner inside to one outside
// meets the plane, by their distances from it.
func between(in, out *clipVertex, din, dout float64) clipVertex {
	t := din / (din - dout)
	lerp := func(a, b float64) float64 { return a + float64(t*(b-a)) }
	return clipVertex{x: lerp(in.x, out.x), y: lerp(in.y, out.y), w: lerp(in.w, out.w), e: lerp(in.e, out.e)}
}

// snapClipped projects and snaps a corner of a clipped polygon.
func (v *View) snapClipped(c *clipVertex) Vertex {
	if c.original {
		return v.snap(c.p)
	}
	w, e := c.w, c.e
	if !v.Orthographic {
		w = math.Max(w, float64(v.Near)) // rounding may have gone below
		e = float64(v.Near) / w
	}
	bound := func(x float64) float32 { return float32(math.Min(math.Max(x/w, -Guard), Guard)) }
	return v.snap(projected{bound(c.x), bound(c.y), float32(e)})
}

// finite reports whether x is a number and not infinite.
func finite(x float32) bool {
	return math.Float32bits(x)&0x7f800000 != 0x7f800000
}
