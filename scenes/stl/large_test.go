package stl

import (
	"context"
	"lockstep/scenes"
	"lockstep/scenes/internal/meshtest"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// TestLargeFile streams a file of 500 MB. Both passes together must allocate less than 8 MiB, and give the triangles
// that were written.
func TestLargeFile(t *testing.T) {
	if !*long {
		t.Skip("takes half a gigabyte of disk; run with -long")
	}
	s := scene(t, "scene:torus?triangles=10M")
	path := filepath.Join(t.TempDir(), "large.stl")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := Write(f, s, WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	file, rep, err := Open(ctx, path, scenes.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	err = scenes.ForEachBlock(ctx, file, 0, func(_, i int, b *scenes.Block) error {
		if i%500 == 0 {
			var want scenes.Block
			if err := s.ReadBlock(i, &want); err != nil {
				return err
			}
			meshtest.Same(t, &scenes.Mesh{Block: *b}, &scenes.Mesh{Block: want})
		}
		return nil
	})
	runtime.ReadMemStats(&after)
	if err != nil || rep.Triangles != s.Len() || len(rep.Warnings) != 0 {
		t.Fatalf("%v, report %+v", err, rep)
	}
	if n := after.TotalAlloc - before.TotalAlloc; n > 8<<20 {
		t.Errorf("%d bytes allocated", n)
	}
}
