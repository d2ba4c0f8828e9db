// Package polygon divides polygons in space into triangles.
package polygon

import (
	"math"
	"slices"

	"lockstep/scenes/internal/vector"
)

// A Cutter divides the polygons of one mesh into triangles. Its zero value is ready for use. A Cutter must not be used
// by several goroutines at once.
type Cutter struct {
	flat []point // the polygon, projected to a plane
	left []int32 // corners that are not cut off yet
	work int64   // number of tests so far whether a corner is in a triangle
}

type point struct{ x, y float64 }

// maxWork limits the time for the concave polygons of one mesh to about half a second. When the field work exceeds
// maxWork, the rest of each polygon becomes a fan. An outline of 10,000 corners takes about half of maxWork.
const maxWork = 1 << 27

// Restart prepares c for another mesh.
func (c *Cutter) Restart() { c.work = 0 }

// Cut divides a polygon of n corners into n-2 triangles. It calls the function emit with the corners of each
// triangle. The triangles run in the same direction as the polygon.
//
// A convex polygon becomes a fan around its first corner. A concave polygon is divided by cutting off ears (Meisters,
// "Polygons have ears", 1975) in the plane of its largest projection. A polygon that crosses itself or is not flat
// may have no ear. The rest of such a polygon becomes a fan.
//
// Corners may repeat. Coordinates that are not finite give a fan. Cut takes O(n) steps for convex polygons. For
// concave polygons it takes mostly O(n^2) and at worst O(n^3) steps.
func (c *Cutter) Cut(corners [][3]float64, emit func(i, j, k int)) {
	n := len(corners)
	if n < 4 || c.projectsToConvex(corners) {
		for k := 2; k < n; k++ {
			emit(0, k-1, k)
		}
		return
	}
	c.cutEars(n, emit)
	for k := 2; k < len(c.left); k++ {
		emit(int(c.left[0]), int(c.left[k-1]), int(c.left[k]))
	}
}

// cutEars cuts off corners until three are left or no corner is an ear.
func (c *Cutter) cutEars(n int, emit func(i, j, k int)) {
	c.left = c.left[:0]
	for i := range n {
		c.left = append(c.left, int32(i))
	}
	for at, tried := 0, 0; len(c.left) > 3 && c.work < maxWork; {
		m := len(c.left)
		i, j, k := c.left[(at+m-1)%m], c.left[at], c.left[(at+1)%m]
		// If i, j and k lie on a straight line, their triangle has no area. Such a corner is cut off only if there is
		// no other ear. The triangle is still needed, because the neighbouring triangles need its edges.
		straight := tried >= m && area(c.flat[i], c.flat[j], c.flat[k]) == 0
		if straight || c.isEar(i, j, k) {
			emit(int(i), int(j), int(k))
			c.left = slices.Delete(c.left, at, at+1)
			at, tried = at%(m-1), 0
			continue
		}
		at = (at + 1) % m
		if tried++; tried == 2*m {
			return
		}
	}
}

// projectsToConvex projects the polygon so that it runs counter-clockwise. It reports whether the polygon then turns
// counter-clockwise at every corner.
func (c *Cutter) projectsToConvex(corners [][3]float64) bool {
	// This is Newell's normal. It is computed relative to the first corner. So it is exact enough far from the
	// origin.
	var normal [3]float64
	for i := 2; i < len(corners); i++ {
		a, b := vector.Sub(corners[i-1], corners[0]), vector.Sub(corners[i], corners[0])
		normal = vector.Add(normal, vector.Cross(a, b))
	}
	axis := 0
	for a := range 3 {
		if math.Abs(normal[a]) > math.Abs(normal[axis]) {
			axis = a
		}
	}
	if !(math.Abs(normal[axis]) > 0) || !vector.Finite(normal) {
		return true // no area, or coordinates that are not finite
	}
	u, v := (axis+1)%3, (axis+2)%3
	if normal[axis] < 0 {
		u, v = v, u
	}
	c.flat = c.flat[:0]
	for _, p := range corners {
		d := vector.Sub(p, corners[0])
		c.flat = append(c.flat, point{d[u], d[v]})
	}
	return c.turnsOnce()
}

// turnsOnce reports whether no corner turns clockwise and the polygon goes around only once. A star may turn the same
// way at every corner but go around more than once.
func (c *Cutter) turnsOnce() bool {
	n := len(c.flat)
	flips, last := 0, 0
	for i := range n {
		a, b, d := c.flat[i], c.flat[(i+1)%n], c.flat[(i+2)%n]
		if area(a, b, d) < 0 {
			return false
		}
		if s := sign(b.x - a.x); s != 0 {
			if last != 0 && s != last {
				flips++
			}
			last = s
		}
	}
	return flips <= 2
}

func sign(v float64) int {
	switch {
	case v > 0:
		return 1
	case v < 0:
		return -1
	}
	return 0
}

// area returns twice the area of a triangle; it is positive if the triangle is counter-clockwise.
func area(a, b, c point) float64 {
	return float64((b.x-a.x)*(c.y-a.y)) - float64((b.y-a.y)*(c.x-a.x))
}

// isEar reports whether corner j can be cut off. The polygon must turn counter-clockwise at j, and no other corner may
// lie in the triangle i, j, k. Corners at the positions of i, j or k do not count. The reason is that a polygon with a
// hole passes twice along the edge that joins the hole to the outline.
func (c *Cutter) isEar(i, j, k int32) bool {
	a, b, d := c.flat[i], c.flat[j], c.flat[k]
	if !(area(a, b, d) > 0) {
		return false
	}
	c.work += int64(len(c.left))
	for _, o := range c.left {
		p := c.flat[o]
		if p == a || p == b || p == d {
			continue
		}
		if area(a, b, p) >= 0 && area(b, d, p) >= 0 && area(d, a, p) >= 0 {
			return false
		}
	}
	return true
}
