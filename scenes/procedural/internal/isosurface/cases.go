package isosurface

import (
	"math/bits"
	"sync"
)

// The cases of marching cubes (Lorensen and Cline, SIGGRAPH 1987) are derived
// here from the topology of the cube instead of being listed.
//
// Corner c of the cube has the coordinates of its bits: x is bit 0, y bit 1, z
// bit 2. Edge e runs along axis e/4 from the corner that e%4 spreads over the
// other two axes. A corner of which the case has the bit set is inside.
//
// On each face the surface leaves one segment for each run of inside corners
// around it. A face with two inside corners across a diagonal has two runs, so
// both are cut off and the outside is connected. The rule looks at the face
// alone, so the two cubes that share the face agree and no crack opens. The
// segments of all faces join to closed loops.

// maxCubeCorners bounds the corners of all triangles of a case: a loop of n
// edges gives n-2 triangles, and a cube has twelve edges.
const maxCubeCorners = 3 * (12 - 2)

// cubeCase lists the triangles of a case by the edges of the cube that their
// corners lie on, counter-clockwise seen from outside.
type cubeCase struct {
	n     int // corners, three a triangle
	edges [maxCubeCorners]uint8
}

// cubeCases is indexed by the set of inside corners. Most programs never ask.
var cubeCases = sync.OnceValue(deriveCubeCases)

// cubeEdge is an edge of the cube by its ends; lo has the axis' bit clear.
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

// edgeBetween returns the edge between two corners that share one.
func edgeBetween(a, b int) int {
	for e, c := range cubeEdges {
		if c.lo == min(a, b) && c.hi == max(a, b) {
			return e
		}
	}
	panic("scenes: corners without a common edge")
}

// faceCorners returns the corners of face f, counter-clockwise seen from
// outside the cube: axis f/2, at its low end if f is even.
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

// faceSegments returns, for each edge of the cube that the surface crosses, the
// edge that follows on its loop; -1 for the others. Each crossed edge lies on
// two faces; on one of them a segment begins and on the other one ends.
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
			// A run of inside corners begins after corner k; find where it ends.
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

// splitLoop cuts a loop into triangles by diagonals that run through the
// cube's inside. A diagonal on a face might meet another one there, of the
// neighbouring cube, and the surface would have an edge of four triangles.
func splitLoop(loop []int) (tris []int, ok bool) {
	if len(loop) < 3 {
		return nil, true
	}
	// The triangle on the side from the first to the last corner has its third
	// corner somewhere between.
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

// onOneFace reports whether two edges of the cube lie on one of its faces: then
// all their corners agree in the bit of some axis.
func onOneFace(a, b int) bool {
	ea, eb := cubeEdges[a], cubeEdges[b]
	or := ea.lo | ea.hi | eb.lo | eb.hi
	and := ea.lo & ea.hi & eb.lo & eb.hi
	return bits.OnesCount(uint(or&^and)) < 3
}
