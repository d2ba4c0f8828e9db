package render_test

import (
	"math"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"lockstep/lb"
	"lockstep/render"
	"lockstep/render/camera"
	"lockstep/scenes"
	"lockstep/scenes/load"
)

// workerScenes are scenes that consist of a few large pieces of work, and ordinary scenes.
var workerScenes = []struct {
	name          string
	width, height int
	camera        camera.Options
	mesh          func(t testing.TB) *scenes.Mesh
}{
	{"sphere-3888", 3840, 2160, iso, func(testing.TB) *scenes.Mesh { return sphere(54, 37, 1) }},
	{"slivers-4000", 3840, 2160, camera.Options{}, scene("scene:slivers?triangles=4000&slivers=4000")},
	{"bars-12", 3840, 2160, camera.Options{}, func(testing.TB) *scenes.Mesh { return fence(12) }},
	{"pane-1", 3840, 2160, camera.Options{Zoom: 4}, func(testing.TB) *scenes.Mesh { return fence(1) }},
	{"near-70000", 3840, 2160, camera.Options{Zoom: 12}, scene("scene:bumpy?triangles=70000")},
	{"bumpy-70000", 1920, 1080, iso, scene("scene:bumpy?triangles=70000")},
	{"bumpy-1000000", 1920, 1080, iso, scene("scene:bumpy?triangles=1000000")},
	{"slivers-100000", 1920, 1080, iso, scene("scene:slivers")},
	{"gear", 1920, 1080, iso, scene("scene:gear")},
	{"knot", 1920, 1080, iso, scene("scene:knot")},
	{"perforator", 512, 512, camera.Options{}, scene("scene:perforator?version=unbalanced")},
}

// fence returns n triangles side by side, as tall as the picture.
func fence(n int) *scenes.Mesh {
	var triangles [][3]vec
	for i := range n {
		x := 2*float64(i)/float64(n) - 1
		triangles = append(triangles, [3]vec{{x, 0, -1}, {x + 1.8/float64(n), 0, -0.9}, {x + 0.5/float64(n), 0, 1}})
	}
	return meshOf(triangles...)
}

// framesInTurn is the number of frames that a renderer draws before the other renderer's turn. They stand for
// successive frames of an animation. Before the first of them, a worker has to be woken, which takes some 200
// microseconds.
const framesInTurn = 3

// BenchmarkWorkers draws scenes on one worker and on two in turn, and reports the shortest of their frames in
// milliseconds and the ratio. With -meshes it also draws those files, with and without their back faces.
func BenchmarkWorkers(b *testing.B) {
	for _, s := range workerScenes {
		mesh := sync.OnceValue(func() *scenes.Mesh { return s.mesh(b) })
		b.Run(s.name, func(b *testing.B) {
			benchWorkers(b, mesh(), render.Options{Width: s.width, Height: s.height, Pin: true, BalanceCost: 0}, s.camera)
		})
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
		for cull, faces := range map[render.Cull]string{render.CullBack: "culled", render.CullNone: "both"} {
			b.Run(filepath.Base(path)+"/"+faces, func(b *testing.B) {
				benchWorkers(b, mesh, render.Options{Width: 1920, Height: 1080, Pin: true, Cull: cull, Leaves: lb.Never}, iso)
			})
		}
	}
}

func benchWorkers(b *testing.B, mesh *scenes.Mesh, o render.Options, from camera.Options) {
	var renderers [2]*render.Renderer
	cam := fitted(b, mesh, o, from)
	var pic [2]render.Picture
	for i := range renderers {
		o.Workers = i + 1
		renderers[i] = newRenderer(b, o)
		for range 2 {
			if _, err := renderers[i].Frame(b.Context(), mesh, cam, &pic[i]); err != nil {
				b.Fatal(err)
			}
		}
	}
	if !slices.Equal(pic[0].Pix, pic[1].Pix) {
		b.Fatal("the pictures of one and of two workers differ")
	}
	best := [2]render.Seconds{{Frame: math.MaxInt64}, {Frame: math.MaxInt64}}
	for range b.N {
		for i, r := range renderers {
			for range framesInTurn {
				s, err := r.Frame(b.Context(), mesh, cam, &pic[i])
				if err != nil {
					b.Fatal(err)
				}
				if s.Seconds.Frame < best[i].Frame {
					best[i] = s.Seconds
				}
			}
		}
	}
	if testing.Verbose() {
		b.Logf("one %+v\ntwo %+v", best[0], best[1])
	}
	b.ReportMetric(best[0].Frame.Seconds()*1e3, "ms/one")
	b.ReportMetric(best[1].Frame.Seconds()*1e3, "ms/two")
	b.ReportMetric(best[0].Frame.Seconds()/best[1].Frame.Seconds(), "ratio")
	b.ReportMetric(0, "ns/op")
}
