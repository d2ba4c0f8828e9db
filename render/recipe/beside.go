package recipe

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"lockstep/scenes"
	"lockstep/scenes/procedural"
	"os"
	"path"
	"path/filepath"
)

// Folder names the i-th mesh of a recipe among the files that its picture depends on.
func Folder(i int) string {
	if i == 0 {
		return "mesh"
	}
	return fmt.Sprintf("add-%d", i-1)
}

// recordBeside lets a reader note which files of a mesh's folder it opens, where that is wanted.
func (d *Drawer) recordBeside(folder, mesh string, opts *scenes.ReadOptions) (opened map[string]bool, done func()) {
	if d.Opened == nil && !d.NoteContents {
		return nil, func() {}
	}
	tell := func(name, place string, info fs.FileInfo) {
		if d.Opened != nil {
			d.Opened(name, place, info)
		}
	}
	if info, err := os.Stat(mesh); err == nil && info.Mode().IsRegular() { // a pipe cannot be read twice
		tell(path.Join(folder, filepath.Base(mesh)), mesh, info)
	}
	dir := filepath.Dir(mesh)
	root, err := os.OpenRoot(dir)
	if err != nil { // the reader says why
		return nil, func() {}
	}
	opened = map[string]bool{}
	opts.Beside = recordFS{root.FS(), func(name string, info fs.FileInfo) {
		opened[name] = true
		tell(path.Join(folder, name), filepath.Join(dir, filepath.FromSlash(name)), info)
	}}
	return opened, func() { root.Close() }
}

// recordFS is a folder that tells which of its files are opened.
type recordFS struct {
	fs.FS
	note func(name string, info fs.FileInfo)
}

// Open implements fs.FS.
func (r recordFS) Open(name string) (fs.File, error) {
	f, err := r.FS.Open(name)
	if err != nil {
		return nil, err
	}
	// Folders are opened to find names in other case.
	if info, err := f.Stat(); err == nil && !info.IsDir() {
		r.note(name, info)
	}
	return f, nil
}

// ReadError gives a reader's error its kind. A file that cannot be opened counts as damaged; short is why there is a
// limit on the size of the mesh.
func ReadError(ctx context.Context, mesh string, short *Shortage, err error) error {
	var limit *scenes.LimitError
	var usage *procedural.UsageError
	var known *Error
	var file *fs.PathError
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &known):
		return err
	case errors.As(err, &usage):
		return &Error{Unfit, err}
	case errors.As(err, &limit) && !limit.Fixed:
		if short == nil || limit.Unit == scenes.UnitTriangles {
			return &Error{Unfit, limit}
		}
		short.Need = limit.Want
		return errorf(Unfit, "%s: the mesh %s", Name(mesh), short.Text())
	case errors.As(err, &file):
		if info, err := os.Stat(mesh); err == nil && info.IsDir() {
			return errorf(Damaged, "%s: %w", mesh, ErrFolder)
		}
		return errorf(Damaged, "%s: %w", Name(mesh), file.Err)
	}
	return &Error{Damaged, err}
}
