package draco

// Symbols, one for each triangle. A symbol states how its triangle is attached to the triangles before it.
const (
	symbolC = 0 // the triangle is the last one around an inner vertex
	symbolS = 1 // the triangle joins two boundaries
	symbolL = 3 // the triangle has a new vertex on the left
	symbolR = 5 // the triangle has a new vertex on the right
	symbolE = 7 // the triangle starts a new part of the surface
)

// Ways in which symbols are stored.
const (
	standardSymbols = 0
	valenceSymbols  = 2
)

// An unzipper rebuilds how triangles are connected from their symbols.
type unzipper struct {
	*decoder
	symbolCount int     // number of symbols
	splits      []split // in ascending order of split.source
	waiting     map[int]int32
	active      []int32 // corners whose opposite edges are open; the next triangle joins the edge of the last corner
	parents     []int32 // union-find: for each vertex, the vertex into which it was merged, or itself

	standard bitReader
	starts   bitReader // before version 2.2: flags that closeParts reads
	valences *valences // decodes the symbols by valence; nil if the symbols are in `standard`
}

// readEdgebreaker reads the triangles of a mesh that are stored as symbols.
func (d *decoder) readEdgebreaker() {
	u := &unzipper{decoder: d}
	kind := d.u8()
	if d.version < version22 {
		d.versionedUint(version20) // skips the number of new vertices, which is not needed
	}
	vertices, faces := d.versionedUint(version20), d.versionedUint(version20)
	data := int(d.u8())
	symbols, splits := d.versionedUint(version20), d.versionedUint(version20)
	if d.err != nil {
		return
	}
	// Each part of the surface has at least one symbol. It has at most one triangle without a symbol.
	if faces > maxPoints || symbols > faces || faces > 2*symbols || vertices > 3*faces || splits > symbols {
		d.fail("%d triangles of %d vertices in %d symbols, %d of them splits", faces, vertices, symbols, splits)
		return
	}
	if kind == standardSymbols && symbols > 8*uint64(d.left()) {
		d.fail("%d symbols in %d bytes", symbols, d.left())
		return
	}
	d.faces, u.symbolCount = int(faces), int(symbols)
	maxVertices := int(vertices + splits)
	if !d.reserveMemory(28*int64(faces)+16*int64(maxVertices)) || !d.spendWork(3*int64(faces)+int64(maxVertices)) {
		return
	}
	behind := u.readEvents()
	starts := u.readTraversal(kind, data, maxVertices)
	if behind > 0 {
		d.at = behind
	}
	if d.err == nil {
		u.unzip(starts, maxVertices)
	}
}

// unzip builds all triangles from their symbols. starts holds the flags that closeParts reads. maxVertices is the
// greatest number of vertices that the symbols may create.
func (u *unzipper) unzip(starts flagDecoder, maxVertices int) {
	u.opposite, u.vertex = make([]int32, 3*u.faces), make([]int32, 3*u.faces)
	for i := range u.opposite {
		u.opposite[i] = none
	}
	u.leftmost, u.parents = make([]int32, maxVertices), make([]int32, maxVertices)
	for i := range u.parents {
		u.leftmost[i], u.parents[i] = none, int32(i)
	}
	for i := 0; i < u.symbolCount && u.err == nil; i++ {
		u.addTriangle(i)
	}
	u.closeParts(starts)
	if u.err != nil {
		return
	}
	for i, v := range u.vertex {
		u.vertex[i] = u.find(v)
	}
}

// readTraversal reads the bytes of the symbols and of the seams of attributes. It returns the flags that closeParts
// reads.
func (u *unzipper) readTraversal(kind uint8, data, vertices int) (starts flagDecoder) {
	if u.err == nil && kind != standardSymbols && kind != valenceSymbols {
		u.failUnread("edgebreaker symbols of kind %d", kind)
	}
	if kind == standardSymbols || u.version < version22 {
		u.standard.data = u.take(u.readSize(version22))
	}
	if u.version < version22 {
		u.starts.data = u.take(u.readSize(version22))
	} else {
		starts = u.readFlags()
	}
	for range data {
		if u.err != nil {
			return starts
		}
		u.seams = append(u.seams, &seams{flags: u.readFlags()})
	}
	if kind == valenceSymbols {
		u.readValences(vertices)
	}
	return starts
}

// The method find returns the vertex into which v was merged, or v if it was not merged.
func (u *unzipper) find(v int32) int32 {
	for u.parents[v] != v {
		u.parents[v] = u.parents[u.parents[v]]
		v = u.parents[v]
	}
	return v
}

// vertexOf returns the vertex of a corner.
func (u *unzipper) vertexOf(c int32) int32 { return u.find(u.vertex[c]) }

// setOpposite makes two corners opposite to each other.
func (u *unzipper) setOpposite(c, to int32) {
	u.opposite[c], u.opposite[to] = to, c
}

// newVertex adds a vertex and returns its index. If there are too many, it records an error and returns 0.
func (u *unzipper) newVertex() int32 {
	if u.vertexCount == len(u.parents) {
		u.fail("a triangle of more than %d vertices", len(u.parents))
		return 0
	}
	u.vertexCount++
	return int32(u.vertexCount - 1)
}

// activeCorner returns the corner whose opposite edge the next triangle joins. If there is none, it records an error.
func (u *unzipper) activeCorner() int32 {
	if len(u.active) == 0 {
		u.fail("a triangle is added to nothing")
		return 0
	}
	a := u.active[len(u.active)-1]
	if u.opposite[a] >= 0 {
		u.fail("a triangle is added to an edge that has two")
	}
	return a
}

// addTriangle reads symbol i and adds the triangle that it describes.
func (u *unzipper) addTriangle(i int) {
	symbol := u.nextSymbol()
	if u.err != nil {
		return
	}
	c := int32(3 * i)
	if symbol == symbolE {
		u.active = append(u.active, c)
		v := [3]int32{u.newVertex(), u.newVertex(), u.newVertex()}
		if u.err != nil {
			return
		}
		for k := range int32(3) {
			u.vertex[c+k], u.leftmost[v[k]] = v[k], c+k
		}
	} else if !u.attach(symbol, c, i) {
		return
	}
	if u.valences != nil {
		u.valences.update(u, symbol, c)
	}
	if symbol == symbolE || symbol == symbolL || symbol == symbolR {
		u.recordEdges(i)
	}
}

// attach joins the triangle of symbol i, whose first corner is c, to an earlier triangle. The result is false after an
// error.
func (u *unzipper) attach(symbol uint8, c int32, i int) bool {
	var b int32
	if symbol == symbolS {
		b = u.activeCorner()
		if u.err != nil {
			return false
		}
		u.active = u.active[:len(u.active)-1]
		if a, ok := u.waiting[i]; ok {
			delete(u.waiting, i)
			u.active = append(u.active, a)
		}
	}
	a := u.activeCorner()
	if u.err != nil {
		return false
	}
	u.active[len(u.active)-1] = c
	n, p := u.vertexOf(next(a)), u.vertexOf(previous(a))
	switch symbol {
	case symbolC:
		b = next(u.leftmost[n])
		if a == b || u.opposite[b] >= 0 {
			u.fail("triangle %d closes the triangles around a vertex that are closed", i)
			return false
		}
		u.setOpposite(a, c+1)
		u.setOpposite(b, c+2)
		u.setVertices(c, n, u.vertexOf(next(b)), p)
		u.leftmost[p] = c + 2
	case symbolS:
		return u.bridge(a, b, c, i)
	case symbolR:
		v := u.newVertex()
		u.setOpposite(a, c+2)
		u.setVertices(c, p, n, v)
		u.leftmost[p], u.leftmost[v] = c, c+2
	default:
		v := u.newVertex()
		u.setOpposite(a, c+1)
		u.setVertices(c, n, v, p)
		u.leftmost[v], u.leftmost[p] = c+1, c+2
	}
	return u.err == nil
}

// bridge adds triangle i, whose first corner is c. It joins the triangle to two edges: those opposite to corners a
// and b. The two edges then share a vertex, so two vertices are merged. The result is false after an error.
func (u *unzipper) bridge(a, b, c int32, i int) bool {
	p, gone := u.vertexOf(previous(a)), u.vertexOf(next(b))
	if a == b || p == gone {
		u.fail("triangle %d joins a boundary with itself", i)
		return false
	}
	last := u.vertexOf(previous(b))
	u.setOpposite(a, c+2)
	u.setOpposite(b, c+1)
	u.setVertices(c, p, u.vertexOf(next(a)), last)
	u.leftmost[p], u.leftmost[gone] = u.leftmost[gone], none
	u.parents[gone] = p
	u.merged = append(u.merged, gone)
	u.leftmost[u.find(last)] = c + 2
	if u.valences != nil {
		u.valences.counts[p] += u.valences.counts[gone]
	}
	return true
}

// setVertices sets the vertices of the triangle whose first corner is c.
func (u *unzipper) setVertices(c, v0, v1, v2 int32) {
	u.vertex[c], u.vertex[c+1], u.vertex[c+2] = v0, v1, v2
}

// closeParts adds the triangles without symbols. In each part of the surface that has no boundary, the last triangle
// has no symbol. starts has a flag for each part of the surface. The flag tells whether the part has no boundary.
func (u *unzipper) closeParts(starts flagDecoder) {
	c := int32(3 * u.symbolCount)
	for ; len(u.active) > 0 && u.err == nil; u.active = u.active[:len(u.active)-1] {
		if u.version < version22 && u.starts.read(1) == 0 || u.version >= version22 && !starts.next() {
			continue
		}
		a := u.activeCorner()
		if u.err == nil && int(c) == len(u.vertex) {
			u.fail("more triangles than %d", u.faces)
		}
		if u.err != nil {
			return
		}
		n := u.vertexOf(next(a))
		b := next(u.leftmost[n])
		x := u.vertexOf(next(b))
		last := next(u.leftmost[x])
		p := u.vertexOf(next(last))
		if a == b || b == last || a == last || u.opposite[b] >= 0 || u.opposite[last] >= 0 || p != u.vertexOf(previous(a)) {
			u.fail("the last triangle of a part does not close it")
			return
		}
		u.setOpposite(c, a)
		u.setOpposite(c+1, b)
		u.setOpposite(c+2, last)
		u.setVertices(c, x, p, n)
		c += 3
	}
	if u.err == nil && int(c) != len(u.vertex) {
		u.fail("%d triangles, not %d", c/3, u.faces)
	}
}

// nextSymbol reads the next symbol.
func (u *unzipper) nextSymbol() uint8 {
	if u.valences != nil && (u.valences.context != none || u.version >= version22) {
		return u.valences.next(u)
	}
	s := u.standard.read(1)
	if s != symbolC {
		s |= u.standard.read(2) << 1
	}
	if u.standard.short {
		u.fail("the symbols end too early")
	}
	return uint8(s)
}
