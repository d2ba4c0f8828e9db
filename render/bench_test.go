package render_test

import (
	"context"
	"flag"
	"fmt"
	"runtime"
	"testing"

	"lockstep/render"
	"lockstep/render/camera"
)

var long = flag.Bool("long", false, "also run tests and benchmarks that take minutes or gigabytes")

// BenchmarkFrame draws a mesh in memory at 1920x1080 on as many workers as -cpu gives, and reports ms/frame, and
// millions of triangles and of tested pixels per second. It fails if a frame differs from the first or allocates
// memory.
func BenchmarkFrame(b *testing.B) {
	for _, cull := range []string{"none", "back"} {
		for _, triangles := range []int{70_000, 1_000_000, 10_000_000} {
			if triangles > 1_000_000 && !*long {
				continue
			}
			b.Run(fmt.Sprintf("scene=bumpy/tri=%d/cull=%s", triangles, cull), func(b *testing.B) {
				o := render.Options{Workers: runtime.GOMAXPROCS(0), Pin: true, Width: 1920, Height: 1080}
				if cull == "back" {
					o.Cull = render.CullBack
				}
				benchFrame(b, fmt.Sprintf("scene:bumpy?triangles=%d", triangles), o)
			})
		}
	}
}

func BenchmarkSlivers(b *testing.B) {
	b.Run("scene=slivers/tri=100000", func(b *testing.B) {
		benchFrame(b, "scene:slivers?triangles=100000", render.Options{Workers: runtime.GOMAXPROCS(0), Pin: true, Width: 1920, Height: 1080})
	})
}

func benchFrame(b *testing.B, name string, o render.Options) {
	mesh := generated(b, name)
	cam := fitted(b, mesh, o, camera.Options{Azimuth: 30, Elevation: 20})
	r := newRenderer(b, o)
	pic := new(render.Picture)
	ctx := context.Background()
	frame := func() render.Stats {
		stats, err := r.Frame(ctx, mesh, cam, pic)
		if err != nil {
			b.Fatal(err)
		}
		return stats
	}
	want := frame()
	if want.Covered == 0 || want.Triangles.In != int64(mesh.Len()) {
		b.Fatalf("the first frame is wrong: %+v", want)
	}
	frame() // a worker without work in the first frame allocates memory in the second
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	b.ResetTimer()
	for range b.N {
		if got := frame(); counts(got) != counts(want) {
			b.Fatalf("a frame counts %v, the first counted %v", counts(got), counts(want))
		}
	}
	b.StopTimer()
	runtime.ReadMemStats(&after)
	// Integer division ignores the allocations that the runtime sometimes makes for itself.
	if n := (after.Mallocs - before.Mallocs) / uint64(b.N); n > 0 && b.N > 1 {
		b.Fatalf("%d allocations a frame", n)
	}
	seconds := b.Elapsed().Seconds() / float64(b.N)
	b.ReportMetric(seconds*1e3, "ms/frame")
	b.ReportMetric(float64(mesh.Len())/seconds/1e6, "Mtri/s")
	b.ReportMetric(float64(want.Pixels)/seconds/1e6, "Mpix/s")
	b.ReportMetric(0, "ns/op")
}
