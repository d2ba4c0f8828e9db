package indexed

import (
	"math"

	"lockstep/scenes"
	"lockstep/scenes/format"
)

// A part of a mesh is a separate Mesh that a goroutine reads from a piece of the input. AppendPoints and
// AppendTriangles append the part to the whole mesh.
//
// A part cannot depend on earlier input. So the part only records how far its polygons refer to entries outside the
// part. Any warning becomes an error that ends the part. If a part cannot be appended, its text is read again,
// directly into the whole mesh.

// partState is the additional state of a Mesh that is a part of another.
type partState struct {
	points, normals, texCoords requirement
	// pointBase, normalBase and texCoordBase are the lengths of the lists of the whole mesh before the part is
	// appended. AppendPoints sets them.
	pointBase, normalBase, texCoordBase int32
	cut                                 int // number of entries of cuts that AppendTriangles has copied
}

// A requirement is the number of entries that a list of the whole mesh must have before a part is appended. Absolute
// indices in the part need at least `ahead` entries. Indices relative to the start of the part need at least `behind`
// entries.
type requirement struct{ ahead, behind int64 }

func (r requirement) fits(n int) bool { return r.ahead <= int64(n) && r.behind <= int64(n) }

const (
	// relativeRef is added to an index to mark the index as relative to the start of a part. Indices from files have at
	// most 18 digits, so an index from a file never equals such a sum.
	relativeRef = math.MinInt64 / 2
	// relativeIndex is added to a relative index that a triangle stores as int32, to mark it. The sums differ from all
	// other indices.
	relativeIndex = -1 << 30
	// maxBehind is how far relative indices may reach back before the start of a part, in entries.
	maxBehind = 1 << 28
)

// NewPart returns an empty part of a mesh. Its triangles may also refer to points that precede the part in the whole
// mesh.
func NewPart(flat bool) *Mesh {
	m := New(&format.Input{Options: scenes.ReadOptions{Strict: true, Flat: flat}})
	m.staged = new(partState)
	return m
}

// IsPart reports whether m is a part.
func (m *Mesh) IsPart() bool { return m.staged != nil }

// Reset empties a part and keeps its memory for reuse.
func (m *Mesh) Reset() {
	*m.staged = partState{}
	m.points.reset()
	m.colors.reset()
	m.triangles.reset()
	m.faceColors.reset()
	m.cuts.reset()
	d := &m.details
	d.normals.reset()
	d.texCoords.reset()
	d.normalOf.reset()
	d.texCoordOf.reset()
	d.materialOf.reset()
	for i := range d.fields {
		d.fields[i].values.reset()
	}
	d.pointNormals, d.pointTexCoords = false, false
	m.Lines, m.Dots = 0, 0
}

// Ref returns the index with which a Polygon refers to entry i of a list of m. In a part, the index is marked as
// relative to the start of the part.
func (m *Mesh) Ref(i int64) int64 {
	if m.staged == nil {
		return i
	}
	return i + relativeRef
}

// storedIndex converts v, an index into a list of n entries, to the number that a triangle stores. ok is false if the
// list has no entry v. In a part, storedIndex also updates r, the requirement for the list.
func (m *Mesh) storedIndex(v int64, n int, r *requirement) (i int32, ok bool) {
	if m.staged == nil {
		return int32(v), v >= 0 && v < int64(n)
	}
	if v >= 0 {
		r.ahead = max(r.ahead, v-int64(n)+1)
		return int32(v), v < math.MaxInt32
	}
	local := v - relativeRef
	if local < -maxBehind || local >= int64(n) {
		return 0, false
	}
	r.behind = max(r.behind, -local)
	return int32(local + relativeIndex), true
}

// AddTriangle is a faster form of AddPolygon for triangles without attributes. It handles the usual cases. In all
// others it adds nothing and returns false, and the caller must call AddPolygon.
func (m *Mesh) AddTriangle(a, b, c int64) bool {
	most := max(a, b, c)
	if min(a, b, c) < 0 || most >= math.MaxInt32 {
		return false
	}
	if m.staged != nil {
		r := &m.staged.points
		r.ahead = max(r.ahead, most-int64(m.points.n)+1)
	} else if most >= int64(m.points.n) || m.triangles.isFull() || m.in.Options.MaxTriangles > 0 {
		return false
	}
	m.triangles.push([3]int32{int32(a), int32(b), int32(c)})
	return true
}

// requirements returns the requirements of the lists of a part, or nil for a whole mesh.
func (m *Mesh) requirements() (points, normals, texCoords *requirement) {
	if m.staged == nil {
		return nil, nil, nil
	}
	return &m.staged.points, &m.staged.normals, &m.staged.texCoords
}

// Fits reports whether m has all entries to which part refers. Only then can part be appended.
func (m *Mesh) Fits(part *Mesh) bool {
	s := part.staged
	return s.points.fits(m.points.n) && s.normals.fits(m.details.normals.n) && s.texCoords.fits(m.details.texCoords.n)
}

// AppendPoints appends the points of a part with their attributes. Fits must be true for the part. Afterwards, the
// caller must append the triangles of the part by AppendTriangles.
func (m *Mesh) AppendPoints(part *Mesh) error {
	s, from, to := part.staged, &part.details, &m.details
	before := m.points.n
	m.Lines, m.Dots = m.Lines+part.Lines, m.Dots+part.Dots
	s.pointBase, s.normalBase, s.texCoordBase = int32(before), int32(to.normals.n), int32(to.texCoords.n)
	if err := appendList(m, &m.points, &part.points); err != nil {
		return err
	}
	if err := appendPadded(m, &m.colors, before, &part.colors, scenes.DefaultColor); err != nil {
		return err
	}
	to.pointNormals = to.pointNormals || from.pointNormals
	to.pointTexCoords = to.pointTexCoords || from.pointTexCoords
	padTo := func(of bool) int {
		if of {
			return before
		}
		return 0
	}
	if err := appendPadded(m, &to.normals, padTo(from.pointNormals), &from.normals, [3]float32{}); err != nil {
		return err
	}
	if err := appendPadded(m, &to.texCoords, padTo(from.pointTexCoords), &from.texCoords, [2]float32{}); err != nil {
		return err
	}
	for i := range to.pointFields {
		if err := appendPadded(m, &to.fields[i].values, before, &from.fields[i].values, float32(math.NaN())); err != nil {
			return err
		}
	}
	return nil
}

// AppendTriangles appends triangles lo to hi (exclusive) of a part whose points have been appended. Each range must
// start where the previous range ended. color and material have the same form as in Polygon. They apply to triangles
// of the range that have no colour or material of their own. NoColor and 0 mean none.
func (m *Mesh) AppendTriangles(part *Mesh, lo, hi int, color uint32, material int) error {
	n := hi - lo
	if n == 0 {
		return nil
	}
	if most := m.in.Options.MaxTriangles; most > 0 && int64(m.triangles.n+n) > most {
		return m.in.Allow(most+1, 0)
	}
	before, s := m.triangles.n, part.staged
	if err := appendRefs(m, &m.triangles, &part.triangles, lo, hi, s.pointBase); err != nil {
		return err
	}
	for s.cut < part.cuts.n && int(part.cuts.at(s.cut).first) < hi {
		c := *part.cuts.at(s.cut)
		c.first += int32(before - lo)
		if err := appendEntry(m, &m.cuts, c); err != nil {
			return err
		}
		s.cut++
	}
	if err := appendSome(m, &m.faceColors, before, &part.faceColors, entryRange{lo, hi}, scenes.DefaultColor); err != nil {
		return err
	}
	if color != NoColor {
		if err := setRange(m, &m.faceColors, before, n, color, scenes.DefaultColor); err != nil {
			return err
		}
	}
	if !m.WantsAttributes() {
		return nil
	}
	return m.appendDetails(part, before, lo, hi, material)
}

// appendDetails appends the attributes of triangles lo to hi (exclusive) of part. `before` is the number of triangles
// that m has before this range.
func (m *Mesh) appendDetails(part *Mesh, before, lo, hi, material int) error {
	s, from, to := part.staged, &part.details, &m.details
	for _, list := range [...]struct {
		to, from *list[[3]int32]
		base     int32
	}{{&to.normalOf, &from.normalOf, s.normalBase}, {&to.texCoordOf, &from.texCoordOf, s.texCoordBase}} {
		end := min(hi, list.from.n)
		if end <= lo {
			continue
		}
		if err := padTo(m, list.to, before, [3]int32{}); err != nil {
			return err
		}
		if err := appendRefs(m, list.to, list.from, lo, end, list.base); err != nil {
			return err
		}
	}
	if err := appendSome(m, &to.materialOf, before, &from.materialOf, entryRange{lo, hi}, -1); err != nil {
		return err
	}
	if material > 0 {
		if err := setRange(m, &to.materialOf, before, hi-lo, int32(material-1), -1); err != nil {
			return err
		}
	}
	for i := to.pointFields; i < len(to.fields); i++ {
		if err := appendSome(m, &to.fields[i].values, before, &from.fields[i].values, entryRange{lo, hi}, float32(math.NaN())); err != nil {
			return err
		}
	}
	return nil
}

// appendRefs appends entries lo to hi (exclusive) of the list `from` to the list `to`. The entries are indices of
// corners. appendRefs adds `base` to those that are relative to the part.
func appendRefs(m *Mesh, to, from *list[[3]int32], lo, hi int, base int32) error {
	for lo < hi {
		src := from.runFrom(lo, hi)
		dst, err := extendList(m, to, len(src))
		if err != nil {
			return err
		}
		for i := range dst {
			t := src[i]
			for k, v := range t {
				if v < 0 {
					t[k] = v - relativeIndex + base
				}
			}
			dst[i] = t
		}
		lo += len(dst)
	}
	return nil
}

// An entryRange is the range lo to hi (exclusive) of a list.
type entryRange struct{ lo, hi int }

// appendSome appends a range of the list `from` to the list `to`. The first entry of the range gets the index
// `before` in the list `to`. If `to` is shorter than `before`, `none` is appended first, until `to` is long enough.
// Entries of the range that `from` does not have are left out.
func appendSome[T any](m *Mesh, to *list[T], before int, from *list[T], part entryRange, none T) error {
	lo, hi := part.lo, min(part.hi, from.n)
	if hi <= lo {
		return nil
	}
	if err := padTo(m, to, before, none); err != nil {
		return err
	}
	for lo < hi {
		src := from.runFrom(lo, hi)
		dst, err := extendList(m, to, len(src))
		if err != nil {
			return err
		}
		lo += copy(dst, src)
	}
	return nil
}

func appendList[T any](m *Mesh, to, from *list[T]) error {
	var none T
	return appendSome(m, to, 0, from, entryRange{0, from.n}, none)
}

func appendPadded[T any](m *Mesh, to *list[T], before int, from *list[T], none T) error {
	return appendSome(m, to, before, from, entryRange{0, from.n}, none)
}

// setRange extends a list to before+n entries. New entries below index `before` become `none`, and the others become v.
func setRange[T any](m *Mesh, to *list[T], before, n int, v, none T) error {
	if err := padTo(m, to, before, none); err != nil {
		return err
	}
	return padTo(m, to, before+n, v)
}

// padTo appends v until the list has n entries.
func padTo[T any](m *Mesh, l *list[T], n int, v T) error {
	for l.n < n {
		dst, err := extendList(m, l, n-l.n)
		if err != nil {
			return err
		}
		for i := range dst {
			dst[i] = v
		}
	}
	return nil
}

// Expect returns a *scenes.LimitError if a mesh with as many points and triangles as a header claims exceeds the
// limits.
func (m *Mesh) Expect(points, triangles int64) error {
	perTriangle := int64(triangleBytes + scenes.TriangleBytes)
	if m.WantsAttributes() {
		perTriangle += 3 * 4
	}
	return m.in.Allow(triangles, pointBytes*points+perTriangle*triangles)
}
