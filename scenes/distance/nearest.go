package distance

import (
	"math"

	"lockstep/scenes/internal/vector"
)

// A feature is what of a triangle is nearest to a point.
type feature uint8

const (
	face feature = 0
	edge feature = 1 // from corner 0 to 1; the two that follow are the next edges
	apex feature = 4 // corner 0; the two that follow are the next corners
)

// A hit is the nearest point of a surface.
type hit struct {
	square   float64 // of the distance
	point    [3]float64
	triangle int
	feature  feature
}

// closest returns the point of a triangle that is nearest to p (Ericson, Real-Time Collision Detection, 2005, section
// 5.1.5). Corners are looked at first: at a corner itself, the tests of these alone are free of rounding.
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
		return onEdge(a, b, d1, -d3), edge
	case float64(d3*d6)-float64(d5*d4) <= 0 && d4 >= d3 && d5 >= d6:
		return onEdge(b, c, d4-d3, d5-d6), edge + 1
	case float64(d5*d2)-float64(d1*d6) <= 0 && d2 >= 0 && d6 <= 0:
		return onEdge(a, c, d2, -d6), edge + 2
	}
	return onPlane(p, ap, vector.Cross(ab, ac)), face
}

// onEdge returns the point of an edge that parts it like x and y, neither of which is negative.
func onEdge(a, b [3]float64, x, y float64) [3]float64 {
	switch {
	case !(x > 0):
		return a
	case !(y > 0):
		return b
	}
	return vector.Add(a, vector.Scale(x/(x+y), vector.Sub(b, a)))
}

// onPlane returns the foot of p on the plane with normal n, of any length, through a point from which ap leads to p. It is
// exact to the last places also on triangles that are nearly lines, where coordinates on the triangle are not.
func onPlane(p, ap, n [3]float64) [3]float64 {
	return vector.Sub(p, vector.Scale(vector.Dot(ap, n)/vector.Dot(n, n), n))
}

// closestOfNeedle is closest for triangles that are nearly lines: there the differences of products that tell edges from
// the face are all rounding.
func closestOfNeedle(p [3]float64, corners [3][3]float64) (q [3]float64, f feature) {
	least := math.Inf(1)
	take := func(point [3]float64, of feature) {
		d := vector.Sub(p, point)
		if square := vector.Dot(d, d); square < least {
			q, f, least = point, of, square
		}
	}
	n := vector.Cross(vector.Sub(corners[1], corners[0]), vector.Sub(corners[2], corners[0]))
	foot := onPlane(p, vector.Sub(p, corners[0]), n)
	inside := true
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
			take(onEdge(a, b, x, y), edge+feature(k))
		}
		inside = inside && vector.Dot(vector.Cross(ab, vector.Sub(foot, a)), n) > 0
	}
	if inside {
		take(foot, face)
	}
	return q, f
}

// needle is the square of the sine of the angles of triangles that are nearly lines.
const needle = 1e-8

// isNeedle reports whether a triangle is nearly a line.
func isNeedle(a, b, c [3]float64) bool {
	ab, ac := vector.Sub(b, a), vector.Sub(c, a)
	bc := vector.Sub(ac, ab)
	n := vector.Cross(ab, ac)
	square := max(vector.Dot(ab, ab), vector.Dot(ac, ac), vector.Dot(bc, bc))
	return vector.Dot(n, n) < float64(float64(needle*square)*square)
}

// try takes a triangle if it is nearer.
func (s *Surface) try(p [3]float64, t int, h *hit) {
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

// A visit is a box of the tree that may have a nearer point.
type visit struct {
	square float64
	level  int32
	index  int32
}

// nearest returns the nearest point of the surface. near is a triangle to begin with, -1: none.
func (s *Surface) nearest(p [3]float64, near int) hit {
	h := hit{square: math.Inf(1)}
	if near >= 0 {
		s.try(p, near, &h)
	}
	var stack [64]visit // two a level are open at most
	stack[0] = visit{square: s.boxes[0].square(p)}
	for n := 1; n > 0; {
		n--
		v := stack[n]
		if v.square >= h.square {
			continue
		}
		if int(v.level) == s.levels {
			lo, hi := s.span(s.levels, int(v.index))
			for t := lo; t < hi; t++ {
				s.try(p, t, &h)
			}
			continue
		}
		below := s.level(int(v.level) + 1)
		one := visit{below[2*v.index].square(p), v.level + 1, 2 * v.index}
		two := visit{below[2*v.index+1].square(p), v.level + 1, 2*v.index + 1}
		if one.square < two.square {
			one, two = two, one // the nearer one is taken next
		}
		stack[n], stack[n+1] = one, two
		n += 2
	}
	return h
}
