package reading

import (
	"context"
	"errors"
	"io"
	"io/fs"
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

// A Reader reads meshes. Its fields have the same meaning as the fields of recipe.Drawer with the same names.
type Reader struct {
	Stdin        io.Reader
	Loading      func()
	Opened       func(name, place string, info fs.FileInfo)
	Convert      func(ctx context.Context, file string) (made string, remove func(), err error)
	NoteContents bool
}

// ErrNoStdin is the error for a mesh from standard input if there is no standard input.
var ErrNoStdin = errors.New("there is none")

const (
	// smallMesh is the largest size in bytes of a mesh for which Reader.Loading is not called, because it is read
	// quickly.
	smallMesh = 8 << 20
	// keptTriangles is the largest number of triangles of a procedural scene that is always in memory (150 MB). Larger
	// scenes are computed block by block whenever a frame needs them.
	keptTriangles = 4 << 20
	// streamedBytes is a size in bytes. A binary STL file of at least this size is never read into memory. Its blocks
	// are decoded whenever a frame needs them.
	streamedBytes = 512 << 20
)

// ReadFirst reads the first mesh of a recipe. `once` means that the mesh is needed only once and may stay in its file.
// `held` means that the mesh must be in memory if possible.
func (r *Reader) ReadFirst(ctx context.Context, mesh string, once, held bool, opts scenes.ReadOptions) (*Mesh, error) {
	switch {
	case strings.HasPrefix(mesh, procedural.Prefix):
		return r.openScene(ctx, mesh, held, opts)
	case mesh == "-":
		r.callLoading()
		return r.readStdin(ctx, opts)
	}
	if info, err := os.Stat(mesh); err != nil || !info.Mode().IsRegular() || info.Size() > smallMesh {
		r.callLoading()
	}
	return r.ReadNamed(ctx, mesh, 0, once, held, opts)
}

// ReadFurther reads the i-th mesh of a recipe, which has to be in memory. If the mesh is too large, the method Whole of
// the result returns nil.
func (r *Reader) ReadFurther(ctx context.Context, mesh string, i int, opts scenes.ReadOptions) (*Mesh, error) {
	if strings.HasPrefix(mesh, procedural.Prefix) {
		return r.openScene(ctx, mesh, true, opts)
	}
	return r.ReadNamed(ctx, mesh, i, false, true, opts)
}

// ReadNamed reads the file of the i-th mesh, and records which files were opened.
func (r *Reader) ReadNamed(ctx context.Context, mesh string, i int, once, held bool, opts scenes.ReadOptions) (*Mesh, error) {
	opened, done := r.record(Folder(i), mesh, &opts)
	defer done()
	m, err := r.readConverted(ctx, mesh, once, held, opts)
	if err != nil {
		return nil, err
	}
	if r.NoteContents {
		if m.Contents, err = contents.Of(ctx, mesh, slices.Sorted(maps.Keys(opened))); err != nil {
			m.Close()
			return nil, err
		}
	}
	return m, nil
}

// readConverted reads a mesh file. If the file is not a mesh, it reads the mesh file that Reader.Convert makes from it.
func (r *Reader) readConverted(ctx context.Context, mesh string, once, held bool, opts scenes.ReadOptions) (*Mesh, error) {
	if r.Convert == nil {
		return readFile(ctx, mesh, once, held, opts)
	}
	made, remove, err := r.Convert(ctx, mesh)
	if err != nil {
		return nil, err
	}
	defer remove()
	if made == "" {
		return readFile(ctx, mesh, once, held, opts)
	}
	opts.Name, opts.Format = mesh, ""
	m, err := readFile(ctx, made, false, true, opts) // into memory, because the converted file is removed afterwards
	if err == nil {
		m.Label = filepath.Base(mesh)
	}
	return m, err
}

func (r *Reader) callLoading() {
	if r.Loading != nil {
		r.Loading()
	}
}

// record changes opts so that a reader records which files in the folder of the mesh it opens. It does so only if
// Opened or NoteContents is set.
func (r *Reader) record(folder, mesh string, opts *scenes.ReadOptions) (opened map[string]bool, done func()) {
	if r.Opened == nil && !r.NoteContents {
		return nil, func() {}
	}
	return contents.Record(folder, mesh, opts, func(name, place string, info fs.FileInfo) {
		if r.Opened != nil {
			r.Opened(name, place, info)
		}
	})
}

// isTooLarge reports whether err means that a mesh exceeds the limits of its reader.
func isTooLarge(err error) bool {
	var limit *scenes.LimitError
	return errors.As(err, &limit)
}

// readFile reads a file into memory. If the mesh may stay in the file, or does not fit into memory, readFile only
// opens the file.
func readFile(ctx context.Context, path string, once, held bool, opts scenes.ReadOptions) (*Mesh, error) {
	if info, err := opts.StatFile(path); err == nil && (once || !held && info.Size() >= streamedBytes) {
		m, err := openFile(ctx, path, opts)
		if !errors.Is(err, scenes.ErrNotSeekable) {
			return m, err
		}
	}
	mesh, report, err := load.File(ctx, path, opts)
	if isTooLarge(err) && !once {
		if m, err := openFile(ctx, path, opts); !errors.Is(err, scenes.ErrNotSeekable) {
			return m, err
		}
	}
	if err != nil {
		return nil, err
	}
	m := Loaded(mesh, report)
	m.Label = filepath.Base(path)
	return m, nil
}

// openFile opens a file. Its triangles are read block by block whenever a frame needs them.
func openFile(ctx context.Context, path string, opts scenes.ReadOptions) (*Mesh, error) {
	file, report, err := load.Stream(ctx, path, opts)
	if err != nil {
		return nil, err
	}
	return &Mesh{
		Label:    filepath.Base(path),
		Source:   file,
		Closer:   file,
		Box:      report.Bounds,
		Format:   report.Format,
		Bytes:    report.Bytes,
		Bad:      report.BadTriangles,
		Warnings: report.Warnings, Damage: firstLine(report.Warnings),
	}, nil
}

func (r *Reader) openScene(ctx context.Context, name string, held bool, opts scenes.ReadOptions) (*Mesh, error) {
	scene, err := procedural.Parse(name)
	if err != nil {
		return nil, err
	}
	if scene.Len() > smallMesh/36 { // 36 bytes hold the nine coordinates of a triangle
		r.callLoading()
	}
	m := &Mesh{Source: scene, Label: name, Format: procedural.Format}
	if held || scene.Len() <= keptTriangles {
		switch mesh, err := scenes.Load(ctx, scene, opts); {
		case err == nil:
			m.Source = mesh
		case !isTooLarge(err):
			return nil, err
		}
	}
	m.Box, err = scenes.Bounds(ctx, m.Source, opts.Workers)
	return m, err
}

func (r *Reader) readStdin(ctx context.Context, opts scenes.ReadOptions) (*Mesh, error) {
	if r.Stdin == nil {
		return nil, ErrNoStdin
	}
	opts.Name = Name("-")
	from, found := r.Stdin, func() (string, error) { return "", nil }
	if r.NoteContents {
		from, found = contents.Reader(ctx, r.Stdin)
	}
	mesh, report, err := load.Reader(ctx, from, opts)
	if err != nil {
		return nil, err
	}
	m := Loaded(mesh, report)
	m.Contents, err = found()
	return m, err
}
