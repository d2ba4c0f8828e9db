package indexed

import (
	"fmt"
	"math"
)

// AddLine appends the pieces of a line through points that are there. They are drawn if the mesh has no triangles, as
// rods of three sides, half as thick as points. It is for meshes that are read in one piece.
func (m *Mesh) AddLine(points ...int64) error {
	if m.triangles.n > 0 {
		return nil
	}
	for i := 1; i < len(points); i++ {
		if a, b := points[i-1], points[i]; a != b {
			if err := add(m, &m.segments, [2]int32{int32(a), int32(b)}); err != nil {
				return err
			}
		}
	}
	return nil
}

// drawThin draws points and lines where there is nothing else.
func (m *Mesh) drawThin() error {
	switch {
	case m.triangles.n > 0 || m.points.n == 0 || !m.Cloud:
		return nil
	case m.segments.n > 0:
		return m.drawLines()
	}
	return m.drawPoints()
}

// lineBytes is what a piece of a line takes: six points, and eight triangles here and in the mesh.
const lineBytes = cloudBytes

// thickness is the part of the box's diagonal that is the radius of a line.
const thickness = 1.0 / 700

// rod is the faces of a prism between three corners at one end and three at the other, the fronts outside.
var rod = [8][3]int32{{0, 2, 1}, {3, 4, 5}, {0, 1, 4}, {0, 4, 3}, {1, 2, 5}, {1, 5, 4}, {2, 0, 3}, {2, 3, 5}}

// drawLines adds a rod for each piece of a line between points that are finite.
func (m *Mesh) drawLines() error {
	n := m.segments.n
	if n > math.MaxInt32/len(rod) {
		return m.in.Damage("its lines", "there are more than %d pieces", math.MaxInt32/len(rod))
	}
	if err := m.in.Allow(int64(len(rod)*n), m.Held()+int64(n)*lineBytes); err != nil {
		return err
	}
	radius := thickness * m.diagonal()
	if radius == 0 {
		return nil
	}
	for i := range n {
		if i%(1<<16) == 0 {
			if err := m.in.Context().Err(); err != nil {
				return err
			}
		}
		if err := m.drawRod(i, *m.segments.at(i), radius); err != nil {
			return err
		}
	}
	m.dropShading()
	return nil
}

// diagonal returns that of the box of the finite points, 0 for a single place.
func (m *Mesh) diagonal() float64 {
	lo, hi := [3]float64{math.Inf(1), math.Inf(1), math.Inf(1)}, [3]float64{math.Inf(-1), math.Inf(-1), math.Inf(-1)}
	for i := range m.points.n {
		if p := *m.points.at(i); finitePoint(p) {
			for d := range p {
				lo[d], hi[d] = min(lo[d], p[d]), max(hi[d], p[d])
			}
		}
	}
	d := math.Hypot(math.Hypot(hi[0]-lo[0], hi[1]-lo[1]), hi[2]-lo[2])
	if !(d > 0) || math.IsInf(d, 1) {
		return 0
	}
	return d
}

func finitePoint(p [3]float64) bool { return p[0]-p[0] == 0 && p[1]-p[1] == 0 && p[2]-p[2] == 0 }

// drawRod adds the rod between two points.
func (m *Mesh) drawRod(i int, ends [2]int32, radius float64) error {
	a, b := *m.points.at(int(ends[0])), *m.points.at(int(ends[1]))
	var along [3]float64
	for d := range along {
		along[d] = b[d] - a[d]
	}
	length := math.Hypot(math.Hypot(along[0], along[1]), along[2])
	if !finitePoint(a) || !finitePoint(b) || !(length > 0) || math.IsInf(length, 1) {
		return nil
	}
	u, v := beside(along, length)
	first := int32(m.points.n)
	for corner := range 6 {
		sin, cos := rodSin[corner%3], rodCos[corner%3]
		end := ends[corner/3]
		p := *m.points.at(int(end))
		for d := range p {
			p[d] += radius * (float64(cos*u[d]) + float64(sin*v[d]))
		}
		if err := m.copyPoint(int(end), p); err != nil {
			return err
		}
	}
	return m.addSolid(first, rod[:], func() string { return fmt.Sprintf("line %d", i) })
}

// The corners of a rod lie at 90, 210 and 330 degrees.
var (
	rodCos = [3]float64{0, -0.8660254037844386, 0.8660254037844386}
	rodSin = [3]float64{1, -0.5, -0.5}
)

// beside returns two directions across a line and each other, of length 1, so that the second turns from the first
// counter-clockwise as seen from the line's end.
func beside(along [3]float64, length float64) (u, v [3]float64) {
	least := 0
	for d := range along {
		along[d] /= length
		if math.Abs(along[d]) < math.Abs(along[least]) {
			least = d
		}
	}
	var axis [3]float64
	axis[least] = 1
	u = cross(along, axis)
	l := math.Hypot(math.Hypot(u[0], u[1]), u[2])
	for d := range u {
		u[d] /= l
	}
	return u, cross(along, u)
}

func cross(a, b [3]float64) [3]float64 {
	return [3]float64{
		float64(a[1]*b[2]) - float64(a[2]*b[1]), float64(a[2]*b[0]) - float64(a[0]*b[2]), float64(a[0]*b[1]) - float64(a[1]*b[0]),
	}
}

// copyPoint appends a point at another place, with the colour and the fields of point i.
func (m *Mesh) copyPoint(i int, p [3]float64) error {
	if err := m.AddPoint(p); err != nil {
		return err
	}
	if i < m.colors.n {
		if err := m.ColorPoint(*m.colors.at(i)); err != nil {
			return err
		}
	}
	for f := range m.details.ofPoints {
		if values := &m.details.fields[f].values; i < values.n {
			if err := m.PointField(f, *values.at(i)); err != nil {
				return err
			}
		}
	}
	return nil
}

// addSolid appends the faces of a solid whose points begin with first.
func (m *Mesh) addSolid(first int32, faces [][3]int32, place func() string) error {
	corners := make([]int64, 3)
	for _, face := range faces {
		for k, c := range face {
			corners[k] = int64(first + c)
		}
		p := Polygon{Corners: corners, Color: NoColor, Place: place}
		if err := m.addTriangle(&p, 0, 1, 2); err != nil {
			return err
		}
	}
	return nil
}

// dropShading takes away the normals and texture coordinates of points: they are not those of the solids around them.
func (m *Mesh) dropShading() {
	m.details.normals, m.details.pointNormals = list[[3]float32]{}, false
	m.details.texCoords, m.details.pointTexCoords = list[[2]float32]{}, false
}
