package section

import (
	"math"
	"sort"
)

// A sideline is an edge of the area that a cap fills, in coordinates of the plane: x to the right and y up. Horizontal
// edges are left out.
type sideline struct {
	x0, y0, x1, y1 float64 // y0 < y1
	winding        int     // +1 if the curve runs upwards, -1 if downwards
}

func (s *sideline) at(y float64) float64 {
	return s.x0 + float64((s.x1-s.x0)*((y-s.y0)/(s.y1-s.y0)))
}

// A trapezoid lies between two sidelines, and between two heights.
type trapezoid struct {
	left, right int // indices of sidelines
	low, high   float64
}

// overlap is how far a trapezoid extends beyond its lower and upper edges, as a fraction of the diagonal of the mesh.
// Neighbouring trapezoids share no corners, so a picture could show gaps between them without the overlap. In most
// pictures, the overlap is a hundredth of a pixel.
const overlap = 5e-6

// capOffset is how far caps lie beyond the plane, as a fraction of the diagonal of the mesh. Without it, corners of
// caps would also be corners of the surface, and smooth shading would round off the edge between them.
const capOffset = 1e-6

// fillArea fills the area inside closed curves with triangles. A point is outside if the curves run around it equally
// often in both directions. Where the directions of the curves are inconsistent, the even-odd rule decides instead, see
// insidePairs.
func (c *cutter) fillArea(segments []segment) {
	u, v := axes(c.plane.Normal)
	sides := make([]sideline, 0, len(segments))
	for _, s := range segments {
		a, b := toPlane(s.a, u, v), toPlane(s.b, u, v)
		switch {
		case a[1] < b[1]:
			sides = append(sides, sideline{a[0], a[1], b[0], b[1], 1})
		case a[1] > b[1]:
			sides = append(sides, sideline{b[0], b[1], a[0], a[1], -1})
		}
	}
	sort.Slice(sides, func(i, j int) bool {
		s, t := &sides[i], &sides[j]
		switch {
		case s.y0 != t.y0:
			return s.y0 < t.y0
		case s.x0 != t.x0:
			return s.x0 < t.x0
		case s.x1 != t.x1:
			return s.x1 < t.x1
		case s.y1 != t.y1:
			return s.y1 < t.y1
		}
		return s.winding < t.winding
	})
	all := trapezoidsBetween(sides)
	if !c.options.Rough && c.fillRings(segments, areaOf(sides, all)) {
		return
	}
	for _, t := range all {
		c.addTrapezoid(sides, t, u, v)
	}
}

// areaOf returns the area of all trapezoids.
func areaOf(sides []sideline, all []trapezoid) (area float64) {
	for _, t := range all {
		l, r := &sides[t.left], &sides[t.right]
		area += float64((r.at(t.low)-l.at(t.low)+r.at(t.high)-l.at(t.high))/2) * (t.high - t.low)
	}
	return area
}

// trapezoidsBetween returns the trapezoids between sides. The sides must be sorted by their lower ends.
func trapezoidsBetween(sides []sideline) (all []trapezoid) {
	heights := make([]float64, 0, 2*len(sides))
	for i := range sides {
		heights = append(heights, sides[i].y0, sides[i].y1)
	}
	sort.Float64s(heights)
	var active []int
	open := map[[2]int]float64{} // lower end of each unfinished trapezoid, by its two sides
	next := 0
	for i := 0; i+1 < len(heights); i++ {
		low, high := heights[i], heights[i+1]
		if low == high {
			continue
		}
		kept := active[:0]
		for _, s := range active {
			if sides[s].y1 > low {
				kept = append(kept, s)
			}
		}
		active = kept
		for ; next < len(sides) && sides[next].y0 <= low; next++ {
			active = append(active, next)
		}
		middle := low/2 + high/2
		sort.Slice(active, func(i, j int) bool {
			x, y := sides[active[i]].at(middle), sides[active[j]].at(middle)
			return x < y || x == y && active[i] < active[j]
		})
		all = advanceTrapezoids(all, open, insidePairs(sides, active), low)
	}
	if len(heights) > 0 {
		all = advanceTrapezoids(all, open, nil, heights[len(heights)-1])
	}
	return all
}

// insidePairs returns the pairs of sides between which the area lies at some height. `active` lists the sides that
// cross this height, from left to right.
func insidePairs(sides []sideline, active []int) (pairs [][2]int) {
	sum := 0
	for _, s := range active {
		sum += sides[s].winding
	}
	winding := 0
	for i, s := range active {
		was := winding
		if sum == 0 {
			winding += sides[s].winding
		} else {
			winding ^= 1 // even-odd rule, because triangles do not face consistently
		}
		if was != 0 && i > 0 {
			if n := len(pairs); n > 0 && pairs[n-1][1] == active[i-1] {
				pairs[n-1][1] = s // the area continues beyond this side
			} else {
				pairs = append(pairs, [2]int{active[i-1], s})
			}
		}
	}
	return pairs
}

// advanceTrapezoids ends, at height y, the trapezoids whose sides are no longer a pair. It starts trapezoids for new
// pairs.
func advanceTrapezoids(all []trapezoid, open map[[2]int]float64, pairs [][2]int, y float64) []trapezoid {
	still := make(map[[2]int]bool, len(pairs))
	for _, p := range pairs {
		still[p] = true
	}
	var ended [][2]int
	for p := range open {
		if !still[p] {
			ended = append(ended, p)
		}
	}
	sort.Slice(ended, func(i, j int) bool {
		return ended[i][0] < ended[j][0] || ended[i][0] == ended[j][0] && ended[i][1] < ended[j][1]
	})
	for _, p := range ended {
		all = append(all, trapezoid{p[0], p[1], open[p], y})
		delete(open, p)
	}
	for _, p := range pairs {
		if _, ok := open[p]; !ok {
			open[p] = y
		}
	}
	return all
}

// addTrapezoid adds the two triangles of a trapezoid. They face along the normal of the plane.
func (c *cutter) addTrapezoid(sides []sideline, t trapezoid, u, v [3]float64) {
	l, r := &sides[t.left], &sides[t.right]
	extra := float64(overlap * c.diagonal)
	low, high := t.low-extra, t.high+extra
	p := [4][3]float32{
		c.fromPlane(l.at(low), low, u, v), c.fromPlane(r.at(low), low, u, v),
		c.fromPlane(r.at(high), high, u, v), c.fromPlane(l.at(high), high, u, v),
	}
	// A nearly horizontal side would extend far sideways. Therefore its corner is not moved.
	for i, s := range [4]*sideline{l, r, r, l} {
		y, inner := low, t.low
		if i >= 2 {
			y, inner = high, t.high
		}
		if math.Abs(s.at(y)-s.at(inner)) > float64(2*extra) {
			p[i] = c.fromPlane(s.at(inner), inner, u, v)
		}
	}
	for _, corners := range [2]triangle{{p[0], p[1], p[2]}, {p[0], p[2], p[3]}} {
		if corners[0] != corners[1] && corners[1] != corners[2] && corners[2] != corners[0] {
			c.filled = append(c.filled, corners)
		}
	}
}

// axes returns two unit vectors u and v that are perpendicular to the unit normal n and to each other. u, v and n are
// right-handed.
func axes(n [3]float64) (u, v [3]float64) {
	least := 0
	for axis := range n {
		if math.Abs(n[axis]) < math.Abs(n[least]) {
			least = axis
		}
	}
	var e [3]float64
	e[least] = 1
	u = cross(e, n)
	length := math.Sqrt(float64(u[0]*u[0]) + float64(u[1]*u[1]) + float64(u[2]*u[2]))
	for axis := range u {
		u[axis] /= length
	}
	return u, cross(n, u)
}

func cross(a, b [3]float64) [3]float64 {
	return [3]float64{
		float64(a[1]*b[2]) - float64(a[2]*b[1]),
		float64(a[2]*b[0]) - float64(a[0]*b[2]),
		float64(a[0]*b[1]) - float64(a[1]*b[0]),
	}
}

func toPlane(p [3]float32, u, v [3]float64) (q [2]float64) {
	for axis, x := range p {
		q[0] += float64(u[axis] * float64(x))
		q[1] += float64(v[axis] * float64(x))
	}
	return q
}

// fromPlane converts coordinates of the plane to a point in space. The point is beyond the plane by capOffset.
func (c *cutter) fromPlane(x, y float64, u, v [3]float64) (p [3]float32) {
	for axis := range p {
		n := float64(c.plane.Normal[axis] * (c.plane.Offset + float64(capOffset*c.diagonal)))
		p[axis] = float32(float64(u[axis]*x) + float64(v[axis]*y) + n)
	}
	return p
}
