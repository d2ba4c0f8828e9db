package section

import (
	"lockstep/scenes"
)

// A builder builds the mesh that remains after a cut.
type builder struct {
	from    *scenes.Mesh
	n       int // number of triangles so far
	coords  [9][]float32
	colors  []uint32
	counts  []int // number of kept triangles of each part
	firsts  []int
	attr    *scenes.Attributes // nil if the mesh has no attributes
	caps    int                // index of the first triangle of a cap; -1: no caps
	capRGBA uint32             // capRGBA, capUV and capVert are indices of values that all caps share, see beginCaps
	capUV   uint32
	capUV2  uint32
	capVert uint32
	options Options
	copies  []span   // runs of triangles that are copied unchanged, see copyColumn
	owners  []uint32 // for each triangle, its triangle of the original mesh; only if Options.Owners is set
	owned   []uint32 // owners of the triangles of the mesh `from`; nil: each triangle is its own owner
}

// A span is a run of triangles, lo to hi (exclusive), that is copied to the new mesh, where it starts at index `at`.
type span struct{ at, lo, hi int }

// begin prepares the builder for a cut of mesh. The new mesh gets capacity for `room` triangles.
func (b *builder) begin(mesh *scenes.Mesh, o Options, room int) {
	b.from, b.options, b.caps = mesh, o, -1
	b.coords, b.colors, b.owners = o.Memory.reuse(room, mesh.Len(), o.Owners)
	b.counts, b.firsts = make([]int, len(mesh.Parts)), make([]int, len(mesh.Parts))
	for i := range b.firsts {
		b.firsts[i] = -1
	}
	if mesh.Attributes == nil {
		return
	}
	a := *mesh.Attributes
	a.Index = emptyIndex(room)
	// These slices have no spare capacity, so appending to them does not change the attributes of mesh.
	a.Normals = withoutTriangles(&a.Normals, room)
	a.Colors = withoutTriangles(&a.Colors, room)
	a.TexCoords = withoutTriangles(&a.TexCoords, room)
	a.TexCoords2 = withoutTriangles(&a.TexCoords2, room)
	a.MaterialOf = nil
	a.Fields = append([]scenes.Field(nil), a.Fields...)
	for i := range a.Fields {
		if f := &a.Fields[i]; f.OfTriangles {
			f.Values = nil
		} else {
			f.Values = clipCapacity(f.Values)
		}
	}
	b.attr = &a
}

func clipCapacity[T any](s []T) []T { return s[:len(s):len(s)] }

// emptyIndex returns empty columns with the capacity `room`.
func emptyIndex(room int) (index [3][]uint32) {
	for k := range index {
		index[k] = make([]uint32, 0, room)
	}
	return index
}

// withoutTriangles returns an attribute with the values of a, but without triangles.
func withoutTriangles[T any](a *scenes.Attribute[T], room int) scenes.Attribute[T] {
	if !a.Has() {
		return scenes.Attribute[T]{Values: clipCapacity(a.Values)}
	}
	return scenes.Attribute[T]{Values: clipCapacity(a.Values), Index: emptyIndex(room)}
}

// addCorners appends the corners, the colour and the owner of a triangle.
func (b *builder) addCorners(p [3][3]float32, color, owner uint32) {
	for k := range p {
		for axis, v := range p[k] {
			b.coords[3*k+axis] = append(b.coords[3*k+axis], v)
		}
	}
	b.colors = append(b.colors, color)
	if b.options.Owners {
		b.owners = append(b.owners, owner)
	}
	b.n++
}

// copyAttributes appends the materials and fields of triangles lo to hi (exclusive) of the old mesh. Pieces of a
// triangle get the same values.
func (b *builder) copyAttributes(lo, hi int) {
	if b.attr == nil {
		return
	}
	old := b.from.Attributes
	if old.MaterialOf != nil {
		b.attr.MaterialOf = append(b.attr.MaterialOf, old.MaterialOf[lo:hi]...)
	}
	for i := range b.attr.Fields {
		if f := &b.attr.Fields[i]; f.OfTriangles {
			f.Values = append(f.Values, old.Fields[i].Values[lo:hi]...)
		}
	}
}

// copyTriangles appends triangles lo to hi (exclusive) of the old mesh. It only reserves space for their corners,
// colours and owners. copyColumn copies these later.
func (b *builder) copyTriangles(lo, hi int) {
	b.copies = append(b.copies, span{b.n, lo, hi})
	b.n += hi - lo
	for i := range b.coords {
		b.coords[i] = b.coords[i][:b.n]
	}
	b.colors = b.colors[:b.n]
	if b.options.Owners {
		b.owners = b.owners[:b.n]
	}
	b.copyAttributes(lo, hi)
	if b.attr == nil {
		return
	}
	old := b.from.Attributes
	for k := range 3 {
		b.attr.Index[k] = append(b.attr.Index[k], old.Index[k][lo:hi]...)
		copyIndex(&b.attr.Normals, &old.Normals, k, lo, hi)
		copyIndex(&b.attr.Colors, &old.Colors, k, lo, hi)
		copyIndex(&b.attr.TexCoords, &old.TexCoords, k, lo, hi)
		copyIndex(&b.attr.TexCoords2, &old.TexCoords2, k, lo, hi)
	}
}

// columnCount returns the number of columns that copyColumn can copy.
func (b *builder) columnCount() int {
	if b.options.Owners {
		return ownerColumn + 1
	}
	return ownerColumn
}

const colorColumn, ownerColumn = 9, 10 // columns 0 to 8 are the coordinates

// copyColumn copies one column of all triangles that were passed to copy. Different columns may be copied in parallel.
func (b *builder) copyColumn(column int) {
	for _, s := range b.copies {
		switch n := s.hi - s.lo; {
		case column < colorColumn:
			k := column / 3
			from := [3][]float32{b.from.X[k], b.from.Y[k], b.from.Z[k]}[column%3]
			copy(b.coords[column][s.at:], from[s.lo:s.hi])
		case column == colorColumn && b.from.Colors != nil:
			copy(b.colors[s.at:], b.from.Colors[s.lo:s.hi])
		case column == colorColumn:
			for i := range n {
				b.colors[s.at+i] = b.options.Body
			}
		case b.owned != nil:
			copy(b.owners[s.at:], b.owned[s.lo:s.hi])
		default:
			for i := range n {
				b.owners[s.at+i] = uint32(s.lo + i)
			}
		}
	}
}

// colorOf returns the colour that triangle t of the old mesh gets in the new mesh.
func (b *builder) colorOf(t int) uint32 {
	if b.from.Colors != nil {
		return b.from.Colors[t]
	}
	return b.options.Body
}

// ownerOf returns the owner of triangle t of the old mesh: the triangle of the original mesh of which t is a piece.
func (b *builder) ownerOf(t int) uint32 {
	if b.owned != nil {
		return b.owned[t]
	}
	return uint32(t)
}

func copyIndex[T any](to, from *scenes.Attribute[T], k, lo, hi int) {
	if from.Has() {
		to.Index[k] = append(to.Index[k], from.Index[k][lo:hi]...)
	}
}

// addClipped appends c, a piece of triangle t, unless c has no area.
func (b *builder) addClipped(t int, c [3]corner) {
	if c[0].at == c[1].at || c[1].at == c[2].at || c[2].at == c[0].at {
		return
	}
	b.addCorners([3][3]float32{c[0].at, c[1].at, c[2].at}, b.colorOf(t), b.ownerOf(t))
	b.copyAttributes(t, t+1)
	if b.attr == nil {
		return
	}
	old := b.from.Attributes
	for k := range 3 {
		b.attr.Index[k] = append(b.attr.Index[k], b.vertexOf(t, c[k]))
		appendBetween(&b.attr.Normals, &old.Normals, k, t, c[k], func(x, y [3]float32, w float32) (z [3]float32) {
			for i := range z {
				z[i] = interpolate(x[i], y[i], w)
			}
			return z
		})
		appendBetween(&b.attr.Colors, &old.Colors, k, t, c[k], func(x, y scenes.RGBA, w float32) (z scenes.RGBA) {
			for i := range z {
				z[i] = uint8(interpolate(float32(x[i]), float32(y[i]), w) + 0.5)
			}
			return z
		})
		texCoords := func(x, y [2]float32, w float32) [2]float32 {
			return [2]float32{interpolate(x[0], y[0], w), interpolate(x[1], y[1], w)}
		}
		appendBetween(&b.attr.TexCoords, &old.TexCoords, k, t, c[k], texCoords)
		appendBetween(&b.attr.TexCoords2, &old.TexCoords2, k, t, c[k], texCoords)
	}
}

func interpolate(x, y, w float32) float32 {
	if x != x {
		return x // keep this NaN: its bits are the reason why the value is missing
	}
	return x + float32(w*(y-x))
}

// vertexOf returns the vertex of a corner. If the corner lies between two vertices of triangle t, it is a new vertex,
// and its fields are interpolated.
func (b *builder) vertexOf(t int, c corner) uint32 {
	old := b.from.Attributes
	if c.from == c.to {
		return old.Index[c.from][t]
	}
	v, w := old.Index[c.from][t], old.Index[c.to][t]
	for i := range b.attr.Fields {
		if f := &b.attr.Fields[i]; !f.OfTriangles {
			f.Values = append(f.Values, interpolate(f.Values[v], f.Values[w], c.weight))
		}
	}
	b.attr.Vertices++
	return uint32(b.attr.Vertices - 1)
}

// appendBetween appends the value at corner k of a piece of triangle t. If c lies between two corners of the triangle,
// the function mix interpolates the value.
func appendBetween[T any](to, from *scenes.Attribute[T], k, t int, c corner, mix func(x, y T, w float32) T) {
	if !from.Has() {
		return
	}
	at := from.Index[c.from][t]
	if c.from != c.to {
		at = uint32(len(to.Values))
		to.Values = append(to.Values, mix(from.At(c.from, t), from.At(c.to, t), c.weight))
	}
	to.Index[k] = append(to.Index[k], at)
}

// addCap appends a triangle of a cap.
func (b *builder) addCap(p [3][3]float32) {
	if b.caps < 0 {
		b.beginCaps()
	}
	b.addCorners(p, b.options.Cap, NoOwner)
	if b.attr == nil {
		return
	}
	if b.from.Attributes.MaterialOf != nil {
		b.attr.MaterialOf = append(b.attr.MaterialOf, -1)
	}
	for i := range b.attr.Fields {
		if f := &b.attr.Fields[i]; f.OfTriangles {
			f.Values = append(f.Values, scenes.NoField())
		}
	}
	for k := range 3 {
		b.attr.Index[k] = append(b.attr.Index[k], b.capVert)
		appendShared(&b.attr.Normals, k, uint32(len(b.attr.Normals.Values)-1))
		appendShared(&b.attr.Colors, k, b.capRGBA)
		appendShared(&b.attr.TexCoords, k, b.capUV)
		appendShared(&b.attr.TexCoords2, k, b.capUV2)
	}
}

func appendShared[T any](to *scenes.Attribute[T], k int, at uint32) {
	if to.Has() {
		to.Index[k] = append(to.Index[k], at)
	}
}

// beginCaps adds the values that all triangles of caps share: their colour, arbitrary texture coordinates, and NoField
// for all fields.
func (b *builder) beginCaps() {
	b.caps = b.n
	if b.attr == nil {
		return
	}
	a := b.attr
	if a.Normals.Has() {
		a.Normals.Values = append(a.Normals.Values, [3]float32{})
	}
	if a.Colors.Has() {
		a.Colors.Values = append(a.Colors.Values, scenes.Opaque(b.options.Cap))
		b.capRGBA = uint32(len(a.Colors.Values) - 1)
	}
	if a.TexCoords.Has() {
		a.TexCoords.Values = append(a.TexCoords.Values, [2]float32{})
		b.capUV = uint32(len(a.TexCoords.Values) - 1)
	}
	if a.TexCoords2.Has() {
		a.TexCoords2.Values = append(a.TexCoords2.Values, [2]float32{})
		b.capUV2 = uint32(len(a.TexCoords2.Values) - 1)
	}
	for i := range a.Fields {
		if f := &a.Fields[i]; !f.OfTriangles {
			f.Values = append(f.Values, scenes.NoField())
		}
	}
	b.capVert = uint32(a.Vertices)
	a.Vertices++
}

// addToPart counts all triangles from index `before` on as triangles of a part.
func (b *builder) addToPart(part, before int) {
	if b.n > before && b.firsts[part] < 0 {
		b.firsts[part] = before
	}
	b.counts[part] += b.n - before
}

// mesh returns the finished mesh.
func (b *builder) mesh() *scenes.Mesh {
	m := *b.from
	m.Block = scenes.Block{}
	for k := range 3 {
		m.X[k], m.Y[k], m.Z[k] = clipCapacity(b.coords[3*k]), clipCapacity(b.coords[3*k+1]), clipCapacity(b.coords[3*k+2])
	}
	if b.from.Colors != nil || b.caps >= 0 {
		m.Colors = b.colors
	}
	m.Parts = nil
	for i, p := range b.from.Parts {
		if b.counts[i] > 0 {
			p.First, p.Count = b.firsts[i], b.counts[i]
			m.Parts = append(m.Parts, p)
		}
	}
	if b.caps >= 0 {
		if n := len(m.Parts); n > 0 && m.Parts[n-1].Name == PartName && m.Parts[n-1].First+m.Parts[n-1].Count == b.caps {
			m.Parts[n-1].Count += b.n - b.caps // the part may have caps of an earlier cut
		} else {
			m.Parts = append(m.Parts, scenes.Part{Name: PartName, First: b.caps, Count: b.n - b.caps, Flat: true})
		}
	}
	m.Attributes = b.attr
	return &m
}
