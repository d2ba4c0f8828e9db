package amf

import (
	"lockstep/scenes"
	"lockstep/scenes/internal/assembly"
	"lockstep/scenes/internal/corners"
	"lockstep/scenes/internal/surface"
	"lockstep/scenes/internal/text"
	"lockstep/scenes/internal/xmltree"
)

// numberOf parses the text of an element as a number. The result is false if the text does not start with a number.
func numberOf(n xmltree.Node) (float64, bool) {
	if !n.Exists() {
		return 0, false
	}
	numbers := text.NumbersOf(n.Words())
	return numbers.Float()
}

// colorOf returns the colour of an element. ok is false if it has no colour, or if its colour is a formula.
func colorOf(n xmltree.Node) (c scenes.RGBA, ok bool) {
	color := n.Child("color")
	if !color.Exists() {
		return c, false
	}
	c[3] = 255
	for i, name := range []string{"r", "g", "b", "a"} {
		v, ok := numberOf(color.Child(name))
		switch {
		case ok:
			c[i] = unit8(v)
		case i < 3:
			return c, false
		}
	}
	return c, true
}

// unit8 converts a colour component from the range 0 to 1 to the range 0 to 255. NaN becomes 0.
func unit8(v float64) uint8 {
	if !(v > 0) {
		return 0
	}
	return uint8(min(v, 1)*255 + 0.5)
}

// baseColorOf converts an sRGB colour to linear light. An alpha of 0 becomes 1, because an invisible colour makes no
// sense.
func baseColorOf(c scenes.RGBA) [4]float32 {
	alpha := float32(c[3]) / 255
	if c[3] == 0 {
		alpha = 1
	}
	return surface.BaseColor(c.RGB(), alpha)
}

// A meshReader reads the mesh of one object.
type meshReader struct {
	*reader
	lists    corners.Lists
	colorOf  []int32 // colour of each vertex: an index into lists.Colors, or corners.None
	slots    map[int32]int
	colorErr error // first error of the method colorIndex
	builder  *corners.Builder
}

// objectShapes returns the shapes of an object. It reads each object only once.
func (r *reader) objectShapes(n xmltree.Node) ([]*assembly.Shape, error) {
	if all, ok := r.shapes[n.Key()]; ok {
		return all, nil
	}
	var all []*assembly.Shape
	for mesh := range n.Each("mesh") {
		m := &meshReader{reader: r, slots: make(map[int32]int)}
		if err := m.readVertices(mesh); err != nil {
			return nil, err
		}
		own := m.colorIndex(n)
		var err error
		if m.builder, err = corners.New(r.in, m.lists, &r.Held); err != nil {
			return nil, err
		}
		for volume := range mesh.Each("volume") {
			if err := m.addVolume(volume, own); err != nil {
				return nil, err
			}
		}
		if m.builder.Dropped > 0 {
			if err := r.warn.Add(placeOf(mesh), "%d triangles left out that have corners which do not exist", m.builder.Dropped); err != nil {
				return nil, err
			}
		}
		all = append(all, m.builder.Shapes(func(i int32) int32 { return i }, nil)...)
	}
	if err := r.Reserve(int64(512 * (1 + len(all)))); err != nil {
		return nil, err
	}
	r.shapes[n.Key()] = all
	return all, nil
}

// colorIndex returns the colour of an element as an index into m.lists.Colors, or corners.None if the element has no
// colour.
func (m *meshReader) colorIndex(n xmltree.Node) int32 {
	if !m.colored {
		return corners.None
	}
	c, ok := colorOf(n)
	if !ok {
		return corners.None
	}
	if last := len(m.lists.Colors) - 1; last >= 0 && m.lists.Colors[last] == c {
		return int32(last)
	}
	if m.colorErr = m.Reserve(2 * 4); m.colorErr != nil { // twice, because the list is copied when it grows
		return corners.None
	}
	m.lists.Colors = append(m.lists.Colors, c)
	return int32(len(m.lists.Colors) - 1)
}

// readVertices reads the positions and the colours of the vertices. A coordinate that is not a number becomes NaN. The
// vertex is kept, so that the indices of later vertices stay right.
func (m *meshReader) readVertices(mesh xmltree.Node) error {
	n := 0
	for range mesh.Child("vertices").Each("vertex") {
		n++
	}
	if err := m.Reserve((24 + 4 + 8) * int64(n)); err != nil { // 8 bytes are for a colour in a growing list
		return err
	}
	m.lists.Positions = make([][3]float64, 0, n)
	m.colorOf = make([]int32, 0, n)
	strange := 0
	for v := range mesh.Child("vertices").Each("vertex") {
		var p [3]float64
		place := v.Child("coordinates")
		for i, name := range []string{"x", "y", "z"} {
			x, ok := numberOf(place.Child(name))
			if !ok {
				x, strange = nan, strange+1
			}
			p[i] = x
		}
		m.lists.Positions = append(m.lists.Positions, p)
		m.colorOf = append(m.colorOf, m.colorIndex(v))
		if m.colorErr != nil {
			return m.colorErr
		}
	}
	if strange > 0 {
		return m.warn.Add(placeOf(mesh), "%d coordinates are no numbers", strange)
	}
	return nil
}

// addVolume adds the triangles of a volume. `own` is the colour of the object that contains the volume, as an index
// into m.lists.Colors.
func (m *meshReader) addVolume(n xmltree.Node, own int32) error {
	material := int32(-1)
	if id := n.Attr("materialid"); id != "" && id != "0" {
		of, ok := m.materialOf[id]
		if !ok {
			if err := m.warn.Add(placeOf(n), "a volume refers to material %s, which does not exist", text.Short(id)); err != nil {
				return err
			}
		} else {
			material = of
		}
	}
	if c := m.colorIndex(n); c != corners.None {
		own = c
	}
	for t := range n.Each("triangle") {
		if t.Child("texmap").Exists() || t.Child("map").Exists() {
			m.texturedCount++
		}
		var one [3]corners.Corner
		face, painted := m.colorIndex(t), true
		for k, name := range []string{"v1", "v2", "v3"} {
			v, ok := numberOf(t.Child(name))
			if !ok || !(v >= 0 && v < float64(len(m.lists.Positions))) {
				v = -1
			}
			one[k] = corners.Corner{Position: int32(v), Normal: corners.None, Color: own, TexCoord: corners.None}
			if face != corners.None {
				one[k].Color = face
			} else if v >= 0 && m.colorOf[int(v)] != corners.None {
				one[k].Color = m.colorOf[int(v)]
			}
			painted = painted && one[k].Color != corners.None
		}
		if m.colorErr != nil {
			return m.colorErr
		}
		to, err := m.slot(material, painted)
		if err != nil {
			return err
		}
		m.builder.Colors = m.lists.Colors
		if err := m.builder.Add(to, one[:]); err != nil {
			return err
		}
	}
	return nil
}

// slot returns the index of the list in which the builder collects triangles of the given material. If painted is set,
// the corners of the triangle have colours, and the material is ignored. A triangle without a material and without
// colours gets a grey material if anything else in the file has a colour.
func (m *meshReader) slot(material int32, painted bool) (int, error) {
	if painted {
		material = -1
	} else if material < 0 && m.colored {
		if m.plainMaterial < 0 {
			if err := m.Reserve(512); err != nil {
				return 0, err
			}
			m.plainMaterial = int32(len(m.materials))
			grey := scenes.Material{BaseColor: baseColorOf(scenes.Opaque(scenes.DefaultColor))}
			m.materials = append(m.materials, grey)
		}
		material = m.plainMaterial
	}
	to, ok := m.slots[material]
	if !ok {
		to = m.builder.Slot(material)
		m.slots[material] = to
	}
	return to, nil
}
