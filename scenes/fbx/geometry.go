package fbx

import (
	"lockstep/scenes"
	"lockstep/scenes/internal/corners"
	"lockstep/scenes/internal/text"
)

// A geometry holds the polygons of a mesh, grouped by material. A material is an index into the model's list of
// materials.
type geometry struct {
	builder *corners.Builder
}

// maxMaterials is the greatest number of materials of a geometry.
const maxMaterials = 1 << 12

// A mapping states what the entries of a layer belong to: corners, positions ("control points" in FBX), polygons, or
// the whole mesh.
type mapping uint8

const (
	ofCorners mapping = iota
	ofPositions
	ofPolygons
	ofAll
)

// mappings holds the names of mappings in files. Mappings by edges are missing, because they give corners no values.
var mappings = map[string]mapping{
	"ByPolygonVertex": ofCorners, "ByVertex": ofPositions, "ByVertice": ofPositions, "ByControlPoint": ofPositions,
	"ByPolygon": ofPolygons, "AllSame": ofAll,
}

// A layer gives each corner an entry of a list, for example of normals.
type layer struct {
	by    mapping
	index []int32 // entry of each corner, position or polygon; nil: number i has entry i
	n     int     // number of entries in the list; 0: the layer is missing
}

// entryIndex returns the index of the entry for a corner. Its arguments are the numbers of the corner, of its position
// and of its polygon.
func (l *layer) entryIndex(corner int, position int32, polygon int) int32 {
	if l.n == 0 {
		return corners.None
	}
	i := 0
	switch l.by {
	case ofCorners:
		i = corner
	case ofPositions:
		i = int(position)
	case ofPolygons:
		i = polygon
	}
	if l.index == nil {
		return int32(i)
	}
	if i >= len(l.index) {
		return invalidIndex
	}
	return l.index[i]
}

// A meshReader reads one geometry.
type meshReader struct {
	*reader
	lists                              corners.Lists
	normals, colors, texCoords, finish layer
	slots                              map[int32]int
}

// geometry returns the polygons of an object, or nil if the object has none. It reads each object only once.
func (r *reader) geometry(o *object) (*geometry, error) {
	if g, ok := r.geometries[o]; ok {
		return g, nil
	}
	r.geometries[o] = nil
	vertices, index := o.node.child("Vertices"), o.node.child("PolygonVertexIndex")
	if !vertices.exists() || !index.exists() {
		return nil, nil
	}
	m := &meshReader{reader: r, slots: make(map[int32]int)}
	positions, err := r.floats(vertices)
	if err != nil {
		return nil, err
	}
	m.lists.Positions, err = triples(r, positions, 3)
	if err != nil {
		return nil, err
	}
	if err := m.readLayers(o.node); err != nil {
		return nil, err
	}
	all, err := r.ints(index)
	if err != nil {
		return nil, err
	}
	b, err := corners.New(r.in, m.lists, &r.Held)
	if err != nil {
		return nil, err
	}
	if err := m.addPolygons(b, all); err != nil {
		return nil, err
	}
	releaseMemory(r, all)
	r.geometries[o] = &geometry{b}
	return r.geometries[o], r.warnDropped(o.node, b)
}

// warnDropped adds warnings about polygons of a geometry that were left out, and about corners whose normals, colours
// or texture coordinates do not exist.
func (r *reader) warnDropped(n node, b *corners.Builder) error {
	if b.Dropped > 0 {
		if err := r.warn.Add(r.placeOf(n), "%d polygons left out that have too many corners, or corners that do not exist", b.Dropped); err != nil {
			return err
		}
	}
	if b.Invalid > 0 {
		return r.warn.Add(r.placeOf(n), "%d corners refer to normals, colours or texture coordinates that do not exist, and are read without them", b.Invalid)
	}
	return nil
}

// triples divides numbers into entries of `stride` numbers. It returns the first three numbers of each entry.
func triples(r *reader, numbers []float64, stride int) ([][3]float64, error) {
	if err := r.Reserve(24 * int64(len(numbers)/stride)); err != nil {
		return nil, err
	}
	all := make([][3]float64, len(numbers)/stride)
	for i := range all {
		copy(all[i][:], numbers[stride*i:])
	}
	releaseMemory(r, numbers)
	return all, nil
}

// readLayers reads the first layer of each kind: normals, colours and so on.
func (m *meshReader) readLayers(n node) error {
	numbers, err := m.readLayer(n.child("LayerElementNormal"), &m.normals, "Normals", "NormalsIndex", 3)
	if err != nil {
		return err
	}
	if m.lists.Normals, err = triples(m.reader, numbers, 3); err != nil {
		return err
	}
	if numbers, err = m.readLayer(n.child("LayerElementUV"), &m.texCoords, "UV", "UVIndex", 2); err != nil {
		return err
	}
	if err := m.Reserve(16 * int64(m.texCoords.n)); err != nil {
		return err
	}
	m.lists.TexCoords = make([][2]float64, m.texCoords.n)
	for i := range m.lists.TexCoords {
		m.lists.TexCoords[i] = [2]float64{numbers[2*i], 1 - numbers[2*i+1]}
	}
	releaseMemory(m.reader, numbers)
	if numbers, err = m.readLayer(n.child("LayerElementColor"), &m.colors, "Colors", "ColorIndex", 4); err != nil {
		return err
	}
	if err := m.Reserve(4 * int64(m.colors.n)); err != nil {
		return err
	}
	m.lists.Colors = make([]scenes.RGBA, m.colors.n)
	for i := range m.lists.Colors {
		for part := range 4 {
			m.lists.Colors[i][part] = unit8(numbers[4*i+part])
		}
	}
	releaseMemory(m.reader, numbers)
	return m.readMaterialLayer(n.child("LayerElementMaterial"))
}

// readLayer reads a layer and stores it in `to`. The child records called `list` and `index` hold its numbers and its
// indices. The numbers are returned; `width` of them form an entry.
func (m *meshReader) readLayer(n node, to *layer, list, index string, width int) ([]float64, error) {
	data := n.child(list)
	if !data.exists() {
		return nil, nil
	}
	by, ok := mappings[n.child("MappingInformationType").text(0)]
	if !ok {
		return nil, m.warn.Add(m.placeOf(n), "%s left out: they belong to the mesh by %s", list, text.Short(n.child("MappingInformationType").text(0)))
	}
	numbers, err := m.floats(data)
	if err != nil {
		return nil, err
	}
	to.by, to.n = by, len(numbers)/width
	if of := n.child(index); of.exists() && n.child("ReferenceInformationType").text(0) != "Direct" {
		to.index, err = m.ints(of)
		if to.index == nil {
			to.index = []int32{}
		}
	}
	return numbers, err
}

// readMaterialLayer reads the material of each polygon. A material is an index into the model's list of materials.
// Without this layer, all polygons have the first material.
func (m *meshReader) readMaterialLayer(n node) (err error) {
	by, ok := mappings[n.child("MappingInformationType").text(0)]
	if !ok {
		return nil
	}
	m.finish.by = by
	m.finish.index, err = m.ints(n.child("Materials"))
	m.finish.n = len(m.finish.index)
	return err
}

// slot returns the index of the list in which b collects the triangles of a material. An index that is out of range
// means no material.
func (m *meshReader) slot(b *corners.Builder, material int32) int {
	if material < 0 || material >= maxMaterials {
		material = -1
	}
	to, ok := m.slots[material]
	if !ok {
		to = b.Slot(material)
		m.slots[material] = to
	}
	return to
}

// addPolygons adds all polygons. index holds the position of each corner. The last corner of each polygon is stored as
// the bitwise complement of its position.
func (m *meshReader) addPolygons(b *corners.Builder, index []int32) error {
	var one []corners.Corner
	polygon, first, short := 0, 0, 0
	for at, position := range index {
		last := position < 0
		if last {
			position = ^position
		}
		if at-first <= corners.MaxPolygon {
			one = append(one, corners.Corner{
				Position: position, Normal: m.normals.entryIndex(at, position, polygon),
				Color:    m.colors.entryIndex(at, position, polygon),
				TexCoord: m.texCoords.entryIndex(at, position, polygon),
			})
		}
		if !last {
			continue
		}
		material := int32(0)
		if m.finish.n > 0 {
			material = m.finish.entryIndex(at, position, polygon)
		}
		if len(one) < 3 {
			short++ // some programs write points and lines for loose edges
		} else if err := b.Add(m.slot(b, material), one); err != nil {
			return err
		}
		one, first = one[:0], at+1
		polygon++
	}
	m.undrawn.curves += short
	if len(one) > 0 {
		return m.warn.Add("its polygons", "the corners end within a polygon, which is left out")
	}
	return nil
}

// unit8 converts a colour component from the range 0 to 1 to the range 0 to 255. NaN becomes 0.
func unit8(v float64) uint8 {
	if !(v > 0) {
		return 0
	}
	return uint8(min(v, 1)*255 + 0.5)
}
