//go:build unix

package main

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"lockstep/internal/cli"
	"lockstep/internal/clitest"
)

func TestFileModes(t *testing.T) {
	dir, mesh := clitest.CubeFile(t)
	out := filepath.Join(dir, "o.png")
	old := syscall.Umask(0o027)
	defer syscall.Umask(old)
	run(t, dir, "", mesh, "-s", "16", "-o", "o.png").Want(t, cli.Done)
	wantMode(t, out, 0o640)
	if err := os.Chmod(out, 0o604); err != nil {
		t.Fatal(err)
	}
	run(t, dir, "", mesh, "-s", "16", "-o", "o.png").Want(t, cli.Done)
	wantMode(t, out, 0o604)
	clitest.WantFiles(t, dir, "o.png")
}

func wantMode(t *testing.T, path string, want os.FileMode) {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode() != want {
		t.Errorf("mode %v, want %v", info.Mode(), want)
	}
}
