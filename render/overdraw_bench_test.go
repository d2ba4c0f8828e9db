package render_test

import (
	"fmt"
	"math"
	"path/filepath"
	"testing"
	"time"

	"lockstep/lb"
	"lockstep/render"
	"lockstep/render/camera"
	"lockstep/scenes"
	"lockstep/scenes/load"
)

// overdrawn are scenes that show several surfaces behind each other, and scenes that do not.
var overdrawn = []string{
	"scene:nested?spheres=40&order=in", "scene:nested?spheres=40&order=out", "scene:housing", "scene:housing?closed=1",
	"scene:bumpy?triangles=70k", "scene:bumpy?triangles=300k", "scene:bumpy?triangles=1M", "scene:slivers",
}

// BenchmarkOverdraw draws flat frames at 1920x1080 in turn with and without deferring polygons that are predicted to be
// hidden, on one worker and on two. It uses a fixed camera, and a camera that turns by a degree per frame. It checks
// that pictures are equal. It reports the shortest time with the fixed camera and the mean time with the turning
// camera. With -meshes it draws those files, too.
func BenchmarkOverdraw(b *testing.B) {
	meshes := map[string]*scenes.Mesh{}
	names := append([]string(nil), overdrawn...)
	for _, name := range names {
		meshes[name] = generated(b, name)
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
		names, meshes[filepath.Base(path)] = append(names, filepath.Base(path)), mesh
	}
	for _, name := range names {
		for cull, faces := range map[render.Cull]string{render.CullBack: "culled", render.CullNone: "both"} {
			for _, workers := range []int{1, 2} {
				b.Run(fmt.Sprintf("%s/%s/workers=%d", name, faces, workers), func(b *testing.B) {
					o := render.Options{Workers: workers, Pin: true, Width: 1920, Height: 1080, Cull: cull}
					benchOverdraw(b, meshes[name], o)
				})
			}
		}
	}
}

func benchOverdraw(b *testing.B, mesh *scenes.Mesh, o render.Options) {
	var renderers [2]*render.Renderer
	var pics [2]render.Picture
	var best [2]render.Seconds
	var turning [2]time.Duration
	for k, policy := range []lb.Policy{lb.Never, lb.CostEffective} {
		o.Leaves = policy
		renderers[k] = newRenderer(b, o)
		best[k].Frame = math.MaxInt64
	}
	var stats [2]render.Stats
	frame := func(azimuth float64) {
		cam, err := camera.FitTight(b.Context(), mesh, mesh.Bounds(), o.Width, o.Height, camera.Options{Azimuth: azimuth, Elevation: 20})
		if err != nil {
			b.Fatal(err)
		}
		for k, r := range renderers {
			if stats[k], err = r.Frame(b.Context(), mesh, cam, &pics[k]); err != nil {
				b.Fatal(err)
			}
		}
		if string(pics[0].Pix) != string(pics[1].Pix) {
			b.Fatal("the pictures differ")
		}
	}
	for range 4 {
		frame(30)
	}
	n := 0
	for b.Loop() {
		frame(30)
		for k := range best {
			if stats[k].Seconds.Frame < best[k].Frame {
				best[k] = stats[k].Seconds
			}
		}
		n++
	}
	if testing.Verbose() {
		b.Logf("%+v\nwithout %+v\nwith %+v", stats[1].Hidden, best[0], best[1])
	}
	late := int64(0)
	for i := range n + 4 {
		frame(30 + float64(i))
		if i < 4 {
			continue
		}
		for k := range turning {
			turning[k] += stats[k].Seconds.Frame
		}
		late += stats[1].Hidden.Late
	}
	b.ReportMetric(float64(stats[0].Pixels)/float64(stats[0].Covered), "tests/px")
	b.ReportMetric(best[0].Frame.Seconds()*1e3, "ms-without")
	b.ReportMetric(best[1].Frame.Seconds()*1e3, "ms-with")
	b.ReportMetric(float64(turning[0])/1e6/float64(n), "ms-turning-without")
	b.ReportMetric(float64(turning[1])/1e6/float64(n), "ms-turning-with")
	b.ReportMetric(float64(late)/float64(n), "late")
	b.ReportMetric(0, "ns/op")
}
