package render

import (
	"context"
	"fmt"
	"sync"

	"lockstep/lb"
	"lockstep/render/internal/kernel/light"
	"lockstep/render/internal/normals"
	"lockstep/render/internal/sources"
	"lockstep/render/internal/surface"
	"lockstep/render/internal/vector"
	"lockstep/scenes"
	"lockstep/vp"
	"lockstep/vp/machine"
)

// Shading selects the normals with which a surface is lit.
type Shading uint8

const (
	// ShadingFlat lights every triangle with the normal of its plane.
	ShadingFlat Shading = iota
	// ShadingSmooth lights every pixel with an interpolated normal, computed from the normals at the triangle's
	// corners. It works in the studio; under a headlight it is the same as ShadingFlat. The source must be a Surface,
	// a Stored or a scenes.Mesh. For a scenes.Mesh, every frame computes the normals again.
	ShadingSmooth
)

// DefaultCrease is the smallest angle in degrees between two triangles for which their common edge stays sharp.
const DefaultCrease = 35

// A Surface is a mesh in memory with the normals of its vertices. A Surface without normals is shaded flat. Several
// renderers may draw it at once. The mesh must not change.
type Surface struct {
	*scenes.Mesh
	records      []light.Record
	crease       float64  // crease angle of the normals, in degrees
	scale        float64  // power of two that scaled the mesh to a size of about 1 for finding the normals
	normals      vp.Stats // statistics of the loops that found the normals
	paintOnce    sync.Once
	paint        *surface.Paint
	sidesOnce    sync.Once
	sides        *surface.Sides
	groups       groupCache
	stored       *surface.Stored // records of a mesh that stays in a file; nil if the mesh is in memory
	storedSmooth bool            // the records of stored have normals
	points       *scenes.Points  // cloud that is drawn in place of the mesh, or nil
	whole        *Surface        // surface of which this is a part, see Part; otherwise nil
	first        uint32          // number of the first triangle in the surface `whole`
}

// Normals returns statistics of the loops that computed the normals: the number of tasks, and how often tasks moved
// between workers. The result is zero if the surface has no normals.
func (s *Surface) Normals() vp.Stats { return s.normals }

// Smooth reports whether the surface has normals.
func (s *Surface) Smooth() bool { return s.records != nil }

// cachedSides returns which triangles have a material that shows only their front. The first call finds them.
func (s *Surface) cachedSides() *surface.Sides {
	s.sidesOnce.Do(func() { s.sides = surface.NewSides(s.Mesh.Attributes) })
	return s.sides
}

// cachedPaint returns the paint of the surface, which computes the colours of points on the surface. The first call
// makes the paint. It is nil if every triangle has one colour.
func (s *Surface) cachedPaint(tables *surface.Colors) *surface.Paint {
	s.paintOnce.Do(func() {
		if s.whole != nil {
			s.paint = s.whole.cachedPaint(tables).Part(s.first)
		} else {
			s.paint = surface.NewPaint(s.Mesh.Attributes, tables)
		}
	})
	return s.paint
}

// Part returns a surface with only the triangles from lo to hi (exclusive) of s. It shares the memory of s, and its
// triangles look as they do in s, except that it has no fields.
func (s *Surface) Part(lo, hi int) *Surface {
	of := s.Mesh
	part := &Surface{
		Mesh:  &scenes.Mesh{Block: of.Slice(lo, hi), Origin: of.Origin, Up: of.Up, Unit: of.Unit},
		whole: s, first: uint32(lo), crease: s.crease, scale: s.scale,
	}
	if a := of.Attributes; a != nil && a.MaterialOf != nil {
		part.Attributes = &scenes.Attributes{Materials: a.Materials, MaterialOf: a.MaterialOf[lo:hi]}
	}
	if s.records != nil {
		part.records = s.records[lo:hi]
	}
	return part
}

// SurfaceOptions configure the computation of normals. The zero value is the default.
type SurfaceOptions struct {
	Crease  float64 // crease angle in degrees, at most 180; 0 means DefaultCrease
	Workers int     // number of workers; 0 means one for every core
}

// NewSurface computes the normals at the vertices of a mesh. Corners at the same position are one vertex. A corner's
// normal is the mean of the normals of the triangles around the vertex, weighted by angle and area.
//
// A triangle within the crease angle of the corner's own triangle has its full weight, and a triangle beyond a sharp
// edge has none. In between, the weight falls with the angle; a hard limit would make bends of scanned surfaces look
// jagged.
//
// NewSurface needs 48 bytes a triangle and stops when ctx ends. The normals do not depend on the number of workers.
func NewSurface(ctx context.Context, mesh *scenes.Mesh, o SurfaceOptions) (*Surface, error) {
	if o.Workers < 0 || o.Workers > MaxWorkers {
		return nil, fmt.Errorf("find normals: %d workers, expected 0 to %d", o.Workers, MaxWorkers)
	}
	if err := sources.Check(ctx, mesh); err != nil {
		return nil, fmt.Errorf("find normals: %w", err)
	}
	// Workers are not pinned. A pinned worker would wait for its core while another program, or another call of
	// NewSurface, uses the core.
	m := machine.New(machine.Options{Workers: o.Workers, NoPin: true})
	defer m.Close()
	return newSurface(ctx, mesh, o.Crease, m)
}

// Divide returns a surface for the mesh `fine`, whose triangles are pieces of this surface's triangles. Triangle t of
// `fine` lies on triangle owners[t] of this surface. Divide interpolates the normals at new corners, and the result
// looks like this surface. (NewSurface would compute the normals of the planes.)
//
// Triangles at the end of `fine` whose owner is section.NoOwner get the normals of their planes. Divide needs 48 bytes
// a triangle. workers may be 0 for all cores; the result does not depend on it.
func (s *Surface) Divide(fine *scenes.Mesh, owners []uint32, workers int) *Surface {
	return s.DivideInto(nil, fine, owners, workers)
}

// DivideInto is like Divide, but writes the normals into the memory that holds the normals of `old`. The surface `old`
// must not be drawn afterwards; it may be nil.
func (s *Surface) DivideInto(old *Surface, fine *scenes.Mesh, owners []uint32, workers int) *Surface {
	divided := &Surface{Mesh: fine}
	if s.records != nil {
		m := machine.New(machine.Options{Workers: workers, NoPin: true})
		defer m.Close()
		loop := vp.For{Machine: m, Balance: lb.NewCycle(lb.Options{Calibrate: true})}
		var records []light.Record
		if old != nil {
			records = old.records
		}
		divided.scale = s.scale
		divided.records = normals.Divide(records, s.records, &fine.Block, owners, s.scale, loop.Run)
	}
	return divided
}

// newSurface is NewSurface with the workers of m. A task computes the normals of one part of the mesh. Tasks take
// different times: a part's time depends on how many triangles meet at its vertices, and how many of them are in other
// parts. So workers move tasks if that saves time.
func newSurface(ctx context.Context, mesh *scenes.Mesh, crease float64, m *machine.Machine) (*Surface, error) {
	if err := normals.CheckCrease(mesh.Len(), crease); err != nil {
		return nil, err
	}
	if crease == 0 {
		crease = DefaultCrease
	}
	loop := vp.For{Machine: m, Balance: lb.NewCycle(lb.Options{Calibrate: true})}
	run := func(n int, do func(task int)) {
		loop.Run(n, func(task int) {
			if ctx.Err() == nil {
				do(task)
			}
		})
	}
	cam := Camera{Box: mesh.Bounds()}
	if cam.Box.Empty() {
		return &Surface{Mesh: mesh}, nil
	}
	_, cos := vector.SinCosDegrees(crease)
	scale := cam.internal().Scale()
	records := normals.Records(&mesh.Block, normals.NumSmooth(mesh), cos, scale, run)
	return &Surface{Mesh: mesh, records: records, crease: crease, scale: scale, normals: loop.Stats}, ctx.Err()
}

// self returns s. Types that embed a Surface inherit it, and subjectOf recognizes them by it.
func (s *Surface) self() *Surface { return s }
