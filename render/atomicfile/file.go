package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// The names of temporary files are short and do not contain the target's name, which may already be as long as the file
// system allows.
const prefix, suffix = ".render-", ".tmp"

// A File is an output that is being written. It is a temporary file in the folder of its target. If the target is a
// device or a pipe, the File is the target itself. Commit or Abort ends it; a second call of either does nothing.
// Errors are *[Error] or [ErrClosed].
type File struct {
	set    *Set
	name   string // name that the caller gave
	file   *os.File
	temp   string // name of the temporary file; "" if the target itself is written
	target string // name after symbolic links have been followed
	ended  bool
}

// Create opens name for writing and follows symbolic links. A file that replaces another file keeps the permissions of
// the old file; the permissions of a new file depend on the umask. Create returns an error if name is a folder or a
// file that may not be written. It creates the temporary file at once, so a missing or read-only folder is reported
// before any work. Opening a named pipe waits for its reader.
func (s *Set) Create(name string) (*File, error) {
	old, err := os.Stat(name)
	switch {
	case err == nil && old.IsDir():
		return nil, wrap(name, errors.New("is a folder"))
	case err == nil && !old.Mode().IsRegular():
		f, err := os.OpenFile(name, os.O_WRONLY, 0)
		if err != nil {
			return nil, wrap(name, err)
		}
		return &File{set: s, name: name, file: f}, nil
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return nil, wrap(name, err)
	}
	target, err := FollowLinks(name)
	if err == nil && old != nil {
		err = checkWritable(target)
	}
	if err != nil {
		return nil, wrap(name, err)
	}
	s.removeOrphansOnce(filepath.Dir(target))
	f := &File{set: s, name: name, target: target}
	if err := f.open(old); err != nil {
		return nil, err
	}
	return f, nil
}

// open creates the temporary file. If old is not nil, the temporary file gets the permissions of old.
func (f *File) open(old fs.FileInfo) error {
	s := f.set
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return ErrClosed
	}
	if err := f.create(); err != nil {
		return wrap(f.name, err)
	}
	if s.temporary == nil {
		s.temporary = map[string]bool{}
	}
	s.temporary[f.temp] = true
	if old == nil {
		return nil
	}
	if err := f.file.Chmod(old.Mode().Perm()); err != nil {
		f.file.Close()
		f.removeTemporary()
		return wrap(f.name, err)
	}
	return nil
}

// create creates a temporary file with a new name and locks it. Until the lock is held, another process may take the
// file for an orphan and remove it. Then create tries again.
func (f *File) create() (err error) {
	for {
		f.temp = filepath.Join(filepath.Dir(f.target), fmt.Sprintf("%s%016x%s", prefix, rand.Uint64(), suffix))
		f.file, err = os.OpenFile(f.temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil || lock(f.file) && leadsTo(f.temp, f.file) {
			return err
		}
		f.file.Close()
	}
}

// Write writes to the file.
func (f *File) Write(p []byte) (int, error) {
	n, err := f.file.Write(p)
	return n, wrap(f.name, err)
}

// Seek is like [os.File.Seek]. It returns an error if the target is a pipe.
func (f *File) Seek(offset int64, whence int) (int64, error) {
	at, err := f.file.Seek(offset, whence)
	return at, wrap(f.name, err)
}

// Stat is like [os.File.Stat], applied to the temporary file.
func (f *File) Stat() (fs.FileInfo, error) {
	info, err := f.file.Stat()
	return info, wrap(f.name, err)
}

// Commit renames the file to its target. If that fails, Commit removes the temporary file.
func (f *File) Commit() error {
	f.set.mu.Lock()
	defer f.set.mu.Unlock()
	if f.ended {
		return nil
	}
	f.ended = true
	if f.temp == "" {
		return wrap(f.name, f.file.Close())
	}
	// Close may fail, so it comes before the rename. It also drops the lock, so keepLock holds the lock by a second
	// descriptor.
	release := keepLock(f.file)
	defer release()
	err := f.file.Close()
	if f.set.closed {
		return ErrClosed
	}
	if err == nil {
		err = os.Rename(f.temp, f.target)
	}
	if err != nil {
		f.removeTemporary()
		return wrap(f.name, err)
	}
	delete(f.set.temporary, f.temp)
	return nil
}

// Abort removes the temporary file and does not change the target.
func (f *File) Abort() {
	f.set.mu.Lock()
	defer f.set.mu.Unlock()
	if f.ended {
		return
	}
	f.ended = true
	f.file.Close()
	if f.temp != "" {
		f.removeTemporary()
	}
}

// removeTemporary removes the temporary file. The caller must hold the set's mutex.
func (f *File) removeTemporary() {
	os.Remove(f.temp)
	delete(f.set.temporary, f.temp)
}

// checkWritable returns an error if the file at path may not be written. A rename would replace even a read-only file.
// But the owner of such a file wants to keep it, so Create calls checkWritable first.
func checkWritable(path string) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return f.Close()
}

// FollowLinks returns the path of the file to which writing to name would write. It follows symbolic links. The last
// link may lead to a file that does not exist yet.
func FollowLinks(name string) (string, error) {
	// Follow at most 40 links, as Linux does.
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
			// filepath.Join is wrong here: it would resolve ".." before the links that precede it.
			to = filepath.Dir(name) + string(filepath.Separator) + to
		}
		name = to
	}
	return "", errors.New("too many symbolic links")
}
