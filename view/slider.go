package view

import (
	"context"

	"lockstep/render"
	"lockstep/render/recipe"
)

// A slider holds what moving sections need: the mesh before it is cut, with its normals, which take longer to find than
// the cut.
type slider struct {
	whole   *recipe.Input // nil: unknown
	wholeOf string        // meshKey of the recipe of whole
	cut     *recipe.Input // whole after the last cut; nil: none
	cutOf   string        // meshKey of the recipe of cut
	cutter  recipe.Slider
}

// uncut returns a recipe without its cuts.
func uncut(p recipe.Picture) recipe.Picture {
	p.Cuts = recipe.Cuts{}
	return p
}

// movedInput returns the prepared mesh of the recipe of a movement. Sections that have moved cut the mesh anew, but its
// normals stay; the picture that stands has the normals of the cut mesh.
func (s *session) movedInput(ctx context.Context, p recipe.Picture, o render.Options) (*recipe.Input, error) {
	key, err := meshKey(p)
	switch {
	case err != nil:
		return nil, err
	case len(p.Cuts.Sections) == 0 && s.slider.whole != nil && s.slider.wholeOf == key:
		s.forgetDrawn()
		s.cachedInput, s.cachedKey, s.slider = s.slider.whole, key, slider{}
		return s.cachedInput, nil
	case s.cachedInput != nil && s.cachedKey == key, len(p.Cuts.Sections) == 0:
		return s.input(ctx, p, o, true)
	case s.slider.cut != nil && s.slider.cutOf == key:
		return s.slider.cut, nil
	}
	whole, err := s.whole(ctx, uncut(p), o)
	if err != nil {
		return nil, err
	}
	s.forgetDrawn() // the memory of the last cut is used again
	s.slider.cut = nil
	s.stills.Close() // makes room, as does the input that was drawn last
	if s.cachedInput != whole {
		s.cachedInput = nil
	}
	if s.slider.cut, err = s.slider.cutter.Cut(ctx, &s.server.options.Drawer, whole, p, o); err != nil {
		s.slider.cut = nil
		return nil, err
	}
	s.slider.cutOf = key
	return s.slider.cut, nil
}

// forgetDrawn makes the next movement begin its drawing anew.
func (s *session) forgetDrawn() {
	if s.drawn = ""; s.drawing != nil {
		s.drawing.Input = nil
	}
}

// whole returns the prepared mesh of a recipe without cuts, and keeps it for the next sections.
func (s *session) whole(ctx context.Context, p recipe.Picture, o render.Options) (*recipe.Input, error) {
	key, err := meshKey(p)
	if err != nil || s.slider.whole != nil && s.slider.wholeOf == key {
		return s.slider.whole, err
	}
	in, err := s.input(ctx, p, o, false)
	if err == nil {
		s.slider = slider{whole: in, wholeOf: key}
	}
	return in, err
}
