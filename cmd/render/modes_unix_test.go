//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
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

func TestReadOnlyFolder(t *testing.T) {
	dir, mesh := clitest.CubeFile(t)
	data := string(clitest.Read(t, mesh))
	if err := os.Chmod(dir, 0o555); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(dir, 0o755)
	// Root can write to read-only folders, so another user runs the command. That user needs access to the folders
	// above.
	cmd := command(t, dir, "-", "-s", "32", "-o", "o.png")
	if os.Geteuid() == 0 {
		for at := dir; at != "/" && at != os.TempDir(); at = filepath.Dir(at) {
			if at != dir {
				os.Chmod(at, 0o755)
			}
		}
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	}
	cmd.Stdin = strings.NewReader(data)
	finish(t, cmd).Want(t, cli.Output, "o.png", "permission denied")
	clitest.WantFiles(t, dir)
}
