package section

import (
	"math"
	"sort"

	"lockstep/scenes/internal/polygon"
)

// A cap closes the cut without gaps if it uses exactly the corners of the cut. Then every side of a clipped triangle is
// also a side of a triangle of the cap. This is possible if the closed curves of the cut neither cross nor touch each
// other except at corners. Such curves are called rings.
//
// A hole is joined to the ring around it by a line that is followed in both directions (Eberly, Triangulation by Ear
// Clipping, 2002). The resulting ring is divided into triangles by cutting off ears.

// A ring is a closed curve of a cut. Its first corner is not repeated at the end.
type ring struct {
	at     [][3]float32
	flat   [][2]float64 // the points in coordinates of the plane
	area   float64      // positive if counter-clockwise
	depth  int          // number of rings around it
	parent int          // the smallest ring around it; -1: none
}

// ringsOf joins directed segments to closed curves. ok is false if, at some corner, the numbers of segments that begin
// and that end there differ.
func ringsOf(segments []segment) (rings []ring, ok bool) {
	next := map[[3]float32][][3]float32{}
	balance := map[[3]float32]int{}
	for _, s := range withoutOpposites(segments) {
		next[s.a] = append(next[s.a], s.b)
		balance[s.a]++
		balance[s.b]--
	}
	for _, n := range balance {
		if n != 0 {
			return nil, false
		}
	}
	for _, s := range segments {
		for len(next[s.a]) > 0 {
			// When the walk returns to a corner of its path, the path from there on is a ring. It is removed from the
			// path, and the walk continues.
			var path [][3]float32
			seen := map[[3]float32]int{}
			at := s.a
			for {
				if from, met := seen[at]; met {
					if len(path)-from > 2 {
						rings = append(rings, ring{at: append([][3]float32(nil), path[from:]...)})
					}
					for _, p := range path[from:] {
						delete(seen, p)
					}
					path = path[:from]
				}
				if len(next[at]) == 0 {
					break // the walk is back at its start
				}
				seen[at] = len(path)
				path = append(path, at)
				list := next[at]
				at, next[path[len(path)-1]] = list[0], list[1:]
			}
		}
	}
	return rings, true
}

// withoutOpposites removes pairs of opposite segments, which occur where bodies touch.
func withoutOpposites(segments []segment) (left []segment) {
	count := map[segment]int{}
	for _, s := range segments {
		count[s]++
	}
	for _, s := range segments {
		back := segment{s.b, s.a}
		if count[s] > 0 && count[back] > 0 {
			count[s]--
			count[back]--
		}
	}
	for _, s := range segments {
		if count[s] > 0 {
			count[s]--
			left = append(left, s)
		}
	}
	return left
}

// fillRings fills rings with triangles that need no new corners. If that is impossible, it changes nothing and returns
// false. It detects rings that cross each other, because the areas of their triangles do not add up to `area`.
func (c *cutter) fillRings(segments []segment, area float64) bool {
	rings, ok := ringsOf(segments)
	if !ok || len(rings) > mostRings {
		return false
	}
	u, v := axes(c.plane.Normal)
	findNesting(rings, u, v)
	var filled []triangle
	sum := 0.0
	var cutter polygon.Cutter
	for i := range rings {
		if isHole(rings, i) {
			continue
		}
		var holes []int
		for j := range rings {
			if rings[j].parent == i && isHole(rings, j) {
				holes = append(holes, j)
			}
		}
		whole := joinHoles(rings, i, holes)
		corners := make([][3]float64, len(whole.at))
		for k, p := range whole.flat {
			corners[k] = [3]float64{p[0], p[1], 0}
		}
		cutter.Cut(corners, func(i, j, k int) {
			a, b, d := whole.flat[i], whole.flat[j], whole.flat[k]
			sum += math.Abs(signedArea2(a, b, d)) / 2
			filled = append(filled, triangle{whole.at[i], whole.at[j], whole.at[k]})
		})
	}
	if math.Abs(sum-area) > areaSlack*area+areaRounding(segments) {
		return false
	}
	c.filled = filled
	return true
}

const (
	// mostRings limits the number of rings, because findNesting compares all pairs of them.
	mostRings = 2000
	// areaSlack is how much the areas filled by fillRings and by fillArea may differ, as a fraction, in addition to the
	// effect of rounding. Rings that cross each other by less are filled as if they did not cross.
	areaSlack = 1e-6
)

// areaRounding returns how much the area inside segments can change when their ends are rounded to single precision, by
// half a unit in the last place along each axis. If the area of a cap is smaller than this change, the triangles of the
// cap may face either way.
func areaRounding(segments []segment) float64 {
	length, largest := 0.0, 0.0
	for _, s := range segments {
		square := 0.0
		for axis := range s.a {
			a, b := float64(s.a[axis]), float64(s.b[axis])
			largest = max(largest, math.Abs(a), math.Abs(b))
			square += float64((b - a) * (b - a))
		}
		length += math.Sqrt(square)
	}
	const half = 1.0 / (1 << 24)
	return length * largest * half * 3 // 3 in place of its square root allows for rounding of the length
}

// findNesting computes the area of each ring, and which rings are around it. u and v are the axes of the plane.
func findNesting(rings []ring, u, v [3]float64) {
	for i := range rings {
		r := &rings[i]
		r.parent = -1
		for _, p := range r.at {
			r.flat = append(r.flat, toPlane(p, u, v))
		}
		for k := range r.flat {
			p, q := r.flat[k], r.flat[(k+1)%len(r.flat)]
			r.area += (float64(p[0]*q[1]) - float64(q[0]*p[1])) / 2
		}
	}
	for i := range rings {
		smallest := math.Inf(1)
		for j := range rings {
			size := math.Abs(rings[j].area)
			if i == j || size <= math.Abs(rings[i].area) || !rings[j].contains(&rings[i]) {
				continue
			}
			if rings[i].depth++; size < smallest {
				smallest, rings[i].parent = size, j
			}
		}
	}
}

// isHole reports whether ring i is a hole of the ring around it. A hole runs in the other direction. If both run in the
// same direction, ring i is a thin ring that rounding has moved inside, or another body. fillRings detects another body
// by comparing areas.
func isHole(rings []ring, i int) bool {
	r := &rings[i]
	return r.depth%2 != 0 && (r.area < 0) != (rings[r.parent].area < 0)
}

// contains reports whether another ring lies inside this one. It tests several corners of the other ring and takes the
// majority, because some of them may touch this ring.
func (r *ring) contains(other *ring) bool {
	within := 0
	step := max(1, len(other.flat)/9)
	tried := 0
	for i := 0; i < len(other.flat); i += step {
		tried++
		if r.containsPoint(other.flat[i]) {
			within++
		}
	}
	return 2*within > tried
}

// containsPoint reports whether a point lies inside the ring.
func (r *ring) containsPoint(p [2]float64) (in bool) {
	for k := range r.flat {
		a, b := r.flat[k], r.flat[(k+1)%len(r.flat)]
		if (a[1] > p[1]) != (b[1] > p[1]) && p[0] < a[0]+float64((b[0]-a[0])*((p[1]-a[1])/(b[1]-a[1]))) {
			in = !in
		}
	}
	return in
}

// joinHoles returns a ring that combines rings[outer] with its holes. It turns like rings[outer].
func joinHoles(rings []ring, outer int, holes []int) (whole ring) {
	whole = ring{at: rings[outer].at, flat: rings[outer].flat}
	sign := 1.0
	if rings[outer].area < 0 {
		sign = -1
	}
	// If the ring turns clockwise, the function `x` mirrors points. The mirrored ring turns counter-clockwise.
	x := func(p [2]float64) [2]float64 { return [2]float64{float64(sign * p[0]), p[1]} }
	leftmost := func(r *ring) (at int) {
		for k := range r.flat {
			p, q := x(r.flat[k]), x(r.flat[at])
			if p[0] < q[0] || p[0] == q[0] && p[1] < q[1] {
				at = k
			}
		}
		return at
	}
	sort.SliceStable(holes, func(i, j int) bool {
		a, b := &rings[holes[i]], &rings[holes[j]]
		return x(a.flat[leftmost(a)])[0] < x(b.flat[leftmost(b)])[0]
	})
	for _, h := range holes {
		hole := &rings[h]
		from := leftmost(hole)
		whole = whole.joinHole(whole.visibleCorner(x(hole.flat[from]), x), hole, from)
	}
	return whole
}

// joinHole returns the ring combined with a hole, by a line from corner `to` of the ring to corner `from` of the hole.
func (r *ring) joinHole(to int, hole *ring, from int) (whole ring) {
	add := func(s *ring, first, n int) {
		for k := range n {
			i := (first + k) % len(s.at)
			whole.at, whole.flat = append(whole.at, s.at[i]), append(whole.flat, s.flat[i])
		}
	}
	add(r, 0, to+1)
	add(hole, from, len(hole.at)+1)
	add(r, to, len(r.at)-to)
	return whole
}

// visibleCorner returns a corner of the ring that is to the left of p and visible from p. p is a point inside the ring.
// The function `x` must map the ring to one that turns counter-clockwise.
func (r *ring) visibleCorner(p [2]float64, x func([2]float64) [2]float64) (corner int) {
	n := len(r.flat)
	at := func(k int) [2]float64 { return x(r.flat[(k+n)%n]) }
	// Find the side that a ray from p to the left hits first. The ring runs downwards there.
	hit := math.Inf(-1)
	corner = -1
	for k := range n {
		a, b := at(k), at(k+1)
		if !(p[1] <= a[1] && p[1] >= b[1] && a[1] != b[1]) {
			continue
		}
		meets := a[0] + float64((p[1]-a[1])*((b[0]-a[0])/(b[1]-a[1])))
		if meets <= p[0] && meets > hit {
			hit, corner = meets, k
			if b[0] <= a[0] {
				corner = (k + 1) % n
			}
		}
	}
	if corner < 0 {
		return r.nearest(p, x)
	}
	// Corners inside the triangle of p, the hit and the end of that side may hide the end. Then the corner at the least
	// angle is visible.
	m, least := at(corner), math.Inf(1)
	best := corner
	for k := range n {
		q := at(k)
		if q[0] > p[0] || q[0] < m[0] || q == p || !inTriangle(p, [2]float64{hit, p[1]}, m, q) {
			continue
		}
		angle := math.Abs(p[1]-q[1]) / (p[0] - q[0])
		if !r.isInsideAngle(k, p, at) || angle-angle != 0 {
			continue
		}
		if angle < least || angle == least && q[0] > at(best)[0] {
			least, best = angle, k
		}
	}
	return best
}

// nearest returns the corner nearest to a point. visibleCorner uses it if no corner is visible, because rounding has
// moved a hole across the ring around it. The line to the nearest corner then crosses the ring as little as the hole
// does. fillRings compares areas afterwards.
func (r *ring) nearest(p [2]float64, x func([2]float64) [2]float64) (corner int) {
	least := math.Inf(1)
	for k := range r.flat {
		q := x(r.flat[k])
		if d := math.Hypot(q[0]-p[0], q[1]-p[1]); d < least {
			least, corner = d, k
		}
	}
	return corner
}

// isInsideAngle reports whether the point p lies in the interior angle of the ring at corner k.
func (r *ring) isInsideAngle(k int, p [2]float64, at func(int) [2]float64) bool {
	before, here, after := at(k-1), at(k), at(k+1)
	if signedArea2(before, here, after) > 0 {
		return signedArea2(here, p, after) <= 0 && signedArea2(here, before, p) <= 0
	}
	return signedArea2(here, p, before) > 0 || signedArea2(here, after, p) > 0
}

// inTriangle reports whether q lies inside a triangle or on its boundary. The triangle may turn either way.
func inTriangle(a, b, c, q [2]float64) bool {
	x, y, z := signedArea2(a, b, q), signedArea2(b, c, q), signedArea2(c, a, q)
	return x >= 0 && y >= 0 && z >= 0 || x <= 0 && y <= 0 && z <= 0
}

// signedArea2 returns twice the signed area of a triangle, which is positive if the triangle turns counter-clockwise.
func signedArea2(a, b, c [2]float64) float64 {
	return float64((b[0]-a[0])*(c[1]-a[1])) - float64((c[0]-a[0])*(b[1]-a[1]))
}
