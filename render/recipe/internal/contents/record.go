package contents

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"lockstep/scenes"
)

// Record changes opts so that the reader records which files in the folder of the mesh it opens. The names of these
// files are stored in opened. The function tell is called for the mesh file at once, and for each other file before
// it is read. The caller calls done() after reading.
func Record(folder, mesh string, opts *scenes.ReadOptions, tell func(name, place string, info fs.FileInfo)) (opened map[string]bool, done func()) {
	if info, err := os.Stat(mesh); err == nil && info.Mode().IsRegular() { // a pipe cannot be read twice
		tell(path.Join(folder, filepath.Base(mesh)), mesh, info)
	}
	dir := filepath.Dir(mesh)
	root, err := os.OpenRoot(dir)
	if err != nil { // the reader reports the error
		return nil, func() {}
	}
	opened = map[string]bool{}
	opts.Beside = recordFS{root.FS(), func(name string, info fs.FileInfo) {
		opened[name] = true
		tell(path.Join(folder, name), filepath.Join(dir, filepath.FromSlash(name)), info)
	}}
	return opened, func() { root.Close() }
}

// A recordFS is a file system of a folder that reports which of its files are opened.
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
	// Readers also open folders, to find names that differ in upper and lower case. Folders are not recorded.
	if info, err := f.Stat(); err == nil && !info.IsDir() {
		r.note(name, info)
	}
	return f, nil
}
