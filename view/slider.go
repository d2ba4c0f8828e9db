package view

import (
	"context"

	"lockstep/render"
	"lockstep/render/recipe"
)

// A sectionCache holds two meshes while the user moves a section. One is the mesh before it is cut, with its normals,
// because computing normals takes longer than a cut. The other is the mesh after the latest cut.
type sectionCache struct {
	whole   *recipe.Input // mesh before it is cut; nil if there is none
	wholeOf string        // meshKey of the recipe of whole
	cut     *recipe.Input // mesh after the latest cut; nil if there is none
	cutOf   string        // meshKey of the recipe of cut
	cutter  recipe.Slider
}

// uncut returns a recipe without its cuts.
func uncut(p recipe.Picture) recipe.Picture {
	p.Cuts = recipe.Cuts{}
	return p
}

// movedInput returns the prepared mesh of the recipe of a movement. If a section has moved, it cuts the mesh again but
// keeps the normals of the whole mesh. Still pictures use normals of the cut mesh.
func (s *session) movedInput(ctx context.Context, p recipe.Picture, o render.Options) (*recipe.Input, error) {
	key, err := s.preparedKey(p)
	switch {
	case err != nil:
		return nil, err
	case len(p.Cuts.Sections) == 0 && s.base.Mesh() == nil:
		s.sections = sectionCache{} // frees the memory of the whole mesh
		return s.preparedInput(ctx, p, o, true)
	case len(p.Cuts.Sections) == 0 && s.sections.whole != nil && s.sections.wholeOf == key:
		s.forgetDrawn()
		s.cachedInput, s.cachedKey, s.sections = s.sections.whole, key, sectionCache{}
		return s.cachedInput, nil
	case s.cachedInput != nil && s.cachedKey == key, len(p.Cuts.Sections) == 0:
		return s.preparedInput(ctx, p, o, true)
	case s.sections.cut != nil && s.sections.cutOf == key:
		return s.sections.cut, nil
	}
	whole, err := s.uncutInput(ctx, uncut(p), o)
	if err != nil {
		return nil, err
	}
	s.forgetDrawn() // the cutter reuses the memory of the last cut, which the present drawing may show
	s.sections.cut = nil
	s.stills.Close() // frees memory
	if s.cachedInput != whole {
		s.cachedInput = nil
	}
	if s.sections.cut, err = s.sections.cutter.Cut(ctx, &s.server.options.Drawer, whole, p, o); err != nil {
		s.sections.cut = nil
		return nil, err
	}
	s.sections.cutOf = key
	return s.sections.cut, nil
}

// forgetDrawn makes the next movement start a new drawing.
func (s *session) forgetDrawn() {
	if s.drawnKey = ""; s.drawing != nil {
		s.drawing.Input = nil
	}
}

// uncutInput returns the prepared mesh of a recipe without cuts, and stores it for the next positions of the section.
func (s *session) uncutInput(ctx context.Context, p recipe.Picture, o render.Options) (*recipe.Input, error) {
	key, err := s.preparedKey(p)
	if err != nil || s.sections.whole != nil && s.sections.wholeOf == key {
		return s.sections.whole, err
	}
	in, err := s.wholeInput(ctx, p, o)
	if err == nil {
		s.sections = sectionCache{whole: in, wholeOf: key}
	}
	return in, err
}
