package draco

// Corners are the connectivity of a mesh. Triangle t has the corners 3t, 3t+1 and 3t+2. The edge opposite to a corner is
// that between the two others.
type corners struct {
	faces    int
	opposite []int32 // the corner on the other side of the opposite edge; none at boundaries
	vertex   []int32 // of each corner
	// leftmost is the leftmost corner of each vertex, from which the others are reached by swings to the right: that at the
	// boundary, where there is one. A vertex that became another one has none.
	leftmost []int32
	used     int     // vertices
	gone     []int32 // vertices that became others, in this order
}

// none is no corner and no vertex.
const none = -1

// next returns the corner that follows c in its triangle.
func next(c int32) int32 {
	if c%3 == 2 {
		return c - 2
	}
	return c + 1
}

// previous returns the corner before c in its triangle.
func previous(c int32) int32 {
	if c%3 == 0 {
		return c + 2
	}
	return c - 1
}

// A surface is the connectivity that values of an attribute have: edges that are seams are boundaries too.
type surface struct {
	opposite []int32
	vertex   []int32 // of each corner: a vertex on a seam is several
	n        int     // vertices
	seam     []bool  // the edge opposite to each corner is one; nil: none is
	edge     []bool  // positions on a boundary or a seam
	position []int32 // the vertex of each corner without seams
}

// across returns the corner opposite to c, none behind a boundary or a seam.
func (s *surface) across(c int32) int32 {
	if s.seam != nil && s.seam[c] {
		return none
	}
	return s.opposite[c]
}

// swingLeft returns the next corner of the vertex of c to the left.
func (s *surface) swingLeft(c int32) int32 {
	if c = s.across(next(c)); c >= 0 {
		return next(c)
	}
	return none
}

// swingRight returns the next corner of the vertex of c to the right.
func (s *surface) swingRight(c int32) int32 {
	if c = s.across(previous(c)); c >= 0 {
		return previous(c)
	}
	return none
}
