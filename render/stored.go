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

// A Stored is a mesh that stays in a prepared file. Frames read only those parts of the file that may be visible.
// Several renderers may draw a Stored at once. Pictures are the same as for a mesh in memory with the file's normals.
type Stored struct {
	*prepared.File
	groups  *groups.Groups // nil if the file's groups are damaged
	damage  error          // error of reading the groups; nil if they could be read
	surface *Surface       // surface that is drawn in frames whose pixels are lit one by one
}

// NewStored prepares a file for drawing. The caller closes the file after the last frame. NewStored needs 25 bytes of
// memory for every 64 triangles, and 4 bytes per triangle for colours. The file's reader caches other parts of the
// file, up to a limit of its own. Attributes are not drawn, see prepared.File.Plain.
//
// If the boxes of groups, or their positions in the file, are damaged, frames read the whole file; see Ungrouped.
// NewStored returns all other errors of reading the file.
func NewStored(f *prepared.File) (*Stored, error) {
	if f == nil {
		return nil, errors.New("draw a prepared mesh: expected a file, not nil")
	}
	s := &Stored{File: f}
	columns, err := f.GroupBounds()
	var damage *scenes.DamageError
	switch {
	case err == nil:
		s.groups = groups.FromStored(f, columns)
	case errors.As(err, &damage):
		s.damage = err
	default:
		return nil, fmt.Errorf("draw a prepared mesh: %w", err)
	}
	colors, err := f.Colors()
	if err != nil {
		return nil, fmt.Errorf("draw a prepared mesh: %w", err)
	}
	info := f.Info()
	words := flatRecordWords
	if _, smooth := f.Smooth(); smooth {
		words = prepared.RecordWords
	}
	s.surface = &Surface{
		Mesh:   &scenes.Mesh{Block: scenes.Block{Colors: colors}, Origin: info.Origin, Up: info.Up, Unit: info.Unit},
		stored: &surface.Stored{Chunks: f, Words: words}, storedSmooth: words > flatRecordWords,
	}
	return s, nil
}

// Ungrouped returns the error that made the data of groups unusable, or nil. With an error, frames read the whole
// file. Pictures are the same in both cases.
func (s *Stored) Ungrouped() error { return s.damage }

// Colored returns a mesh that has the colours of the triangles, but no triangles.
func (s *Stored) Colored() *scenes.Mesh { return s.surface.Mesh }

// flatRecordWords is the number of 32-bit words of a triangle's record if the file has no normals.
const flatRecordWords = 9

// storedGroups returns the groups of triangles of a source that is a Stored, or nil for other sources. It also returns
// nil if the source must be drawn block by block:
//
//   - Groups are switched off.
//   - Blocks are traced or drawn into layers.
//   - Blocks are smaller than a group, or timed and smaller than blocks of the file.
func (e *engine) storedGroups(part *framePart) *groups.Groups {
	s := e.job.subject.stored
	if s == nil || e.trace.write != nil || part.Layer != nil || part.Strip != nil || e.options.Leaves == lb.Never || e.options.BlockSize < groups.Size {
		return nil
	}
	if e.options.TimeBlocks && e.options.BlockSize < scenes.BlockSize {
		return nil
	}
	return s.groups
}

// BlockCentres returns the centre of each block's box, for the blocks that Renderer.BlockSeconds times. These blocks
// are runs of scenes.BlockSize triangles in the order of the groups. A block without bounds has the origin as its
// centre. If the groups are damaged, frames draw the blocks of the file instead, and BlockCentres returns nil.
func (s *Stored) BlockCentres() [][3]float64 {
	if s.groups == nil {
		return nil
	}
	return s.groups.Centres(scenes.BlockSize / groups.Size)
}
