package indexed

// PointRows holds consecutive entries of the lists of points. A list is nil unless the PointKind asks for it.
type PointRows struct {
	Points    [][3]float64
	Colors    []uint32
	Normals   [][3]float32
	TexCoords [][2]float32
	Fields    [][]float32
}

// A PointKind tells which attributes points have in addition to their positions.
type PointKind struct {
	Colors, Normals, TexCoords bool
	Fields                     bool // all fields that PointFields names
}

// ExtendPoints appends at most n points and returns them. The caller must set their values, and may use several
// goroutines for that. If an earlier point lacks an attribute in kind, ExtendPoints appends no points.
func (m *Mesh) ExtendPoints(n int, kind PointKind) (rows PointRows, err error) {
	at, d := m.points.n, &m.details
	if kind.Colors && m.colors.n != at || kind.Normals && d.normals.n != at || kind.TexCoords && d.texCoords.n != at {
		return rows, nil
	}
	for i := range d.pointFields {
		if kind.Fields && d.fields[i].values.n != at {
			return rows, nil
		}
	}
	if rows.Points, err = extendList(m, &m.points, n); err != nil {
		return rows, err
	}
	n = len(rows.Points) // chunks of all lists have the same size
	if kind.Colors {
		if rows.Colors, err = extendList(m, &m.colors, n); err != nil {
			return rows, err
		}
	}
	if kind.Normals {
		d.pointNormals = true
		if rows.Normals, err = extendList(m, &d.normals, n); err != nil {
			return rows, err
		}
	}
	if kind.TexCoords {
		d.pointTexCoords = true
		if rows.TexCoords, err = extendList(m, &d.texCoords, n); err != nil {
			return rows, err
		}
	}
	for i := range d.pointFields {
		if kind.Fields {
			values, err := extendList(m, &d.fields[i].values, n)
			if err != nil {
				return rows, err
			}
			rows.Fields = append(rows.Fields, values)
		}
	}
	return rows, nil
}

// ExtendTriangles appends at most n triangles without attributes, within the limit, and returns them. The caller must
// set their corners to existing points.
func (m *Mesh) ExtendTriangles(n int) ([][3]int32, error) {
	if most := m.in.Options.MaxTriangles; most > 0 {
		n = min(n, int(min(most, 1<<31))-m.triangles.n)
	}
	if n <= 0 {
		return nil, nil
	}
	return extendList(m, &m.triangles, n)
}

// DropLast removes the last n triangles, which must come from the last call of ExtendTriangles.
func (m *Mesh) DropLast(n int) { m.triangles.shrink(n) }
