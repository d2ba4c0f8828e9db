package load_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"lockstep/scenes"
	"lockstep/scenes/internal/meshtest"
	"lockstep/scenes/load"
	"lockstep/scenes/procedural"
	"lockstep/scenes/save"
)

// benchTriangles is the size for which docs/record/formats.md states speeds.
const benchTriangles = 1_000_000

// BenchmarkRead reads a torus of a million triangles in every format that can be written. The bytes are in the page
// cache. The mesh must equal the written mesh.
func BenchmarkRead(b *testing.B) {
	ctx := context.Background()
	scene, err := procedural.Parse(fmt.Sprintf("scene:torus?triangles=%d", benchTriangles))
	if err != nil {
		b.Fatal(err)
	}
	want, err := scenes.Load(ctx, scene, scenes.ReadOptions{})
	if err != nil {
		b.Fatal(err)
	}
	for _, format := range save.Formats() {
		for _, workers := range []int{1, 2} {
			b.Run(fmt.Sprintf("format=%s/workers=%d", format.Name, workers), func(b *testing.B) {
				benchRead(b, benchFile(b, &format, want), workers, want)
			})
		}
	}
}

// benchFile writes a mesh to a new file.
func benchFile(b *testing.B, format *save.Format, m *scenes.Mesh) string {
	b.Helper()
	path := filepath.Join(b.TempDir(), format.Name+format.Extension)
	f, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	if err := format.Write(context.Background(), f, m, scenes.ReadOptions{}); err != nil {
		b.Fatal(err)
	}
	if err := f.Close(); err != nil {
		b.Fatal(err)
	}
	return path
}

func benchRead(b *testing.B, path string, workers int, want *scenes.Mesh) {
	b.Helper()
	info, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(info.Size())
	b.ReportAllocs()
	var got *scenes.Mesh
	for b.Loop() {
		if got, _, err = load.File(context.Background(), path, scenes.ReadOptions{Workers: workers}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(want.Len())*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mtri/s")
	if got.Up == scenes.PlusY && want.Up == scenes.PlusZ && filepath.Ext(path) == ".glb" {
		for k := range 3 {
			got.Y[k], got.Z[k] = got.Z[k], got.Y[k]
			for t := range got.Y[k] {
				got.Y[k][t] = 0 - got.Y[k][t]
			}
		}
	}
	meshtest.Same(b, &scenes.Mesh{Block: got.Block}, &scenes.Mesh{Block: want.Block})
}
