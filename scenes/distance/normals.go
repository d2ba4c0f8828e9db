package distance

import (
	"math"

	"lockstep/scenes/internal/vector"
)

// normals holds the normals of the edges and vertices of a surface. They may have any length.
//
// The normal of an edge is the sum of the unit normals of its triangles. The normal of a vertex is the sum of the unit
// normals of its triangles, each weighted by the triangle's angle at the vertex. The side of the surface on which a
// point lies follows from the normal of the face, edge or vertex that is nearest to the point (Baerentzen and Aanaes,
// Signed distance computation using the angle weighted pseudonormal, IEEE TVCG 11(3), 2005).
type normals struct {
	edges, vertices [][3]float64
	rounding        float64 // greatest rounding error of corners
}

// minHeight is the least height of a triangle that contributes to the normals of edges and vertices. Its unit is the
// rounding error of corners. The normals of flatter triangles are mostly rounding errors.
const minHeight = 8

// findNormals numbers the edges, and computes the normals of edges and vertices.
func (s *Surface) findNormals(rounding float64) {
	s.normals = normals{vertices: make([][3]float64, len(s.points)), rounding: rounding}
	s.edges = make([][3]uint32, len(s.corners))
	s.needles = make([]bool, len(s.corners))
	table := newPairNumbers(len(s.corners) * 3 / 2)
	for t, c := range s.corners {
		n, sound := s.faceNormal(t)
		s.needles[t] = isNeedle(s.points[c[0]], s.points[c[1]], s.points[c[2]])
		for k := range 3 {
			number, fresh := table.number(c[k], c[(k+1)%3])
			if fresh {
				s.normals.edges = append(s.normals.edges, [3]float64{})
			}
			s.edges[t][k] = number
			if !sound {
				continue
			}
			addScaled(&s.normals.edges[number], 1, n)
			addScaled(&s.normals.vertices[c[k]], s.cornerAngle(c, k), n)
		}
	}
}

func addScaled(to *[3]float64, weight float64, n [3]float64) {
	*to = vector.Add(*to, vector.Scale(weight, n))
}

// faceNormal returns the unit normal of a triangle. sound is false if the triangle is so thin that the normal is mostly
// a rounding error.
func (s *Surface) faceNormal(t int) (n [3]float64, sound bool) {
	c := s.corners[t]
	ab, ac := vector.Sub(s.points[c[1]], s.points[c[0]]), vector.Sub(s.points[c[2]], s.points[c[0]])
	bc := vector.Sub(ac, ab)
	n = vector.Cross(ab, ac)
	double := math.Sqrt(vector.Dot(n, n))
	long := math.Sqrt(max(vector.Dot(ab, ab), vector.Dot(ac, ac), vector.Dot(bc, bc)))
	for axis := range n {
		n[axis] /= double
	}
	return n, double > float64(float64(minHeight*s.normals.rounding)*long)
}

// cornerAngle returns the angle of a triangle at corner k.
func (s *Surface) cornerAngle(c [3]uint32, k int) float64 {
	p := s.points[c[k]]
	a, b := vector.Sub(s.points[c[(k+1)%3]], p), vector.Sub(s.points[c[(k+2)%3]], p)
	n := vector.Cross(a, b)
	return math.Atan2(math.Sqrt(vector.Dot(n, n)), vector.Dot(a, b))
}

// normal returns the normal of the surface at a hit. If the hit is in the face of a thin triangle, the normal of the
// triangle is mostly a rounding error. Then the normals of the surface around the triangle are used.
func (s *Surface) normal(h *hit) [3]float64 {
	own, sound := s.faceNormal(h.triangle)
	n := own
	switch {
	case h.feature >= apex:
		n = s.normals.vertices[s.corners[h.triangle][h.feature-apex]]
	case h.feature >= edge:
		n = s.normals.edges[s.edges[h.triangle][h.feature-edge]]
	case !sound:
		n = [3]float64{}
		for _, e := range s.edges[h.triangle] {
			addScaled(&n, 1, s.normals.edges[e])
		}
	}
	if n == ([3]float64{}) {
		return own
	}
	return n
}

// signedDistance returns the distance from p to h, the nearest point of the surface. It is negative if p is behind the
// surface.
func (s *Surface) signedDistance(p [3]float64, h *hit) float64 {
	if h.square == 0 {
		return 0
	}
	d := math.Sqrt(h.square)
	if vector.Dot(vector.Sub(p, h.point), s.normal(h)) < 0 {
		return -d
	}
	return d
}
