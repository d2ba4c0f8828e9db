// Package distance measures how far the surface of one mesh lies from that of another.
//
// Nearest points are found in float64 in a hierarchy of boxes; their sides by the normals of faces, edges and vertices,
// weighted by angles.
package distance

import (
	"context"
	"errors"
	"math"

	"lockstep/scenes"
	"lockstep/scenes/internal/parallel"
	"lockstep/scenes/internal/vector"
	"lockstep/scenes/internal/weld"
)

// ErrNoSurface is the error of a mesh none of whose triangles has an area.
var ErrNoSurface = errors.New("no triangle of it has an area")

// An Item is a mesh and its place.
type Item struct {
	Mesh *scenes.Mesh
	// Transform maps the coordinates of its file; nil: they stay. One that mirrors turns the triangles, so that
	// fronts stay fronts.
	Transform *scenes.Affine
}

// point returns where a point lies relative to base, that lies at p relative to the mesh's origin.
func (it *Item) point(p, base [3]float64) [3]float64 {
	if it.Transform == nil {
		return vector.Add(p, vector.Sub(it.Mesh.Origin, base))
	}
	return vector.Sub(it.Transform.Point(vector.Add(p, it.Mesh.Origin)), base)
}

// mirrored reports whether the place turns fronts into backs.
func (it *Item) mirrored() bool { return it.Transform != nil && it.Transform.Det() < 0 }

// A Surface finds distances of points from a mesh. It is not changed by that: several goroutines may use one.
type Surface struct {
	base    [3]float64   // what points are relative to, in coordinates of files
	points  [][3]float64 // of vertices, one a place
	corners [][3]uint32  // vertices of triangles, in the order of the tree
	needles []bool       // triangles that are nearly lines
	edges   [][3]uint32  // of triangles: edge k runs from corner k to the next one
	boxes   []box        // of the tree, see level
	levels  int          // below the root
	normals normals
	leftOut int
}

// New prepares a mesh of at most 2^30 triangles. Triangles without an area, or with corners that are not finite or beyond 1e70, are left
// out; where they are all, the error is ErrNoSurface, else it is that of ctx. It takes some 200 bytes a triangle,
// half of which are kept, and n log n steps. workers is the number of goroutines, 0: all cores.
//
// The surface need not be closed. Where it is not, or crosses itself, the sign says on which side of its nearest
// triangles a point lies.
func New(ctx context.Context, it Item, workers int) (*Surface, error) {
	return newSurface(ctx, it, it.Mesh.Origin, workers)
}

// newSurface is New with points relative to base.
func newSurface(ctx context.Context, it Item, base [3]float64, workers int) (*Surface, error) {
	m := it.Mesh
	s := &Surface{base: base}
	v := placesOf(m)
	s.points = make([][3]float64, v.Len())
	for i := range s.points {
		k, t := v.At(i)
		s.points[i] = it.point(cornerOf(m, k, t), base)
	}
	s.corners = make([][3]uint32, 0, m.Len())
	for t := range m.Len() {
		c := [3]uint32(v.Index[3*t : 3*t+3])
		if it.mirrored() {
			c[1], c[2] = c[2], c[1]
		}
		if counts(s.points[c[0]], s.points[c[1]], s.points[c[2]]) {
			s.corners = append(s.corners, c)
		}
	}
	if s.leftOut = m.Len() - len(s.corners); len(s.corners) == 0 {
		return nil, ErrNoSurface
	}
	if err := s.plant(ctx, workers); err != nil {
		return nil, err
	}
	s.findNormals(it.rounding())
	return s, ctx.Err()
}

// LeftOut returns how many triangles were left out.
func (s *Surface) LeftOut() int { return s.leftOut }

// placesOf numbers the places of corners, whatever vertices the file shares.
func placesOf(m *scenes.Mesh) weld.Vertices {
	return weld.Of(&scenes.Mesh{Block: scenes.Block{X: m.X, Y: m.Y, Z: m.Z}}, weld.Split{})
}

// cornerOf returns corner k of triangle t, relative to the mesh's origin.
func cornerOf(m *scenes.Mesh, k, t int) [3]float64 {
	return [3]float64{float64(m.X[k][t]), float64(m.Y[k][t]), float64(m.Z[k][t])}
}

// farthest bounds coordinates, whose fourth powers are numbers.
const farthest = 1e70

// within reports whether a point is finite and not too far away to be measured.
func within(p [3]float64) bool {
	return math.Abs(p[0]) <= farthest && math.Abs(p[1]) <= farthest && math.Abs(p[2]) <= farthest
}

// counts reports whether a triangle is part of a surface: it has an area and lies within reach.
func counts(a, b, c [3]float64) bool {
	if !within(a) || !within(b) || !within(c) {
		return false
	}
	n := vector.Cross(vector.Sub(b, a), vector.Sub(c, a))
	return vector.Dot(n, n) > 0
}

// rounding returns how far corners may lie from where they were meant, in the units of the place: half a unit in the
// last place of the largest coordinate.
func (it *Item) rounding() float64 {
	const half = 1.0 / (1 << 24)
	largest := 0.0
	if b := it.Mesh.Bounds(); !b.Empty() {
		for axis := range 3 {
			largest = max(largest, math.Abs(b.Min[axis]), math.Abs(b.Max[axis]))
		}
	}
	if it.Transform != nil {
		largest *= math.Cbrt(math.Abs(it.Transform.Det()))
	}
	return float64(largest * half)
}

// At returns the distance of a point in coordinates of the file from the surface, negative behind it, 0 on it; NaN for
// a point that is not finite or beyond 1e70. It takes a microsecond or two for a million triangles.
func (s *Surface) At(p [3]float64) float64 {
	d, _ := s.at(vector.Sub(p, s.base), -1)
	return d
}

// at returns the distance of a point relative to the base, and the nearest triangle. near is a triangle that may be
// near, -1: none is known.
func (s *Surface) at(p [3]float64, near int) (float64, int) {
	if !within(p) {
		return math.NaN(), near
	}
	h := s.nearest(p, near)
	return s.signed(p, &h), h.triangle
}

// chunk is the number of points that one goroutine measures one after the other. Neighbours in a list are near each
// other mostly: the triangle of one bounds the search for the next.
const chunk = 1 << 10

// measure sets the distances of points relative to the base. advance is told of how many were measured.
func (s *Surface) measure(ctx context.Context, points [][3]float64, distances []float64, workers int, advance func(n int)) error {
	n := (len(points) + chunk - 1) / chunk
	return parallel.For(ctx, parallel.Workers(workers, n), n, func(_, i int) error {
		near := -1
		lo, hi := i*chunk, min((i+1)*chunk, len(points))
		for k := lo; k < hi; k++ {
			distances[k], near = s.at(points[k], near)
		}
		advance(hi - lo)
		return nil
	})
}
