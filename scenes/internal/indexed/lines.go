package indexed

import (
	"fmt"
	"math"

	"lockstep/scenes"
	"lockstep/scenes/internal/solid"
)

// A segment is a straight piece of a line between two points. Its color and material are as in Polygon.
type segment struct {
	ends     [2]int32
	color    uint32
	material int32
}

// AddLine appends the pieces of a line through existing points. Each piece is drawn as a rod with three sides, unless
// it is an edge of a triangle. The line gets the Color and Material of the polygon `of`, or none if `of` is nil.
// AddLine must not be called on a part.
func (m *Mesh) AddLine(of *Polygon, points ...int64) error {
	s := segment{color: NoColor}
	if of != nil {
		s.color, s.material = of.Color, int32(of.Material)
	}
	for i := 1; i < len(points); i++ {
		if a, b := points[i-1], points[i]; a != b {
			s.ends = [2]int32{int32(a), int32(b)}
			if err := appendEntry(m, &m.segments, s); err != nil {
				return err
			}
		}
	}
	return nil
}

// AddDot records that a point should be drawn by itself. The point is drawn only if no triangle and no line uses it.
func (m *Mesh) AddDot(point int64) error { return appendEntry(m, &m.dots, int32(point)) }

// drawThin draws the lines and the recorded points. If the mesh has neither surfaces nor lines, it draws all points
// instead.
func (m *Mesh) drawThin(up scenes.Axis) error {
	surfaces := m.triangles.n > 0
	switch {
	case m.points.n == 0 || !surfaces && !m.Cloud:
		return nil
	case !surfaces && m.segments.n == 0:
		return m.drawPoints(up)
	case m.segments.n == 0 && m.dots.n == 0:
		return nil
	}
	if err := m.dropRedundant(); err != nil {
		return err
	}
	diagonal := solid.Diagonal(m.points.n, m.pointAt)
	if diagonal == 0 {
		return nil
	}
	if m.segments.n > 0 {
		if surfaces {
			m.BeginPart("lines")
		}
		if err := m.drawLines(diagonal); err != nil {
			return err
		}
	}
	if m.dots.n > 0 {
		if surfaces {
			m.BeginPart("points")
		}
		if err := m.drawDots(up, diagonal); err != nil {
			return err
		}
	}
	if !surfaces {
		m.dropShading()
	}
	return nil
}

// drawnBytes is the memory in bytes of a segment in a set. drawnBits is the memory in bits of a point. Both are needed
// while lines and points are compared with triangles.
const (
	drawnBytes = 40
	drawnBits  = 2
)

// dropRedundant drops segments that are edges of triangles, and recorded points that triangles or lines use. Programs
// often write the outlines of surfaces in addition to the surfaces. It also drops repeated segments and points.
func (m *Mesh) dropRedundant() error {
	if err := m.in.Allow(int64(m.triangles.n), m.Held()+drawnBytes*int64(m.segments.n)+drawnBits*int64(m.points.n)/8); err != nil {
		return err
	}
	used, ends := newBits(m.points.n), newBits(m.points.n)
	edges := make(map[[2]int32]bool, m.segments.n) // whether each segment is an edge of a triangle
	for i := range m.segments.n {
		s := m.segments.at(i).ends
		ends.set(s[0])
		ends.set(s[1])
		edges[edge(s[0], s[1])] = false
	}
	for t := range m.triangles.n {
		c := *m.triangles.at(t)
		for k, a := range c {
			used.set(a)
			if b := c[(k+1)%3]; len(edges) > 0 && ends.has(a) && ends.has(b) {
				if _, ok := edges[edge(a, b)]; ok {
					edges[edge(a, b)] = true
				}
			}
		}
	}
	filter(&m.segments, func(s *segment) bool {
		key := edge(s.ends[0], s.ends[1])
		drawn := edges[key]
		edges[key] = true // so that the segment is skipped if it occurs again
		return !drawn
	})
	filter(&m.dots, func(v *int32) bool {
		drawn := used.has(*v) || ends.has(*v)
		used.set(*v)
		return !drawn
	})
	return nil
}

// edge returns the ends of an edge, the smaller number first.
func edge(a, b int32) [2]int32 { return [2]int32{min(a, b), max(a, b)} }

// filter keeps only those entries of a list for which the function keep returns true.
func filter[T any](l *list[T], keep func(v *T) bool) {
	var kept list[T]
	for i := range l.n {
		if v := l.at(i); keep(v) {
			kept.push(*v)
		}
	}
	*l = kept
}

// bits is a set of point numbers.
type bits []uint64

func newBits(n int) bits        { return make(bits, (n+63)/64) }
func (b bits) set(i int32)      { b[i/64] |= 1 << (i % 64) }
func (b bits) has(i int32) bool { return b[i/64]>>(i%64)&1 != 0 }

// lineBytes is the least memory in bytes of a drawn segment. Its rod has six points and eight triangles, like the
// octahedron of a point.
const lineBytes = cloudBytes

// drawLines adds a rod for each segment between finite points.
func (m *Mesh) drawLines(diagonal float64) error {
	n := m.segments.n
	if n > math.MaxInt32/len(solid.Rod) {
		return m.in.Damage("its lines", "there are more than %d pieces", math.MaxInt32/len(solid.Rod))
	}
	if err := m.in.Allow(int64(len(solid.Rod)*n), m.Held()+int64(n)*lineBytes); err != nil {
		return err
	}
	for i := range n {
		if i%(1<<16) == 0 {
			if err := m.in.Context().Err(); err != nil {
				return err
			}
		}
		if err := m.drawRod(i, m.segments.at(i), solid.Thickness*diagonal); err != nil {
			return err
		}
	}
	return nil
}

// drawRod adds a rod for segment s, whose number is i.
func (m *Mesh) drawRod(i int, s *segment, radius float64) error {
	corners, ok := solid.RodCorners(m.pointAt(int(s.ends[0])), m.pointAt(int(s.ends[1])), radius)
	if !ok {
		return nil
	}
	first := int32(m.points.n)
	for k, p := range corners {
		if err := m.copyPoint(int(s.ends[k/3]), p); err != nil {
			return err
		}
	}
	p := Polygon{Color: s.color, Material: int(s.material), Place: func() string { return fmt.Sprintf("line %d", i) }}
	return m.addSolid(first, solid.Rod[:], &p)
}

// copyPoint appends a point at position p with the colour and the fields of point i.
func (m *Mesh) copyPoint(i int, p [3]float64) error {
	if err := m.AddPoint(p); err != nil {
		return err
	}
	if i < m.colors.n {
		if err := m.ColorPoint(*m.colors.at(i)); err != nil {
			return err
		}
	}
	for f := range m.details.pointFields {
		if values := &m.details.fields[f].values; i < values.n {
			if err := m.PointField(f, *values.at(i)); err != nil {
				return err
			}
		}
	}
	return nil
}

// addSolid appends the faces of a solid whose first point has the number `first`. The faces have the colour, the
// material and the fields of p.
func (m *Mesh) addSolid(first int32, faces [][3]int32, p *Polygon) error {
	p.Corners = make([]int64, 3)
	for _, face := range faces {
		for k, c := range face {
			p.Corners[k] = int64(first + c)
		}
		if err := m.addTriangle(p, 0, 1, 2); err != nil {
			return err
		}
	}
	return nil
}

// dropShading removes the normals and texture coordinates of points. They do not apply to the solids that replace the
// points.
func (m *Mesh) dropShading() {
	m.details.normals, m.details.pointNormals = list[[3]float32]{}, false
	m.details.texCoords, m.details.pointTexCoords = list[[2]float32]{}, false
}
