package recipe

import (
	"lockstep/internal/budget"
	"lockstep/render"
	"lockstep/render/footprint"
	"lockstep/scenes"
	"lockstep/scenes/distance"
)

// Memory knows how much memory is available for meshes and pictures.
type Memory interface {
	// LimitMesh lowers read.MaxMemory if necessary, so that one worker can still draw with the options o after the mesh
	// was read. LimitMesh returns the shortage that a larger mesh would cause, or nil if it changed nothing.
	LimitMesh(read *scenes.ReadOptions, o render.Options) *Shortage
	// Lacks returns the shortage of memory for drawing with one worker and the options o, and for additional
	// allocations of `more` bytes. It returns nil if there is enough.
	Lacks(o render.Options, more ...int64) *Shortage
	// Loaded is called after a mesh was read into memory.
	Loaded()
	// Took is called with the number of bytes of memory that a mesh occupies, which are no longer free. held is 0 if
	// the mesh is not in memory. triangles is the number of its triangles.
	Took(held int64, triangles int)
	// Workers returns how many of the workers that the options request fit into memory.
	Workers(o render.Options) int
}

// A Shortage names a resource that is short, memory or address space, and how many bytes are needed and free.
type Shortage = budget.Shortage

// A Requirement describes the resources that drawing a recipe needs.
type Requirement struct {
	// Memory is an estimate of the number of bytes that one worker needs. PerWorker is an estimate of the number of
	// bytes that each further worker needs. The need varies, and the estimates are close to its maximum.
	Memory, PerWorker int64
	// Resident is true if the whole mesh must be in memory. Otherwise its blocks may be read from the file one by one,
	// if the format allows it.
	Resident bool
	// Field is the name of the field of numbers that the mesh must have. It is empty if no field is needed.
	Field string
}

// Requires returns the resources that drawing the recipe needs. triangles is the number of triangles of all its meshes
// together.
func (p Picture) Requires(triangles int) Requirement {
	o := p.RenderOptions()
	if p.hasFineSamples(triangles) {
		o.Samples = fineSamples
	}
	return p.requires(o, triangles)
}

// Requires returns the resources for drawing the animation frame by frame. triangles is the largest number of triangles
// of a frame.
func (a Animation) Requires(triangles int) Requirement {
	return a.Picture.requires(a.Picture.RenderOptions(), triangles)
}

func (p *Picture) requires(o render.Options, triangles int) Requirement {
	one := budget.Sum(budget.DrawingBytes(o, 1))
	field := p.Look.Field
	if p.showsDistances() {
		field = "" // the comparison itself makes the field
	}
	r := Requirement{Memory: one, PerWorker: budget.Sum(budget.DrawingBytes(o, 2)) - one, Resident: !p.Streams(), Field: field}
	if r.Resident {
		r.Memory += budget.MeshBytes(triangles)
		if o.Shading == render.ShadingSmooth {
			r.Memory += footprint.Surface(triangles)
		}
		if p.showsDistances() {
			r.Memory += distance.Memory(triangles, triangles)
		}
		if p.Edited() {
			r.Memory += budget.MeshBytes(triangles) // the mesh before cutting or joining is in memory, too
		}
	}
	return r
}

// normalsShortage returns the shortage that computing normals would cause, or nil if there is enough memory.
func (d *Drawer) normalsShortage(in *Input, most int64, o render.Options) *Shortage {
	need := footprint.Surface(in.Source.Len())
	if mesh, ok := in.Source.(*scenes.Mesh); ok {
		need += footprint.Levels(mesh.Attributes) + footprint.Behind(o, mesh.Attributes)
	}
	return d.shortage(o, most, in.Held, need)
}

// cloudShortage returns the shortage that eye-dome light would cause in pictures of an input with the options o, or
// nil. LimitMesh cannot check this: when it is called, it is not known yet that the source is a cloud of points.
func (d *Drawer) cloudShortage(in *Input, o render.Options) *Shortage {
	if d.Memory == nil || !o.EyeDome {
		return nil
	}
	return d.Memory.Lacks(o, in.Held)
}

// shortage returns the shortage that allocations of these sizes would cause in addition to pictures of a mesh with the
// options o, or nil. `most` is the user's limit for the sum of the allocations; 0 means no limit.
func (d *Drawer) shortage(o render.Options, most int64, bytes ...int64) *Shortage {
	if d.Memory != nil {
		if short := d.Memory.Lacks(footprint.OfMesh(o), bytes...); short != nil {
			return short
		}
	}
	if all := budget.Sum(bytes); most > 0 && all > most {
		return &Shortage{Resource: "memory", Need: all, Have: most}
	}
	return nil
}
