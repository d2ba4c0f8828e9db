package isosurface

import (
	"math/bits"
	"sync"
)

// This file derives the cases of marching cubes (Lorensen and Cline, SIGGRAPH 1987) from the topology of the cube,
// instead of listing them.
//
// The three bits of the number of a corner are its coordinates: x is bit 0, y bit 1, z bit 2. Edge e is parallel to
// axis e/4, and the two bits of e%4 are its position along the other two axes. A case is a set of corners: a bit is set
// if its corner is inside the solid.
//
// On each face of the cube, the surface has one segment for each run of inside corners around the face. If two inside
// corners are on a diagonal, there are two runs, so both corners are cut off and the outside is connected. This rule
// depends only on the face. So the two cubes that share the face agree, and no crack opens. The segments of all faces
// form closed loops.

// maxCubeCorners is the greatest number of corners of all triangles of a case. A loop of n edges is divided into n-2
// triangles, and a cube has twelve edges.
const maxCubeCorners = 3 * (12 - 2)

// A cubeCase lists the triangles of a case. Each corner of a triangle lies on an edge of the cube, and the list holds
// the number of this edge. Triangles are counter-clockwise as seen from outside the solid.
type cubeCase struct {
	n     int // number of corners, three per triangle
	edges [maxCubeCorners]uint8
}

// cubeCases returns all cases, by the set of inside corners. They are computed at the first call, because most programs
// do not need them.
var cubeCases = sync.OnceValue(deriveCubeCases)

// A cubeEdge is an edge of the cube from corner lo to corner hi. The bit of its axis is clear in lo and set in hi.
type cubeEdge struct{ axis, lo, hi int }

var cubeEdges = func() (edges [12]cubeEdge) {
	for e := range edges {
		axis := e / 4
		lo := (e & 1) << ((axis + 1) % 3)
		lo |= (e >> 1 & 1) << ((axis + 2) % 3)
		edges[e] = cubeEdge{axis, lo, lo | 1<<axis}
	}
	return edges
}()

// edgeBetween returns the edge between two adjacent corners.
func edgeBetween(a, b int) int {
	for e, c := range cubeEdges {
		if c.lo == min(a, b) && c.hi == max(a, b) {
			return e
		}
	}
	panic("scenes: corners without a common edge")
}

// faceCorners returns the corners of face f, counter-clockwise as seen from outside the cube. The face is perpendicular
// to axis f/2, at the low end if f is even.
func faceCorners(f int) [4]int {
	axis, u, v := f/2, 1<<((f/2+1)%3), 1<<((f/2+2)%3)
	if f%2 == 0 {
		return [4]int{0, v, u | v, u}
	}
	base := 1 << axis
	return [4]int{base, base | u, base | u | v, base | v}
}

func deriveCubeCases() *[256]cubeCase {
	cases := new([256]cubeCase)
	for set := range cases {
		next := faceSegments(set)
		for start := range next {
			if next[start] < 0 {
				continue
			}
			var loop []int
			for e := start; next[e] >= 0; {
				loop = append(loop, e)
				e, next[e] = next[e], -1
			}
			tris, ok := splitLoop(loop)
			if !ok {
				panic("scenes: loop without a triangulation off the faces")
			}
			for _, e := range tris {
				cases[set].edges[cases[set].n] = uint8(e)
				cases[set].n++
			}
		}
	}
	return cases
}

// faceSegments returns, for each edge of the cube that the surface crosses, the next edge on its loop, and -1 for other
// edges. Each crossed edge lies on two faces. On one of them, a segment starts at the edge. On the other, a segment
// ends there.
func faceSegments(set int) (next [12]int) {
	for e := range next {
		next[e] = -1
	}
	inside := func(c int) bool { return set>>c&1 != 0 }
	for f := range 6 {
		c := faceCorners(f)
		for k := range 4 {
			if inside(c[k]) || !inside(c[(k+1)%4]) {
				continue
			}
			// A run of inside corners starts after corner k. Find the last corner of the run.
			end := k + 1
			for inside(c[(end+1)%4]) {
				end++
			}
			from := edgeBetween(c[k], c[(k+1)%4])
			next[from] = edgeBetween(c[end%4], c[(end+1)%4])
		}
	}
	return next
}

// splitLoop divides a loop into triangles by diagonals through the inside of the cube. It avoids diagonals on a face.
// Such a diagonal could coincide with one in the neighbouring cube, and the surface would have an edge with four
// triangles. ok is false if there is no such division.
func splitLoop(loop []int) (tris []int, ok bool) {
	if len(loop) < 3 {
		return nil, true
	}
	// The edge from the first to the last corner belongs to a triangle. Try every corner in between as its third
	// corner.
	last := len(loop) - 1
	for mid := 1; mid < last; mid++ {
		if mid > 1 && onOneFace(loop[0], loop[mid]) || mid < last-1 && onOneFace(loop[mid], loop[last]) {
			continue
		}
		left, okLeft := splitLoop(loop[:mid+1])
		right, okRight := splitLoop(loop[mid:])
		if okLeft && okRight {
			return append(append(left, loop[0], loop[mid], loop[last]), right...), true
		}
	}
	return nil, false
}

// onOneFace reports whether two edges of the cube lie on the same face. That is so if all their corners have the same
// bit for some axis.
func onOneFace(a, b int) bool {
	ea, eb := cubeEdges[a], cubeEdges[b]
	or := ea.lo | ea.hi | eb.lo | eb.hi
	and := ea.lo & ea.hi & eb.lo & eb.hi
	return bits.OnesCount(uint(or&^and)) < 3
}
