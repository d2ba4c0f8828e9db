package kernel

import (
	"context"
	"flag"
	"fmt"
	"math"
	"sync"
	"testing"

	"lockstep/render/internal/kernel/array"
	"lockstep/render/internal/kernel/geometry"
	"lockstep/scenes"
	"lockstep/scenes/procedural"
	"lockstep/vp/isa"
)

var benchTriangles = flag.Int("bench-triangles", 10_000_000, "triangles of the benchmarks from memory")

// bytesPerTriangle is the number of bytes of a triangle that geometry reads.
const bytesPerTriangle = 36

// loadBumpy returns the bumpy sphere with about the given number of triangles.
var loadBumpy = func() func(b testing.TB, triangles int) *scenes.Mesh {
	var mutex sync.Mutex
	meshes := map[int]*scenes.Mesh{}
	return func(b testing.TB, triangles int) *scenes.Mesh {
		mutex.Lock()
		defer mutex.Unlock()
		if meshes[triangles] == nil {
			scene, err := procedural.Parse(fmt.Sprintf("scene:bumpy?triangles=%d", triangles))
			if err != nil {
				b.Fatal(err)
			}
			if meshes[triangles], err = scenes.Load(context.Background(), scene, scenes.ReadOptions{Workers: 2}); err != nil {
				b.Fatal(err)
			}
		}
		return meshes[triangles]
	}
}()

// benchView returns a view of the unit sphere from outside, in 1920x1080 pixels.
func benchView(cullBack bool) *geometry.View {
	v := &geometry.View{Scale: 0.5, Width: 1920, Height: 1080, CenterX: 1920 * array.Half, CenterY: 1080 * array.Half, Near: 0.05, CullBack: cullBack}
	const distance, zoom = 1.6, 1080 * array.Sub * 1.2
	turn, tilt := math.Sincos(0.6)
	v.X = [4]float32{float32(zoom * tilt), 0, float32(-zoom * turn), 0}
	v.Y = [4]float32{0, -zoom, 0, 0}
	v.W = [4]float32{float32(turn), 0, float32(tilt), distance}
	v.Eye = [3]float32{float32(-3 * distance * turn), 0, float32(-3 * distance * tilt)}
	return v
}

// blocksOf divides a mesh into blocks as the renderer does.
func blocksOf(m *scenes.Mesh) []scenes.Block {
	var blocks []scenes.Block
	for lo := 0; lo < m.Len(); lo += scenes.BlockSize {
		blocks = append(blocks, m.Slice(lo, min(lo+scenes.BlockSize, m.Len())))
	}
	return blocks
}

// runBlocks passes blocks through a geometry loop.
func runBlocks(loop geometryLoop, v *geometry.View, blocks []scenes.Block, polys *array.Polygons, toClip []int32) (counts geometry.Counts, aside int) {
	for i := range blocks {
		polys.Reset()
		aside += len(loop(v, &blocks[i], polys, toClip[:blocks[i].Len()], &counts))
	}
	return counts, aside
}

// BenchmarkGeometry reads blocks from the second-level cache and from memory. read% is its bandwidth as a share of the
// bandwidth of plain reading in the same run.
func BenchmarkGeometry(b *testing.B) {
	polys, toClip := array.MakePolygons(scenes.BlockSize), make([]int32, scenes.BlockSize)
	for _, scene := range []string{"L2", "memory"} {
		for _, cull := range []string{"none", "back"} {
			v := benchView(cull == "back")
			var blocks []scenes.Block
			var want geometry.Counts
			var wantAside int
			var bandwidth float64
			prepare := func(b *testing.B) {
				if blocks != nil {
					return
				}
				if scene == "L2" {
					mesh := loadBumpy(b, 200_000)
					blocks = blocksOf(mesh)[:4]
				} else {
					blocks = blocksOf(loadBumpy(b, *benchTriangles))
					bandwidth = readBandwidth(b)
				}
				want, wantAside = runBlocks(geometry.Project, v, blocks, polys, toClip)
			}
			for _, level := range isa.Available() {
				loop := Select(level).Geometry
				b.Run(fmt.Sprintf("scene=%s/cull=%s/impl=%v", scene, cull, level), func(b *testing.B) {
					prepare(b)
					triangles := 0
					for i := range blocks {
						triangles += blocks[i].Len()
					}
					perTriangle := bestPass(b, func() {
						if got, aside := runBlocks(loop, v, blocks, polys, toClip); got != want || aside != wantAside {
							b.Fatalf("%+v and %d aside, want %+v and %d", got, aside, want, wantAside)
						}
					}) / float64(triangles)
					b.ReportMetric(perTriangle*1e9, "ns/triangle")
					b.ReportMetric(1e-6/perTriangle, "Mtri/s")
					b.ReportMetric(bytesPerTriangle*1e-9/perTriangle, "GB/s")
					if bandwidth > 0 {
						b.ReportMetric(bandwidth*1e-9, "read-GB/s")
						b.ReportMetric(100*bytesPerTriangle/perTriangle/bandwidth, "read%")
					}
				})
			}
		}
	}
}
