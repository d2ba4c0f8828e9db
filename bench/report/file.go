package report

import (
	"errors"
	"io"
	"path/filepath"

	"lockstep/render/atomicfile"
)

// A File is an output file that is being written under a temporary name. Commit gives it its final name. Abort deletes
// it and leaves an earlier file of that name as it was. After a call of Commit or Abort, further calls of either do
// nothing. Errors name the file.
type File interface {
	io.Writer
	Commit() error
	Abort()
}

// File opens an output file, see [atomicfile.Set.Create]. The name "-" means Stdout. If the file cannot be written, it
// returns an error at once, before an experiment has spent time on results.
func (o Output) File(name string) (File, error) {
	if name == "-" {
		return streamFile{o.Stdout}, nil
	}
	f, err := o.files().Create(name)
	if err != nil {
		return nil, err
	}
	return f, nil
}

func (o Output) files() *atomicfile.Set {
	if o.Files == nil {
		return new(atomicfile.Set)
	}
	return o.Files
}

// A streamFile makes standard output a File.
type streamFile struct{ io.Writer }

func (streamFile) Commit() error { return nil }
func (streamFile) Abort()        {}

// A Folder is a folder for the figures of an experiment. It is created when the first figure is written.
type Folder struct {
	path  string
	files *atomicfile.Set
}

// Folder returns the folder at path.
func (o Output) Folder(path string) Folder { return Folder{path, o.files()} }

// Write writes a whole file into the folder. Errors of the file are *[atomicfile.Error].
func (d Folder) Write(name string, w io.WriterTo) error {
	if err := d.files.MakeFolder(d.path); err != nil {
		return err
	}
	f, err := d.files.Create(filepath.Join(d.path, name))
	if err != nil {
		return err
	}
	defer f.Abort()
	if _, err := w.WriteTo(f); err != nil {
		var failed *atomicfile.Error
		if errors.As(err, &failed) {
			return failed
		}
		return &atomicfile.Error{File: filepath.Join(d.path, name), Err: err}
	}
	return f.Commit()
}
