package distance

import (
	"math"

	"lockstep/scenes/internal/vector"
)

// A feature tells where on a triangle the point nearest to some other point is: in its face, on an edge or at a corner.
type feature uint8

const (
	face feature = 0
	edge feature = 1 // the edge from corner 0 to corner 1; edge+1 and edge+2 are the next two edges of the triangle
	apex feature = 4 // corner 0; apex+1 and apex+2 are corners 1 and 2
)

// A hit is the point of a surface that is nearest to a given point.
type hit struct {
	square   float64 // the squared distance
	point    [3]float64
	triangle int
	feature  feature
}

// closest returns the point of triangle (a, b, c) that is nearest to p (Ericson, Real-Time Collision Detection, 2005,
// section 5.1.5). It tests whether a corner is nearest before it tests edges and the face. If p is at a corner, the
// test of this corner has no rounding errors, so closest returns exactly the corner.
func closest(p, a, b, c [3]float64) ([3]float64, feature) {
	ab, ac := vector.Sub(b, a), vector.Sub(c, a)
	ap, bp, cp := vector.Sub(p, a), vector.Sub(p, b), vector.Sub(p, c)
	d1, d2 := vector.Dot(ab, ap), vector.Dot(ac, ap)
	d3, d4 := vector.Dot(ab, bp), vector.Dot(ac, bp)
	d5, d6 := vector.Dot(ab, cp), vector.Dot(ac, cp)
	switch {
	case d1 <= 0 && d2 <= 0:
		return a, apex
	case d3 >= 0 && d4 <= d3:
		return b, apex + 1
	case d6 >= 0 && d5 <= d6:
		return c, apex + 2
	case float64(d1*d4)-float64(d3*d2) <= 0 && d1 >= 0 && d3 <= 0:
		return pointOnEdge(a, b, d1, -d3), edge
	case float64(d3*d6)-float64(d5*d4) <= 0 && d4 >= d3 && d5 >= d6:
		return pointOnEdge(b, c, d4-d3, d5-d6), edge + 1
	case float64(d5*d2)-float64(d1*d6) <= 0 && d2 >= 0 && d6 <= 0:
		return pointOnEdge(a, c, d2, -d6), edge + 2
	}
	return projectToPlane(p, ap, vector.Cross(ab, ac)), face
}

// pointOnEdge returns the point that divides the edge from a to b in the ratio x to y. If x or y is not positive, it
// returns an end of the edge.
func pointOnEdge(a, b [3]float64, x, y float64) [3]float64 {
	switch {
	case !(x > 0):
		return a
	case !(y > 0):
		return b
	}
	return vector.Add(a, vector.Scale(x/(x+y), vector.Sub(b, a)))
}

// projectToPlane returns the orthogonal projection of p onto a plane. n is a normal of the plane and may have any
// length. ap is the vector from a point of the plane to p. Even for triangles that are nearly lines, the result is
// exact to the last digits. A result from barycentric coordinates would have larger errors.
func projectToPlane(p, ap, n [3]float64) [3]float64 {
	return vector.Sub(p, vector.Scale(vector.Dot(ap, n)/vector.Dot(n, n), n))
}

// closestOfNeedle is like closest, but for triangles that are nearly lines. For such triangles, closest cannot tell
// edges from the face, because it compares differences of products that are mostly rounding errors. The normal has
// large errors, too. Therefore closestOfNeedle first finds the point of the three edges that is nearest to p. It then
// projects p onto the plane through this point, which is close to p, so that errors of the normal matter little.
func closestOfNeedle(p [3]float64, corners [3][3]float64) (q [3]float64, f feature) {
	least := math.Inf(1)
	take := func(point [3]float64, of feature) {
		d := vector.Sub(p, point)
		if square := vector.Dot(d, d); square < least {
			q, f, least = point, of, square
		}
	}
	for k, a := range corners {
		b := corners[(k+1)%3]
		ab := vector.Sub(b, a)
		x, y := vector.Dot(vector.Sub(p, a), ab), vector.Dot(vector.Sub(b, p), ab)
		switch {
		case x <= 0:
			take(a, apex+feature(k))
		case y <= 0:
			take(b, apex+feature((k+1)%3))
		default:
			take(pointOnEdge(a, b, x, y), edge+feature(k))
		}
	}
	n := vector.Cross(vector.Sub(corners[1], corners[0]), vector.Sub(corners[2], corners[0]))
	foot := projectToPlane(p, vector.Sub(p, q), n)
	for k, a := range corners {
		if !(vector.Dot(vector.Cross(vector.Sub(corners[(k+1)%3], a), vector.Sub(foot, a)), n) > 0) {
			return q, f
		}
	}
	take(foot, face)
	return q, f
}

// needleRatioSquared is the square of a hundredth. A triangle counts as nearly a line if its height above its longest
// edge is less than a hundredth of this edge. The error of closest is about the rounding error of the coordinates
// divided by the ratio of height to edge, so here at most a hundred times the rounding error.
const needleRatioSquared = 1e-4

// isNeedle reports whether a triangle is nearly a line.
func isNeedle(a, b, c [3]float64) bool {
	ab, ac := vector.Sub(b, a), vector.Sub(c, a)
	bc := vector.Sub(ac, ab)
	n := vector.Cross(ab, ac)
	square := max(vector.Dot(ab, ab), vector.Dot(ac, ac), vector.Dot(bc, bc))
	return vector.Dot(n, n) < float64(float64(needleRatioSquared*square)*square)
}

// tryTriangle replaces the hit by the nearest point of triangle t if this point is nearer to p.
func (s *Surface) tryTriangle(p [3]float64, t int, h *hit) {
	var q [3]float64
	var f feature
	c := s.corners[t]
	if a, b, c := s.points[c[0]], s.points[c[1]], s.points[c[2]]; s.needles[t] {
		q, f = closestOfNeedle(p, [3][3]float64{a, b, c})
	} else {
		q, f = closest(p, a, b, c)
	}
	d := vector.Sub(p, q)
	if square := vector.Dot(d, d); square < h.square {
		*h = hit{square, q, t, f}
	}
}

// A visit is a box of the tree that is still to be searched for a nearer point.
type visit struct {
	square float64
	level  int32
	index  int32
}

// nearest returns the point of the surface that is nearest to p. The search starts with triangle near, unless near is
// -1.
func (s *Surface) nearest(p [3]float64, near int) hit {
	h := hit{square: math.Inf(1)}
	if near >= 0 {
		s.tryTriangle(p, near, &h)
	}
	var stack [64]visit // at most two boxes per level wait in the stack
	stack[0] = visit{square: s.boxes[0].squaredDistance(p)}
	for n := 1; n > 0; {
		n--
		v := stack[n]
		if v.square >= h.square {
			continue
		}
		if int(v.level) == s.levels {
			lo, hi := s.boxSpan(s.levels, int(v.index))
			for t := lo; t < hi; t++ {
				s.tryTriangle(p, t, &h)
			}
			continue
		}
		below := s.levelBoxes(int(v.level) + 1)
		one := visit{below[2*v.index].squaredDistance(p), v.level + 1, 2 * v.index}
		two := visit{below[2*v.index+1].squaredDistance(p), v.level + 1, 2*v.index + 1}
		if one.square < two.square {
			one, two = two, one // visit the nearer box first
		}
		stack[n], stack[n+1] = one, two
		n += 2
	}
	return h
}
