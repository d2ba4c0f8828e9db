package recipe

import (
	"context"
	"strings"

	"lockstep/internal/budget"
	"lockstep/render"
	"lockstep/render/footprint"
	"lockstep/render/internal/normals"
	"lockstep/scenes"
)

// makeSurface prepares a mesh for options that light pixels one by one, and finds its normals for smooth shading. A
// mesh that stays in its file is left as it is, see Look. A mesh is shaded flat if its normals do not fit into free
// memory, or if the mesh and its normals together need more than `most` bytes (0 means no limit).
func (d *Drawer) makeSurface(ctx context.Context, in *Input, most int64, o render.Options) error {
	mesh, ok := in.Source.(*scenes.Mesh)
	if !ok || !o.InMemory() {
		return nil
	}
	if name := o.Field.Name; name != "" && mesh.Field(name) == nil {
		return unfit(in.Name, "look.field", name, "%s", fieldNames(mesh))
	}
	if o.Color == nil && blends(mesh) {
		in.Warnings = append(in.Warnings, in.Name+": translucent materials are drawn sample by sample, as many as alpha says: look.samples 16 is finer")
	}
	s := &render.Surface{Mesh: mesh}
	in.Source = s
	if o.Shading != render.ShadingSmooth {
		return nil
	}
	if short := d.normalsShortage(in, most, o); short != nil {
		in.Warnings = append(in.Warnings, in.Name+": shaded flat: smooth shading "+short.Text())
		return nil
	}
	if err := normals.CheckCrease(mesh.Len(), o.Crease); err != nil {
		return errorf(Unfit, "%s: %w", in.Name, err)
	}
	in.normals = func(ctx context.Context) error {
		smooth, err := in.divided.Surface(ctx, mesh, render.SurfaceOptions{Crease: o.Crease, Workers: o.Workers})
		if err == nil {
			in.Source = smooth
		}
		return err
	}
	if d.LateNormals {
		return nil
	}
	return in.Smooth(ctx)
}

// normalsShortage returns the shortage that finding normals would cause, or nil if there is enough memory.
func (d *Drawer) normalsShortage(in *Input, most int64, o render.Options) *Shortage {
	need := footprint.Surface(in.Source.Len())
	if mesh, ok := in.Source.(*scenes.Mesh); ok {
		need += footprint.Levels(mesh.Attributes)
	}
	return d.shortage(o, most, in.Held, need)
}

// shortage returns the shortage that allocations of these sizes would cause beside pictures with the options o, or nil
// if there is enough memory. most is the limit of their sum that the user has set; 0 means no limit.
func (d *Drawer) shortage(o render.Options, most int64, bytes ...int64) *Shortage {
	if d.Memory != nil {
		if short := d.Memory.Lacks(o, bytes...); short != nil {
			return short
		}
	}
	if all := budget.Sum(bytes); most > 0 && all > most {
		return &Shortage{Resource: "memory", Need: all, Have: most}
	}
	return nil
}

// Late reports whether normals were left for later, see Drawer.LateNormals.
func (in *Input) Late() bool { return in.normals != nil }

// Smooth finds the normals of a mesh that were left for later, see Drawer.LateNormals. The goroutine that draws the
// mesh has to call Smooth before it draws.
func (in *Input) Smooth(ctx context.Context) error {
	if in.normals == nil {
		return nil
	}
	if err := in.normals(ctx); err != nil {
		return err
	}
	in.normals = nil
	return nil
}

// blends reports whether a material of a mesh is transparent.
func blends(mesh *scenes.Mesh) bool {
	a := mesh.Attributes
	if a == nil {
		return false
	}
	for _, m := range a.MaterialOf {
		if m >= 0 && a.Materials[m].Alpha == scenes.AlphaBlend {
			return true
		}
	}
	return false
}

// fieldNames lists the fields of a mesh for messages.
func fieldNames(mesh *scenes.Mesh) string {
	if mesh.Attributes == nil || len(mesh.Attributes.Fields) == 0 {
		return "the mesh has no numbers to colour by"
	}
	names := make([]string, len(mesh.Attributes.Fields))
	for i := range names {
		names[i] = mesh.Attributes.Fields[i].Name
	}
	return "the mesh has " + strings.Join(names, ", ")
}

// Look returns the options for pictures of an input. If the mesh is not in memory, looks that need it in memory are
// replaced by plain looks, and d warns about that and about a missing shadow.
func (d *Drawer) Look(p Picture, in *Input, o render.Options) render.Options {
	bare := *p.full().Lines.Ground && !p.shadows(in) && !in.Box.Empty()
	_, surface := in.Source.(*render.Surface)
	if _, stored := in.Source.(*render.Stored); !surface && !stored && o.InMemory() {
		lost := "occlusion"
		if bare {
			lost = "occlusion and shadow"
		}
		d.warn(in.Name + ": drawn flat, without " + lost + ": there is no memory for all of the mesh (--fast, in a recipe Picture.Fast, avoids the warning)")
		o.Shading, o.Occlusion, o.Facing, o.Field, o.Finish = render.ShadingFlat, false, false, render.Field{}, nil
	} else if bare {
		d.warn(in.Name + ": drawn without a shadow: there is no memory for all of the mesh (--no-ground does the same without a warning)")
	}
	return o
}
