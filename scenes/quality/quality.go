// Package quality measures the surface of a mesh, its area and its volume. It also finds the triangles and edges
// because of which the surface is not closed.
package quality

import (
	"math"
	"slices"

	"lockstep/scenes"
	"lockstep/scenes/internal/vector"
	"lockstep/scenes/internal/weld"
)

// A Report is the result of Of. Triangles that are not finite are counted in NotFinite and otherwise ignored. Corners
// with equal coordinates are one vertex, even if the file stores several.
type Report struct {
	Vertices   int     // number of different positions of corners
	NotFinite  int     // number of triangles with a NaN or infinite coordinate
	Degenerate int     // number of triangles without area
	Duplicates int     // number of triangles with the same three vertices as an earlier triangle
	Area       float64 // area in the square of the unit of the coordinates

	// Edges is the number of edges between different vertices. An open edge belongs to one triangle, and a non-manifold
	// edge to more than two. A turned edge belongs to two triangles in which it runs in the same direction.
	Edges, Open, NonManifold, Turned int

	// Closed means that each edge runs equally often in both directions. Then Volume is the enclosed volume, in the
	// cube of the unit of the coordinates. It is negative if the surface is inside out. If the surface is not closed,
	// Volume is 0.
	Closed bool
	Volume float64
}

// Memory returns the greatest number of bytes that Of allocates for n triangles. Per triangle, these are
//
//   - 12 for its vertices;
//   - 12 for the positions of vertices, and 24 while the list of positions grows;
//   - 64 for the table that finds vertices;
//   - 24 for edges;
//   - 3 for marks;
//   - 100 for the set of triangles already seen.
func Memory(n int) int64 { return 1<<16 + 240*int64(n) }

// maxTriangles is the greatest number of triangles for which vertex numbers fit into 31 bits.
const maxTriangles = math.MaxInt32 / 3

// Of measures m. ok is false if m has more than maxTriangles triangles. The result is the same on every machine.
func Of(m *scenes.Mesh) (r Report, ok bool) {
	if m.Len() > maxTriangles {
		return r, false
	}
	v := weld.Of(&scenes.Mesh{Block: scenes.Block{X: m.X, Y: m.Y, Z: m.Z}}, weld.Split{})
	e := examiner{mesh: m, index: v.Index, center: m.Bounds()}
	e.measureTriangles(&r)
	e.countEdges(&r)
	if r.Closed {
		r.Volume = e.volume
	}
	used := make([]bool, v.Len())
	for t := range m.Len() {
		if e.isFinite(t) {
			for _, i := range v.Index[3*t : 3*t+3] {
				if !used[i] {
					used[i] = true
					r.Vertices++
				}
			}
		}
	}
	return r, true
}

// An examiner is the state of Of.
type examiner struct {
	mesh   *scenes.Mesh
	index  []uint32 // vertices of the triangles
	center scenes.Box
	edges  []uint64
	volume float64
}

func (e *examiner) isFinite(t int) bool {
	for k := range 3 {
		x, y, z := e.mesh.X[k][t], e.mesh.Y[k][t], e.mesh.Z[k][t]
		if x-x != 0 || y-y != 0 || z-z != 0 {
			return false
		}
	}
	return true
}

// measureTriangles measures each triangle and collects the edges.
func (e *examiner) measureTriangles(r *Report) {
	var center [3]float64
	if !e.center.Empty() {
		center = e.center.Center()
	}
	seen := make(map[[3]uint32]struct{}, e.mesh.Len())
	e.edges = make([]uint64, 0, 3*e.mesh.Len())
	for t := range e.mesh.Len() {
		if !e.isFinite(t) {
			r.NotFinite++
			continue
		}
		var c [3][3]float64
		for k, p := range e.mesh.Triangle(t) {
			c[k] = vector.Sub(vector.Double(p), center)
		}
		normal := vector.Cross(vector.Sub(c[1], c[0]), vector.Sub(c[2], c[0]))
		double := math.Sqrt(vector.Dot(normal, normal))
		if double == 0 {
			r.Degenerate++
		}
		r.Area += double / 2
		e.volume += vector.Dot(c[0], vector.Cross(c[1], c[2])) / 6
		corners := [3]uint32(e.index[3*t : 3*t+3])
		for k, from := range corners {
			e.addEdge(from, corners[(k+1)%3])
		}
		slices.Sort(corners[:])
		if _, again := seen[corners]; again {
			r.Duplicates++
		}
		seen[corners] = struct{}{}
	}
}

// addEdge records the edge of a triangle from one vertex to another, as one number. It consists of the lower vertex,
// the higher vertex, and a bit for the direction.
func (e *examiner) addEdge(from, to uint32) {
	switch {
	case from < to:
		e.edges = append(e.edges, uint64(from)<<32|uint64(to)<<1)
	case from > to:
		e.edges = append(e.edges, uint64(to)<<32|uint64(from)<<1|1)
	}
}

// countEdges counts the edges of each kind in r. The kind of an edge depends on the number of triangles that have it,
// and on its direction in each of these triangles.
func (e *examiner) countEdges(r *Report) {
	slices.Sort(e.edges)
	r.Closed = len(e.edges) > 0
	for i := 0; i < len(e.edges); {
		n, back := 0, 0
		for at := e.edges[i] >> 1; i < len(e.edges) && e.edges[i]>>1 == at; i++ {
			n++
			back += int(e.edges[i] & 1)
		}
		r.Edges++
		switch {
		case n == 1:
			r.Open++
		case n > 2:
			r.NonManifold++
		case back != 1:
			r.Turned++
		}
		r.Closed = r.Closed && 2*back == n
	}
}
