package reading_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"lockstep/internal/clitest"
	"lockstep/render/recipe/internal/reading"
	"lockstep/scenes"
	"lockstep/scenes/prepared"
	"lockstep/scenes/procedural"
)

// ending is a context that ends after a number of calls of Err.
type ending struct {
	context.Context
	left *atomic.Int64
}

func (e ending) Err() error {
	if e.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// TestFilesAreClosedWithoutHash checks that a call that fails leaves no file open. The contexts end at every possible
// time, also while the contents are hashed.
func TestFilesAreClosedWithoutHash(t *testing.T) {
	dir, stl := clitest.CubeFile(t)
	name := filepath.Join(dir, "cube.lkm")
	prepare(t, name)
	r := &reading.Reader{NoteContents: true}
	for _, c := range []struct {
		file string
		open func(ctx context.Context) (*reading.Mesh, error)
	}{
		{stl, func(ctx context.Context) (*reading.Mesh, error) {
			return r.ReadNamed(ctx, stl, 0, true, false, scenes.ReadOptions{Workers: 1})
		}},
		{name, func(ctx context.Context) (*reading.Mesh, error) {
			return r.OpenPrepared(ctx, name, func(*prepared.File) bool { return true }, scenes.ReadOptions{Workers: 1})
		}},
	} {
		failed := 0
		for calls := int64(0); ; calls++ {
			left := new(atomic.Int64)
			left.Store(calls)
			m, err := c.open(ending{t.Context(), left})
			if err == nil {
				if m.Contents == "" || opened(t, c.file) != 1 {
					t.Errorf("%s: contents %q, open %d times", c.file, m.Contents, opened(t, c.file))
				}
				m.Close()
				break
			}
			if failed++; m != nil || !errors.Is(err, context.Canceled) || opened(t, c.file) != 0 {
				t.Fatalf("%s, after %d calls: mesh %v, error %v, open %d times", c.file, calls, m, err, opened(t, c.file))
			}
		}
		if failed == 0 || opened(t, c.file) != 0 {
			t.Errorf("%s: failed %d times, open %d times after closing it", c.file, failed, opened(t, c.file))
		}
	}
}

// prepare writes a prepared mesh.
func prepare(t *testing.T, name string) {
	scene, err := procedural.Parse("scene:housing?triangles=2k")
	if err != nil {
		t.Fatal(err)
	}
	var files [2]*os.File
	for i, name := range []string{name, name + ".tmp"} {
		if files[i], err = os.Create(name); err != nil {
			t.Fatal(err)
		}
		defer files[i].Close()
	}
	if err := prepared.WriteSource(t.Context(), files[0], scene, prepared.SourceOptions{Temporary: files[1]}); err != nil {
		t.Fatal(err)
	}
}

// opened returns the number of file descriptors that this process has for a file.
func opened(t *testing.T, name string) (n int) {
	name, err := filepath.EvalSymlinks(name)
	if err != nil {
		t.Fatal(err)
	}
	all, err := filepath.Glob("/proc/self/fd/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, fd := range all {
		if to, err := os.Readlink(fd); err == nil && to == name {
			n++
		}
	}
	return n
}
