package indexed

import (
	"image"
	"math"
	"unsafe"

	"lockstep/scenes"
	"lockstep/scenes/internal/surface"
)

// details collects the data that becomes scenes.Attributes.
type details struct {
	normals   list[[3]float32]
	texCoords list[[2]float32]
	// pointNormals means that normals[i] belongs to point i. If it is false, normalOf states which normal each corner
	// has. pointTexCoords means the same for texCoords and texCoordOf.
	pointNormals, pointTexCoords bool
	// normalOf holds a number for each corner of each triangle: 1 + the index of its normal, or 0 for none.
	// texCoordOf holds the same for texture coordinates. The lists are shorter if the last triangles have no normals
	// or texture coordinates.
	normalOf, texCoordOf list[[3]int32]

	materials   []scenes.Material
	materialOf  list[int32] // for each triangle; -1: none; shorter if the last triangles have none
	fields      []field     // fields of points, followed by fields of triangles
	pointFields int         // number of fields of points

	pictures     map[*image.NRGBA]bool // pictures that materials use
	pictureBytes int64                 // bytes of all pictures of materials
}

type field struct {
	name   string
	values list[float32]
}

// materialBytes is the memory in bytes of a material without its picture.
const materialBytes = 128

// held returns the bytes of all lists.
func (d *details) held() int64 {
	bytes := 12*int64(d.normals.n+d.normalOf.n+d.texCoordOf.n) + 8*int64(d.texCoords.n) + 4*int64(d.materialOf.n)
	for i := range d.fields {
		bytes += 4 * int64(d.fields[i].values.n)
	}
	return bytes + d.pictureBytes + materialBytes*int64(len(d.materials))
}

// detailBytes returns the number of bytes that the attributes of a triangle take in the finished mesh.
func (m *Mesh) detailBytes() (bytes int64) {
	if !m.WantsAttributes() {
		return 0
	}
	d := &m.details
	bytes = 3 * 4
	if d.normalOf.n > 0 {
		bytes += 3 * 4
	}
	if d.texCoordOf.n > 0 {
		bytes += 3 * 4
	}
	if d.materialOf.n > 0 {
		bytes += 4
	}
	return bytes
}

// appendEntry appends v to one of the lists of m.
func appendEntry[T any](m *Mesh, l *list[T], v T) error {
	if l.n >= chunkSize && l.isFull() {
		if l.n > math.MaxInt32-2*chunkSize {
			return m.in.Damage("its attributes", "there are more than %d", l.n)
		}
		if err := m.checkLimits(int64(unsafe.Sizeof(v))); err != nil {
			return err
		}
	}
	l.push(v)
	return nil
}

// extendList appends between one and n entries and returns them. The caller must set their values.
func extendList[T any](m *Mesh, l *list[T], n int) ([]T, error) {
	var v T
	if l.n >= chunkSize && l.isFull() {
		if l.n > math.MaxInt32-2*chunkSize {
			return nil, m.in.Damage("its vertices or faces", "there are more than %d", l.n)
		}
		if err := m.checkLimits(int64(unsafe.Sizeof(v))); err != nil {
			return nil, err
		}
	}
	return l.extend(n), nil
}

// setLast sets entry n-1 to v, which becomes the last entry of the list. If the list is shorter, the entries in between
// become `none`.
func setLast[T any](m *Mesh, l *list[T], n int, v, none T) error {
	for l.n < n {
		if err := appendEntry(m, l, none); err != nil {
			return err
		}
	}
	*l.at(n - 1) = v
	return nil
}

// AddNormal appends a normal, which may have any length.
func (m *Mesh) AddNormal(n [3]float64) error {
	if !m.WantsAttributes() {
		return nil
	}
	return appendEntry(m, &m.details.normals, surface.Unit(n))
}

// PointNormal sets the normal of the last point.
func (m *Mesh) PointNormal(n [3]float64) error {
	if !m.WantsAttributes() {
		return nil
	}
	m.details.pointNormals = true
	return setLast(m, &m.details.normals, m.points.n, surface.Unit(n), [3]float32{})
}

// AddTexCoord appends texture coordinates (u, v); v is measured from the upper edge.
func (m *Mesh) AddTexCoord(uv [2]float64) error {
	if !m.WantsAttributes() {
		return nil
	}
	return appendEntry(m, &m.details.texCoords, surface.TexCoord(uv))
}

// PointTexCoord sets the texture coordinates of the last point.
func (m *Mesh) PointTexCoord(uv [2]float64) error {
	if !m.WantsAttributes() {
		return nil
	}
	m.details.pointTexCoords = true
	return setLast(m, &m.details.texCoords, m.points.n, surface.TexCoord(uv), [2]float32{})
}

// NoReference is the index of a corner that has no normal or no texture coordinates.
const NoReference = math.MaxInt64

// HasNormal and HasTexCoord report whether there is an entry for index i of a Polygon. In a part, they report whether
// the whole mesh may have that entry.
func (m *Mesh) HasNormal(i int64) bool   { return m.hasEntry(i, m.details.normals.n) }
func (m *Mesh) HasTexCoord(i int64) bool { return m.hasEntry(i, m.details.texCoords.n) }

func (m *Mesh) hasEntry(i int64, n int) bool {
	_, ok := m.storedIndex(i, n, new(requirement))
	return ok
}

// Normals and TexCoords return the number of normals and of texture coordinates.
func (m *Mesh) Normals() int   { return m.details.normals.n }
func (m *Mesh) TexCoords() int { return m.details.texCoords.n }

// AddMaterial appends a material and returns 1 + its index, for Polygon.Material.
func (m *Mesh) AddMaterial(mat scenes.Material) int {
	d := &m.details
	d.materials = append(d.materials, mat)
	if t := mat.Texture; t != nil && !d.pictures[t.Picture] {
		if d.pictures == nil {
			d.pictures = make(map[*image.NRGBA]bool)
		}
		d.pictures[t.Picture] = true
		d.pictureBytes += int64(len(t.Picture.Pix))
	}
	return len(d.materials)
}

// PointFields sets the names of the fields of points. It must be called before the first point and before
// TriangleFields.
func (m *Mesh) PointFields(names ...string) {
	m.details.pointFields = len(names)
	m.TriangleFields(names...)
}

// TriangleFields adds the names of the fields of polygons.
func (m *Mesh) TriangleFields(names ...string) {
	for _, name := range names {
		m.details.fields = append(m.details.fields, field{name: name})
	}
}

// PointField sets field i of the last point.
func (m *Mesh) PointField(i int, v float32) error {
	if !m.WantsAttributes() {
		return nil
	}
	return setLast(m, &m.details.fields[i].values, m.points.n, v, float32(math.NaN()))
}

// addTriangleDetails stores the attributes of the last triangle, which has the corners i, j and k of a polygon.
func (m *Mesh) addTriangleDetails(p *Polygon, i, j, k int) error {
	d, n := &m.details, m.triangles.n
	_, normals, texCoords := m.requirements()
	pick := func(l *list[[3]int32], of []int64, most int, r *requirement) error {
		if of == nil {
			return nil
		}
		var t [3]int32
		for c, at := range [3]int{i, j, k} {
			if of[at] == NoReference {
				continue
			}
			if v, ok := m.storedIndex(of[at], most, r); ok {
				t[c] = v + 1
			}
		}
		return setLast(m, l, n, t, [3]int32{})
	}
	if err := pick(&d.normalOf, p.Normals, d.normals.n, normals); err != nil {
		return err
	}
	if err := pick(&d.texCoordOf, p.TexCoords, d.texCoords.n, texCoords); err != nil {
		return err
	}
	if p.Material > 0 {
		if err := setLast(m, &d.materialOf, n, int32(p.Material-1), -1); err != nil {
			return err
		}
	}
	for f, v := range p.Fields {
		if err := setLast(m, &d.fields[d.pointFields+f].values, n, v, float32(math.NaN())); err != nil {
			return err
		}
	}
	return nil
}

// takeAttributes moves the collected data into scenes.Attributes. The Index of the attributes has its full length but
// is not filled yet.
func (m *Mesh) takeAttributes() *scenes.Attributes {
	d, n, vertices := &m.details, m.triangles.n, m.points.n
	a := &scenes.Attributes{Index: columns(n), Vertices: vertices, Materials: d.materials}
	if d.pointNormals {
		a.Normals = scenes.Attribute[[3]float32]{Values: padded(&d.normals, vertices, [3]float32{}), Index: a.Index}
	} else if d.normalOf.n > 0 {
		a.Normals = makeAttribute(&d.normals, &d.normalOf, n)
	}
	if d.pointTexCoords {
		a.TexCoords = scenes.Attribute[[2]float32]{Values: padded(&d.texCoords, vertices, [2]float32{}), Index: a.Index}
	} else if d.texCoordOf.n > 0 {
		a.TexCoords = makeAttribute(&d.texCoords, &d.texCoordOf, n)
	}
	if m.colors.n > 0 && m.faceColors.n == 0 {
		a.Colors.Index, a.Colors.Values = a.Index, make([]scenes.RGBA, vertices)
		for i := range a.Colors.Values {
			rgb := uint32(scenes.DefaultColor)
			if i < m.colors.n {
				rgb = *m.colors.at(i)
			}
			a.Colors.Values[i] = scenes.Opaque(rgb)
		}
	}
	if d.materialOf.n > 0 {
		a.MaterialOf = padded(&d.materialOf, n, -1)
	}
	for i := range d.fields {
		f := scenes.Field{Name: d.fields[i].name, OfTriangles: i >= d.pointFields}
		of := vertices
		if f.OfTriangles {
			of = n
		}
		f.Values = padded(&d.fields[i].values, of, float32(math.NaN()))
		a.Fields = append(a.Fields, f)
	}
	m.details = details{}
	return a
}

// makeAttribute makes an attribute for n triangles. `of` holds a number for each corner: 1 + the index of its value, or
// 0. The number 0 means that the corner has the zero value.
func makeAttribute[T any](values *list[T], of *list[[3]int32], n int) (to scenes.Attribute[T]) {
	var none T
	to.Values = append(make([]T, 0, values.n+1), none)
	for _, c := range values.chunks {
		to.Values = append(to.Values, c...)
	}
	to.Index = columns(n)
	for t := range of.n {
		for k, v := range of.at(t) {
			to.Index[k][t] = uint32(v)
		}
	}
	return to
}

// padded returns the entries of l, followed by copies of `none`, n entries in total.
func padded[T any](l *list[T], n int, none T) []T {
	all := l.toSlice(n)
	for len(all) < n {
		all = append(all, none)
	}
	return all
}

// columns returns three columns of n zeros.
func columns(n int) (c [3][]uint32) {
	all := make([]uint32, 3*n)
	for k := range c {
		c[k], all = all[:n:n], all[n:]
	}
	return c
}
