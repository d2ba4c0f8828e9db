package render

import (
	"errors"
	"fmt"

	"lockstep/lb"
	"lockstep/render/internal/groups"
	"lockstep/render/internal/surface"
	"lockstep/scenes"
	"lockstep/scenes/prepared"
)

// A Stored is a mesh that stays in a prepared file, of which frames read only what they may show. It may be drawn by several
// renderers at once. Pictures are those of the mesh in memory, with the normals that the file has.
type Stored struct {
	*prepared.File
	groups  *groups.Groups
	surface *Surface // of frames whose pixels are lit one by one
}

// NewStored prepares to draw a file, whose owner closes it after the last frame. It takes 25 bytes for 64 triangles, and 4 for
// each triangle with a colour. What else is kept of the file is what its reader was allowed to keep. Attributes are not drawn, see
// prepared.File.Plain. The error is that of reading the file.
func NewStored(f *prepared.File) (*Stored, error) {
	if f == nil {
		return nil, errors.New("draw a prepared mesh: expected a file, not nil")
	}
	columns, err := f.GroupBounds()
	if err != nil {
		return nil, fmt.Errorf("draw a prepared mesh: %w", err)
	}
	colors, err := f.Colors()
	if err != nil {
		return nil, fmt.Errorf("draw a prepared mesh: %w", err)
	}
	info := f.Info()
	s := &Stored{File: f, groups: groups.Of(f, columns)}
	words := flatRecord
	if _, smooth := f.Smooth(); smooth {
		words = prepared.RecordWords
	}
	s.surface = &Surface{
		Mesh:   &scenes.Mesh{Block: scenes.Block{Colors: colors}, Origin: info.Origin, Up: info.Up, Unit: info.Unit},
		stored: &surface.Stored{Chunks: f, Words: words}, smooth: words > flatRecord,
	}
	return s, nil
}

// Colored returns a mesh with the colours of the triangles, and no triangles.
func (s *Stored) Colored() *scenes.Mesh { return s.surface.Mesh }

// flatRecord is how many numbers a record without normals has.
const flatRecord = 9

// storedGroups returns the groups of a source that is stored, nil where it is none or is drawn block by block: where blocks
// are timed or traced, or have numbers, or hold less than a group.
func (e *engine) storedGroups(source scenes.Source, parts *frameParts) *groups.Groups {
	s, ok := source.(*Stored)
	if !ok || e.options.TimeBlocks || e.trace.write != nil || parts.Layer != nil || parts.Strip != nil || e.options.Leaves == lb.Never || e.options.BlockSize < groups.Size {
		return nil
	}
	return s.groups
}
