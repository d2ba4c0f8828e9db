package edges

import (
	"context"

	"lockstep/render/internal/normals"
	"lockstep/render/internal/vector"
	"lockstep/render/internal/view"
	"lockstep/scenes"
)

// Sharp finds the edges of a mesh like Find, but marks fewer features. An edge between two triangles is a feature only
// if smooth shading with the crease angle crease, in degrees, keeps it sharp. Two conditions must hold:
//
//   - The surface bends by more than crease.
//   - At an end of the edge, the smooth normals of its two triangles differ by more than crease/2.
func Sharp(ctx context.Context, mesh *scenes.Mesh, crease float64) (*Set, error) {
	if err := normals.CheckCrease(mesh.Len(), crease); err != nil {
		return nil, err
	}
	s, err := find(ctx, mesh)
	if err != nil {
		return nil, err
	}
	_, cos := vector.SinCosDegrees(crease)
	_, half := vector.SinCosDegrees(crease / 2)
	var smooth []uint32 // packed normals of smooth surfaces; computed at the first edge where the surface bends
	round := normals.NumSmooth(mesh)
	for i := range s.Edges {
		e := &s.Edges[i]
		if e.Feature || !s.isBent(i, cos) {
			continue
		}
		if smooth == nil {
			cam := view.Camera{Box: mesh.Bounds()}
			first := mesh.Slice(0, round)
			smooth = normals.Normals(&first, cos, cam.Scale(), func(n int, do func(int)) {
				parallel(n, func(task int) {
					if ctx.Err() == nil {
						do(task)
					}
				})
			})
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
		}
		// Flat parts are not shaded smoothly. They consist of the triangles from number `round` on.
		e.Feature = int(max(e.Left, e.Right)) >= round || s.normalsDiffer(smooth, i, e.A, half) || s.normalsDiffer(smooth, i, e.B, half)
	}
	return s, ctx.Err()
}

// normalsDiffer reports whether the smooth normals of the two triangles of edge i differ at one end of the edge: their
// cosine is below cos. corner is the corner of the first triangle at that end.
func (s *Set) normalsDiffer(smooth []uint32, i int, corner uint32, cos float64) bool {
	x, y, z := positionOf(s.mesh, corner)
	for k := range uint32(3) {
		other := 3*s.Edges[i].Right + k
		if u, v, w := positionOf(s.mesh, other); u != x || v != y || w != z {
			continue
		}
		n, m := normals.Unpack(smooth[corner]), normals.Unpack(smooth[other])
		if s.flipped[i] {
			m = m.Scale(-1)
		}
		return float64(n.Dot(m)) < cos
	}
	return true
}
