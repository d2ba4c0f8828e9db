package draco

// corners is the connectivity of a mesh. Triangle t has the corners 3t, 3t+1 and 3t+2. The edge opposite to a corner is
// the edge between the other two corners.
type corners struct {
	faces    int
	opposite []int32 // of each corner: the corner across its opposite edge; none at a boundary
	vertex   []int32 // of each corner
	// leftmost is the leftmost corner of each vertex. Swings to the right from it reach the other corners. If the
	// vertex is on a boundary, the corner is at the boundary. It is none for a vertex that was merged into another.
	leftmost    []int32
	vertexCount int     // number of vertices
	merged      []int32 // vertices that were merged into others, in this order
}

// none stands for a missing corner or vertex.
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

// A surface is the connectivity of the values of an attribute. Unlike in corners, seams are boundaries too.
type surface struct {
	opposite []int32
	vertex   []int32 // of each corner; a vertex on a seam is split into several
	n        int     // number of vertices
	seam     []bool  // of each corner: whether its opposite edge is a seam; nil: no seams
	edge     []bool  // of each vertex of position: whether it is on a boundary or a seam
	position []int32 // the vertex of each corner before vertices are split
}

// across returns the corner across the edge opposite to c, or none if that edge is a boundary or a seam.
func (s *surface) across(c int32) int32 {
	if s.seam != nil && s.seam[c] {
		return none
	}
	return s.opposite[c]
}

// swingLeft returns the next corner to the left at the vertex of c, or none.
func (s *surface) swingLeft(c int32) int32 {
	if c = s.across(next(c)); c >= 0 {
		return next(c)
	}
	return none
}

// swingRight returns the next corner to the right at the vertex of c, or none.
func (s *surface) swingRight(c int32) int32 {
	if c = s.across(previous(c)); c >= 0 {
		return previous(c)
	}
	return none
}
