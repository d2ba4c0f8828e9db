package dxf

// A meshReader reads a MESH, which has positions and a list of faces. In the list, each face is a number of corners,
// followed by the corners themselves. Subdivision levels are ignored.
type meshReader struct {
	*reader
	to       *block
	first    int
	position [3]float64
	faces    bool // the next entries belong to the list of faces
	left     int  // remaining entries of the list
	corners  int  // remaining corners of the current face
	face     []int32
	strange  int
}

// maxCorners is the greatest number of corners of a face.
const maxCorners = 1 << 16

// readMesh reads a MESH.
func (r *reader) readMesh(b *block) error {
	m := &meshReader{reader: r, to: b, first: len(b.positions)}
	from := len(b.faces)
	e, err := r.readEntity(m.readGroup)
	if err != nil {
		return err
	}
	s, err := r.styleNumber(&e)
	if err != nil {
		return err
	}
	for i := from; i < len(b.faces); i++ {
		b.faces[i].style = s
	}
	if m.strange > 0 {
		return r.warn.Add(r.place(), "%d faces left out that have corners which do not exist, or too few corners", m.strange)
	}
	return nil
}

// readGroup handles one group of the MESH.
func (m *meshReader) readGroup(code int, value []byte) (err error) {
	switch code {
	case 10, 20, 30:
		m.position[code/10-1], _ = parseFloat(value)
		if code == 30 {
			_, err = m.addVertex(m.to, m.position)
		}
	case 93:
		m.left, m.faces = 0, true
		if n, ok := parseNumber(value); ok {
			m.left = n
		}
	case 94, 95:
		m.faces = false
	case 90:
		if v, ok := parseNumber(value); m.faces && m.left > 0 {
			m.left--
			return m.addEntry(v, ok)
		}
	}
	return err
}

// addEntry handles an entry of the list of faces.
func (m *meshReader) addEntry(v int, ok bool) error {
	if m.corners == 0 {
		m.face = m.face[:0]
		if !ok || v < 0 || v > maxCorners {
			m.faces = false
			m.strange++
			return nil
		}
		m.corners = v
		return nil
	}
	m.corners--
	if !ok || v < 0 || v >= len(m.to.positions)-m.first {
		v = -1
	}
	m.face = append(m.face, int32(v))
	if m.corners > 0 {
		return nil
	}
	return m.addFan()
}

// addFan adds the current face. If it has more than four corners, it is divided into triangles and quads around its
// first corner.
func (m *meshReader) addFan() error {
	for _, v := range m.face {
		if v < 0 {
			m.strange++
			return nil
		}
	}
	if len(m.face) < 3 {
		m.strange++
		return nil
	}
	at := func(i int) int32 { return int32(m.first) + m.face[i] }
	for i := 1; i+1 < len(m.face); i += 2 {
		f := face{corners: [4]int32{at(0), at(i), at(i + 1), -1}}
		if i+2 < len(m.face) {
			f.corners[3] = at(i + 2)
		}
		if err := m.addFace(m.to, f); err != nil {
			return err
		}
	}
	return nil
}
