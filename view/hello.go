package view

import (
	"context"
	"encoding/json"

	"lockstep/render/recipe"
	"lockstep/scenes"
	"lockstep/scenes/load"
)

// describeMesh returns the hello message about the mesh of a request. For a request of the kind "file", the message
// includes the camera that shows the whole mesh. Otherwise the page keeps its camera.
func (s *session) describeMesh(ctx context.Context, r *request) ([]byte, error) {
	p := s.server.options.Picture
	p.Meshes, p.Size = s.choice.meshes[:1], r.Size
	in, err := s.inputForGeometry(ctx, p)
	if err != nil {
		return nil, err
	}
	box := in.Box
	if p.Cut() { // the page needs the box of the whole mesh, because positions of sections refer to it
		whole, err := s.inputForGeometry(ctx, uncut(p))
		if err != nil {
			return nil, err
		}
		box = whole.Box
	}
	origin := in.Source.Info().Origin
	state := p
	state.Meshes, state.Size = nil, recipe.Size{}
	text, err := json.Marshal(state)
	if err != nil {
		return nil, err
	}
	dropped := s.browser.meshes()
	names := s.server.meshNames(dropped)
	h := hello{
		Kind: "hello", File: r.File, Files: names, Name: names[r.File], Dropped: len(dropped), Room: maxDropped - len(dropped), Diff: s.server.options.Diff,
		Triangles: s.base.Len(), Picture: text, Warnings: in.Warnings, Parts: partsOf(s.base), AllParts: max(len(s.base.Parts()), 1), Fields: fieldsOf(s.base.Mesh()), Extensions: load.Names(),
	}
	if s.browser != nil {
		h.Client = s.browser.name
	}
	if r.Kind == "file" {
		cam, err := p.Fit(ctx, in)
		if err != nil {
			return nil, err
		}
		c := cameraOf(&cam, origin)
		h.Camera = &c
	}
	if in.Unit > 0 {
		h.Unit = recipe.UnitName(in.Unit)
	}
	up := p.UpOf(in).Vector()
	for axis := range 3 {
		h.Box[0][axis], h.Box[1][axis] = float64(box.Min[axis])+origin[axis], float64(box.Max[axis])+origin[axis]
		h.Up[axis] = float64(up[axis])
	}
	return json.Marshal(h)
}

// partsOf describes the first parts of a mesh. A mesh without parts counts as one part.
func partsOf(base *recipe.Base) (parts []partInfo) {
	all := base.Parts()
	if len(all) == 0 {
		all = []scenes.Part{{Count: base.Len()}}
	}
	for _, part := range all[:min(len(all), maxParts)] {
		p := partInfo{Name: part.Name, Triangles: part.Count}
		if mesh := base.Mesh(); mesh != nil {
			p.Area = new(areaOf(mesh, part.First, part.Count))
		}
		parts = append(parts, p)
	}
	return parts
}

// fieldsOf describes the fields of a mesh. mesh is nil if it is not in memory; the result is then empty.
func fieldsOf(mesh *scenes.Mesh) []fieldInfo {
	fields := []fieldInfo{}
	if mesh == nil {
		return fields
	}
	if a := mesh.Attributes; a != nil {
		for i := range a.Fields {
			f := fieldInfo{Name: a.Fields[i].Name}
			if low, high := a.Fields[i].Range(); low <= high && isFinite(low) && isFinite(high) {
				f.Low, f.High = &low, &high
			}
			fields = append(fields, f)
		}
	}
	return fields
}
