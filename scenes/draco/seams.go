package draco

// seams holds the edges where the values of an attribute differ between the triangles on both sides.
type seams struct {
	flags   flagDecoder
	surface surface
	used    bool // whether a group of attributes uses these seams
}

// positionSurface returns the surface of the positions, which has no seams. It must be called after all triangles have
// been added.
func (d *decoder) positionSurface() *surface {
	n := len(d.leftmost)
	if !d.reserveMemory(int64(n)) {
		return nil
	}
	s := &surface{opposite: d.opposite, vertex: d.vertex, n: n, edge: make([]bool, n), position: d.vertex}
	for v, c := range d.leftmost {
		s.edge[v] = c < 0 || d.opposite[next(c)] < 0
	}
	return s
}

// readSeams reads which edges are seams, and splits the vertices on seams.
func (d *decoder) readSeams(positions *surface) {
	if len(d.seams) == 0 || d.err != nil {
		return
	}
	each := 3 * int64(d.faces)
	if !d.spendWork(3*each*int64(len(d.seams))) || !d.reserveMemory((5*each+int64(positions.n))*int64(len(d.seams))) {
		return
	}
	for _, s := range d.seams {
		s.surface = surface{
			opposite: d.opposite, vertex: make([]int32, 3*d.faces), position: d.vertex,
			seam: make([]bool, 3*d.faces), edge: make([]bool, positions.n),
		}
	}
	for c, to := range d.opposite {
		if to >= 0 && int(to)/3 < c/3 && d.version >= version21 {
			continue // already read for the triangle on the other side
		}
		for _, s := range d.seams {
			if to < 0 || s.flags.next() {
				s.surface.addSeam(int32(c))
				if to >= 0 {
					s.surface.addSeam(to)
				}
			}
		}
	}
	for _, s := range d.seams {
		s.surface.splitVertices(d.leftmost)
	}
}

// addSeam makes the edge opposite to c a seam.
func (s *surface) addSeam(c int32) {
	s.seam[c] = true
	s.edge[s.position[next(c)]] = true
	s.edge[s.position[previous(c)]] = true
}

// splitVertices splits each vertex on seams. All corners between two seams get the same new vertex.
func (s *surface) splitVertices(leftmost []int32) {
	whole := surface{opposite: s.opposite}
	for v, c := range leftmost {
		if c < 0 {
			continue
		}
		first := c
		if s.edge[v] {
			for l := s.swingLeft(first); l >= 0 && l != c; l = s.swingLeft(first) {
				first = l
			}
		}
		s.vertex[first] = int32(s.n)
		s.n++
		for r := whole.swingRight(first); r >= 0 && r != first; r = whole.swingRight(r) {
			if s.seam[next(r)] {
				s.n++
			}
			s.vertex[r] = int32(s.n - 1)
		}
	}
}

// numberPoints numbers the points. Neighbouring corners of a vertex are the same point unless an attribute differs
// between them.
func (d *decoder) numberPoints() {
	each := 3 * int64(d.faces)
	if !d.reserveMemory(4*each+8*int64(len(d.leftmost))) || !d.spendWork(each) {
		return
	}
	d.mesh.Triangles = make([][3]uint32, d.faces)
	if len(d.seams) == 0 {
		d.makePointPerVertex()
		return
	}
	whole := surface{opposite: d.opposite}
	set := func(c int32) { d.mesh.Triangles[c/3][c%3] = uint32(d.mesh.Points - 1) }
	for _, c := range d.leftmost {
		if c < 0 {
			continue
		}
		first := c
		if d.opposite[next(c)] >= 0 {
			first = d.firstOfRing(c)
		}
		d.mesh.Points++
		set(first)
		for before, r := first, whole.swingRight(first); r >= 0 && r != first; before, r = r, whole.swingRight(r) {
			if d.attributesDiffer(before, r) {
				d.mesh.Points++
			}
			set(r)
		}
	}
}

// firstOfRing returns the corner with which the numbering of points starts at a vertex. Triangles surround the vertex
// completely. The corner is the first one to the right of c where an attribute has another value than at c. If
// several attributes have seams at the vertex, the first of these attributes decides. If no attribute has a seam
// there, the result is c.
func (d *decoder) firstOfRing(c int32) int32 {
	whole := surface{opposite: d.opposite}
	for _, s := range d.seams {
		if !s.surface.edge[d.vertex[c]] {
			continue
		}
		for r := whole.swingRight(c); r >= 0 && r != c; r = whole.swingRight(r) {
			if s.surface.vertex[r] != s.surface.vertex[c] {
				return r
			}
		}
	}
	return c
}

// makePointPerVertex makes each vertex a point. Merged vertices leave gaps in the numbers. Each gap is filled by the
// vertex with the highest number, in the order of the merges. The order matters, because other data of a file may refer
// to the points by number.
func (d *decoder) makePointPerVertex() {
	at := make([]int32, len(d.leftmost)) // for each number, the vertex that gets this number
	for v := range at {
		at[v] = int32(v)
	}
	n := d.vertexCount
	shrink := func() {
		for n > 0 && (at[n-1] < 0 || d.leftmost[at[n-1]] < 0) {
			n--
		}
	}
	for _, gone := range d.merged {
		if shrink(); int(gone) < n {
			at[gone], at[n-1] = at[n-1], none
		}
	}
	shrink()
	number := make([]uint32, len(at))
	for i, v := range at[:n] {
		if v >= 0 {
			number[v] = uint32(i)
		}
	}
	for c, v := range d.vertex {
		d.mesh.Triangles[c/3][c%3] = number[v]
	}
	d.mesh.Points = n
}

// attributesDiffer reports whether two corners of the same vertex differ in some attribute.
func (d *decoder) attributesDiffer(a, b int32) bool {
	for _, s := range d.seams {
		if s.surface.vertex[a] != s.surface.vertex[b] {
			return true
		}
	}
	return false
}
