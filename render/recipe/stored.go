package recipe

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"sync"

	"lockstep/render"
	"lockstep/render/recipe/internal/contents"
	"lockstep/scenes"
	"lockstep/scenes/prepared"
	"lockstep/scenes/procedural"
)

// readsChunks reports whether pictures of a prepared mesh need only those parts of its file, called chunks, that they
// show. This is so if the mesh is not changed, is drawn without lines, and has its own colours.
func (p *Picture) readsChunks() bool {
	return p.drawn() == 1 && !p.compares() && !p.Edited() && p.full().Look.Field == "" && !p.Annotations().NeedsMesh()
}

// openStored opens the first mesh of a recipe if it is prepared and can stay in its file. Otherwise it returns nil
// without an error, and the caller reads the mesh as a mesh of any format.
func (d *Drawer) openStored(ctx context.Context, p *Picture, o render.Options, opts scenes.ReadOptions) (*Input, error) {
	name := p.Meshes[0].File
	if d.Resident || d.Standing != nil && p.Meshes[0].Up != "" || !p.readsChunks() || !isPrepared(name) {
		return nil, nil
	}
	opts.Format = ""
	opened, done := d.recordFiles(Folder(0), name, &opts)
	defer done()
	in, err := openFile(ctx, name, opts)
	if err != nil || len(opened) > 0 {
		if errors.Is(err, scenes.ErrNotSeekable) {
			err = nil
		}
		return nil, err
	}
	file := in.Source.(*prepared.File)
	crease, smooth := file.Smooth()
	if o.InMemory() && !file.Plain() {
		in.Close()
		return nil, nil
	}
	if o.InMemory() && o.Shading == render.ShadingSmooth && smooth && o.Crease != crease {
		in.Close()
		return nil, nil
	}
	s, err := render.NewStored(file)
	if err != nil {
		in.Close()
		return nil, err
	}
	if o.InMemory() && o.Shading == render.ShadingSmooth && !smooth {
		in.Warnings = append(in.Warnings, Name(name)+": shaded flat: it was prepared without normals (--shading flat avoids the warning)")
	}
	if err := s.Ungrouped(); err != nil {
		in.Warnings = append(in.Warnings, err.Error()+": each picture reads all triangles")
	}
	in.Source, in.damageOnce, in.Held, in.Parts = s, new(sync.Once), in.Bytes, file.Parts()
	if opts.MaxMemory > 0 {
		in.Held = min(in.Held, opts.MaxMemory)
	}
	if d.NoteContents {
		in.Contents, err = contents.Of(ctx, name, nil)
	}
	return in, err
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

// warnChunks warns about chunks of a prepared mesh that could not be read for a picture. It warns only once per input.
func (d *Drawer) warnChunks(in *Input) {
	s, ok := in.Source.(*render.Stored)
	if !ok || s.Damage() == nil {
		return
	}
	in.damageOnce.Do(func() { d.warn(s.Damage().Error() + ": its triangles are left out") })
}
