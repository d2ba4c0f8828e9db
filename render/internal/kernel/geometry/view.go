package geometry

import (
	"math"

	"lockstep/render/internal/kernel/array"
)

// A View describes a camera and a picture to the geometry loop.
//
// A mesh vertex p is first converted to q = (p - Pivot) * Scale. Pivot is the centre of the mesh. Scale is a power of
// two that makes the radius of the mesh at most 1. So float32 coordinates keep their precision.
//
// The rows X, Y, W and E are linear functions of q: a row r stands for r[0]*q.x + r[1]*q.y + r[2]*q.z + r[3]. X/W and
// Y/W are the position on the screen, in subpixels from the picture's centre.
type View struct {
	Pivot [3]float32
	Scale float32
	X, Y  [4]float32
	// W gives w in perspective views: the distance from the eye along the viewing direction, times Scale. In
	// orthographic views, w is 1.
	W [4]float32
	// E gives the nearness in orthographic views. In distant views it gives the nearness times w.
	E [4]float32
	// Near is the distance of the near plane times Scale in a perspective view that is not distant. The nearness is
	// then Near/w. In other views Near is the largest nearness. Parts of the mesh whose nearness is larger, or below
	// 0, are cut off.
	Near float32
	// Orthographic means that the row E gives the nearness, and w is 1.
	Orthographic bool
	// Distant means that the row E gives the nearness of a perspective view. It is set for an eye so far away that w
	// is nearly the same for all vertices. The values of Near/w would be too close together for float32.
	Distant bool

	// Unit is the length on the screen, in subpixels times w, of a line of length 1 (in coordinates q) that is
	// perpendicular to the viewing direction.
	Unit float32

	// Eye is three times the eye's position, in the coordinates of q. Its difference from the sum of a triangle's
	// corners is then a vector between the centroid and the eye, times three. In an orthographic view it is the
	// direction towards the eye.
	Eye [3]float32

	// CenterX and CenterY are the picture's centre in subpixels.
	CenterX, CenterY int32
	// Width and Height are the picture's size in samples.
	Width, Height int32

	// CullFront and CullBack remove front faces and back faces, which differ in the sign of their area.
	CullFront, CullBack bool
}

// local converts mesh coordinates p to q.
func (v *View) local(x, y, z float32) (qx, qy, qz float32) {
	return float32(x-v.Pivot[0]) * v.Scale, float32(y-v.Pivot[1]) * v.Scale, float32(z-v.Pivot[2]) * v.Scale
}

// row applies one row of the view's matrix to a point.
func row(r *[4]float32, x, y, z float32) float32 {
	return float32(float32(float32(r[0]*x)+float32(r[1]*y))+float32(r[2]*z)) + r[3]
}

// affine reports whether the row E gives the nearness.
func (v *View) affine() bool { return v.Orthographic || v.Distant }

// homogeneous is a vertex before the division by w.
type homogeneous struct{ x, y, w, e float32 }

// transform converts q to homogeneous screen coordinates.
func (v *View) transform(qx, qy, qz float32) homogeneous {
	h := homogeneous{x: row(&v.X, qx, qy, qz), y: row(&v.Y, qx, qy, qz), w: 1}
	if !v.Orthographic {
		h.w = row(&v.W, qx, qy, qz)
	}
	if v.affine() {
		h.e = row(&v.E, qx, qy, qz)
	}
	return h
}

// projected is a vertex on the screen, in subpixels from the picture's centre, with its nearness. It is not snapped
// yet.
type projected struct{ x, y, e float32 }

// project divides the coordinates by w, and computes the nearness.
func (v *View) project(h homogeneous) projected {
	if v.Orthographic {
		return projected{h.x, h.y, h.e}
	}
	inv := 1 / h.w
	e := v.Near
	if v.Distant {
		e = h.e
	}
	return projected{float32(h.x * inv), float32(h.y * inv), float32(e * inv)}
}

// inside reports whether a projected vertex may be snapped without clipping. It returns false if a coordinate is NaN.
func (v *View) inside(h homogeneous, p projected) bool {
	if v.affine() {
		// As integers, negative floats and NaN are larger than all other floats.
		if math.Float32bits(p.e) > math.Float32bits(v.Near) {
			return false
		}
	} else if !(h.w >= v.Near) {
		return false
	}
	return p.x >= -array.Guard && p.x <= array.Guard && p.y >= -array.Guard && p.y <= array.Guard
}

// Place projects a point of the mesh and snaps it. inverse is 1/w, or 1 in orthographic views. ok is false if the
// point must not be snapped: it lies in front of the near plane or outside the guard band, or is not finite.
func (v *View) Place(x, y, z float32) (at array.Vertex, inverse float32, ok bool) {
	h := v.transform(v.local(x, y, z))
	p := v.project(h)
	if !v.inside(h, p) {
		return at, 0, false
	}
	inverse = 1
	if !v.Orthographic {
		inverse = 1 / h.w
	}
	return v.snap(p), inverse, true
}

// snapMagic is 1.5 * 2^23. Added to a float32 of magnitude up to 2^22, it leaves the nearest integer, ties to even, in
// the low bits of the sum.
const (
	snapMagic     = 12582912
	snapMagicBits = 0x4b400000
)

// snap rounds a projected vertex to subpixels, ties to even.
func (v *View) snap(p projected) array.Vertex {
	return array.Vertex{
		X: int32(math.Float32bits(p.x+snapMagic)) - snapMagicBits + v.CenterX,
		Y: int32(math.Float32bits(p.y+snapMagic)) - snapMagicBits + v.CenterY,
		E: p.e,
	}
}

// Visible returns the range of pixels of the picture that a polygon can cover. ok is false if there are none: the
// polygon has no area, is culled, lies outside the picture, or lies between pixel centres.
func (v *View) Visible(a, b, c array.Vertex) (box array.Box, ok bool) {
	x0, x1 := min(a.X, b.X, c.X), max(a.X, b.X, c.X)
	y0, y1 := min(a.Y, b.Y, c.Y), max(a.Y, b.Y, c.Y)
	box = array.Box{
		X0: max(array.FirstCenter(x0), 0), X1: min(array.FirstCenter(x1), v.Width),
		Y0: max(array.FirstCenter(y0), 0), Y1: min(array.FirstCenter(y1), v.Height),
	}
	// area is twice the area. Because y points down, it is negative for front faces.
	area := int64(b.X-a.X)*int64(c.Y-a.Y) - int64(c.X-a.X)*int64(b.Y-a.Y)
	culled := area == 0 || area < 0 && v.CullFront || area > 0 && v.CullBack
	return box, !culled && box.X0 < box.X1 && box.Y0 < box.Y1
}
