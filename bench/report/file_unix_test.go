//go:build unix

package report

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestPipesAreNotReplaced checks that pipes are written into, by name and behind links, and not replaced.
func TestPipesAreNotReplaced(t *testing.T) {
	dir := t.TempDir()
	pipe, link := filepath.Join(dir, "pipe"), filepath.Join(dir, "link")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	if err := os.Symlink("pipe", link); err != nil {
		t.Skip(err)
	}
	for _, name := range []string{"pipe", "link"} {
		got := make(chan string)
		go func() {
			data, _ := os.ReadFile(pipe)
			got <- string(data)
		}()
		if err := (Output{}).Folder(dir).Write(name, strings.NewReader("x")); err != nil || <-got != "x" {
			t.Errorf("%s: %v", name, err)
		}
	}
	if info, err := os.Lstat(pipe); err != nil || info.Mode()&os.ModeNamedPipe == 0 {
		t.Errorf("the pipe became %v, %v", info, err)
	}
}
