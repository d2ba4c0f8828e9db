// Package indexed collects meshes whose polygons share points, as in PLY, OBJ and OFF files, and divides the polygons
// into triangles.
package indexed

import (
	"fmt"
	"math"

	"lockstep/scenes"
	"lockstep/scenes/format"
	"lockstep/scenes/internal/origin"
	"lockstep/scenes/internal/surface"
	"lockstep/scenes/internal/text"
)

// A Mesh collects points and polygons. A polygon may use only points that were added before. A Mesh obeys the limits of
// its input.
type Mesh struct {
	Warn *format.Warnings
	// Lines and Dots count the lines and points in the file that are not drawn.
	Lines, Dots int
	// Cloud means that the input has no faces at all, not even damaged ones. Then its lines are drawn or, if it has no
	// lines, all its points.
	Cloud bool
	// Extra is the number of bytes that the reader holds outside the lists of the mesh.
	Extra int64
	// Adjust, if not nil, is called by Finish to change the attributes of the mesh.
	Adjust func(*scenes.Mesh) error

	in         *format.Input
	points     list[[3]float64]
	colors     list[uint32] // colours of points; shorter than points if the last points have no colour
	triangles  list[[3]int32]
	faceColors list[uint32] // colours of triangles; shorter if the last triangles have no colour
	parts      []scenes.Part
	part       scenes.Part // current part; it has no name before the first BeginPart
	details    details

	segments list[segment] // straight pieces of lines
	dots     list[int32]   // points that AddDot has recorded

	cuts   list[cut]  // polygons with more than three corners
	staged *partState // state of a part of a mesh; nil for a whole mesh

	octahedra int // number of octahedra that draw points
}

// New returns a mesh without points.
func New(in *format.Input) *Mesh { return &Mesh{in: in, Warn: in.Warnings()} }

// WantsAttributes reports whether the options want attributes. If not, the mesh drops them.
func (m *Mesh) WantsAttributes() bool { return !m.in.Options.Flat }

// MaxCorners is the greatest number of corners of a polygon. No known program writes more. A polygon with more corners
// is left out with a warning.
const MaxCorners = 1 << 16

// Sizes in bytes of an entry of each list.
const (
	pointBytes    = 3 * 8
	triangleBytes = 3 * 4
	cutBytes      = 2 * 4
	segmentBytes  = 4 * 4
)

// Points returns the number of points.
func (m *Mesh) Points() int { return m.points.n }

// Triangles returns the number of triangles.
func (m *Mesh) Triangles() int { return m.triangles.n }

// checkLimits returns an error if a new chunk of entries would exceed the limits, together with the mesh that Finish
// will make. Each entry of the chunk has `bytes` bytes.
func (m *Mesh) checkLimits(bytes int64) error {
	n := int64(m.triangles.n)
	return m.in.Allow(n, m.Held()+chunkSize*bytes+scenes.TriangleBytes*n)
}

// Held returns the number of bytes of all lists, plus Extra.
func (m *Mesh) Held() int64 {
	return pointBytes*int64(m.points.n) + triangleBytes*int64(m.triangles.n) + cutBytes*int64(m.cuts.n) +
		scenes.ColorBytes*int64(m.colors.n+m.faceColors.n) + segmentBytes*int64(m.segments.n) + 4*int64(m.dots.n) + m.details.held() + m.Extra
}

// AddPoint appends a point. The error is a *scenes.LimitError.
func (m *Mesh) AddPoint(p [3]float64) error {
	if m.points.n >= chunkSize && m.points.isFull() {
		if m.points.n > math.MaxInt32-chunkSize {
			return m.in.Damage("its vertices", "there are more than %d", m.points.n)
		}
		if err := m.checkLimits(pointBytes); err != nil {
			return err
		}
	}
	m.points.push(p)
	return nil
}

// AddMissing adds a warning about a vertex that could not be read. In place of the vertex it adds a point that is not
// finite. So later vertices keep their numbers. Triangles that use the point are not drawn.
func (m *Mesh) AddMissing(place, format string, args ...any) error {
	if err := m.Warn.Add(place, format, args...); err != nil {
		return err
	}
	nan := math.NaN()
	return m.AddPoint([3]float64{nan, nan, nan})
}

// AddUnread is like AddMissing, but for a vertex with a word that is not a number. AddUnread returns an error if the
// vertex is the first one and the word has a decimal comma. In such a file, probably every line would give the same
// warning.
func (m *Mesh) AddUnread(place string, vertex int64, word []byte, want string) error {
	hint := text.CommaHint(word)
	if hint != "" && m.points.n == 0 {
		return m.in.Damage(place, "vertex %d: %s where %s should be%s", vertex, text.Short(word), want, hint)
	}
	return m.AddMissing(place, "vertex %d left out: %s where %s should be%s", vertex, text.Short(word), want, hint)
}

// ColorPoint sets the sRGB colour of the last point.
func (m *Mesh) ColorPoint(rgb uint32) error { return m.setColor(&m.colors, m.points.n, rgb) }

// setColor sets the colour of the last of n points or triangles.
func (m *Mesh) setColor(l *list[uint32], n int, rgb uint32) error {
	return setLast(m, l, n, rgb, scenes.DefaultColor)
}

// PaintPoints sets the colours of the first points. It removes all colours and materials of triangles. They would
// otherwise take precedence over the colours of points.
func (m *Mesh) PaintPoints(colors []uint32) error {
	m.colors, m.faceColors, m.details.materialOf = list[uint32]{}, list[uint32]{}, list[int32]{}
	for i, rgb := range colors[:min(len(colors), m.points.n)] {
		if err := m.setColor(&m.colors, i+1, rgb); err != nil {
			return err
		}
	}
	return nil
}

// NoColor is the colour of a polygon that does not have its own colour.
const NoColor = math.MaxUint32

// RGB returns the sRGB colour with the channels scale*v, rounded and limited to the range from 0 to 255.
func RGB(v [3]float64, scale float64) (rgb uint32) {
	for _, x := range v {
		c := math.Round(x * scale)
		if !(c > 0) { // true for NaN, too
			c = 0
		}
		rgb = rgb<<8 | uint32(math.Min(c, 255))
	}
	return rgb
}

// A Polygon is one face of a mesh.
type Polygon struct {
	Corners []int64 // indices of points, counted from 0
	Numbers []int64 // Corners as the file states them, counted from 1, for messages; nil: messages use Corners
	Color   uint32  // sRGB, or NoColor
	Place   func() string

	// Normals and TexCoords hold, for each corner, the index of its normal and of its texture coordinates, counted
	// from 0. An index out of range means that the corner has none. The slices are nil in two cases: no corner has
	// any, or each corner has those of its point.
	Normals, TexCoords []int64
	Material           int       // 1 + the index of a material; 0 for none
	Fields             []float32 // values in the order of the names of Mesh.TriangleFields
}

// AddPolygon appends the triangles of a polygon, and changes p.Corners. It leaves out the polygon with a warning if a
// point does not exist, or if there are too few or too many corners. The error is a *scenes.DamageError if reading is
// strict, or a *scenes.LimitError.
func (m *Mesh) AddPolygon(p Polygon) error {
	n := len(p.Corners)
	if n < 3 || n > MaxCorners {
		return m.Warn.Add(p.Place(), "face of %d corners left out", n)
	}
	points, _, _ := m.requirements()
	for k, v := range p.Corners {
		i, ok := m.storedIndex(v, m.points.n, points)
		if !ok {
			if p.Numbers != nil {
				return m.Warn.Add(p.Place(), "face left out: vertex %d of %d, counted from 1", p.Numbers[k], m.points.n)
			}
			return m.Warn.Add(p.Place(), "face left out: vertex %d of %d, counted from 0", v, m.points.n)
		}
		p.Corners[k] = int64(i)
	}
	if n > 3 {
		if err := appendEntry(m, &m.cuts, cut{int32(m.triangles.n), int32(n - 2)}); err != nil {
			return err
		}
	}
	for k := 2; k < n; k++ {
		if err := m.addTriangle(&p, 0, k-1, k); err != nil {
			return err
		}
	}
	return nil
}

// addTriangle appends a triangle with the corners i, j and k of a polygon.
func (m *Mesh) addTriangle(p *Polygon, i, j, k int) error {
	if most := m.in.Options.MaxTriangles; most > 0 && int64(m.triangles.n) >= most {
		return m.in.Allow(int64(m.triangles.n)+1, 0)
	}
	if m.triangles.n >= chunkSize && m.triangles.isFull() {
		if m.triangles.n > math.MaxInt32-chunkSize {
			return m.in.Damage("its faces", "there are more than %d triangles", m.triangles.n)
		}
		if err := m.checkLimits(triangleBytes); err != nil {
			return err
		}
	}
	m.triangles.push([3]int32{int32(p.Corners[i]), int32(p.Corners[j]), int32(p.Corners[k])})
	if p.Color != NoColor {
		if err := m.setColor(&m.faceColors, m.triangles.n, p.Color); err != nil {
			return err
		}
	}
	if !m.WantsAttributes() {
		return nil
	}
	return m.addTriangleDetails(p, i, j, k)
}

// BeginPart starts a named part of the mesh. Parts without triangles are dropped. If they were kept, the memory for a
// file with many names could grow faster than the file.
func (m *Mesh) BeginPart(name string) {
	m.endPart()
	m.part = scenes.Part{Name: name, First: m.triangles.n}
}

func (m *Mesh) endPart() {
	m.part.Count = m.triangles.n - m.part.First
	if m.part.Count > 0 {
		m.parts = append(m.parts, m.part)
	}
}

// Finish returns the mesh and a report. name is the report's Format. The error is a *scenes.DamageError if the input is
// damaged and has no complete triangle.
func (m *Mesh) Finish(up scenes.Axis, name string) (*scenes.Mesh, *scenes.Report, error) {
	if m.keepsPoints() {
		return m.finishPoints(up, name)
	}
	if err := m.drawThin(up); err != nil {
		return nil, nil, err
	}
	n := m.triangles.n
	if err := m.cutPolygons(); err != nil {
		return nil, nil, err
	}
	if n == 0 {
		if err := m.warnEmpty(); err != nil {
			return nil, nil, err
		}
	}
	perTriangle := int64(scenes.TriangleBytes) + m.detailBytes()
	colored := m.colors.n > 0 || m.faceColors.n > 0
	if colored {
		perTriangle += scenes.ColorBytes
	}
	if err := m.in.Allow(int64(n), m.Held()+int64(n)*perTriangle); err != nil {
		return nil, nil, err
	}
	out := &scenes.Mesh{Block: scenes.MakeBlock(n), Origin: m.chooseOrigin(), Up: up}
	if colored {
		out.Colors = make([]uint32, n)
	}
	out.Parts = m.namedParts()
	if m.WantsAttributes() {
		out.Attributes = m.takeAttributes()
	}
	found, err := m.fill(out)
	if err != nil {
		return nil, nil, err
	}
	if out.Attributes != nil {
		if m.Adjust != nil {
			if err := m.Adjust(out); err != nil {
				return nil, nil, err
			}
		}
		if err := surface.Flatten(m.in.Context(), m.in.Options.Workers, out, false); err != nil {
			return nil, nil, err
		}
	}
	if err := m.Warn.NotFinite(fmt.Sprintf("triangle %d", found.FirstBad), found.Bad, found.Large); err != nil {
		return nil, nil, err
	}
	return out, &scenes.Report{
		Format:       name,
		Bytes:        m.in.Done(),
		Triangles:    n,
		BadTriangles: found.Bad,
		Points:       m.octahedra,
		Bounds:       scenes.BoxOf(found.Lo, found.Hi),
		Warnings:     m.Warn.Lines(),
	}, nil
}

// namedParts ends the last part. It returns all parts if any of them has a name.
func (m *Mesh) namedParts() []scenes.Part {
	m.endPart()
	if len(m.parts) > 1 || len(m.parts) == 1 && m.parts[0].Name != "" {
		return m.parts
	}
	return nil
}

// warnEmpty returns the first damage, or adds a warning that there are points but no faces.
func (m *Mesh) warnEmpty() error {
	if err := m.Warn.First(); err != nil || m.points.n == 0 {
		return err
	}
	what := text.Counts(text.Count{N: m.points.n, One: "vertex", More: "vertices"}, text.Count{N: m.Lines, One: "line", More: "lines"}, text.Count{N: m.Dots, One: "list of points", More: "lists of points"})
	return m.Warn.Add("its faces", "there are none: %s not drawn", what)
}

func (m *Mesh) chooseOrigin() [3]float64 {
	return origin.Choose(func(yield func([3]float64) bool) {
		for i := range min(m.points.n, 3*origin.SampleSize) {
			if !yield(*m.points.at(i)) {
				return
			}
		}
	})
}

// Line returns a function for Polygon.Place, which names the current line of l in messages.
func Line(l *text.Lines) func() string {
	return func() string { return fmt.Sprintf("line %d", l.Line()) }
}
