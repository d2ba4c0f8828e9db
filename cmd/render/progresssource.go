package main

import (
	"lockstep/internal/cli"
	"lockstep/render"
	"lockstep/scenes"
)

// withProgress returns the source with a progress bar that counts its blocks, for
// frames that last.
func (w *pipeline) withProgress(label string) scenes.Source {
	p := w.app.Progress
	if !p.Visible() {
		return w.Input.Source
	}
	p.Begin(label, int64(w.Input.Source.Len()))
	switch mesh := w.Input.Source.(type) {
	case *scenes.Mesh:
		return &progressMesh{Mesh: mesh, progress: p}
	case *render.Stored: // of which a frame reads only a part
		return mesh
	case *render.Surface:
		return &progressSurface{Surface: mesh, progress: p}
	}
	return &progressSource{Source: w.Input.Source, progress: p}
}

// A progressSource reports the triangles that it hands out.
type progressSource struct {
	scenes.Source
	progress *cli.Progress
}

// ReadBlock implements scenes.Source.
func (s *progressSource) ReadBlock(i int, dst *scenes.Block) error {
	err := s.Source.ReadBlock(i, dst)
	s.progress.Add(int64(dst.Len()))
	return err
}

// A progressMesh is a progressSource that can be sliced anywhere, as a renderer
// likes it.
type progressMesh struct {
	*scenes.Mesh
	progress *cli.Progress
}

// Slice returns triangles lo to hi (exclusive).
func (m *progressMesh) Slice(lo, hi int) scenes.Block {
	m.progress.Add(int64(hi - lo))
	return m.Mesh.Slice(lo, hi)
}

// A progressSurface is a progressSource of a surface.
type progressSurface struct {
	*render.Surface
	progress *cli.Progress
}

// Slice returns triangles lo to hi (exclusive).
func (m *progressSurface) Slice(lo, hi int) scenes.Block {
	m.progress.Add(int64(hi - lo))
	return m.Surface.Slice(lo, hi)
}
