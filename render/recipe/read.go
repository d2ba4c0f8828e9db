package recipe

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"lockstep/render/recipe/internal/contents"
	"lockstep/scenes"
	"lockstep/scenes/load"
	"lockstep/scenes/procedural"
)

// readFirst reads the first mesh of a recipe. once says that the mesh is needed only once, so that it need not be kept
// in memory. held says that the mesh must be in memory if possible.
func (d *Drawer) readFirst(ctx context.Context, mesh string, once, held bool, opts scenes.ReadOptions) (*Input, error) {
	switch {
	case strings.HasPrefix(mesh, procedural.Prefix):
		return d.readScene(ctx, mesh, held, opts)
	case mesh == "-":
		d.callLoading()
		return d.readStdin(ctx, opts)
	}
	if info, err := os.Stat(mesh); err != nil || !info.Mode().IsRegular() || info.Size() > smallMesh {
		d.callLoading()
	}
	return d.readNamed(ctx, mesh, 0, once, held, opts)
}

// readNamed reads the file of the i-th mesh, and records which files were opened.
func (d *Drawer) readNamed(ctx context.Context, mesh string, i int, once, held bool, opts scenes.ReadOptions) (*Input, error) {
	opened, done := d.recordFiles(Folder(i), mesh, &opts)
	defer done()
	in, err := d.readConverted(ctx, mesh, once, held, opts)
	if err != nil {
		return nil, err
	}
	in.besideFiles = slices.Sorted(maps.Keys(opened))
	if d.NoteContents {
		in.Contents, err = contents.Of(ctx, mesh, in.besideFiles)
	}
	return in, err
}

// readConverted reads a mesh file, or the mesh file that Drawer.Convert makes from another file.
func (d *Drawer) readConverted(ctx context.Context, mesh string, once, held bool, opts scenes.ReadOptions) (*Input, error) {
	if d.Convert == nil {
		return readFile(ctx, mesh, once, held, opts)
	}
	made, remove, err := d.Convert(ctx, mesh)
	if err != nil {
		return nil, err
	}
	defer remove()
	if made == "" {
		return readFile(ctx, mesh, once, held, opts)
	}
	opts.Name, opts.Format = mesh, ""
	in, err := readFile(ctx, made, false, true, opts) // into memory, because the converted file is removed afterwards
	if err == nil {
		in.Label = filepath.Base(mesh)
	}
	return in, err
}

func (d *Drawer) callLoading() {
	if d.Loading != nil {
		d.Loading()
	}
}

// firstOf returns the first line, or "" if there are no lines.
func firstOf(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	return lines[0]
}

// newMeshInput returns an input for a mesh in memory and the report of its reader.
func newMeshInput(mesh *scenes.Mesh, report *scenes.Report) *Input {
	return &Input{
		Source:   mesh,
		Box:      report.Bounds,
		Format:   report.Format,
		Packed:   report.Packing,
		Bytes:    report.Bytes,
		Bad:      report.BadTriangles,
		Parts:    mesh.Parts,
		Clips:    report.Clips,
		Warnings: report.Warnings, damage: firstOf(report.Warnings),
	}
}

// tooLarge reports whether a mesh was larger than its reader's limits.
func tooLarge(err error) bool {
	var limit *scenes.LimitError
	return errors.As(err, &limit)
}

const (
	// smallMesh is the largest size in bytes of a mesh that is read so quickly that Drawer.Loading is not called.
	smallMesh = 8 << 20
	// keptTriangles is the largest number of triangles of a procedural scene that is always kept in memory (150 MB).
	// Larger scenes are computed block by block whenever a frame needs them.
	keptTriangles = 4 << 20
	// streamedBytes is the size in bytes from which a binary STL file stays on disk even if it is needed more than
	// once. Its blocks are decoded whenever a frame needs them.
	streamedBytes = 512 << 20
)

func readFile(ctx context.Context, path string, once, held bool, opts scenes.ReadOptions) (*Input, error) {
	if info, err := os.Stat(path); err == nil && (once || !held && info.Size() >= streamedBytes) {
		in, err := openFile(ctx, path, opts)
		if !errors.Is(err, scenes.ErrNotSeekable) {
			return in, err
		}
	}
	mesh, report, err := load.File(ctx, path, opts)
	if tooLarge(err) && !once {
		if in, err := openFile(ctx, path, opts); !errors.Is(err, scenes.ErrNotSeekable) {
			return in, err
		}
	}
	if err != nil {
		return nil, err
	}
	in := newMeshInput(mesh, report)
	in.Label = filepath.Base(path)
	return in, nil
}

func openFile(ctx context.Context, path string, opts scenes.ReadOptions) (*Input, error) {
	file, report, err := load.Stream(ctx, path, opts)
	if err != nil {
		return nil, err
	}
	return &Input{
		Label:    filepath.Base(path),
		Source:   file,
		closer:   file,
		Box:      report.Bounds,
		Format:   report.Format,
		Bytes:    report.Bytes,
		Bad:      report.BadTriangles,
		Warnings: report.Warnings, damage: firstOf(report.Warnings),
	}, nil
}

func (d *Drawer) readScene(ctx context.Context, name string, held bool, opts scenes.ReadOptions) (*Input, error) {
	scene, err := procedural.Parse(name)
	if err != nil {
		return nil, err
	}
	if scene.Len() > smallMesh/36 { // 36 bytes hold the nine coordinates of a triangle
		d.callLoading()
	}
	in := &Input{Source: scene, Label: name, Format: procedural.Format}
	if held || scene.Len() <= keptTriangles {
		switch mesh, err := scenes.Load(ctx, scene, opts); {
		case err == nil:
			in.Source = mesh
		case !tooLarge(err):
			return nil, err
		}
	}
	in.Box, err = scenes.Bounds(ctx, in.Source, opts.Workers)
	return in, err
}

func (d *Drawer) readStdin(ctx context.Context, opts scenes.ReadOptions) (*Input, error) {
	if d.Stdin == nil {
		return nil, errorf(Unfit, "%s: there is none", Name("-"))
	}
	opts.Name = Name("-")
	r, found := d.Stdin, func() (string, error) { return "", nil }
	if d.NoteContents {
		r, found = contents.Reader(ctx, d.Stdin)
	}
	mesh, report, err := load.Reader(ctx, r, opts)
	if err != nil {
		return nil, err
	}
	in := newMeshInput(mesh, report)
	in.Contents, err = found()
	return in, err
}
