package report

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// readText returns a file's text.
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

// TestReplaceFile keeps links and permissions.
func TestReplaceFile(t *testing.T) {
	dir := t.TempDir()
	file, link := filepath.Join(dir, "file"), filepath.Join(dir, "link")
	writeText(t, file, "old", 0o600)
	if err := os.Symlink("file", link); err != nil {
		t.Skip(err)
	}
	if err := ReplaceFile(link, strings.NewReader("new")); err != nil {
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

// TestCreateFileRefuses leaves alone what is no regular file, before any work.
func TestCreateFileRefuses(t *testing.T) {
	dir := t.TempDir()
	nowhere, missing := filepath.Join(dir, "nowhere"), filepath.Join(dir, "missing", "file")
	if err := os.Symlink("nothing", nowhere); err != nil {
		t.Skip(err)
	}
	for name, says := range map[string]string{dir: "is a folder", nowhere: "no such file", missing: "no such file"} {
		_, err := CreateFile(name)
		var output *OutputError
		if !errors.As(err, &output) || output.File != name || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want %q", name, err, says)
		}
	}
	if found, err := os.ReadDir(dir); err != nil || len(found) != 1 {
		t.Errorf("%v, %v were left behind", found, err)
	}
}

// TestAbortedFile leaves what was there.
func TestAbortedFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	writeText(t, name, "old", 0o644)
	f, err := CreateFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write([]byte("new")); err != nil {
		t.Fatal(err)
	}
	f.Abort()
	if err := f.Commit(); err != nil {
		t.Fatal(err)
	}
	found, err := os.ReadDir(filepath.Dir(name))
	if got := readText(t, name); got != "old" || err != nil || len(found) != 1 {
		t.Errorf("%q, beside it %v, %v", got, found, err)
	}
}
