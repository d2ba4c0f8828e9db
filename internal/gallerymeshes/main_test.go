package main

import (
	"os"
	"path/filepath"
	"testing"

	"lockstep/scenes"
	"lockstep/scenes/load"
)

// TestMeshes reads the meshes that the command writes. All must be read without warning, and with as many triangles
// as the meshes in testdata.
func TestMeshes(t *testing.T) {
	dir := t.TempDir()
	if err := run([]string{dir}); err != nil {
		t.Fatal(err)
	}
	files, err := os.ReadDir(dir)
	if err != nil || len(files) != 5 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, f := range files {
		made, report, err := load.File(t.Context(), filepath.Join(dir, f.Name()), scenes.ReadOptions{})
		if err != nil || len(report.Warnings) > 0 {
			t.Errorf("%s: %v, %v", f.Name(), err, report.Warnings)
			continue
		}
		committed, _, err := load.File(t.Context(), filepath.Join("..", "..", "testdata", "gallery", f.Name()), scenes.ReadOptions{})
		if err != nil || committed.Len() != made.Len() || made.Len() == 0 {
			t.Errorf("%s: %d triangles, %v", f.Name(), made.Len(), err)
		}
	}
	if run(nil) == nil {
		t.Error("no error without a folder")
	}
}
