package recipe

import (
	"lockstep/internal/budget"
	"lockstep/render"
	"lockstep/render/footprint"
	"lockstep/scenes/distance"
)

// A Requirement says what drawing a recipe needs.
type Requirement struct {
	// Memory is an estimate of the bytes that one worker needs, and PerWorker of those that each further worker needs.
	// The need varies; the estimates are nearer to its maximum than to its minimum.
	Memory, PerWorker int64
	// Resident says that the whole mesh must be in memory. Otherwise a file stays on disk if its blocks can be read one
	// by one.
	Resident bool
	// Field is the name of the numbers that the mesh must have; empty: none are needed.
	Field string
}

// Requires returns what drawing the recipe needs. triangles is the number of triangles of all its meshes together.
func (p Picture) Requires(triangles int) Requirement {
	o := p.RenderOptions()
	if p.isFine(triangles) {
		o.Samples = fineSamples
	}
	return p.requires(o, triangles)
}

// Requires returns what drawing the animation needs, frame by frame. triangles is the largest number of triangles of a
// frame.
func (a Animation) Requires(triangles int) Requirement {
	return a.Picture.requires(a.Picture.RenderOptions(), triangles)
}

func (p *Picture) requires(o render.Options, triangles int) Requirement {
	one := budget.Sum(budget.DrawingBytes(o, 1))
	field := p.Look.Field
	if p.compares() {
		field = "" // the comparison itself makes the field
	}
	r := Requirement{Memory: one, PerWorker: budget.Sum(budget.DrawingBytes(o, 2)) - one, Resident: !p.Streams(), Field: field}
	if r.Resident {
		r.Memory += budget.MeshBytes(triangles)
		if o.Shading == render.ShadingSmooth {
			r.Memory += footprint.Surface(triangles)
		}
		if p.compares() {
			r.Memory += distance.Memory(triangles, triangles)
		}
		if p.Edited() {
			r.Memory += budget.MeshBytes(triangles) // the mesh before it is cut or joined is in memory, too
		}
	}
	return r
}
