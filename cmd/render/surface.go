package main

import (
	"context"
	"strings"

	"lockstep/render"
	"lockstep/scenes"
)

// makeSurface prepares a mesh for options that light pixels one by one. A mesh that stays
// in its file is left as it is, see lookOf; so is one whose normals do not fit into free memory,
// or with it into the most bytes that the user allows (0: no limit).
func (a *app) makeSurface(ctx context.Context, in *input, r *room, most int64, picture render.Options) error {
	mesh, ok := in.src.(*scenes.Mesh)
	if !ok || !picture.InMemory() {
		return nil
	}
	if name := picture.Field.Name; name != "" && render.FieldOf(mesh, name) == nil {
		return usagef("%s: --field %s: %s", in.name, name, fieldNames(mesh))
	}
	if picture.Color == nil && blends(mesh) {
		in.warned = append(in.warned, in.name+": translucent materials are drawn sample by sample, as many as alpha says: --samples 16 is finer")
	}
	s := &render.Surface{Mesh: mesh}
	in.src = s
	if picture.Shading != render.ShadingSmooth {
		return nil
	}
	need := render.SurfaceBytes(mesh.Len())
	short := r.lacks(append(drawing(picture, 1), in.held, need)...)
	if short == nil && most > 0 && in.held+need > most {
		short = &shortage{"memory", in.held + need, most}
	}
	if short != nil {
		in.warned = append(in.warned, in.name+": shaded flat: smooth shading "+short.text())
		return nil
	}
	if err := render.CheckSurface(mesh.Len(), picture.Crease); err != nil {
		return usagef("%s: %w", in.name, err)
	}
	in.normals = func(ctx context.Context) error {
		smooth, err := render.NewSurface(ctx, mesh, picture.Crease)
		if err == nil {
			in.src = smooth
		}
		return err
	}
	if a.lateNormals {
		return nil
	}
	return in.smooth(ctx)
}

// smooth finds the normals of a mesh that were left for later, see app.lateNormals. A mesh is drawn
// after it, by the same goroutine.
func (in *input) smooth(ctx context.Context) error {
	if in.normals == nil {
		return nil
	}
	if err := in.normals(ctx); err != nil {
		return err
	}
	in.normals = nil
	return nil
}

// blends reports whether a material of a mesh lets what lies behind shine through.
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

// fieldNames says which fields a mesh has.
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

// lookOf returns the options for an input: plain ones where its mesh is not in memory,
// which the user is told.
func (a *app) lookOf(in *input, o render.Options) render.Options {
	if _, ok := in.src.(*render.Surface); !ok && o.InMemory() {
		a.warn("%s: drawn flat, without occlusion: there is no memory for all of the mesh (--fast does the same without a warning)", in.name)
		o.Shading, o.Occlusion, o.Facing, o.Field = render.ShadingFlat, false, false, render.Field{}
	}
	return o
}

// A progressSurface is a progressSource of a surface.
type progressSurface struct {
	*render.Surface
	progress *progress
}

// Slice returns triangles lo to hi (exclusive).
func (m *progressSurface) Slice(lo, hi int) scenes.Block {
	m.progress.Add(int64(hi - lo))
	return m.Surface.Slice(lo, hi)
}
