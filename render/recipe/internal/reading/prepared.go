package reading

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"

	"lockstep/render"
	"lockstep/render/recipe/internal/contents"
	"lockstep/scenes"
	"lockstep/scenes/prepared"
	"lockstep/scenes/procedural"
)

// OpenPrepared opens the first mesh of a recipe if three conditions hold: the mesh is a prepared file, the mesh may
// stay in that file, and the function accept returns true. Otherwise OpenPrepared returns nil without an error. The
// caller then reads the mesh like a mesh of any other format.
func (r *Reader) OpenPrepared(ctx context.Context, name string, accept func(*prepared.File) bool, opts scenes.ReadOptions) (*Mesh, error) {
	if !isPrepared(name, &opts) {
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
	if !accept(file) {
		m.Close()
		return nil, nil
	}
	if m.Bytes > smallMesh {
		r.callLoading()
	}
	s, err := render.NewStored(file)
	if err != nil {
		m.Close()
		return nil, err
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

// Suits reports whether a prepared file contains all data for pictures with the options o.
func Suits(file *prepared.File, o render.Options) bool {
	crease, smooth := file.Smooth()
	return !o.InMemory() || file.Plain() && (o.Shading != render.ShadingSmooth || !smooth || o.Crease == crease)
}

// MissingNormals returns a warning if pictures with the options o are shaded flat because a prepared file has no
// normals. Otherwise it returns "".
func MissingNormals(name string, file *prepared.File, o render.Options) string {
	if _, smooth := file.Smooth(); smooth || !o.InMemory() || o.Shading != render.ShadingSmooth {
		return ""
	}
	return Name(name) + ": shaded flat: it was prepared without normals (--shading flat avoids the warning)"
}

// isPrepared reports whether a mesh is a file that starts with the signature of prepared files.
func isPrepared(name string, opts *scenes.ReadOptions) bool {
	if name == "-" || strings.HasPrefix(name, procedural.Prefix) {
		return false
	}
	info, err := opts.StatFile(name)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	f, err := opts.OpenFile(name)
	if err != nil {
		return false
	}
	defer f.Close()
	mark := make([]byte, len(prepared.Mark))
	_, err = io.ReadFull(f, mark)
	return err == nil && bytes.Equal(mark, []byte(prepared.Mark))
}
