// Package division keeps a mesh whose triangles were divided, in its form before the division. Normals are computed
// from that form.
package division

import (
	"context"
	"slices"

	"lockstep/render"
	"lockstep/scenes"
	"lockstep/scenes/join"
)

// A Division is a mesh, and the finer mesh into which it was divided.
type Division struct {
	Mesh, Fine *scenes.Mesh
	Owners     []uint32 // for each triangle of Fine, the triangle of Mesh from which it was made
}

// Join returns the division of a joined mesh. The first item of the joined mesh is the fine mesh of d. The parameter
// plain is the colour of items without a colour.
func (d *Division) Join(joined *scenes.Mesh, items []join.Item, plain uint32) (*Division, error) {
	first := d.Mesh.Len()
	items = slices.Clone(items)
	items[0].Mesh = d.Mesh
	mesh, err := join.Meshes(items, plain)
	if err != nil {
		return nil, err
	}
	owners := slices.Clone(d.Owners)
	for t := first; t < mesh.Len(); t++ {
		owners = append(owners, uint32(t))
	}
	return &Division{mesh, joined, owners}, nil
}

// Surface computes the normals of a mesh. The mesh may be the fine mesh of d. In that case, its normals are
// interpolated from the normals of the mesh before its division. Normals of the planes of the fine triangles would
// make facets visible. d may be nil if no mesh was divided.
func (d *Division) Surface(ctx context.Context, mesh *scenes.Mesh, o render.SurfaceOptions) (*render.Surface, error) {
	if d == nil || d.Fine != mesh {
		return render.NewSurface(ctx, mesh, o)
	}
	s, err := render.NewSurface(ctx, d.Mesh, o)
	if err != nil {
		return nil, err
	}
	return s.Divide(mesh, d.Owners, o.Workers), ctx.Err()
}
