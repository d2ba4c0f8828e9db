package indexed

import (
	"fmt"
	"math"
	"slices"

	"lockstep/scenes"
)

// A cloud is a mesh of points without faces. Each point is drawn as an octahedron, so that lights, fields, cuts and
// everything else that surfaces have works for points as well.

// octahedron is the faces of one, by the numbers of its corners: at each axis that below and that above the middle. They
// are seen counter-clockwise from outside.
var octahedron = [8][3]int32{{1, 3, 5}, {3, 0, 5}, {0, 2, 5}, {2, 1, 5}, {3, 1, 4}, {0, 3, 4}, {2, 0, 4}, {1, 2, 4}}

// The size of points: touching is the part of the distance between neighbours that a corner reaches, so that dense points
// close a surface. Sparse ones have at least, dense ones at most, a part of the box's diagonal.
const (
	touching   = 0.9
	leastPoint = 1e-4
	mostPoint  = 0.01
)

// drawPoints adds an octahedron for each point that is finite, with its colour and its fields.
func (m *Mesh) drawPoints() error {
	n := m.points.n
	if n > math.MaxInt32/len(octahedron) {
		return m.in.Damage("its points", "there are more than %d", math.MaxInt32/len(octahedron))
	}
	size := m.pointSize()
	if err := m.in.Allow(int64(len(octahedron)*n), m.Held()+int64(n)*cloudBytes); err != nil {
		return err
	}
	for i := range n {
		at := *m.points.at(i)
		if !finitePoint(at) {
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
	}
	m.dropShading()
	return nil
}

// cloudBytes is what a point takes at least: six points, and eight triangles here and in the mesh.
const cloudBytes = 6*pointBytes + 8*(triangleBytes+scenes.TriangleBytes)

// drawPoint adds the octahedron of point i.
func (m *Mesh) drawPoint(i int, at [3]float64, size float64) error {
	first := int32(m.points.n)
	for corner := range 6 {
		p := at
		p[corner/2] += size * float64(corner%2*2-1)
		if err := m.copyPoint(i, p); err != nil {
			return err
		}
	}
	return m.addSolid(first, octahedron[:], func() string { return fmt.Sprintf("point %d", i) })
}

// The points of a sample, and those among which the nearest of each is looked for.
const (
	sampled = 64
	looked  = 1 << 14
)

// pointSize returns how far the corners of a point lie from it: by the distance of neighbours, the median of those of
// some points. Among a part of the points neighbours are farther away: by the root of the part on a surface, which most
// clouds are.
func (m *Mesh) pointSize() float64 {
	n := m.points.n
	var some [][3]float64
	step := max(1, n/looked)
	for i := range n {
		p := *m.points.at(i)
		if !finitePoint(p) {
			continue
		}
		if i%step == 0 {
			some = append(some, p)
		}
	}
	diagonal := m.diagonal()
	if diagonal == 0 {
		return 1 // a single place
	}
	near := nearest(some)
	if near == 0 {
		near = diagonal / 20
	}
	near /= math.Sqrt(float64(step))
	return min(max(touching*near, leastPoint*diagonal), mostPoint*diagonal)
}

// nearest returns the median distance from some points to the nearest that is not at the same place; 0 for a single
// place.
func nearest(points [][3]float64) float64 {
	var all []float64
	for i := 0; i < len(points); i += max(1, len(points)/sampled) {
		least := math.Inf(1)
		for _, q := range points {
			square := 0.0
			for d := range q {
				square += float64((q[d] - points[i][d]) * (q[d] - points[i][d]))
			}
			if square > 0 {
				least = min(least, square)
			}
		}
		if !math.IsInf(least, 1) {
			all = append(all, math.Sqrt(least))
		}
	}
	if len(all) == 0 {
		return 0
	}
	slices.Sort(all)
	return all[len(all)/2]
}
