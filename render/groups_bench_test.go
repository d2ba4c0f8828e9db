package render_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"lockstep/render"
	"lockstep/render/camera"
)

// BenchmarkGroups compares warm frames of a mesh whose groups are known with frames of a mesh that is drawn for the
// first time, in turn. The frames show the whole mesh or an eighth of its width, flat or in the default look. The
// benchmark checks that the pictures are equal, and reports the shortest times.
func BenchmarkGroups(b *testing.B) {
	for _, triangles := range []string{"1M", "10M"} {
		mesh := generated(b, "scene:bumpy?triangles="+triangles)
		smooth, err := render.NewSurface(b.Context(), mesh, render.SurfaceOptions{})
		if err != nil {
			b.Fatal(err)
		}
		plain := render.Options{Width: 1920, Height: 1080}
		for name, o := range map[string]render.Options{"flat": plain, "default": plain.Studio()} {
			for _, zoom := range []float64{1, 8} {
				cam, err := camera.FitTight(b.Context(), mesh, mesh.Bounds(), o.Width, o.Height, camera.Options{Azimuth: 30, Elevation: 20, Zoom: zoom})
				if err != nil {
					b.Fatal(err)
				}
				b.Run(fmt.Sprintf("%s/%s/zoom=%g", triangles, name, zoom), func(b *testing.B) { benchGroups(b, o, smooth, cam) })
			}
		}
	}
}

func benchGroups(b *testing.B, o render.Options, s *render.Surface, cam render.Camera) {
	best := [2]time.Duration{math.MaxInt64, math.MaxInt64}
	renderers := [2]*render.Renderer{newRenderer(b, o), newRenderer(b, o)}
	var pics [2]render.Picture
	for b.Loop() {
		fresh, err := render.NewSurface(b.Context(), s.Mesh, render.SurfaceOptions{})
		if err != nil {
			b.Fatal(err)
		}
		for k, source := range [2]*render.Surface{fresh, s} {
			stats, err := renderers[k].Frame(b.Context(), source, cam, &pics[k])
			if err != nil {
				b.Fatal(err)
			}
			best[k] = min(best[k], stats.Seconds.Frame)
		}
	}
	if string(pics[0].Pix) != string(pics[1].Pix) {
		b.Fatal("the pictures differ")
	}
	b.ReportMetric(float64(best[0])/1e6, "ms-first")
	b.ReportMetric(float64(best[1])/1e6, "ms-again")
}
