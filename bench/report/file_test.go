package report

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lockstep/render/atomicfile"
)

// readText returns the contents of a file.
func readText(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func writeText(t *testing.T, name, text string, mode os.FileMode) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

// TestReplaceFile checks that replacing a file preserves links and permissions.
func TestReplaceFile(t *testing.T) {
	dir := t.TempDir()
	file, link := filepath.Join(dir, "file"), filepath.Join(dir, "link")
	writeText(t, file, "old", 0o600)
	if err := os.Symlink("file", link); err != nil {
		t.Skip(err)
	}
	if err := (Output{}).Folder(dir).Write("link", strings.NewReader("new")); err != nil {
		t.Fatal(err)
	}
	if got := readText(t, file); got != "new" {
		t.Errorf("behind the link is %q", got)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link became %v, %v", info, err)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file became %v, %v", info, err)
	}
	if found, err := os.ReadDir(dir); err != nil || len(found) != 2 {
		t.Errorf("%v, %v were left behind", found, err)
	}
}

// TestCreateFileRefuses checks that an error names the file that cannot be written, before any work.
func TestCreateFileRefuses(t *testing.T) {
	dir := t.TempDir()
	missing := filepath.Join(dir, "missing", "file")
	for name, says := range map[string]string{dir: "is a folder", missing: "no such file"} {
		_, err := Output{}.File(name)
		var output *atomicfile.Error
		if !errors.As(err, &output) || output.File != name || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want %q", name, err, says)
		}
	}
	if found, err := os.ReadDir(dir); err != nil || len(found) != 0 {
		t.Errorf("%v, %v were left behind", found, err)
	}
}

// A failingWriter is a figure whose drawing fails.
type failingWriter struct{}

func (failingWriter) WriteTo(w io.Writer) (int64, error) {
	n, _ := w.Write([]byte("half"))
	return int64(n), errors.New("no ink")
}

// TestAbortedFile checks that a failed figure leaves the old file unchanged.
func TestAbortedFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	writeText(t, name, "old", 0o644)
	err := Output{}.Folder(filepath.Dir(name)).Write("file", failingWriter{})
	if err == nil || err.Error() != name+": no ink" {
		t.Error(err)
	}
	found, err := os.ReadDir(filepath.Dir(name))
	if got := readText(t, name); got != "old" || err != nil || len(found) != 1 {
		t.Errorf("%q, beside it %v, %v", got, found, err)
	}
}

// TestInterruptedFigures checks that no figure is written after the set of files was closed.
func TestInterruptedFigures(t *testing.T) {
	var files atomicfile.Set
	dir := t.TempDir()
	files.Close()
	if err := (Output{Files: &files}).Folder(filepath.Join(dir, "figures")).Write("a.svg", strings.NewReader("x")); err != atomicfile.ErrClosed {
		t.Error(err)
	}
	if found, err := os.ReadDir(dir); err != nil || len(found) != 0 {
		t.Errorf("%v, %v were left behind", found, err)
	}
}
