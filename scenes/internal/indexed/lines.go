package indexed

import (
	"fmt"
	"math"

	"lockstep/scenes/internal/solid"
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

// drawLines adds a rod for each piece of a line between points that are finite.
func (m *Mesh) drawLines() error {
	n := m.segments.n
	if n > math.MaxInt32/len(solid.Rod) {
		return m.in.Damage("its lines", "there are more than %d pieces", math.MaxInt32/len(solid.Rod))
	}
	if err := m.in.Allow(int64(len(solid.Rod)*n), m.Held()+int64(n)*lineBytes); err != nil {
		return err
	}
	radius := solid.Thickness * solid.Diagonal(m.points.n, m.pointAt)
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

// drawRod adds the rod between two points.
func (m *Mesh) drawRod(i int, ends [2]int32, radius float64) error {
	corners, ok := solid.RodCorners(m.pointAt(int(ends[0])), m.pointAt(int(ends[1])), radius)
	if !ok {
		return nil
	}
	first := int32(m.points.n)
	for k, p := range corners {
		if err := m.copyPoint(int(ends[k/3]), p); err != nil {
			return err
		}
	}
	return m.addSolid(first, solid.Rod[:], func() string { return fmt.Sprintf("line %d", i) })
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
