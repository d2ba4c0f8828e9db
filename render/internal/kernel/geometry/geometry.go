// Package geometry projects the triangles of a block onto the screen: transform, clip test, snap, cull, light and
// compact.
package geometry

import (
	"lockstep/render/internal/kernel/array"
	"lockstep/scenes"
)

// Counts holds the numbers of triangles that were dropped, culled or drawn; each triangle counts in one of these. A
// triangle that was clipped also counts in Clipped.
type Counts struct {
	Dropped, Culled, Clipped, Drawn int64
}

// SmallExtent is the largest width and height of polygons whose area and edges can be computed in 32 bits: 128 pixels,
// in subpixels. A larger polygon makes vector loops use a slower method for its whole vector.
const SmallExtent = 1 << 15

// Loop is the function type of Project and of its vector loops.
type Loop func(v *View, b *scenes.Block, out *array.Polygons, toClip []int32, counts *Counts) []int32

// Project projects the triangles of b onto the screen: transform, clip test, snap, cull, light and compact. It appends
// the visible polygons to out in the order of the mesh; there must be room for one per triangle. Polygons that
// out.Deferred takes also count as drawn.
//
// Project does not draw triangles that cross the near plane or the guard band, or that are not finite. It stores their
// indices in toClip, which must have at least b.Len() elements, and returns the used part. ClipTriangles draws them.
func Project(v *View, b *scenes.Block, out *array.Polygons, toClip []int32, counts *Counts) []int32 {
	toClip = toClip[:b.Len()]
	left := 0
	n := b.Len()
	x0, y0, z0 := b.X[0][:n], b.Y[0][:n], b.Z[0][:n]
	x1, y1, z1 := b.X[1][:n], b.Y[1][:n], b.Z[1][:n]
	x2, y2, z2 := b.X[2][:n], b.Y[2][:n], b.Z[2][:n]
	for t := range n {
		var tri triangle
		tri.local[0].x, tri.local[0].y, tri.local[0].z = v.local(x0[t], y0[t], z0[t])
		tri.local[1].x, tri.local[1].y, tri.local[1].z = v.local(x1[t], y1[t], z1[t])
		tri.local[2].x, tri.local[2].y, tri.local[2].z = v.local(x2[t], y2[t], z2[t])
		if !v.projectAll(&tri) {
			toClip[left] = int32(t)
			left++
			continue
		}
		b0, b1, b2 := v.snap(tri.projected[0]), v.snap(tri.projected[1]), v.snap(tri.projected[2])
		box, ok := v.Visible(b0, b1, b2)
		if !ok {
			counts.Culled++
			continue
		}
		counts.Drawn++
		if !out.Deferred.Take(&[3]array.Vertex{b0, b1, b2}, box, t) {
			out.Push(b0, b1, b2, box, v.intensity(tri.local[0], tri.local[1], tri.local[2]), t)
		}
	}
	return toClip[:left]
}

// ClipTriangles projects the triangles of b that Project did not draw; toClip holds their indices. It processes one
// triangle at a time, in the same way for every instruction set. It stops when out has room for fewer than MaxClipped
// further polygons, and returns the indices of the remaining triangles.
func ClipTriangles(v *View, b *scenes.Block, toClip []int32, out *array.Polygons, counts *Counts) (rest []int32) {
	for len(toClip) > 0 && out.Room() >= MaxClipped {
		v.clipTriangle(b, int(toClip[0]), out, counts)
		toClip = toClip[1:]
	}
	return toClip
}

// triangle holds the corners of a triangle after each step of Project: in the scaled coordinates q of View,
// transformed, and projected.
type triangle struct {
	local       [3]point
	homogeneous [3]homogeneous
	projected   [3]projected
}

// projectAll computes the homogeneous and the projected corners of tri, and reports whether all corners may be snapped
// without clipping.
func (v *View) projectAll(tri *triangle) bool {
	fits := true
	for k := range 3 {
		tri.homogeneous[k] = v.transform(tri.local[k].x, tri.local[k].y, tri.local[k].z)
		tri.projected[k] = v.project(tri.homogeneous[k])
		fits = fits && v.inside(tri.homogeneous[k], tri.projected[k])
	}
	return fits
}

// clipTriangle projects and clips triangle t of b, which has corners that cannot be snapped.
func (v *View) clipTriangle(b *scenes.Block, t int, out *array.Polygons, counts *Counts) {
	var tri triangle
	for k := range 3 {
		x, y, z := b.X[k][t], b.Y[k][t], b.Z[k][t]
		if !finite(x) || !finite(y) || !finite(z) {
			counts.Dropped++
			return
		}
		tri.local[k].x, tri.local[k].y, tri.local[k].z = v.local(x, y, z)
	}
	v.projectAll(&tri)
	v.clip(t, &tri, out, counts)
}
