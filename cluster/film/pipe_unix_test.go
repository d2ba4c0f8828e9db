//go:build unix

package film

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"lockstep/internal/clitest"
	"lockstep/render/recipe"
)

// TestFileBecomesPipe checks a file that became a named pipe after it was checked. Opening the film must still end with
// its context. A pipe must be refused when the contents of files are hashed.
func TestFileBecomesPipe(t *testing.T) {
	dir, mesh := clitest.CubeFile(t)
	s, err := (&Film{Animation: cubes(mesh, dir).Animation, Output: cubes(mesh, dir).Output}).newSpec(&recipe.Drawer{})
	if err != nil {
		t.Fatal(err)
	}
	pipe := filepath.Join(dir, "pipe.stl")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	s.Animation.Picture.Meshes[0].File = pipe
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := openFrames(ctx, recipe.Drawer{}, s, nil, false)
		ended <- err
	}()
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("opening a pipe ends with %v", err)
	}
	if _, err := describeSource(t.Context(), source{Name: "pipe.stl", fileLocation: fileLocation{Path: pipe}}); err == nil || !strings.Contains(err.Error(), "it is no regular file now") {
		t.Errorf("the contents of a pipe: %v", err)
	}
}

// TestWantedFileBecomesPipe checks a file that has become a named pipe when a node requests it. The film must not wait
// for another process to write into the pipe.
func TestWantedFileBecomesPipe(t *testing.T) {
	conn := startServer(t)()
	dir, mesh := clitest.CubeFile(t)
	f := cubes(mesh, filepath.Join(dir, "out"))
	f.Open = true
	s, err := Open(t.Context(), f, Options{Drawer: recipe.Drawer{Workers: 1}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	s.cluster = conn
	if err := errors.Join(conn.RequestFiles(t.Context(), s.job), os.Remove(mesh)); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(mesh, 0o600); err != nil {
		t.Skip(err)
	}
	spec, err := readSpec(s.job)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.uploadRequested(t.Context(), s.job, spec.Files); err == nil || !strings.Contains(err.Error(), "it is no regular file now") {
		t.Errorf("a pipe is sent: %v", err)
	}
}
