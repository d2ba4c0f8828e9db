// Package distance measures how far the surface of one mesh is from the surface of another.
//
// It finds the nearest points in float64, in a tree of bounding boxes. Normals tell on which side of the surface a
// point is.
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

// ErrNoSurface is the error for a mesh without a triangle that has an area.
var ErrNoSurface = errors.New("the mesh has no triangle with a nonzero area")

// An Item is a mesh and its transform.
type Item struct {
	Mesh *scenes.Mesh
	// Transform maps the coordinates of the file to the coordinates in which distances are measured; nil means the
	// identity. If it mirrors, the corners of triangles are reordered, so that the front of each triangle remains its
	// front.
	Transform *scenes.Affine
}

// point returns the image of p under the transform, relative to `base`. p is relative to the origin of the mesh.
func (it *Item) point(p, base [3]float64) [3]float64 {
	if it.Transform == nil {
		return vector.Add(p, vector.Sub(it.Mesh.Origin, base))
	}
	return vector.Sub(it.Transform.Point(vector.Add(p, it.Mesh.Origin)), base)
}

func (it *Item) isMirrored() bool { return it.Transform != nil && it.Transform.Det() < 0 }

// A Surface measures distances of points from a mesh. It is immutable, so several goroutines may use it.
type Surface struct {
	base    [3]float64   // origin of `points` and `boxes`, in transformed coordinates
	points  [][3]float64 // vertices, one per position
	corners [][3]uint32  // vertices of each triangle, in the order of the tree
	needles []bool       // whether each triangle is nearly a line
	edges   [][3]uint32  // numbers of the edges of each triangle; edge k is between corner k and the next
	boxes   []box        // boxes of the tree, see levelBoxes
	levels  int          // number of levels below the root
	normals normals
	leftOut int
}

// New prepares a mesh of at most 2^30 triangles. It uses `workers` goroutines, or all cores if workers is 0. It leaves
// out triangles without an area. It also leaves out triangles with a corner that is not finite or has a coordinate
// beyond 1e70. If no triangle remains, the error is ErrNoSurface. New also returns the error of ctx.
//
// The surface need not be closed, and it may cross itself. The sign of a distance then tells on which side of the
// nearest triangles the point is.
//
// New takes n log n steps for n triangles. While New works, it needs about 200 bytes per triangle. The Surface keeps
// about 100 bytes per triangle.
func New(ctx context.Context, it Item, workers int) (*Surface, error) {
	return newSurface(ctx, it, it.Mesh.Origin, workers)
}

// newSurface is like New, but with points relative to `base`.
func newSurface(ctx context.Context, it Item, base [3]float64, workers int) (*Surface, error) {
	m := it.Mesh
	s := &Surface{base: base}
	v := numberVertices(m)
	s.points = make([][3]float64, v.Len())
	for i := range s.points {
		k, t := v.At(i)
		s.points[i] = it.point(cornerOf(m, k, t), base)
	}
	s.corners = make([][3]uint32, 0, m.Len())
	for t := range m.Len() {
		c := [3]uint32(v.Index[3*t : 3*t+3])
		if it.isMirrored() {
			c[1], c[2] = c[2], c[1]
		}
		if isCounted(s.points[c[0]], s.points[c[1]], s.points[c[2]]) {
			s.corners = append(s.corners, c)
		}
	}
	if s.leftOut = m.Len() - len(s.corners); len(s.corners) == 0 {
		return nil, ErrNoSurface
	}
	if err := s.buildTree(ctx, workers); err != nil {
		return nil, err
	}
	s.findNormals(it.roundingError())
	return s, ctx.Err()
}

// LeftOut returns how many triangles were left out.
func (s *Surface) LeftOut() int { return s.leftOut }

// numberVertices numbers the positions of corners. Corners at the same position have the same number, even if the file
// stores them as several vertices.
func numberVertices(m *scenes.Mesh) weld.Vertices {
	return weld.Of(&scenes.Mesh{Block: scenes.Block{X: m.X, Y: m.Y, Z: m.Z}}, weld.Split{})
}

// cornerOf returns corner k of triangle t, relative to the origin of the mesh.
func cornerOf(m *scenes.Mesh, k, t int) [3]float64 {
	return [3]float64{float64(m.X[k][t]), float64(m.Y[k][t]), float64(m.Z[k][t])}
}

// farthest is the greatest magnitude of a coordinate at which distances are measured. The fourth power of farthest is
// still a finite float64.
const farthest = 1e70

// isMeasurable reports whether a point is finite and not too far away to be measured.
func isMeasurable(p [3]float64) bool {
	return math.Abs(p[0]) <= farthest && math.Abs(p[1]) <= farthest && math.Abs(p[2]) <= farthest
}

// isCounted reports whether triangle (a, b, c) belongs to a surface: it must have an area and its corners must be
// measurable.
func isCounted(a, b, c [3]float64) bool {
	if !isMeasurable(a) || !isMeasurable(b) || !isMeasurable(c) {
		return false
	}
	n := vector.Cross(vector.Sub(b, a), vector.Sub(c, a))
	return vector.Dot(n, n) > 0
}

// roundingError returns the greatest rounding error of corners after the transform, which is half a unit in the last
// place of the largest coordinate.
func (it *Item) roundingError() float64 {
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

// At returns the signed distance of a point from the surface: negative behind the surface, and 0 on it. The result is
// NaN if the point is not finite or is beyond 1e70. For a surface of a million triangles, At takes one or two
// microseconds.
func (s *Surface) At(p [3]float64) float64 {
	d, _ := s.distanceAt(vector.Sub(p, s.base), -1)
	return d
}

// distanceAt returns the signed distance of p from the surface, and the index of the nearest triangle. p is relative to
// s.base. The search starts with triangle near, unless near is -1.
func (s *Surface) distanceAt(p [3]float64, near int) (float64, int) {
	if !isMeasurable(p) {
		return math.NaN(), near
	}
	h := s.nearest(p, near)
	return s.signedDistance(p, &h), h.triangle
}

// chunk is the number of points that a goroutine measures one after the other. The search for each point starts with
// the nearest triangle of the point before, because consecutive points are usually close together.
const chunk = 1 << 10

// measure writes the distance of each point to distances. The points are relative to s.base. After each chunk of points
// it calls the function advance with the size of the chunk.
func (s *Surface) measure(ctx context.Context, points [][3]float64, distances []float64, workers int, advance func(n int)) error {
	n := (len(points) + chunk - 1) / chunk
	return parallel.For(ctx, parallel.Workers(workers, n), n, func(_, i int) error {
		near := -1
		lo, hi := i*chunk, min((i+1)*chunk, len(points))
		for k := lo; k < hi; k++ {
			distances[k], near = s.distanceAt(points[k], near)
		}
		advance(hi - lo)
		return nil
	})
}
