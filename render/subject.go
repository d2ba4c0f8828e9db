package render

import (
	"context"
	"fmt"

	"lockstep/render/internal/sources"
	"lockstep/scenes"
	"lockstep/vp/machine"
)

// A subject is the source of a frame. At most one of the fields mesh, surface, stored and points is set; it tells the
// kind of the source.
type subject struct {
	source  scenes.Source  // nil if tile rows of layers are lit
	mesh    *scenes.Mesh   // the source, if it is a mesh without normals
	surface *Surface       // the source, if it is a surface in memory
	stored  *Stored        // the source, if it stays in a file
	points  *scenes.Points // the source, if it is a cloud
	lit     *Surface       // surface whose pixels are lit one by one; may be nil
	whole   scenes.Block   // all triangles of a source in memory; set by block
}

// subjectOf finds the kind of a source. If pixels are lit one by one, it makes a surface of a scenes.Mesh, on the
// workers of m.
func (o *Options) subjectOf(ctx context.Context, source scenes.Source, m *machine.Machine) (subject, error) {
	s := subject{source: source}
	switch of := source.(type) {
	case *scenes.Mesh:
		s.mesh = of
	case interface{ self() *Surface }:
		s.surface = of.self()
	case *Stored:
		s.stored = of
	case *scenes.Points:
		s.points = of
	}
	var err error
	if o.deferredShading() {
		s.lit, err = s.litSurface(ctx, o, m)
	}
	return s, err
}

// litSurface returns the surface with which pixels are lit one by one. It makes one if the source is a scenes.Mesh. A
// source of unknown kind is an error.
func (s *subject) litSurface(ctx context.Context, o *Options, m *machine.Machine) (*Surface, error) {
	switch {
	case s.surface != nil:
		return s.surface, nil
	case s.stored != nil:
		return s.stored.surface, nil
	case s.points != nil:
		return &Surface{Mesh: new(scenes.Mesh), points: s.points}, nil
	case s.mesh != nil && o.Shading == ShadingFlat:
		return &Surface{Mesh: s.mesh}, nil
	case s.mesh != nil:
		return newSurface(ctx, s.mesh, o.Crease, m)
	}
	return nil, fmt.Errorf("smooth shading and occlusion need a mesh in memory, not a %T", s.source)
}

// copyFacts sets the fields of q that describe the source: the numbers of triangles, blocks and points, and whether the
// source is in memory.
func (s *subject) copyFacts(q *request) {
	if s.source == nil {
		return
	}
	q.triangles, q.sourceBlocks = s.source.Len(), scenes.NumBlocks(s.source)
	_, q.inMemory = s.source.(sources.Slicer)
	if s.points != nil {
		q.points = len(s.points.X)
	}
}

// block returns all triangles of a source in memory.
func (s *subject) block() *scenes.Block {
	s.whole = sources.Whole(s.source)
	return &s.whole
}

// readError returns the error of reading a source that stays in a file, or nil.
func (s *subject) readError() error {
	if s.stored == nil {
		return nil
	}
	return s.stored.Failed()
}
