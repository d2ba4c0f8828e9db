package recipe

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"lockstep/render/recipe/internal/contents"
	"lockstep/scenes"
	"lockstep/scenes/procedural"
)

// UnknownContents stands for the hash of pipes and devices, which cannot be read twice. Unknown contents equal no other
// contents, not even each other.
const UnknownContents = contents.Unknown

// Folder returns the folder name of the i-th mesh in the list of files that a picture depends on.
func Folder(i int) string {
	if i == 0 {
		return "mesh"
	}
	return fmt.Sprintf("add-%d", i-1)
}

// recordFiles makes a reader record which files of the mesh's folder it opens, if d has a use for that.
func (d *Drawer) recordFiles(folder, mesh string, opts *scenes.ReadOptions) (opened map[string]bool, done func()) {
	if d.Opened == nil && !d.NoteContents {
		return nil, func() {}
	}
	return contents.Record(folder, mesh, opts, func(name, place string, info fs.FileInfo) {
		if d.Opened != nil {
			d.Opened(name, place, info)
		}
	})
}

// ReadError gives a reader's error its Kind. A file that cannot be opened counts as damaged. If a shortage limited the
// size of the mesh, short is this shortage; otherwise it is nil.
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
