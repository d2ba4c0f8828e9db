package draco

// corners states how the triangles of a mesh are connected. Triangle t has the corners 3t, 3t+1 and 3t+2. The edge
// opposite to a corner is the edge between the other two corners of its triangle.
type corners struct {
	faces    int
	opposite []int32 // for each corner, the corner on the other side of the edge opposite to it; `none` at a boundary
	vertex   []int32 // for each corner, its vertex
	// leftmost holds the leftmost corner of each vertex. From this corner, repeated calls of swingRight reach all other
	// corners of the vertex. If the vertex is on a boundary, the leftmost corner is next to the boundary. The entry is
	// `none` if the vertex was merged into another vertex.
	leftmost    []int32
	vertexCount int     // number of vertices
	merged      []int32 // vertices that were merged into others, in the order of the merges
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

// A surface states how the triangles are connected for one attribute. A seam is an edge where the values of the
// attribute differ between both sides. In a surface, seams are boundaries, too.
type surface struct {
	opposite []int32
	vertex   []int32 // for each corner, its vertex; vertices on seams are split
	n        int     // number of vertices
	seam     []bool  // for each corner, whether the edge opposite to it is a seam; nil: no seams
	edge     []bool  // for each vertex before splitting, whether it is on a boundary or a seam
	position []int32 // for each corner, its vertex before splitting
}

// across returns the corner on the other side of the edge opposite to c, or `none` if that edge is a boundary or a
// seam.
func (s *surface) across(c int32) int32 {
	if s.seam != nil && s.seam[c] {
		return none
	}
	return s.opposite[c]
}

// swingLeft returns the next corner of the same vertex to the left of c, or `none`.
func (s *surface) swingLeft(c int32) int32 {
	if c = s.across(next(c)); c >= 0 {
		return next(c)
	}
	return none
}

// swingRight returns the next corner of the same vertex to the right of c, or `none`.
func (s *surface) swingRight(c int32) int32 {
	if c = s.across(previous(c)); c >= 0 {
		return previous(c)
	}
	return none
}
