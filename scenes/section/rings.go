package section

import (
	"math"
	"sort"

	"lockstep/scenes/internal/polygon"
)

// A cap whose corners are those of the cut, and no others, closes it: every side of a clipped
// triangle has one of a cap's beside it. The closed curves of a cut are such rings where they
// neither cross nor touch each other but at corners. Holes are joined to the ring around them by
// a line that is run along both ways, and what comes of it is cut into triangles by its ears.
// Source of the joining: Eberly, Triangulation by Ear Clipping, 2002.

// A ring is a closed curve of a cut, without its beginning at the end.
type ring struct {
	at   [][3]float32
	flat [][2]float64 // the same in the plane
	area float64      // counter-clockwise is positive
	deep int          // rings around it
	into int          // the smallest of these; -1: none
}

// ringsOf returns the closed curves that segments make up, each segment in its direction. It
// returns false where a corner has not as many that begin there as end there.
func ringsOf(segments []segment) (rings []ring, ok bool) {
	next := map[[3]float32][][3]float32{}
	balance := map[[3]float32]int{}
	for _, s := range canceled(segments) {
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
			// Where the walk meets itself a ring is complete, and the walk goes on before it.
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
					break // back at the beginning
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

// canceled returns the segments without pairs that run along each other both ways: of bodies
// that touch there.
func canceled(segments []segment) (left []segment) {
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

// fillRings caps rings that bound an area of a size, without new corners. It returns false, and
// leaves what there was, where that cannot be: rings that cross each other cover another area.
func (c *cutter) fillRings(segments []segment, area float64) bool {
	rings, ok := ringsOf(segments)
	if !ok || len(rings) > mostRings {
		return false
	}
	u, v := axes(c.plane.Normal)
	nest(rings, u, v)
	var filled []triangle
	sum := 0.0
	var cutter polygon.Cutter
	for i := range rings {
		if isHole(rings, i) {
			continue
		}
		var holes []int
		for j := range rings {
			if rings[j].into == i && isHole(rings, j) {
				holes = append(holes, j)
			}
		}
		whole := joined(rings, i, holes)
		corners := make([][3]float64, len(whole.at))
		for k, p := range whole.flat {
			corners[k] = [3]float64{p[0], p[1], 0}
		}
		cutter.Cut(corners, func(i, j, k int) {
			a, b, d := whole.flat[i], whole.flat[j], whole.flat[k]
			sum += math.Abs(turn(a, b, d)) / 2
			filled = append(filled, triangle{whole.at[i], whole.at[j], whole.at[k]})
		})
	}
	if math.Abs(sum-area) > areaSlack*area+rounding(segments) {
		return false
	}
	c.filled = filled
	return true
}

const (
	// mostRings bounds the square of their number.
	mostRings = 2000
	// areaSlack is how much the areas of two ways of filling may differ, as a part of them, beside
	// what the rounding of the corners brings. Rings that cross each other by less are capped as
	// if they did not.
	areaSlack = 1e-6
)

// rounding returns how much an area within segments changes where their ends move by as much as they
// were rounded: half a unit in the last place of single precision along each of three axes. Caps thinner than
// that are covered by triangles that turn either way.
func rounding(segments []segment) float64 {
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
	return length * largest * half * 3 // more than the root of 3, for the length is rounded, too
}

// nest finds the areas of rings and which lie in which.
func nest(rings []ring, u, v [3]float64) {
	for i := range rings {
		r := &rings[i]
		r.into = -1
		for _, p := range r.at {
			r.flat = append(r.flat, flatten(p, u, v))
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
			if i == j || size <= math.Abs(rings[i].area) || !rings[j].around(&rings[i]) {
				continue
			}
			if rings[i].deep++; size < smallest {
				smallest, rings[i].into = size, j
			}
		}
	}
}

// isHole reports whether ring i is a hole of the one around it. One that turns as that does is none: a thin
// one that rounding has moved in from beside it, or another body, which the area tells.
func isHole(rings []ring, i int) bool {
	r := &rings[i]
	return r.deep%2 != 0 && (r.area < 0) != (rings[r.into].area < 0)
}

// around reports whether another ring lies within this one: most of its corners do, since some
// may touch it.
func (r *ring) around(other *ring) bool {
	within := 0
	step := max(1, len(other.flat)/9)
	tried := 0
	for i := 0; i < len(other.flat); i += step {
		tried++
		if r.has(other.flat[i]) {
			within++
		}
	}
	return 2*within > tried
}

// has reports whether a point lies within the ring.
func (r *ring) has(p [2]float64) (in bool) {
	for k := range r.flat {
		a, b := r.flat[k], r.flat[(k+1)%len(r.flat)]
		if (a[1] > p[1]) != (b[1] > p[1]) && p[0] < a[0]+float64((b[0]-a[0])*((p[1]-a[1])/(b[1]-a[1]))) {
			in = !in
		}
	}
	return in
}

// joined returns a ring and its holes as one ring, which turns as the first does.
func joined(rings []ring, outer int, holes []int) (whole ring) {
	whole = ring{at: rings[outer].at, flat: rings[outer].flat}
	sign := 1.0
	if rings[outer].area < 0 {
		sign = -1
	}
	// A mirrored ring turns the other way.
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
		whole = whole.with(whole.seen(x(hole.flat[from]), x), hole, from)
	}
	return whole
}

// with returns the ring with a hole whose corner from is joined to its corner to.
func (r *ring) with(to int, hole *ring, from int) (whole ring) {
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

// seen returns a corner of the ring, which turns counter-clockwise in the frame of x, that a
// point within sees, to its left.
func (r *ring) seen(p [2]float64, x func([2]float64) [2]float64) (corner int) {
	n := len(r.flat)
	at := func(k int) [2]float64 { return x(r.flat[(k+n)%n]) }
	// The side that a line to the left meets first: there the ring runs down.
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
	// Corners within the triangle of the point, the hit and that side's end hide it: of them the
	// one at the least angle is seen.
	m, least := at(corner), math.Inf(1)
	best := corner
	for k := range n {
		q := at(k)
		if q[0] > p[0] || q[0] < m[0] || q == p || !inTriangle(p, [2]float64{hit, p[1]}, m, q) {
			continue
		}
		angle := math.Abs(p[1]-q[1]) / (p[0] - q[0])
		if !r.opens(k, p, at) || angle-angle != 0 {
			continue
		}
		if angle < least || angle == least && q[0] > at(best)[0] {
			least, best = angle, k
		}
	}
	return best
}

// nearest returns the corner nearest to a point. Where rounding has moved a hole across the ring
// around it no corner is seen; a line to the nearest one crosses the ring by as little, and
// fillRings compares areas.
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

// opens reports whether the ring opens at corner k towards a point.
func (r *ring) opens(k int, p [2]float64, at func(int) [2]float64) bool {
	before, here, after := at(k-1), at(k), at(k+1)
	if turn(before, here, after) > 0 {
		return turn(here, p, after) <= 0 && turn(here, before, p) <= 0
	}
	return turn(here, p, before) > 0 || turn(here, after, p) > 0
}

// inTriangle reports whether q lies in a triangle or on its rim, whichever way that turns.
func inTriangle(a, b, c, q [2]float64) bool {
	x, y, z := turn(a, b, q), turn(b, c, q), turn(c, a, q)
	return x >= 0 && y >= 0 && z >= 0 || x <= 0 && y <= 0 && z <= 0
}

// turn returns twice the area of a triangle, positive where it turns counter-clockwise.
func turn(a, b, c [2]float64) float64 {
	return float64((b[0]-a[0])*(c[1]-a[1])) - float64((c[0]-a[0])*(b[1]-a[1]))
}
