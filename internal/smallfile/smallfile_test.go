package smallfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

func TestSmallFiles(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "a")
	if err := os.WriteFile(name, []byte("12345"), 0o666); err != nil {
		t.Fatal(err)
	}
	if text, err := Read(name, 5); err != nil || string(text) != "12345" {
		t.Errorf("%q, %v", text, err)
	}
	if _, err := Read(name, 4); err == nil || err.Error() != "is larger than 4 bytes" {
		t.Error(err)
	}
	if text, err := ReadPrefix(name, 4); err != nil || string(text) != "1234" {
		t.Errorf("%q, %v", text, err)
	}
	if _, err := Read(filepath.Join(dir, "none"), 5); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if _, err := Read(dir, 5); !errors.Is(err, ErrNoFile) {
		t.Error(err)
	}
	if text, err := Read(os.DevNull, 5); err != nil || len(text) != 0 {
		t.Errorf("%q, %v", text, err)
	}
}
