package render_test

import (
	"math"
	"testing"
	"time"

	"lockstep/render"
	"lockstep/render/camera"
	"lockstep/scenes"
)

// BenchmarkFinish draws warm frames of a mesh with and without a finish in turn, at 1080p with 4 samples. It reports
// the shortest times of both and the additional time of a finish per lit point.
func BenchmarkFinish(b *testing.B) {
	mesh := generated(b, "scene:bumpy?triangles=70000")
	whole, err := render.NewSurface(b.Context(), mesh, render.SurfaceOptions{})
	if err != nil {
		b.Fatal(err)
	}
	plaster := render.Options{Width: 1920, Height: 1080}.Studio()
	metal := plaster
	metal.Finish = &scenes.Finish{Metallic: 1, Roughness: 0.3, Specular: [3]float32{0.04, 0.04, 0.04}}
	cam, err := camera.FitTight(b.Context(), mesh, mesh.Bounds(), 1920, 1080, camera.Options{Azimuth: 30, Elevation: 20})
	if err != nil {
		b.Fatal(err)
	}
	best := [2]time.Duration{math.MaxInt64, math.MaxInt64}
	renderers := [2]*render.Renderer{newRenderer(b, plaster), newRenderer(b, metal)}
	var pics [2]render.Picture
	for b.Loop() {
		for k, r := range renderers {
			s, err := r.Frame(b.Context(), whole, cam, &pics[k])
			if err != nil {
				b.Fatal(err)
			}
			best[k] = min(best[k], s.Seconds.Frame)
		}
	}
	if string(pics[0].Pix) == string(pics[1].Pix) {
		b.Fatal("the finish changes nothing")
	}
	b.ReportMetric(float64(best[0])/1e6, "ms-plaster")
	b.ReportMetric(float64(best[1])/1e6, "ms-metal")
}
