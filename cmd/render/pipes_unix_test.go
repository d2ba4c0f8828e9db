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

func TestNamedPipe(t *testing.T) {
	dir, mesh := clitest.CubeFile(t)
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o644); err != nil {
		t.Skip(err)
	}
	got := make(chan []byte)
	go func() {
		data, _ := os.ReadFile(pipe)
		got <- data
	}()
	run(t, dir, "", mesh, "-s", "16", "-o", "pipe").Want(t, cli.Done)
	picture(t, <-got)
	clitest.WantFiles(t, dir, "pipe")
}

// TestOneNamedPipeForTwo checks that two outputs cannot be the same named pipe. An output to a pipe must not count as
// one that replaces a mesh, because pipes are not replaced.
func TestOneNamedPipeForTwo(t *testing.T) {
	dir, mesh := clitest.CubeFile(t)
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o644); err != nil {
		t.Skip(err)
	}
	run(t, dir, "", mesh, "-s", "16", "-o", "pipe", "--depth", "./pipe").Want(t, cli.Usage, "./pipe: would replace pipe")
	if got, err := new(cli.App).CheckTargets(filepath.Join(dir, "pipe")); got != nil || err != nil {
		t.Errorf("a pipe is taken for a mesh: %v, %v", got, err)
	}
}
