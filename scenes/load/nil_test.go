package load_test

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lockstep/scenes"
	"lockstep/scenes/load"
	"lockstep/scenes/save"
)

// TestNilArgumentsAreErrors checks that a nil argument causes a clear error, not a panic far below.
func TestNilArgumentsAreErrors(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.obj")
	const text = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var (
		noContext context.Context
		noMesh    *scenes.Mesh
		ctx       = context.Background()
		options   scenes.ReadOptions
		only      = func(_ any, err error) error { return err }
		read      = func(_, _ any, err error) error { return err }
		each      = func(int, int, *scenes.Block) error { return nil }
	)
	stl, ok := save.Find(".stl")
	if !ok {
		t.Fatal("no format .stl")
	}
	mesh, _, err := load.File(ctx, path, options)
	if err != nil {
		t.Fatal(err)
	}
	for name, err := range map[string]error{
		"File":                  read(load.File(noContext, path, options)),
		"Reader":                read(load.Reader(noContext, strings.NewReader(text), options)),
		"Reader of nothing":     read(load.Reader(ctx, nil, options)),
		"FS":                    read(load.FS(noContext, os.DirFS(filepath.Dir(path)), "a.obj", options)),
		"FS of nothing":         read(load.FS(ctx, nil, "a.obj", options)),
		"Stream":                read(load.Stream(noContext, path, options)),
		"Load":                  only(scenes.Load(noContext, mesh, options)),
		"Load of nothing":       only(scenes.Load(ctx, nil, options)),
		"Load of no mesh":       only(scenes.Load(ctx, noMesh, options)),
		"Bounds":                only(scenes.Bounds(noContext, mesh, 1)),
		"Bounds of nothing":     only(scenes.Bounds(ctx, nil, 1)),
		"Blocks":                scenes.ForEachBlock(noContext, mesh, 1, each),
		"Blocks of nothing":     scenes.ForEachBlock(ctx, nil, 1, each),
		"Core":                  read(scenes.Core(noContext, mesh, mesh.Bounds(), 1)),
		"Core of nothing":       read(scenes.Core(ctx, nil, mesh.Bounds(), 1)),
		"Write without context": stl.Write(noContext, io.Discard, mesh, options),
		"Write to nothing":      stl.Write(ctx, nil, mesh, options),
		"Write of nothing":      stl.Write(ctx, io.Discard, nil, options),
		"Write of no mesh":      stl.Write(ctx, io.Discard, noMesh, options),
	} {
		if err == nil || !strings.Contains(err.Error(), "not nil") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
