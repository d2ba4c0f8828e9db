package kernel_test

import (
	"context"
	"fmt"
	"math"
	"testing"
	"time"

	"lockstep/lb"
	"lockstep/render"
	"lockstep/render/camera"
	"lockstep/render/internal/kernel"
	"lockstep/render/internal/kernel/array"
	"lockstep/render/internal/kernel/geometry"
	"lockstep/render/internal/kernel/scanline"
	"lockstep/render/internal/plan"
	"lockstep/scenes"
	"lockstep/scenes/procedural"
	"lockstep/vp/isa"
)

// scanScenes lists scenes whose polygons are converted in blocks, in pictures of the given sizes.
var scanScenes = []struct {
	name          string
	width, height int
	view          camera.Options
}{
	{"scene:slivers?triangles=100000", 512, 512, camera.Options{}},
	{"scene:slivers?triangles=100000", 512, 512, camera.Options{Azimuth: 30, Elevation: 20}},
	{"scene:perforator?version=unbalanced", 512, 512, camera.Options{}},
	{"scene:bumpy?triangles=70000", 1920, 1080, camera.Options{Azimuth: 30, Elevation: 20}},
	{"scene:bumpy?triangles=1000000", 1920, 1080, camera.Options{Azimuth: 30, Elevation: 20}},
}

// BenchmarkScanScenes measures only the scan conversion of the polygons of whole scenes. It reports the fastest pass.
func BenchmarkScanScenes(b *testing.B) {
	for _, scene := range scanScenes {
		var blocks []*array.Polygons
		var stride int32
		for _, level := range isa.Available() {
			for _, policy := range []lb.Policy{lb.Never, lb.CostEffective} {
				name := fmt.Sprintf("%s/%.0f,%.0f/impl=%v/%v", scene.name, scene.view.Azimuth, scene.view.Elevation, level, policy)
				b.Run(name, func(b *testing.B) {
					if blocks == nil {
						blocks, stride = polygonsOf(b, scene.name, scene.view, scene.width, scene.height)
					}
					benchScanBlocks(b, kernel.Select(level).ScanConvert, policy, blocks, int32(scene.width), stride)
				})
			}
		}
	}
}

// polygonsOf returns the polygon arrays of a scene and the stride of the frame.
func polygonsOf(b *testing.B, name string, view camera.Options, width, height int) (blocks []*array.Polygons, stride int32) {
	scene, err := procedural.Parse(name)
	if err != nil {
		b.Fatal(err)
	}
	mesh, err := scenes.Load(context.Background(), scene, scenes.ReadOptions{Workers: 1})
	if err != nil {
		b.Fatal(err)
	}
	box, err := scenes.Bounds(context.Background(), mesh, 1)
	if err != nil {
		b.Fatal(err)
	}
	cam, err := camera.Fit(box, width, height, view)
	if err != nil {
		b.Fatal(err)
	}
	planned, err := plan.New(cam, render.Options{Width: width, Height: height})
	if err != nil {
		b.Fatal(err)
	}
	var counts geometry.Counts
	aside := make([]int32, scenes.BlockSize)
	for lo := 0; lo < mesh.Len(); lo += scenes.BlockSize {
		part := mesh.Slice(lo, min(lo+scenes.BlockSize, mesh.Len()))
		p := array.MakePolygons(part.Len())
		kernel.Select(isa.Available()[len(isa.Available())-1]).Geometry(&planned.View, &part, p, aside, &counts)
		blocks = append(blocks, p)
	}
	return blocks, int32(planned.Stride)
}

func benchScanBlocks(b *testing.B, scan scanline.Loop, policy lb.Policy, blocks []*array.Polygons, width, stride int32) {
	spans := array.MakeSpans(4096)
	s := scanline.Converter{Policy: policy, Cost: scanline.Cost{Polygon: 8, Full: 16}}
	best := time.Duration(math.MaxInt64)
	emitted := 0
	for b.Loop() {
		s.Clear()
		emitted = 0
		start := time.Now()
		for _, p := range blocks {
			s.Start()
			for finished := false; !finished; {
				spans.N = 0
				finished = scan(&s, p, spans, width, stride)
				emitted += spans.N
			}
		}
		best = min(best, time.Since(start))
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(best.Seconds()*1e3, "ms")
	b.ReportMetric(float64(s.Iterations), "iterations")
	b.ReportMetric(float64(s.Redistributions), "redistributions")
	b.ReportMetric(float64(s.Polygons), "redistributed")
	b.ReportMetric(float64(s.Spread), "spread")
	b.ReportMetric(float64(emitted), "spans")
}
