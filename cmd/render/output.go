package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"golang.org/x/term"
)

// errInterrupted is why nothing is committed any more once the process is on
// its way out.
var errInterrupted = errors.New("interrupted")

// outputs creates the files that a command writes and knows which of them are
// still temporary, so that whatever ends the process can remove them.
type outputs struct {
	stdout *os.File

	mu      sync.Mutex
	temps   map[string]bool
	folders []string // that makeFolder made, outer ones first
	closed  bool
}

// An outFile is an output on its way: a temporary file beside its target, or,
// where the target is no regular file, the target itself. Commit or Abort ends
// it; a second call of either does nothing.
type outFile struct {
	io.Writer
	name   string // as the user gave it, for messages
	set    *outputs
	file   *os.File
	temp   string // "" when written in place
	target string
	ended  bool
}

// create opens name for writing; "-" means standard output. The temporary file
// exists once create returns, so a folder that is missing or read-only shows
// before the work and not after it.
func (o *outputs) create(name string) (*outFile, error) {
	if name == "-" {
		if term.IsTerminal(int(o.stdout.Fd())) {
			return nil, usagef("standard output is a terminal: redirect it or give -o FILE")
		}
		return &outFile{Writer: o.stdout, name: "standard output", set: o, file: o.stdout}, nil
	}
	info, err := os.Stat(name)
	switch {
	case err == nil && info.IsDir():
		return nil, outputf("%s: is a folder", name)
	case err == nil && !info.Mode().IsRegular():
		f, err := os.OpenFile(name, os.O_WRONLY, 0)
		if err != nil {
			return nil, outputf("%s: %w", name, reason(err))
		}
		return &outFile{Writer: f, name: name, set: o, file: f}, nil
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return nil, outputf("%s: %w", name, reason(err))
	}
	target, err := followLinks(name)
	if err != nil {
		return nil, outputf("%s: %w", name, reason(err))
	}
	if info != nil {
		if err := writable(target); err != nil {
			return nil, outputf("%s: %w", name, reason(err))
		}
	}
	return o.createTemp(name, target, info)
}

// createTemp opens a temporary file in target's folder. The process's umask
// applies to it; a file that is there already passes on its permissions.
func (o *outputs) createTemp(name, target string, old fs.FileInfo) (*outFile, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return nil, errInterrupted
	}
	for {
		// The name is short and does not contain the target's, which may
		// already be as long as the file system allows.
		temp := filepath.Join(filepath.Dir(target), fmt.Sprintf(".render-%016x.tmp", rand.Uint64()))
		f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return nil, outputf("%s: %w", name, reason(err))
		}
		o.temps[temp] = true
		out := &outFile{Writer: f, name: name, set: o, file: f, temp: temp, target: target}
		if old != nil {
			if err := f.Chmod(old.Mode().Perm()); err != nil {
				out.drop()
				return nil, outputf("%s: %w", name, reason(err))
			}
		}
		return out, nil
	}
}

// Write writes to the file; its errors name it and carry the exit code.
func (f *outFile) Write(p []byte) (int, error) {
	n, err := f.Writer.Write(p)
	if err != nil {
		err = outputf("%s: %w", f.name, reason(err))
	}
	return n, err
}

// Commit gives the file its name. Nothing of it is left when that fails.
func (f *outFile) Commit() error {
	f.set.mu.Lock()
	defer f.set.mu.Unlock()
	if f.ended {
		return nil
	}
	f.ended = true
	if f.file == f.set.stdout {
		return nil
	}
	err := f.file.Close()
	if f.temp == "" {
		if err != nil {
			return outputf("%s: %w", f.name, reason(err))
		}
		return nil
	}
	if f.set.closed {
		return errInterrupted
	}
	if err == nil {
		err = os.Rename(f.temp, f.target)
	}
	if err != nil {
		f.drop()
		return outputf("%s: %w", f.name, reason(err))
	}
	delete(f.set.temps, f.temp)
	return nil
}

// Abort leaves the target as it was.
func (f *outFile) Abort() {
	f.set.mu.Lock()
	defer f.set.mu.Unlock()
	if f.ended {
		return
	}
	f.ended = true
	if f.file != f.set.stdout {
		f.file.Close()
	}
	f.drop()
}

// drop removes the temporary file; the caller holds the lock.
func (f *outFile) drop() {
	if f.temp != "" {
		os.Remove(f.temp)
		delete(f.set.temps, f.temp)
	}
}

// makeFolder makes the folder at path and those above it that are missing.
func (o *outputs) makeFolder(path string) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return errInterrupted
	}
	var missing []string
	for at := path; ; at = filepath.Dir(at) {
		if _, err := os.Stat(at); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		missing = append(missing, at)
	}
	slices.Reverse(missing)
	err := os.MkdirAll(path, 0o777)
	o.folders = append(o.folders, missing...)
	return err
}

// close removes every file that is still temporary, and the folders that were
// made for nothing, and lets none be created or committed from now on.
func (o *outputs) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = true
	for temp := range o.temps {
		os.Remove(temp)
	}
	clear(o.temps)
	for _, folder := range slices.Backward(o.folders) {
		os.Remove(folder) // refused where there is something in it
	}
}

// writable reports why the file at path may not be written. Renaming over a
// file needs no right to write to it, but who made a file read-only wants to
// keep it.
func writable(path string) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return f.Close()
}

// followLinks returns the path that writing to name would write to: symbolic
// links are followed even when the last one points to nothing yet.
func followLinks(name string) (string, error) {
	// As many links as Linux itself follows.
	for range 40 {
		info, err := os.Lstat(name)
		if errors.Is(err, fs.ErrNotExist) || err == nil && info.Mode()&fs.ModeSymlink == 0 {
			return name, nil
		}
		if err != nil {
			return "", err
		}
		to, err := os.Readlink(name)
		if err != nil {
			return "", err
		}
		if !filepath.IsAbs(to) {
			// Not Join, which would take ".." before the links in the way.
			to = filepath.Dir(name) + string(filepath.Separator) + to
		}
		name = to
	}
	return "", errors.New("too many symbolic links")
}

// reason strips the operation and the path that the os package puts before an
// error, since messages name the file in the user's words.
func reason(err error) error {
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		return path.Err
	case errors.As(err, &link):
		return link.Err
	}
	return err
}
