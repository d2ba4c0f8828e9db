package x3d

import "lockstep/scenes/internal/corners"

// A geometryKey identifies the triangles of a node with a certain TextureTransform node (moved). textured means that
// the shape has a texture.
type geometryKey struct {
	node, moved *node
	textured    bool
}

// A geometry holds the triangles of a node.
type geometry struct {
	key     geometryKey
	builder *corners.Builder
	colored bool
}

// A meshReader reads the triangles of one node.
type meshReader struct {
	*reader
	node  *node
	lists corners.Lists
	// coordinates and texCoords are the nodes that contain the lists, or nil. Other geometries may use the same nodes.
	coordinates, texCoords *node
	// mapped means that the node has texture coordinates. textured means that the shape has a texture. If a node is not
	// mapped, texture coordinates are computed from positions where they are needed.
	mapped, textured bool
	polygons         func(b *corners.Builder) error
	// reversed means that the corners of polygons are clockwise as seen from the front.
	reversed bool
}

// geometry returns the triangles of node n, or nil if it has none. It reads them only once for each key.
func (r *reader) geometry(n, moved *node, textured bool) (*geometry, error) {
	key := geometryKey{n, moved, textured}
	if g, ok := r.geometries[key]; ok {
		return g, nil
	}
	if err := r.startGeometry(n); err != nil {
		return nil, err
	}
	r.geometries[key] = nil
	m := &meshReader{reader: r, node: n, textured: textured}
	known, err := m.readLists()
	if err != nil || !known {
		return nil, err
	}
	if err := m.setTexCoords(moved); err != nil {
		return nil, err
	}
	b, err := r.scratch.New(r.in, m.lists, &r.Held)
	if err != nil {
		return nil, err
	}
	b.Slot(0)
	if err := m.polygons(b); err != nil {
		return nil, err
	}
	b.Release()
	if b.Dropped > 0 {
		if err := r.warn.Add(bytePlace(n.at), "%d polygons left out that have too few or too many corners, or corners that do not exist", b.Dropped); err != nil {
			return nil, err
		}
	}
	if b.Invalid > 0 {
		if err := r.warn.Add(bytePlace(n.at), "%d corners refer to normals, colours or texture coordinates that do not exist, and are read without them", b.Invalid); err != nil {
			return nil, err
		}
	}
	r.geometries[key] = &geometry{key, b, len(m.lists.Colors) > 0}
	return r.geometries[key], nil
}

// startGeometry counts the memory of a geometry, and the work of reading the fields of its node n. Several geometries
// with different materials or textures may read the same node.
func (r *reader) startGeometry(n *node) error {
	if err := r.reading.Spend(r.in, n.workBytes()); err != nil {
		return err
	}
	return r.Reserve(nodeBytes)
}

// readLists reads the lists of the node according to its kind. known is false if nodes of this kind are not drawn.
func (m *meshReader) readLists() (known bool, err error) {
	switch n := m.node; n.kind {
	case "IndexedFaceSet":
		m.polygons = m.addFaceSet
	case "IndexedTriangleSet", "IndexedQuadSet", "TriangleSet", "QuadSet", "IndexedTriangleStripSet", "IndexedTriangleFanSet", "TriangleStripSet", "TriangleFanSet":
		m.polygons = m.addTriangleSet
	case "Box", "Sphere", "Cone", "Cylinder":
		return true, m.makeSolid()
	case "ElevationGrid":
		return m.readHeights()
	case "Extrusion":
		return m.extrude()
	case "Arc2D", "ArcClose2D", "Circle2D", "Polyline2D":
		m.undrawn.lines++
		return false, nil
	case "Polypoint2D":
		m.undrawn.points++
		return false, nil
	case "Text":
		m.undrawn.texts++
		return false, nil
	case "NurbsPatchSurface", "NurbsTrimmedSurface", "Disk2D", "Rectangle2D", "TriangleSet2D":
		m.undrawn.others++
		return false, m.warn.Add(bytePlace(n.at), "%s is not drawn", n.kind)
	default:
		return false, m.countUndrawn(n)
	}
	m.reversed = !m.node.flag("ccw", true)
	if err := m.readPositions(); err != nil {
		return false, err
	}
	return true, m.readAttributes()
}

// addFaceSet adds the polygons of an IndexedFaceSet. The corners of each polygon end with -1.
func (m *meshReader) addFaceSet(b *corners.Builder) error {
	index, err := m.readIndices("coordIndex")
	if err != nil {
		return err
	}
	normals, err := m.readAttribute(len(b.Normals), "normalPerVertex", "normalIndex")
	if err != nil {
		return err
	}
	colors, err := m.readAttribute(len(b.Colors), "colorPerVertex", "colorIndex")
	if err != nil {
		return err
	}
	uv, err := m.readAttribute(len(b.TexCoords), "", "texCoordIndex")
	if err != nil {
		return err
	}
	for _, a := range []*attribute{&normals, &colors} {
		if err := m.indexByCorner(a, index); err != nil {
			return err
		}
	}
	if !m.mapped {
		uv.index = nil // texture coordinates use the indices of positions
	}
	var one []corners.Corner
	face, first := 0, 0
	for i := 0; i <= len(index); i++ {
		if i < len(index) && index[i] >= 0 {
			if i-first <= corners.MaxPolygon {
				at := index[i]
				one = append(one, corners.Corner{Position: at, Normal: normals.entry(i, at, face), Color: colors.entry(i, at, face), TexCoord: uv.entry(i, at, face)})
			}
			continue
		}
		if len(one) > 0 {
			if err := m.addPolygon(b, one); err != nil {
				return err
			}
			face++
		}
		one, first = one[:0], i+1
	}
	return nil
}

// addPolygon adds a polygon. It reverses the corners if the node is reversed.
func (m *meshReader) addPolygon(b *corners.Builder, one []corners.Corner) error {
	if m.reversed {
		for i, k := 0, len(one)-1; i < k; i, k = i+1, k-1 {
			one[i], one[k] = one[k], one[i]
		}
	}
	return b.Add(0, one)
}

// addTriangleSet adds triangles, quads, strips or fans. Their corners are indices of positions or, without indices, all
// positions in order.
func (m *meshReader) addTriangleSet(b *corners.Builder) error {
	index, err := m.readIndices("index")
	if err != nil {
		return err
	}
	ordered := !hasIndex(m.node.kind)
	if ordered {
		if err := m.spendPositions(len(b.Positions)); err != nil {
			return err
		}
		if err := m.Reserve(4 * int64(len(b.Positions))); err != nil {
			return err
		}
		index = make([]int32, len(b.Positions))
		for i := range index {
			index[i] = int32(i)
		}
	}
	switch m.node.kind {
	case "TriangleSet", "IndexedTriangleSet":
		return m.addRuns(b, index, 3)
	case "QuadSet", "IndexedQuadSet":
		return m.addRuns(b, index, 4)
	}
	fan := m.node.kind == "TriangleFanSet" || m.node.kind == "IndexedTriangleFanSet"
	if !ordered {
		for first, i := 0, 0; i <= len(index); i++ {
			if i == len(index) || index[i] < 0 {
				if err := m.addStrip(b, index[first:i], fan); err != nil {
					return err
				}
				first = i + 1
			}
		}
		return nil
	}
	field := "stripCount"
	if fan {
		field = "fanCount"
	}
	for counts := m.node.numbers(field); counts.More(); {
		n, ok := counts.Int()
		if !ok || n < 0 || n > int64(len(index)) {
			return m.warn.Add(bytePlace(m.node.at), "%s claims more corners than there are, or is no number", field)
		}
		if err := m.addStrip(b, index[:n], fan); err != nil {
			return err
		}
		index = index[n:]
	}
	return nil
}

// corner returns a corner whose normal, colour and texture coordinates have the same index as its position.
func (m *meshReader) corner(b *corners.Builder, at int32) corners.Corner {
	c := corners.Corner{Position: at, Normal: corners.None, Color: corners.None, TexCoord: corners.None}
	if len(b.Normals) > 0 {
		c.Normal = at
	}
	if len(b.Colors) > 0 {
		c.Color = at
	}
	if len(b.TexCoords) > 0 {
		c.TexCoord = at
	}
	return c
}

// addRuns adds polygons of n consecutive corners each.
func (m *meshReader) addRuns(b *corners.Builder, index []int32, n int) error {
	var one [4]corners.Corner
	for ; len(index) >= n; index = index[n:] {
		for k := range n {
			one[k] = m.corner(b, index[k])
		}
		if err := m.addPolygon(b, one[:n]); err != nil {
			return err
		}
	}
	if len(index) > 0 {
		return m.warn.Add(bytePlace(m.node.at), "the corners end within a polygon, which is left out")
	}
	return nil
}

// addStrip adds the triangles of a strip or a fan. It skips triangles of a strip with two corners at one position,
// because they only connect parts of the strip.
func (m *meshReader) addStrip(b *corners.Builder, index []int32, fan bool) error {
	for i := 0; i+2 < len(index); i++ {
		at := [3]int32{index[i], index[i+1], index[i+2]}
		switch {
		case fan:
			at[0] = index[0]
		case i%2 == 1:
			at[0], at[1] = at[1], at[0]
		}
		if at[0] == at[1] || at[1] == at[2] || at[2] == at[0] {
			continue
		}
		one := [3]corners.Corner{m.corner(b, at[0]), m.corner(b, at[1]), m.corner(b, at[2])}
		if err := m.addPolygon(b, one[:]); err != nil {
			return err
		}
	}
	return nil
}
