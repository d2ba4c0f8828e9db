package main

import (
	"lockstep/render"
	"lockstep/scenes"
)

// withProgress returns the input's source. If progress is shown, the result also adds the triangles that a frame has
// read to a progress bar.
func (w *pipeline) withProgress(label string) scenes.Source {
	p := w.app.Progress
	if !p.IsVisible() {
		return w.Input.Source
	}
	p.Begin(label, int64(w.Input.Source.Len()))
	switch mesh := w.Input.Source.(type) {
	case *scenes.Mesh:
		return &progressMesh{Mesh: mesh, add: p.Add}
	case *render.Stored: // not counted, because a frame reads only a part of the file
		return mesh
	case *scenes.Points: // not counted, because the renderer does not read blocks of it
		return mesh
	case *render.Surface:
		return &progressSurface{Surface: mesh, add: p.Add}
	}
	return &progressSource{Source: w.Input.Source, add: p.Add}
}

// A progressSource is a source that shows on a progress bar how many of its triangles have been read.
type progressSource struct {
	scenes.Source
	add func(triangles int64)
}

// ReadBlock implements scenes.Source.
func (s *progressSource) ReadBlock(i int, dst *scenes.Block) error {
	err := s.Source.ReadBlock(i, dst)
	s.add(int64(dst.Len()))
	return err
}

// A progressMesh is a progressSource of a mesh in memory. The renderer can slice it at any triangle.
type progressMesh struct {
	*scenes.Mesh
	add func(triangles int64)
}

// Slice returns triangles lo to hi (exclusive), and counts them.
func (m *progressMesh) Slice(lo, hi int) scenes.Block {
	m.add(int64(hi - lo))
	return m.Mesh.Slice(lo, hi)
}

// Whole returns all triangles without counting them, because the renderer has sliced them before.
func (m *progressMesh) Whole() *scenes.Block { return &m.Block }

// A progressSurface is a progressSource of a surface.
type progressSurface struct {
	*render.Surface
	add func(triangles int64)
}

// Slice returns triangles lo to hi (exclusive), and counts them.
func (m *progressSurface) Slice(lo, hi int) scenes.Block {
	m.add(int64(hi - lo))
	return m.Surface.Slice(lo, hi)
}

// Whole returns all triangles without counting them, like progressMesh.Whole.
func (m *progressSurface) Whole() *scenes.Block { return &m.Block }
