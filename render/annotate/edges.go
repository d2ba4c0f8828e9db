package annotate

import (
	"context"
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"lockstep/scenes"
	"lockstep/scenes/section"
)

// An edge is a side of triangles between two corners.
type edge struct {
	a, b  uint32 // corners 3*t+k of the first triangle
	left  uint32 // the triangles beside it
	right uint32 // none: the surface ends here
	kind  uint8
}

const none = math.MaxUint32

// Kinds of edges.
const (
	plain   = iota
	feature // drawn from everywhere
)

// An edgeSet is the edges of a mesh and the normals of its triangles.
type edgeSet struct {
	mesh    *scenes.Mesh
	edges   []edge
	normals [][3]float32 // of length 1, or 0 for triangles without area
	flipped []bool       // by edge: its triangles run the same way along it
}

// findEdges finds the edges, and which of them are features: edges whose triangles' normals
// have a cosine below cos, and those of one triangle or of more than two.
func findEdges(ctx context.Context, mesh *scenes.Mesh, cos float64) (*edgeSet, error) {
	s := &edgeSet{mesh: mesh, normals: make([][3]float32, mesh.Len())}
	parallel((mesh.Len()+scenes.BlockSize-1)/scenes.BlockSize, func(block int) {
		lo, hi := scenes.BlockRange(block, mesh.Len())
		for t := lo; t < hi; t++ {
			s.normals[t] = normalOf(mesh, t)
		}
	})
	vertices := weld(mesh)
	table := newEdgeTable(mesh.Len())
	for t := range mesh.Len() {
		if t%65536 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if inPart(mesh, section.PartName, t) {
			continue // a cap is no part of the surface; the surface's rim beside it is drawn
		}
		for k := range 3 {
			s.add(table, vertices, uint32(t), k)
		}
	}
	for i := range s.edges {
		if e := &s.edges[i]; e.right == none {
			e.kind = feature
		} else if e.kind == plain && s.bent(i, cos) {
			e.kind = feature
		}
	}
	return s, nil
}

// inPart reports whether a triangle belongs to a part of the given name. It searches parts from
// the end, where caps are.
func inPart(mesh *scenes.Mesh, name string, t int) bool {
	for i := len(mesh.Parts) - 1; i >= 0; i-- {
		p := &mesh.Parts[i]
		if p.Name != name {
			return false // parts with the name come last
		}
		if p.First <= t && t < p.First+p.Count {
			return true
		}
	}
	return false
}

// normalOf returns the unit normal of a triangle; zero where it has none.
func normalOf(mesh *scenes.Mesh, t int) (n [3]float32) {
	c := mesh.Triangle(t)
	var u, v mgl64.Vec3
	for i := range 3 {
		u[i], v[i] = float64(c[1][i])-float64(c[0][i]), float64(c[2][i])-float64(c[0][i])
	}
	x := float64(u[1]*v[2]) - float64(u[2]*v[1])
	y := float64(u[2]*v[0]) - float64(u[0]*v[2])
	z := float64(u[0]*v[1]) - float64(u[1]*v[0])
	l := math.Sqrt(float64(x*x) + float64(y*y) + float64(z*z))
	if !(l > 0) || math.IsInf(l, 0) {
		return n
	}
	return [3]float32{float32(x / l), float32(y / l), float32(z / l)}
}

// add takes in side k of a triangle.
func (s *edgeSet) add(table *edgeTable, vertices []uint32, t uint32, k int) {
	from, to := 3*t+uint32(k), 3*t+uint32(k+1)%3
	if k == 2 {
		to = 3 * t
	}
	a, b := vertices[from], vertices[to]
	if a == b || a == none || b == none {
		return
	}
	i, found := table.find(min(a, b), max(a, b), uint32(len(s.edges)))
	if !found {
		s.edges = append(s.edges, edge{a: from, b: to, left: t, right: none})
		s.flipped = append(s.flipped, false)
		return
	}
	e := &s.edges[i]
	if e.right != none {
		e.kind = feature // of three triangles or more
		return
	}
	e.right = t
	s.flipped[i] = vertices[e.a] == a
}

// bent reports whether the surface bends at an edge of two triangles.
func (s *edgeSet) bent(i int, cos float64) bool {
	n, m := s.pair(i)
	return n != [3]float32{} && m != [3]float32{} && cosine(n, m) < cos
}

// pair returns the normals of the triangles of an edge, both on the same side of the
// surface.
func (s *edgeSet) pair(i int) (n, m [3]float32) {
	e := &s.edges[i]
	n, m = s.normals[e.left], s.normals[e.right]
	if s.flipped[i] {
		m = [3]float32{-m[0], -m[1], -m[2]}
	}
	return n, m
}

func cosine(n, m [3]float32) float64 {
	return float64(float64(n[0])*float64(m[0])) + float64(float64(n[1])*float64(m[1])) + float64(float64(n[2])*float64(m[2]))
}

// corner returns corner 3*t+k of the mesh.
func (s *edgeSet) corner(i uint32) mgl64.Vec3 {
	t, k := i/3, i%3
	m := s.mesh
	return mgl64.Vec3{float64(m.X[k][t]), float64(m.Y[k][t]), float64(m.Z[k][t])}
}

// wires returns all edges on a page.
func (s *edgeSet) wires(p *page) []segment {
	return s.project(p, func(int) bool { return true })
}

// features returns the features on a page.
func (s *edgeSet) features(p *page) []segment {
	return s.project(p, func(i int) bool { return s.edges[i].kind == feature })
}

// contours returns the edges between a triangle that faces the eye and one that does not.
func (s *edgeSet) contours(p *page) []segment {
	return s.project(p, func(i int) bool {
		if s.edges[i].kind == feature {
			return false
		}
		n, m := s.pair(i)
		if n == [3]float32{} || m == [3]float32{} {
			return false
		}
		view := p.cam.Forward
		if !p.cam.Orthographic {
			view = s.corner(s.edges[i].a).Sub(p.cam.Eye)
		}
		return along(n, view) != along(m, view)
	})
}

// along reports whether a normal points along a view, away from the eye: the back is seen.
func along(n [3]float32, v mgl64.Vec3) bool {
	return float64(float64(n[0])*v[0])+float64(float64(n[1])*v[1])+float64(float64(n[2])*v[2]) > 0
}

// edgesPerTask is how many edges one core projects at a time.
const edgesPerTask = 1 << 15

// project returns the wanted edges that the page shows.
func (s *edgeSet) project(p *page, wanted func(i int) bool) []segment {
	tasks := (len(s.edges) + edgesPerTask - 1) / edgesPerTask
	parts := make([][]segment, tasks)
	parallel(tasks, func(task int) {
		lo, hi := task*edgesPerTask, min((task+1)*edgesPerTask, len(s.edges))
		for i := lo; i < hi; i++ {
			if !wanted(i) {
				continue
			}
			if line, ok := p.project(s.corner(s.edges[i].a), s.corner(s.edges[i].b)); ok && p.shows(&line) {
				parts[task] = append(parts[task], line)
			}
		}
	})
	p.a.lines = p.a.lines[:0]
	for _, part := range parts {
		p.a.lines = append(p.a.lines, part...)
	}
	return p.a.lines
}

// shows reports whether a line may touch the rows of the page that are there.
func (p *page) shows(s *segment) bool {
	reach := float32(p.width + 1)
	return max(s.x0, s.x1) > float32(p.left)-reach && min(s.x0, s.x1) < float32(p.right)+reach &&
		max(s.y0, s.y1) > float32(p.top)-reach && min(s.y0, s.y1) < float32(p.bottom)+reach
}
