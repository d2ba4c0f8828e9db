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

// Shading says which normals a surface is lit by.
type Shading uint8

const (
	// ShadingFlat lights every triangle by the normal of its plane.
	ShadingFlat Shading = iota
	// ShadingSmooth lights every pixel by a normal between those of the corners, in the
	// studio; under a headlight it is ShadingFlat. It wants a mesh in memory: a Surface, or
	// a scenes.Mesh, of which every frame makes one.
	ShadingSmooth
)

// DefaultCrease is the angle between triangles, in degrees, from which on an edge
// between them stays sharp.
const DefaultCrease = 35

// A Surface is a mesh in memory with the normals of its vertices; with the mesh alone it
// is shaded flat. It may be drawn by several renderers at once. The mesh must not change.
type Surface struct {
	*scenes.Mesh
	records []light.Record
	crease  float64  // that they were found by, in degrees
	normals vp.Stats // of the loops that found them
	once    sync.Once
	paint   *surface.Paint
	bounds  bounds
	stored  *surface.Stored // records of a mesh that is not in memory; nil: it is
	smooth  bool            // stored has normals
}

// Normals returns what the loops over parts of the mesh counted that found its normals: their tasks,
// and how often tasks moved from one worker to another. Without normals it is zero.
func (s *Surface) Normals() vp.Stats { return s.normals }

// Smooth reports whether the surface has normals.
func (s *Surface) Smooth() bool { return s.records != nil }

// coat returns what colours the points of the surface, nil for one colour a triangle.
func (s *Surface) coat(tables *surface.Colors) *surface.Paint {
	s.once.Do(func() { s.paint = surface.NewPaint(s.Mesh.Attributes, tables) })
	return s.paint
}

// SurfaceOptions say how normals are found. The zero value is the default.
type SurfaceOptions struct {
	Crease  float64 // in degrees, at most 180; 0: DefaultCrease
	Workers int     // 0: one for every core
}

// NewSurface finds the normals at the vertices of a mesh: at each the mean over the
// triangles around it, weighted by angle and area, whose normals lie within the crease of
// the triangle's own. Corners at the same place are one vertex. It costs 48 bytes a
// triangle, works until ctx ends, and gives the same normals on any number of workers.
func NewSurface(ctx context.Context, mesh *scenes.Mesh, o SurfaceOptions) (*Surface, error) {
	if o.Workers < 0 || o.Workers > MaxWorkers {
		return nil, fmt.Errorf("find normals: %d workers, expected 0 to %d", o.Workers, MaxWorkers)
	}
	// A pinned worker would wait for its core where another program, or another surface, is at work.
	m := machine.New(machine.Options{Workers: o.Workers, NoPin: true})
	defer m.Close()
	return newSurface(ctx, mesh, o.Crease, m)
}

// Divide returns the surface of a mesh that the surface's own was divided into: triangle t of fine lies on triangle
// owners[t]. It looks as it did, because normals at new corners lie between those of the corners around; they would be those
// of the plane if they were found anew. It costs 48 bytes a triangle, and is the same on any number of workers, 0: all
// cores.
func (s *Surface) Divide(fine *scenes.Mesh, owners []uint32, workers int) *Surface {
	divided := &Surface{Mesh: fine}
	if s.records != nil {
		m := machine.New(machine.Options{Workers: workers, NoPin: true})
		defer m.Close()
		loop := vp.For{Machine: m, Balance: lb.NewCycle(lb.Options{Calibrate: true})}
		divided.records = normals.Divide(s.records, &fine.Block, owners, loop.Run)
	}
	return divided
}

// newSurface is NewSurface on the workers of a machine. A part of the mesh is a task. How long it takes
// depends on how many triangles meet at its vertices, and how many of them in other parts, so workers
// move tasks where that pays.
func newSurface(ctx context.Context, mesh *scenes.Mesh, crease float64, m *machine.Machine) (*Surface, error) {
	if err := sources.Check(ctx, mesh); err != nil {
		return nil, fmt.Errorf("find normals: %w", err)
	}
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
	records := normals.Records(&mesh.Block, roundParts(mesh), cos, cam.internal().Scale(), run)
	return &Surface{Mesh: mesh, records: records, crease: crease, normals: loop.Stats}, ctx.Err()
}

// roundParts returns how many triangles there are before those of flat parts at the end.
func roundParts(mesh *scenes.Mesh) int {
	n := mesh.Len()
	for i := len(mesh.Parts) - 1; i >= 0 && mesh.Parts[i].Flat && mesh.Parts[i].First+mesh.Parts[i].Count == n; i-- {
		n = mesh.Parts[i].First
	}
	return n
}

// whole returns s: what embeds a Surface is one.
func (s *Surface) whole() *Surface { return s }

// surfaceOf returns the surface that a source is, or makes one of a mesh on the workers of m; nil where pixels are not lit
// one by one.
func (o *Options) surfaceOf(ctx context.Context, source scenes.Source, m *machine.Machine) (*Surface, error) {
	if !o.isDeferred() {
		return nil, nil
	}
	switch s := source.(type) {
	case interface{ whole() *Surface }:
		return s.whole(), nil
	case *Stored:
		return s.surface, nil
	case *scenes.Mesh:
		if o.Shading == ShadingFlat {
			return &Surface{Mesh: s}, nil
		}
		return newSurface(ctx, s, o.Crease, m)
	}
	return nil, fmt.Errorf("smooth shading and occlusion need a mesh in memory, not a %T", source)
}
