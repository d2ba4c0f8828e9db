package collada

import (
	"lockstep/scenes"
	"lockstep/scenes/internal/corners"
	"lockstep/scenes/internal/text"
	"lockstep/scenes/internal/xmltree"
)

// A geometry holds the polygons of a mesh, grouped by symbol. A symbol is a name for a material. Each instance of the
// geometry binds a symbol to a material.
type geometry struct {
	node     xmltree.Node
	builder  *corners.Builder
	symbols  []string // the builder's key for a symbol is the index of the symbol in this list
	symbolAt map[string]int
	slots    []int   // index of the builder's triangle list for each symbol
	unbound  []int32 // materials for instances that do not bind symbols to materials; nil: not computed yet
}

// An entryRange is the part of one of the builder's lists that holds the entries of one source.
type entryRange struct{ first, n int }

// A meshReader reads the mesh of one geometry.
type meshReader struct {
	*reader
	mesh     xmltree.Node
	vertices []xmltree.Node // input elements of the vertices element, the first of each kind
	sources  map[string]xmltree.Node
	lists    corners.Lists
	sets     map[setKey]entryRange
}

// A setKey identifies the entries that a source has for one kind of data, such as normals. Collada calls the kind of
// data the semantic.
type setKey struct {
	semantic string
	source   int32
}

// geometry returns the polygons of a geometry element, or nil if it has no triangles. It reads each element only once.
func (r *reader) geometry(n xmltree.Node) (*geometry, error) {
	if g, ok := r.geometries[n.Key()]; ok {
		return g, nil
	}
	r.geometries[n.Key()] = nil
	mesh := n.Child("mesh")
	switch {
	case n.Child("spline").Exists():
		r.undrawn.splines++
		return nil, nil
	case n.Child("brep").Exists():
		r.undrawn.others++
		return nil, nil
	case !mesh.Exists():
		mesh = n.Child("convex_mesh")
	}
	if !mesh.Exists() {
		return nil, r.warn.Add(placeOf(n), "geometry %s has no mesh", text.Short(n.Attr("id")))
	}
	m := &meshReader{reader: r, mesh: mesh, vertices: vertexInputs(mesh), sets: make(map[setKey]entryRange)}
	var err error
	if m.sources, err = r.findSources(mesh); err != nil {
		return nil, err
	}
	all, err := m.primitives()
	if err != nil {
		return nil, err
	}
	b, err := corners.New(r.in, m.lists, &r.Held)
	if err != nil {
		return nil, err
	}
	g := &geometry{node: n, builder: b, symbolAt: make(map[string]int)}
	for i := range all {
		if err := m.addPolygons(g, &all[i]); err != nil {
			return nil, err
		}
	}
	if err := r.warnDropped(n, b); err != nil {
		return nil, err
	}
	if b.Len() == 0 {
		return nil, nil
	}
	r.geometries[n.Key()] = g
	return g, nil
}

// warnDropped adds warnings about polygons of a geometry that were left out, and about corners whose normals, colours
// or texture coordinates do not exist.
func (r *reader) warnDropped(n xmltree.Node, b *corners.Builder) error {
	if b.Dropped > 0 {
		if err := r.warn.Add(placeOf(n), "%d polygons left out that have too few or too many corners, or corners that do not exist", b.Dropped); err != nil {
			return err
		}
	}
	if b.Invalid > 0 {
		return r.warn.Add(placeOf(n), "%d corners refer to normals, colours or texture coordinates that do not exist, and are read without them", b.Invalid)
	}
	return nil
}

// A primitive is an element with polygons, such as <triangles>. In the list of the element, each corner has several
// numbers. The primitive records what these numbers mean.
type primitive struct {
	node   xmltree.Node
	stride int
	offset [4]int // for each kind of data, its place among the numbers of a corner; -1: none
	sets   [4]entryRange
	seen   int // number of polygons that were read
}

// Kinds of data that a corner may have. The builder has a list for each of them.
const (
	ofPosition = iota
	ofNormal
	ofColor
	ofTexCoord
)

// primitives returns the elements with polygons, after reading the sources of their data.
func (m *meshReader) primitives() (all []primitive, err error) {
	for n := range m.mesh.All() {
		switch n.Name() {
		case "triangles", "polylist", "polygons", "tristrips", "trifans":
			p := primitive{node: n, offset: [4]int{-1, -1, -1, -1}}
			ok, err := m.findInputs(&p)
			if err != nil {
				return nil, err
			}
			if ok {
				all = append(all, p)
			}
		case "lines", "linestrips":
			m.undrawn.lines++
		}
	}
	return all, nil
}

// findInputs determines the meaning of the numbers of the corners of p. If the corners have no positions, it adds a
// warning and ok is false.
func (m *meshReader) findInputs(p *primitive) (ok bool, err error) {
	for in := range p.node.Each("input") {
		offset, _ := in.Int("offset")
		if offset >= maxStride {
			continue
		}
		p.stride = max(p.stride, offset+1)
		if in.Attr("semantic") != "VERTEX" {
			err = m.useInput(p, in, offset)
		} else {
			for _, below := range m.vertices {
				if err == nil {
					err = m.useInput(p, below, offset)
				}
			}
		}
		if err != nil {
			return false, err
		}
	}
	if p.offset[ofPosition] < 0 {
		return false, m.warn.Add(placeOf(p.node), "%s left out: its corners have no places", p.node.Name())
	}
	return true, nil
}

// vertexInputs returns the inputs of the vertices element of a mesh, but only the first of each kind. All primitives
// share these inputs.
func vertexInputs(mesh xmltree.Node) (all []xmltree.Node) {
	known := map[string]bool{}
	for in := range mesh.Child("vertices").Each("input") {
		if kind := in.Attr("semantic"); listOf[kind] > 0 && !known[kind] {
			known[kind] = true
			all = append(all, in)
		}
	}
	return all
}

// listOf maps the name of each kind of input to 1 plus the index of its list. So 0 means an unknown kind.
var listOf = map[string]int{"POSITION": 1 + ofPosition, "NORMAL": 1 + ofNormal, "COLOR": 1 + ofColor, "TEXCOORD": 1 + ofTexCoord, "UV": 1 + ofTexCoord}

// useInput uses an input for primitive p if it is the first input of its kind. There may be several sets of texture
// coordinates. In files of all known programs, the first of these sets has the lowest number.
func (m *meshReader) useInput(p *primitive, in xmltree.Node, offset int) error {
	semantic := in.Attr("semantic")
	list := listOf[semantic] - 1
	if list < 0 || p.offset[list] >= 0 {
		return nil
	}
	from := findSource(m.sources, in.Attr("source"))
	if !from.Exists() {
		return m.warn.Add(placeOf(in), "%s left out: there is no source %s", semantic, text.Short(in.Attr("source")))
	}
	key := setKey{semantic, from.Key()}
	found, ok := m.sets[key]
	if !ok {
		rows, fine, err := m.readRows(from)
		if err != nil {
			return err
		}
		if !fine {
			return m.warn.Add(placeOf(from), "%s left out: its source has no numbers", semantic)
		}
		if found, err = m.appendEntries(list, &rows); err != nil {
			return err
		}
		m.sets[key] = found
	}
	p.offset[list], p.sets[list] = offset, found
	return nil
}

// appendEntries appends the entries of a source to one of the lists, and returns their range in the list.
func (m *meshReader) appendEntries(list int, s *rows) (entryRange, error) {
	size := [...]int64{24, 24, 4, 16}[list]
	if err := m.Reserve(2 * size * int64(s.n)); err != nil { // doubled, because the list is copied as it grows
		return entryRange{}, err
	}
	l := &m.lists
	at := entryRange{n: s.n}
	switch list {
	case ofPosition:
		at.first = len(l.Positions)
		l.Positions = append(l.Positions, triples(s)...)
	case ofNormal:
		at.first = len(l.Normals)
		l.Normals = append(l.Normals, triples(s)...)
	case ofColor:
		at.first = len(l.Colors)
		for i := range s.n {
			l.Colors = append(l.Colors, s.color(i))
		}
	case ofTexCoord:
		at.first = len(l.TexCoords)
		for i := range s.n {
			l.TexCoords = append(l.TexCoords, [2]float64{s.number(i, 0, 0), 1 - s.number(i, 1, 0)})
		}
	}
	return at, nil
}

// triples returns the entries of a source as triples of numbers.
func triples(s *rows) [][3]float64 {
	all := make([][3]float64, s.n)
	for i := range all {
		all[i] = [3]float64{s.number(i, 0, 0), s.number(i, 1, 0), s.number(i, 2, 0)}
	}
	return all
}

// color returns entry i of a source as a colour.
func (s *rows) color(i int) (c scenes.RGBA) {
	for part := range c {
		c[part] = unit8(s.number(i, part, 1))
	}
	return c
}

// unit8 converts a colour component from the range 0 to 1 to the range 0 to 255. NaN becomes 0.
func unit8(v float64) uint8 {
	if !(v > 0) {
		return 0
	}
	return uint8(min(v, 1)*255 + 0.5)
}
