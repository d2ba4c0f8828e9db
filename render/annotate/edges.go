package annotate

import (
	"github.com/go-gl/mathgl/mgl64"

	"lockstep/render"
	"lockstep/render/internal/edges"
)

// wires returns all edges of s that the page may show.
func (p *page) wires(s *edges.Set) []segment {
	return p.projectEdges(s, func(int) bool { return true })
}

// features returns the feature edges of s that the page may show.
func (p *page) features(s *edges.Set) []segment {
	return p.projectEdges(s, func(i int) bool { return s.Edges[i].Feature })
}

// silhouettes returns the silhouette edges of s that the page may show. A silhouette edge lies between a triangle that
// faces the eye and a triangle that faces away.
func (p *page) silhouettes(s *edges.Set) []segment {
	return p.projectEdges(s, func(i int) bool {
		return s.IsSilhouette(i, p.viewDirection(s, i))
	})
}

// viewDirection returns the direction from the eye to edge i of s.
func (p *page) viewDirection(s *edges.Set, i int) mgl64.Vec3 {
	if p.cam.Orthographic {
		return mgl64.Vec3(p.cam.Forward)
	}
	return s.Corner(s.Edges[i].A).Sub(mgl64.Vec3(p.cam.Eye))
}

// edgesPerTask is the number of edges that one task projects.
const edgesPerTask = 1 << 15

// projectEdges returns the edges of s that the page may show and for which wanted(i) is true. The result is valid until
// the next call.
func (p *page) projectEdges(s *edges.Set, wanted func(i int) bool) []segment {
	tasks := (len(s.Edges) + edgesPerTask - 1) / edgesPerTask
	parts := make([][]segment, tasks)
	o := &p.a.options
	culling := edges.Culling{Backs: o.Cull == render.CullBack, Fronts: o.Cull == render.CullFront, OneSided: o.OneSided}
	parallel(tasks, func(task int) {
		lo, hi := task*edgesPerTask, min((task+1)*edgesPerTask, len(s.Edges))
		for i := lo; i < hi; i++ {
			if !wanted(i) || s.IsCulled(i, p.viewDirection(s, i), culling) {
				continue
			}
			if line, ok := p.project(s.Corner(s.Edges[i].A), s.Corner(s.Edges[i].B)); ok && p.mayShow(&line) {
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

// mayShow reports whether a line may touch the part of the page that pic holds.
func (p *page) mayShow(s *segment) bool {
	reach := float32(p.width + 1)
	return max(s.x0, s.x1) > float32(p.left)-reach && min(s.x0, s.x1) < float32(p.right)+reach &&
		max(s.y0, s.y1) > float32(p.top)-reach && min(s.y0, s.y1) < float32(p.bottom)+reach
}
