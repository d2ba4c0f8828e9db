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

// UnknownContents takes the place of the hash for pipes and devices, which cannot be read twice. Unknown contents equal
// no other contents, not even unknown ones.
const UnknownContents = contents.Unknown

// Folder returns the name that the folder of the i-th mesh has in the list of files on which a picture depends.
func Folder(i int) string {
	if i == 0 {
		return "mesh"
	}
	return fmt.Sprintf("add-%d", i-1)
}

// recordFiles makes a reader record which files in the folder of the mesh it opens, if d uses that.
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

// ReadError turns the error of a reader into an error with a Kind. A file that cannot be opened counts as damaged.
// short is the shortage of memory that limited the size of the mesh, or nil if there was none.
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
