package render_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"lockstep/render"
	"lockstep/render/camera"
)

// BenchmarkSamples draws warm flat frames with 1, 4 and 16 samples a pixel in turn. The frames show a whole mesh or an
// eighth of its width. The benchmark reports the shortest times, and the times with several samples as multiples of the
// time with one. It also reports the least processor times, which other programs change less.
func BenchmarkSamples(b *testing.B) {
	for _, triangles := range []string{"70000", "1000000"} {
		mesh := generated(b, "scene:bumpy?triangles="+triangles)
		for _, zoom := range []float64{1, 8} {
			b.Run(fmt.Sprintf("bumpy=%s/zoom=%g", triangles, zoom), func(b *testing.B) {
				cam, err := camera.FitTight(b.Context(), mesh, mesh.Bounds(), 1920, 1080, camera.Options{Azimuth: 30, Elevation: 20, Zoom: zoom})
				if err != nil {
					b.Fatal(err)
				}
				samples := [3]int{1, 4, 16}
				best := [3]time.Duration{math.MaxInt64, math.MaxInt64, math.MaxInt64}
				processor := best
				var renderers [3]*render.Renderer
				var pics [3]render.Picture
				for k, n := range samples {
					renderers[k] = newRenderer(b, render.Options{Width: 1920, Height: 1080, Samples: n})
				}
				for b.Loop() {
					for k, r := range renderers {
						start := processorTime(b)
						s, err := r.Frame(b.Context(), mesh, cam, &pics[k])
						if err != nil {
							b.Fatal(err)
						}
						best[k], processor[k] = min(best[k], s.Seconds.Frame), min(processor[k], processorTime(b)-start)
					}
				}
				for k, n := range samples {
					b.ReportMetric(float64(best[k])/1e6, fmt.Sprintf("ms-%d", n))
					b.ReportMetric(float64(best[k])/float64(best[0]), fmt.Sprintf("times-%d", n))
					b.ReportMetric(float64(processor[k])/1e6, fmt.Sprintf("cpu-ms-%d", n))
					b.ReportMetric(float64(processor[k])/max(float64(processor[0]), 1), fmt.Sprintf("cpu-times-%d", n))
				}
			})
		}
	}
}
