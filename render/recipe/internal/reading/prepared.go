package reading

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"strings"

	"lockstep/render"
	"lockstep/render/recipe/internal/contents"
	"lockstep/scenes"
	"lockstep/scenes/prepared"
	"lockstep/scenes/procedural"
)

// Prepared opens the first mesh of a recipe for pictures with the options o if it is prepared and can stay in its file.
// Otherwise it returns nil without an error, and the caller reads the mesh as a mesh of any format.
func (r *Reader) Prepared(ctx context.Context, name string, o render.Options, opts scenes.ReadOptions) (*Mesh, error) {
	if !isPrepared(name) {
		return nil, nil
	}
	opts.Format = ""
	opened, done := r.record(Folder(0), name, &opts)
	defer done()
	m, err := openFile(ctx, name, opts)
	if err != nil || len(opened) > 0 {
		if errors.Is(err, scenes.ErrNotSeekable) {
			err = nil
		}
		return nil, err
	}
	file := m.Source.(*prepared.File)
	crease, smooth := file.Smooth()
	if o.InMemory() && !file.Plain() {
		m.Close()
		return nil, nil
	}
	if o.InMemory() && o.Shading == render.ShadingSmooth && smooth && o.Crease != crease {
		m.Close()
		return nil, nil
	}
	s, err := render.NewStored(file)
	if err != nil {
		m.Close()
		return nil, err
	}
	if o.InMemory() && o.Shading == render.ShadingSmooth && !smooth {
		m.Warnings = append(m.Warnings, Name(name)+": shaded flat: it was prepared without normals (--shading flat avoids the warning)")
	}
	if err := s.Ungrouped(); err != nil {
		m.Warnings = append(m.Warnings, err.Error()+": each picture reads all triangles")
	}
	m.Source, m.Held, m.Parts = s, m.Bytes, file.Parts()
	if opts.MaxMemory > 0 {
		m.Held = min(m.Held, opts.MaxMemory)
	}
	if r.NoteContents {
		if m.Contents, err = contents.Of(ctx, name, nil); err != nil {
			m.Close()
			return nil, err
		}
	}
	return m, nil
}

// isPrepared reports whether a mesh is a file that starts with the mark of prepared files.
func isPrepared(name string) bool {
	if name == "-" || strings.HasPrefix(name, procedural.Prefix) {
		return false
	}
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	f, err := os.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	mark := make([]byte, len(prepared.Mark))
	_, err = io.ReadFull(f, mark)
	return err == nil && bytes.Equal(mark, []byte(prepared.Mark))
}
