package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
)

// ErrClosed is the error of creating or committing a file, or making a folder, after Set.Close.
var ErrClosed = errors.New("no more files are written")

// A Set creates files and records which of them are still temporary, so that [Set.Close] can remove them if the program
// ends early. The zero value is ready. Several goroutines may call its methods.
type Set struct {
	mu        sync.Mutex
	temporary map[string]bool // names of temporary files
	cleaned   map[string]bool // folders whose orphans have been removed
	folders   []string        // folders that MakeFolder made, outer ones first
	closed    bool
}

// MakeFolder makes the folder at path and the missing folders above it. Close removes those of the new folders that are
// empty then. Errors are *[Error] or [ErrClosed].
func (s *Set) MakeFolder(path string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return ErrClosed
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
	s.folders = append(s.folders, missing...)
	return wrap(path, err)
}

// Close removes every file that is still temporary, and every folder that MakeFolder made and that is empty. Afterwards
// the set creates and commits nothing.
func (s *Set) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	for name := range s.temporary {
		os.Remove(name)
	}
	clear(s.temporary)
	for _, folder := range slices.Backward(s.folders) {
		os.Remove(folder) // fails if the folder is not empty
	}
}

// removeOrphansOnce removes the orphans of a folder when the set first uses the folder. An orphan is a temporary file
// of a process that has ended.
func (s *Set) removeOrphansOnce(folder string) {
	s.mu.Lock()
	met := s.cleaned[folder]
	if s.cleaned == nil {
		s.cleaned = map[string]bool{}
	}
	s.cleaned[folder] = true
	s.mu.Unlock()
	if !met {
		removeOrphans(folder)
	}
}

// An Error says which file could not be written, and why.
type Error struct {
	File string // name that the caller gave
	Err  error
}

func (e *Error) Error() string { return e.File + ": " + Reason(e.Err).Error() }
func (e *Error) Unwrap() error { return e.Err }

// Failure returns the *[Error] that err wraps, or err if there is none. It drops the words in which encoders and
// buffers wrap the error of a file.
func Failure(err error) error {
	var failed *Error
	if errors.As(err, &failed) {
		return failed
	}
	return err
}

// wrap returns err as an *Error about a file, or nil if err is nil.
func wrap(file string, err error) error {
	if err == nil {
		return nil
	}
	return &Error{File: file, Err: err}
}

// Reason returns err without the operation and the path that package os puts before it, for messages that name the file
// already.
func Reason(err error) error {
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
