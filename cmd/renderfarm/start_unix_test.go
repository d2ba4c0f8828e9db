//go:build unix

package main

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"lockstep/cluster/film"
	"lockstep/internal/cli"
	"lockstep/internal/clitest"
	"lockstep/internal/folderlock"
)

// TestFilmOfLockedFolder checks that a film is refused in a folder in which another command draws, and that a film of a
// pipe is refused without reading from it.
func TestFilmOfLockedFolder(t *testing.T) {
	t.Parallel()
	dir, mesh := clitest.CubeFile(t)
	held := filepath.Join(dir, "out", film.Folder)
	if err := os.MkdirAll(held, 0o777); err != nil {
		t.Fatal(err)
	}
	unlock, err := folderlock.Lock(held, "lock")
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	r := run(t, dir, "", "film", mesh, "--turntable", "--frames", "3", "-o", "out")
	if r.Code != int(cli.Output) || r.Stderr != "renderfarm: out: another command draws a film here\n" {
		t.Errorf("code %d: %q", r.Code, r.Stderr)
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "slow.stl"), 0o644); err != nil {
		t.Skip(err)
	}
	run(t, dir, "", "film", "slow.stl", "--turntable", "--frames", "3", "-o", "other").Want(t, cli.Usage, "slow.stl: every node reads the mesh: expected a file")
}
