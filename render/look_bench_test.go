package render_test

import (
	"context"
	"math"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"lockstep/render"
	"lockstep/render/camera"
	"lockstep/scenes"
	"lockstep/scenes/load"
)

// BenchmarkLook draws warm frames in the default look, on as many workers as -cpu says. The mesh and its normals are in
// memory. The benchmark also finds those normals. It reports the shortest times, and the least and the median processor
// time of a frame. The times of stages are means over the workers. With -meshes it draws those files, too.
func BenchmarkLook(b *testing.B) {
	for _, triangles := range []string{"70000", "1000000"} {
		mesh := generated(b, "scene:bumpy?triangles="+triangles)
		b.Run("bumpy="+triangles, func(b *testing.B) { benchLook(b, mesh) })
		b.Run("normals/bumpy="+triangles, func(b *testing.B) { benchNormals(b, mesh) })
	}
	files, err := filepath.Glob(*meshFiles)
	if err != nil {
		b.Fatal(err)
	}
	for _, path := range files {
		mesh, _, err := load.File(b.Context(), path, scenes.ReadOptions{})
		if err != nil {
			b.Fatal(err)
		}
		b.Run(filepath.Base(path), func(b *testing.B) { benchLook(b, mesh) })
		b.Run("normals/"+filepath.Base(path), func(b *testing.B) { benchNormals(b, mesh) })
	}
}

func benchLook(b *testing.B, mesh *scenes.Mesh) {
	o := render.Options{Workers: runtime.GOMAXPROCS(0), Pin: true, Width: 1920, Height: 1080}.Studio()
	whole, err := render.NewSurface(b.Context(), mesh, render.SurfaceOptions{})
	if err != nil {
		b.Fatal(err)
	}
	cam, err := camera.FitTight(b.Context(), mesh, mesh.Bounds(), o.Width, o.Height, camera.Options{Azimuth: 30, Elevation: 20})
	if err != nil {
		b.Fatal(err)
	}
	renderer := newRenderer(b, o)
	best := render.Seconds{Frame: math.MaxInt64}
	var pic render.Picture
	for range 2 { // the first frames allocate memory
		if _, err := renderer.Frame(b.Context(), whole, cam, &pic); err != nil {
			b.Fatal(err)
		}
	}
	taken := make([]time.Duration, 0, b.N)
	b.ResetTimer()
	for range b.N {
		start := processorTime(b)
		s, err := renderer.Frame(b.Context(), whole, cam, &pic)
		if err != nil {
			b.Fatal(err)
		}
		taken = append(taken, processorTime(b)-start)
		if s.Seconds.Frame < best.Frame {
			best = s.Seconds
		}
	}
	for _, stage := range []struct {
		name string
		time time.Duration
	}{{"ms-frame", best.Frame}, {"ms-geometry", best.Geometry}, {"ms-scan", best.Scan}, {"ms-z", best.ZBuffer}, {"ms-merge", best.Merge}, {"ms-light", best.Resolve}} {
		b.ReportMetric(float64(stage.time)/1e6, stage.name)
	}
	slices.Sort(taken)
	b.ReportMetric(float64(taken[0])/1e6, "cpu-ms")
	b.ReportMetric(float64(taken[len(taken)/2])/1e6, "cpu-ms-median")
}

func benchNormals(b *testing.B, mesh *scenes.Mesh) {
	best := time.Duration(math.MaxInt64)
	for b.Loop() {
		start := time.Now()
		if _, err := render.NewSurface(context.Background(), mesh, render.SurfaceOptions{}); err != nil {
			b.Fatal(err)
		}
		best = min(best, time.Since(start))
	}
	b.ReportMetric(float64(best)/float64(mesh.Len()), "best-ns/triangle")
}
