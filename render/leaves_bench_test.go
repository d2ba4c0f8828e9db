package render_test

import (
	"fmt"
	"testing"
	"time"

	"lockstep/lb"
	"lockstep/render"
	"lockstep/render/camera"
	"lockstep/scenes"
)

// BenchmarkLeaves draws a turntable that turns by a degree per frame, in turn with and without groups of triangles that
// may be deferred. It checks that the pictures are equal. It reports the mean times of frames, their ratio, and the
// share of triangles that are drawn at once.
func BenchmarkLeaves(b *testing.B) {
	for _, triangles := range []string{"1M", "10M"} {
		mesh := generated(b, "scene:bumpy?triangles="+triangles)
		o := render.Options{Width: 1920, Height: 1080}
		for _, zoom := range []float64{1, 8} {
			b.Run(fmt.Sprintf("%s/flat/zoom=%g", triangles, zoom), func(b *testing.B) { benchLeaves(b, o, mesh, zoom, false) })
			b.Run(fmt.Sprintf("%s/flat/zoom=%g/ordered", triangles, zoom), func(b *testing.B) { benchLeaves(b, o, mesh, zoom, true) })
		}
		b.Run(triangles+"/default/zoom=1", func(b *testing.B) { benchLeaves(b, o.Studio(), mesh, 1, false) })
		b.Run(triangles+"/default/zoom=1/ordered", func(b *testing.B) { benchLeaves(b, o.Studio(), mesh, 1, true) })
	}
	for _, name := range []string{"open", "closed"} {
		mesh := generated(b, map[string]string{"open": "scene:housing?triangles=2M&gears=512", "closed": "scene:housing?triangles=2M&gears=512&closed=1"}[name])
		o := render.Options{Width: 1920, Height: 1080}
		b.Run("2M/"+name+"/flat", func(b *testing.B) { benchLeaves(b, o, mesh, 1, false) })
		b.Run("2M/"+name+"/default", func(b *testing.B) { benchLeaves(b, o.Studio(), mesh, 1, false) })
	}
}

func benchLeaves(b *testing.B, o render.Options, mesh *scenes.Mesh, zoom float64, ordered bool) {
	s, err := render.NewSurface(b.Context(), mesh, render.SurfaceOptions{})
	if err != nil {
		b.Fatal(err)
	}
	var ordering time.Duration
	sources := [2]*render.Surface{s, s}
	if ordered {
		if sources[1], err = render.NewSurface(b.Context(), mesh, render.SurfaceOptions{}); err != nil {
			b.Fatal(err)
		}
		start := time.Now()
		sources[1].Order(0)
		ordering = time.Since(start)
	}
	renderers := [2]*render.Renderer{newRenderer(b, o), newRenderer(b, o)}
	render.SetLeaves(renderers[0], lb.Never, 0)
	var spent [2]time.Duration
	var drawn [2]int64
	var pics [2]render.Picture
	frames := 0
	frame := func() {
		cam, err := camera.Fit(s.Bounds(), o.Width, o.Height, camera.Options{Azimuth: float64(30 + frames), Elevation: 20, Zoom: zoom})
		if err != nil {
			b.Fatal(err)
		}
		frames++
		for k, r := range renderers {
			stats, err := r.Frame(b.Context(), sources[k], cam, &pics[k])
			if err != nil {
				b.Fatal(err)
			}
			spent[k] += stats.Seconds.Frame
			drawn[k] += stats.Triangles.Drawn
		}
		if string(pics[0].Pix) != string(pics[1].Pix) {
			b.Fatal("the pictures differ")
		}
	}
	for range 12 { // until the history is known, or the renderer has found that deferring saves nothing
		frame()
	}
	spent, drawn, frames = [2]time.Duration{}, [2]int64{}, 0
	for b.Loop() {
		frame()
	}
	b.ReportMetric(float64(spent[0])/1e6/float64(frames), "ms-all")
	b.ReportMetric(float64(spent[1])/1e6/float64(frames), "ms-deferred")
	b.ReportMetric(float64(spent[1])/float64(spent[0]), "ratio")
	b.ReportMetric(float64(drawn[1])/float64(drawn[0]), "drawn")
	b.ReportMetric(0, "ns/op")
	if ordered {
		b.ReportMetric(float64(ordering.Nanoseconds())/float64(mesh.Len()), "ns-order/tri")
	}
}
