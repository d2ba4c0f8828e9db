package geometry

import (
	"lockstep/render/internal/kernel/array"
	"lockstep/scenes/leaves"
	"lockstep/vp/isa"
)

// Small finds the triangles of packed groups that are so small that they cover no sample of the picture. It serves
// meshes with several triangles for each sample. Each vertex of a group is projected once. The place of a vertex
// consists of two numbers: for each axis, the number of the first sample at or after the vertex. A triangle whose
// vertices have the same place along an axis covers no sample, see View.Visible.
type Small struct {
	view  *View
	level isa.Level
	args  smallArgs
}

const (
	// SmallVertices is the largest number of vertices of a group that Small handles. With more vertices, triangles share
	// few of them.
	SmallVertices = 128
	// placesSize is the number of entries of a table of places. Vector loops write whole vectors.
	placesSize = SmallVertices + 16
	// SmallAhead is the number of groups by which vector loops prefetch.
	SmallAhead = 8

	allTriangles = 1<<leaves.GroupTriangles - 1
)

// Begin prepares for a frame with view v.
func (s *Small) Begin(level isa.Level, v *View) {
	s.view, s.level = v, level
	s.args.setView(v)
}

// End ends a frame and drops its view.
func (s *Small) End() { s.view = nil }

// Cover sets a mask in covering for each group: the triangles that may cover a sample. Bit t is for triangle t. A mask
// contains all triangles of which Project makes polygons. It contains all triangles of a group if a vertex must be
// clipped, if the group is wider or higher than 256 samples, or if it has more than SmallVertices vertices. The slice
// groups must have room for SmallAhead further groups. Cover may prefetch these, so they should be the groups of the
// next call.
func (s *Small) Cover(groups []leaves.Group, covering []uint64) {
	if len(groups) == 0 {
		return
	}
	if s.view.Distant && !s.view.Orthographic {
		for i := range groups {
			covering[i] = allTriangles
		}
		return
	}
	s.coverAll(groups, covering[:len(groups)])
}

// coverEach is the specification of coverAll.
func (s *Small) coverEach(groups []leaves.Group, covering []uint64) {
	for i, g := range groups {
		if covering[i] = allTriangles; g.Vertices <= SmallVertices && s.place(g) {
			covering[i] = s.compare(g.Corners())
		}
	}
}

// place sets the places of a group's vertices, as bytes relative to the first vertex: x in the lower byte, and y in the
// upper. It returns false if a vertex has no place, or is too far from the first vertex.
func (s *Small) place(g leaves.Group) bool {
	var firstX, firstY int32
	for i := range g.Vertices {
		at, _, ok := s.view.Place(g.Vertex(i))
		if !ok {
			return false
		}
		x, y := array.FirstCenter(at.X), array.FirstCenter(at.Y)
		if i == 0 {
			firstX, firstY = x, y
		}
		dx, dy := uint32(x-firstX+128), uint32(y-firstY+128)
		if (dx|dy)&^255 != 0 {
			return false
		}
		s.args.places[i] = uint16(dx | dy<<8)
	}
	return true
}

// compare returns a mask of the triangles whose places differ along both axes.
func (s *Small) compare(corners *[3 * leaves.GroupTriangles]uint8) (covering uint64) {
	const n = leaves.GroupTriangles
	places := &s.args.places
	for t := range n {
		a, b, c := places[corners[t]%SmallVertices], places[corners[n+t]%SmallVertices], places[corners[2*n+t]%SmallVertices]
		differ := (a ^ b) | (a ^ c)
		if differ&0xff != 0 && differ>>8 != 0 {
			covering |= 1 << t
		}
	}
	return covering
}
