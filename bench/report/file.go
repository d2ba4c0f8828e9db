package report

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// A File is an output on its way. Commit gives it its name, Abort leaves what was
// there; after either, both do nothing. Errors name the file.
type File interface {
	io.Writer
	Commit() error
	Abort()
}

// File opens an output. The place is tried at once, so that one that cannot be
// written shows before the work.
func (o Output) File(name string) (File, error) {
	if o.Create != nil {
		return o.Create(name)
	}
	if name == "-" {
		return streamFile{o.Stdout}, nil
	}
	return CreateFile(name)
}

// A streamFile is standard output taken for a file.
type streamFile struct{ io.Writer }

func (streamFile) Commit() error { return nil }
func (streamFile) Abort()        {}

// A plainFile is a temporary file beside its target.
type plainFile struct {
	name   string // as it was given
	target string // with links followed
	temp   *os.File
	mode   fs.FileMode
	ended  bool
}

// CreateFile opens a file that replaces name when it is committed, with the
// permissions of what it replaces. A link stays, and the file behind it is
// replaced; what is no regular file, a device or a pipe, is refused.
func CreateFile(name string) (*plainFile, error) {
	f := &plainFile{name: name}
	if err := f.open(); err != nil {
		return nil, &OutputError{File: name, Err: err}
	}
	return f, nil
}

// open looks at the place and creates the temporary file.
func (f *plainFile) open() (err error) {
	f.target, f.mode = f.name, 0o644
	switch _, err = os.Lstat(f.name); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return err
	default:
		if f.target, err = filepath.EvalSymlinks(f.name); err != nil {
			return err
		}
		if f.mode, err = replaceable(f.target); err != nil {
			return err
		}
	}
	f.temp, err = os.CreateTemp(filepath.Dir(f.target), ".bench-*.tmp")
	return err
}

// replaceable returns the permissions of a file, or why it shall stay.
func replaceable(path string) (fs.FileMode, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return 0, err
	case info.IsDir():
		return 0, errors.New("is a folder")
	case !info.Mode().IsRegular():
		return 0, errors.New("is no regular file")
	}
	// Renaming over a file needs no right to write to it, but who made a file
	// read-only wants to keep it.
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return 0, err
	}
	return info.Mode().Perm(), f.Close()
}

// Write implements io.Writer.
func (f *plainFile) Write(p []byte) (int, error) {
	n, err := f.temp.Write(p)
	if err != nil {
		err = &OutputError{File: f.name, Err: err}
	}
	return n, err
}

// Commit implements File.
func (f *plainFile) Commit() error {
	if f.ended {
		return nil
	}
	f.ended = true
	err := f.temp.Chmod(f.mode)
	if closed := f.temp.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(f.temp.Name(), f.target)
	}
	if err != nil {
		os.Remove(f.temp.Name())
		return &OutputError{File: f.name, Err: err}
	}
	return nil
}

// Abort implements File.
func (f *plainFile) Abort() {
	if f.ended {
		return
	}
	f.ended = true
	f.temp.Close()
	os.Remove(f.temp.Name())
}

// ReplaceFile writes a whole file, see CreateFile. Errors are *OutputError.
func ReplaceFile(name string, w io.WriterTo) error {
	f, err := CreateFile(name)
	if err != nil {
		return err
	}
	defer f.Abort()
	if _, err := w.WriteTo(f); err != nil {
		var output *OutputError
		if errors.As(err, &output) {
			return output
		}
		return &OutputError{File: name, Err: err}
	}
	return f.Commit()
}
