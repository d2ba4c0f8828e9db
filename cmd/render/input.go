package main

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"golang.org/x/term"

	"lockstep/render"
	"lockstep/scenes"
	"lockstep/scenes/load"
	"lockstep/scenes/procedural"
)

// An input is a mesh, ready to be drawn.
type input struct {
	path     string // as the user gave it
	name     string // for messages
	label    string // without folders; "" for standard input
	src      scenes.Source
	box      scenes.Box // of the finite vertices, relative to the source's origin
	parted   bool       // whether box leaves out triangles far away from the others
	format   string
	packed   string // how; empty: not
	bytes    int64  // read; 0 for procedural scenes
	held     int64  // bytes of memory of a mesh that is kept there, at most
	bad      int    // triangles with a NaN or infinite coordinate
	parts    []scenes.Part
	unit     float64      // of its lengths in metres; 0: nobody said
	axis     *scenes.Axis // that is up, where the user gave its name one; else nil
	beside   []string     // files that the mesh names, in its folder, if they were recorded
	contents string       // hash of those of its files, see contentsOf, if it was wanted; else empty
	warned   []string
	damage   string                      // the first warning of its reader; empty: it is whole
	unsaid   bool                        // damage is why there are no triangles, and was not printed yet
	normals  func(context.Context) error // finds those of src; nil: nothing is left to find
	readTime time.Duration
	closer   io.Closer // of a file that stays open; else nil
}

func (in *input) close() {
	if in.closer != nil {
		in.closer.Close()
	}
}

// up returns the up axis by the convention of the format.
func (in *input) up() scenes.Axis { return in.src.Info().Up }

// maxLoadedTriangles is the number of triangles up to which a procedural scene is kept in
// memory: 150 MB. Larger ones are computed block by block whenever a frame
// needs them.
const maxLoadedTriangles = 4 << 20

// read reads the mesh that the user named and prints a warning for every
// damage. A mesh that is needed only once is not kept in memory where its
// blocks can be read when they are drawn; nor is one that would leave no memory for a
// picture with the options.
func (a *app) read(ctx context.Context, mesh string, opts scenes.ReadOptions, once bool, picture render.Options) (*input, error) {
	defer a.progress.End()
	opts.Progress = a.readProgress()
	watch := watchHeap()
	defer watch.stop()
	return a.readInto(ctx, &a.room, mesh, once, picture, opts)
}

// readInto is read within a room, without a bar of its own.
func (a *app) readInto(ctx context.Context, r *room, mesh string, once bool, picture render.Options, opts scenes.ReadOptions) (*input, error) {
	began := time.Now()
	opts.Workers = picture.Workers
	opts.Flat = picture.Light == render.LightStudio && !picture.InMemory()
	most := opts.MaxMemory
	short := r.limitMesh(&opts, picture)
	var in *input
	var err error
	switch {
	case strings.HasPrefix(mesh, sceneScheme):
		in, err = readScene(ctx, mesh, picture.InMemory(), opts)
	case mesh == "-":
		debug.SetGCPercent(gcPercent)
		in, err = a.readStdin(ctx, opts)
	default:
		opened, done := a.recordBeside(meshFolder, mesh, &opts)
		defer done()
		if info, err := os.Stat(mesh); err != nil || !info.Mode().IsRegular() || info.Size() > maxSmallMesh {
			debug.SetGCPercent(gcPercent)
		}
		if in, err = readFile(ctx, mesh, once, picture.InMemory(), opts); err == nil {
			in.beside = slices.Sorted(maps.Keys(opened))
			err = a.hashInput(ctx, in, mesh)
		}
	}
	if err != nil {
		return nil, inputError(ctx, mesh, short, err)
	}
	if mesh, ok := in.src.(*scenes.Mesh); ok {
		in.held = int64(mesh.Len()) * (scenes.TriangleBytes + scenes.ColorBytes)
		if r.limited {
			runtime.GC() // what has grown leaves its first copy behind
		}
	}
	in.path, in.name = mesh, meshName(mesh)
	a.measureUnit(in)
	if err := a.stand(in, mesh); err != nil {
		in.close()
		return nil, err
	}
	if a.editor != nil {
		if err := a.editor(ctx, in); err != nil {
			in.close()
			return nil, err
		}
	}
	if err := a.makeSurface(ctx, in, r, most, picture); err != nil {
		in.close()
		return nil, err
	}
	in.readTime = time.Since(began)
	lines := in.warned
	if in.src.Len() == 0 && in.damage != "" {
		in.unsaid, lines = true, lines[1:]
	}
	for _, line := range lines {
		a.warn("%s", line)
	}
	return in, nil
}

// sayDamage prints why a mesh has no triangles, for a command that goes on without any. Others end with an
// error that has the same words, see input.blank.
func (a *app) sayDamage(in *input) {
	if in.unsaid {
		a.warn("%s", in.damage)
		in.unsaid = false
	}
}

// recordBeside lets a reader note which files of a mesh's folder it opens, where that is
// wanted; folder is that of the mesh among the files of a film.
func (a *app) recordBeside(folder, mesh string, opts *scenes.ReadOptions) (opened map[string]bool, done func()) {
	if a.opened == nil && !a.noteContents {
		return nil, func() {}
	}
	a.opened.noteFile(folder, mesh)
	dir := filepath.Dir(mesh)
	root, err := os.OpenRoot(dir)
	if err != nil { // the reader says why
		return nil, func() {}
	}
	opened = map[string]bool{}
	opts.Beside = recordFS{root.FS(), func(name string, info fs.FileInfo) {
		opened[name] = true
		a.opened.note(path.Join(folder, name), filepath.Join(dir, filepath.FromSlash(name)), info)
	}}
	return opened, func() { root.Close() }
}

// maxSmallMesh is the size in bytes of a small mesh.
const maxSmallMesh = 8 << 20

func (a *app) readStdin(ctx context.Context, opts scenes.ReadOptions) (*input, error) {
	if term.IsTerminal(int(a.stdin.Fd())) {
		return nil, usagef("standard input is a terminal: redirect a mesh into it or name a file")
	}
	opts.Name = meshName("-")
	if !a.noteContents {
		mesh, report, err := load.Reader(ctx, a.stdin, opts)
		if err != nil {
			return nil, err
		}
		return meshInput(mesh, report), nil
	}
	r, contents := a.hashStdin(ctx)
	mesh, report, err := load.Reader(ctx, r, opts)
	if err != nil {
		return nil, err
	}
	in := meshInput(mesh, report)
	in.contents, err = contents()
	return in, err
}

// hashInput notes the contents of an input's files, where that is wanted.
func (a *app) hashInput(ctx context.Context, in *input, mesh string) (err error) {
	if a.noteContents {
		in.contents, err = contentsOf(ctx, mesh, in.beside)
	}
	return err
}

// minStreamedBytes is the size in bytes from which a binary STL file stays on disk
// even if it is needed more than once, and is decoded block by block whenever a
// frame needs it.
const minStreamedBytes = 512 << 20

func readFile(ctx context.Context, path string, once, held bool, opts scenes.ReadOptions) (*input, error) {
	if info, err := os.Stat(path); err == nil && (once || !held && info.Size() >= minStreamedBytes) {
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
	in := meshInput(mesh, report)
	in.label = filepath.Base(path)
	return in, nil
}

// tooLarge reports whether a mesh was larger than its reader was allowed.
func tooLarge(err error) bool {
	var limit *scenes.LimitError
	return errors.As(err, &limit)
}

func openFile(ctx context.Context, path string, opts scenes.ReadOptions) (*input, error) {
	file, report, err := load.Stream(ctx, path, opts)
	if err != nil {
		return nil, err
	}
	return &input{
		label:  filepath.Base(path),
		src:    file,
		closer: file,
		box:    report.Bounds,
		format: report.Format,
		bytes:  report.Bytes,
		bad:    report.BadTriangles,
		warned: report.Warnings, damage: firstOf(report.Warnings),
	}, nil
}

// firstOf returns the first line, "" if there is none.
func firstOf(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	return lines[0]
}

func meshInput(mesh *scenes.Mesh, report *scenes.Report) *input {
	return &input{
		src:    mesh,
		box:    report.Bounds,
		format: report.Format,
		packed: report.Packing,
		bytes:  report.Bytes,
		bad:    report.BadTriangles,
		parts:  mesh.Parts,
		warned: report.Warnings, damage: firstOf(report.Warnings),
	}
}

func readScene(ctx context.Context, name string, held bool, opts scenes.ReadOptions) (*input, error) {
	scene, err := procedural.Parse(name)
	if err != nil {
		return nil, err
	}
	if scene.Len() > maxSmallMesh/36 { // nine coordinates each
		debug.SetGCPercent(gcPercent)
	}
	in := &input{src: scene, label: name, format: procedural.Format}
	if held || scene.Len() <= maxLoadedTriangles {
		switch mesh, err := scenes.Load(ctx, scene, opts); {
		case err == nil:
			in.src = mesh
		case !tooLarge(err):
			return nil, err
		}
	}
	in.box, err = scenes.Bounds(ctx, in.src, opts.Workers)
	return in, err
}

// inputError gives a reader's error its exit code. A file that cannot be opened
// counts as damaged input; short is why there is a limit on the size of the mesh.
func inputError(ctx context.Context, mesh string, short *shortage, err error) error {
	var limit *scenes.LimitError
	var usage *procedural.UsageError
	var coded *codedError
	var path *fs.PathError
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &coded):
		return err
	case errors.As(err, &usage):
		return usagef("%w", err)
	case errors.As(err, &limit) && !limit.Fixed:
		if short == nil || limit.Unit == scenes.UnitTriangles {
			return usagef("%w", limit)
		}
		short.need = limit.Want
		return usagef("%s: the mesh %s", meshName(mesh), short.text())
	case errors.As(err, &path) && isFolder(mesh):
		return inputf("%s: is a folder, and a mesh is expected (render FOLDER -o OUT/ draws the meshes of a folder)", mesh)
	case errors.As(err, &path):
		return inputf("%s: %w", meshName(mesh), path.Err)
	}
	return inputf("%w", err)
}

// readProgress returns a function that shows a reader's progress, nil without a bar.
func (a *app) readProgress() func(done, total int64) {
	if !a.progress.visible() {
		return nil
	}
	begun, last := false, int64(0)
	return func(done, total int64) {
		if !begun {
			a.progress.Begin("reading", total)
			begun = true
		}
		a.progress.Add(done - last)
		last = done
	}
}
