//go:build unix

package smallfile

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestPipes checks that the data of a pipe is read, and that Read does not wait for a missing writer.
func TestPipes(t *testing.T) {
	name := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(name, 0o600); err != nil {
		t.Skip(err)
	}
	if _, err := Read(name, 5); !errors.Is(err, ErrEmptyPipe) {
		t.Error(err)
	}
	w, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.WriteString("123456"); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(name, 5); err == nil {
		t.Error("more than fits was read")
	}
	w.Close()
}
