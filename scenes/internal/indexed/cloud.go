package indexed

import (
	"fmt"
	"math"

	"lockstep/scenes"
	"lockstep/scenes/internal/octahedron"
	"lockstep/scenes/internal/solid"
)

// A cloud is a mesh of points without faces. Each point is drawn as an octahedron. So light, fields, cuts and
// everything else that needs a surface also work for points.

// drawPoints adds an octahedron for each finite point, with the point's colour and fields.
func (m *Mesh) drawPoints(up scenes.Axis) error {
	n := m.points.n
	if n > math.MaxInt32/len(octahedron.Faces) {
		return m.in.Damage("its points", "there are more than %d", math.MaxInt32/len(octahedron.Faces))
	}
	size := m.wantedSize(up)
	if size == 0 {
		size = solid.PointSize(n, m.pointAt)
	}
	if err := m.in.Allow(int64(len(octahedron.Faces)*n), m.Held()+int64(n)*cloudBytes); err != nil {
		return err
	}
	for i := range n {
		at := *m.points.at(i)
		if !solid.Finite(at) {
			continue
		}
		if i%(1<<16) == 0 {
			if err := m.in.Context().Err(); err != nil {
				return err
			}
		}
		if err := m.drawPoint(i, at, size); err != nil {
			return err
		}
		m.octahedra++
	}
	m.dropShading()
	return nil
}

// drawDots adds an octahedron for each point that AddDot has recorded. The octahedra are at least as thick as lines in
// the same picture.
func (m *Mesh) drawDots(up scenes.Axis, diagonal float64) error {
	n := m.dots.n
	at := func(i int) [3]float64 { return m.pointAt(int(*m.dots.at(i))) }
	size := m.wantedSize(up)
	if size == 0 {
		size = solid.ThickenedSize(solid.PointSize(n, at), diagonal)
	}
	if err := m.in.Allow(int64(m.triangles.n)+int64(len(octahedron.Faces)*n), m.Held()+int64(n)*cloudBytes); err != nil {
		return err
	}
	for k := range n {
		i := int(*m.dots.at(k))
		if at := m.pointAt(i); solid.Finite(at) {
			if err := m.drawPoint(i, at, size); err != nil {
				return err
			}
		}
	}
	return nil
}

// wantedSize returns the size of points that the options set, or 0 if they set none.
func (m *Mesh) wantedSize(up scenes.Axis) float64 {
	if m.in.Options.PointSize == nil {
		return 0
	}
	var s solid.Sample
	s.SetTotal(m.points.n)
	for i := range m.points.n {
		s.Add(*m.points.at(i))
	}
	return s.WantedSize(&m.in.Options, up)
}

// cloudBytes is the least memory in bytes of a drawn point. Its octahedron has six points and eight triangles. The
// triangles are in memory twice, here and in the finished mesh.
const cloudBytes = 6*pointBytes + 8*(triangleBytes+scenes.TriangleBytes)

// drawPoint adds the octahedron of point i.
func (m *Mesh) drawPoint(i int, at [3]float64, size float64) error {
	first := int32(m.points.n)
	for corner := range 6 {
		if err := m.copyPoint(i, octahedron.Corner(at, size, corner)); err != nil {
			return err
		}
	}
	p := Polygon{Color: NoColor, Place: func() string { return fmt.Sprintf("point %d", i) }}
	return m.addSolid(first, octahedron.Faces[:], &p)
}

func (m *Mesh) pointAt(i int) [3]float64 { return *m.points.at(i) }
