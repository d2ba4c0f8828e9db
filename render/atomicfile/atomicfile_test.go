package atomicfile

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

func text(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func put(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// wantEntries fails the test unless the folder contains exactly these names.
func wantEntries(t *testing.T, dir string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("the folder holds %q, want %q", got, want)
	}
}

// create creates the file name in a set and writes text to it.
func create(t *testing.T, s *Set, name, text string) *File {
	t.Helper()
	f, err := s.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	return f
}

func TestCommitAndAbort(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "o.png")
	var s Set
	create(t, &s, name, "first").Abort()
	wantEntries(t, dir)
	f := create(t, &s, name, "second")
	if _, err := os.Stat(name); err == nil {
		t.Error("the name leads somewhere before Commit")
	}
	if err := f.Commit(); err != nil {
		t.Fatal(err)
	}
	f.Abort()
	if err := f.Commit(); err != nil {
		t.Error(err)
	}
	create(t, &s, name, "third").Abort()
	if got := text(t, name); got != "second" {
		t.Errorf("the file holds %q", got)
	}
	s.Close()
	wantEntries(t, dir, "o.png")
}

// TestReplacedFile checks that links are preserved, and that the files at the ends of the links keep their permissions.
func TestReplacedFile(t *testing.T) {
	dir := t.TempDir()
	file, link := filepath.Join(dir, "file"), filepath.Join(dir, "link")
	put(t, file, "old")
	if err := os.Chmod(file, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("file", link); err != nil {
		t.Skip(err)
	}
	var s Set
	if err := create(t, &s, link, "new").Commit(); err != nil {
		t.Fatal(err)
	}
	if got := text(t, file); got != "new" {
		t.Errorf("behind the link is %q", got)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link became %v, %v", info, err)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file became %v, %v", info, err)
	}
	wantEntries(t, dir, "file", "link")
}

// TestCreateRefuses checks that an error contains the name of the file once, as the caller wrote it, and no name of a
// temporary file.
func TestCreateRefuses(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, "file"), "")
	for name, says := range map[string]string{
		dir:                                "is a folder",
		filepath.Join(dir, "missing", "o"): "no such file",
		filepath.Join(dir, "file", "o"):    "not a directory",
		filepath.Join(dir, strings.Repeat("x", 300)): "too long",
	} {
		var s Set
		_, err := s.Create(name)
		var failed *Error
		if !errors.As(err, &failed) || failed.File != name || !strings.Contains(err.Error(), says) || strings.Count(err.Error(), dir) != 1 {
			t.Errorf("%s: %v, want %q", name, err, says)
		}
	}
	wantEntries(t, dir, "file")
}

// TestCommitFails checks that a rename that fails leaves no temporary file.
func TestCommitFails(t *testing.T) {
	dir := t.TempDir()
	var s Set
	f := create(t, &s, filepath.Join(dir, "o"), "x")
	if err := os.MkdirAll(filepath.Join(dir, "o", "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	var failed *Error
	if err := f.Commit(); !errors.As(err, &failed) {
		t.Errorf("renaming over a folder: %v", err)
	}
	wantEntries(t, dir, "o")
}

func TestClosedSet(t *testing.T) {
	dir := t.TempDir()
	var s Set
	if err := s.MakeFolder(filepath.Join(dir, "a", "b")); err != nil {
		t.Fatal(err)
	}
	if err := s.MakeFolder(filepath.Join(dir, "used")); err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(dir, "used", "file"), "")
	f := create(t, &s, filepath.Join(dir, "o"), "x")
	s.Close()
	if err := f.Commit(); err != ErrClosed {
		t.Errorf("Commit after Close: %v", err)
	}
	if _, err := s.Create(filepath.Join(dir, "p")); err != ErrClosed {
		t.Errorf("Create after Close: %v", err)
	}
	if err := s.MakeFolder(filepath.Join(dir, "c")); err != ErrClosed {
		t.Errorf("MakeFolder after Close: %v", err)
	}
	wantEntries(t, dir, "used")
}

// TestManySetsInOneFolder checks that several sets can write into one folder and remove orphans from it at the same
// time.
func TestManySetsInOneFolder(t *testing.T) {
	dir := t.TempDir()
	var wg sync.WaitGroup
	for worker := range 8 {
		wg.Go(func() {
			for round := range 100 {
				var s Set // each new set removes orphans again
				f, err := s.Create(filepath.Join(dir, fmt.Sprint(worker)))
				if err != nil {
					t.Error(err)
					return
				}
				fmt.Fprint(f, round)
				if err := f.Commit(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	wantEntries(t, dir, "0", "1", "2", "3", "4", "5", "6", "7")
}
