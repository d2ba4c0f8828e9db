package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
)

// ErrClosed is the error of a Set that has been closed, for creating or committing a file or making a folder.
var ErrClosed = errors.New("no more files are written")

// A Set creates files and records which of them are still temporary. [Set.Close] removes those when the program ends
// early. The zero value is ready for use. Several goroutines may call its methods.
type Set struct {
	mu        sync.Mutex
	temporary map[string]bool // names of temporary files
	cleaned   map[string]bool // folders whose orphans have been removed
	folders   []string        // folders that MakeFolder has created, parents first
	closed    bool
}

// MakeFolder creates the folder at path and the missing folders above it. Close removes new folders that are empty at
// that time. Errors are *[Error] or [ErrClosed].
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

// Close removes all files that are still temporary. It also removes empty folders that MakeFolder has created. After
// that, the set cannot create or commit files.
func (s *Set) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	for name := range s.temporary {
		os.Remove(name)
	}
	clear(s.temporary)
	for _, folder := range slices.Backward(s.folders) {
		os.Remove(folder) // an error means that the folder is not empty
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

// An Error states which file could not be written, and why.
type Error struct {
	File string // name that the caller gave
	Err  error
}

func (e *Error) Error() string { return e.File + ": " + Reason(e.Err).Error() }
func (e *Error) Unwrap() error { return e.Err }

// Failure returns the *[Error] in the chain of err, or err if there is none. The result lacks the words that encoders
// and buffers have put around the error.
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

// Reason returns err without the operation and the path that package os adds, for messages that already name the file.
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
