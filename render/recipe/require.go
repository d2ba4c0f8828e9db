package recipe

import (
	"lockstep/internal/budget"
	"lockstep/render"
	"lockstep/render/footprint"
	"lockstep/scenes/distance"
)

// A Requirement is what drawing a recipe takes.
type Requirement struct {
	// Memory is an estimate in bytes, by one worker, each further one of which takes PerWorker more. It is nearer to
	// the most than to the least.
	Memory, PerWorker int64
	// Resident says that the mesh has to be in memory as a whole. Else a file whose blocks can be read one by one
	// stays where it is.
	Resident bool
	// Field is the name of the numbers that the mesh must have; empty: none.
	Field string
}

// Requires returns what drawing the recipe takes where its meshes have so many triangles together.
func (p Picture) Requires(triangles int) Requirement {
	o := p.RenderOptions()
	if p.fine(triangles) {
		o.Samples = fineSamples
	}
	return p.requires(o, triangles)
}

// Requires returns what drawing the animation takes, frame by frame, where its meshes have at most so many triangles.
func (a Animation) Requires(triangles int) Requirement {
	return a.Picture.requires(a.Picture.RenderOptions(), triangles)
}

func (p *Picture) requires(o render.Options, triangles int) Requirement {
	one := budget.Sum(budget.Drawing(o, 1))
	field := p.Look.Field
	if p.compares() {
		field = "" // the mesh gets it
	}
	r := Requirement{Memory: one, PerWorker: budget.Sum(budget.Drawing(o, 2)) - one, Resident: !p.Streams(), Field: field}
	if r.Resident {
		r.Memory += budget.Mesh(triangles)
		if o.Shading == render.ShadingSmooth {
			r.Memory += footprint.Surface(triangles)
		}
		if p.compares() {
			r.Memory += distance.Memory(triangles, triangles)
		}
		if p.Edited() {
			r.Memory += budget.Mesh(triangles) // the mesh before, while it is cut or joined
		}
	}
	return r
}
