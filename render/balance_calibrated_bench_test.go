package render_test

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"lockstep/render"
	"lockstep/render/calibration"
	"lockstep/render/camera"
	"lockstep/scenes"
	"lockstep/scenes/load"
)

// BenchmarkCalibrated draws meshes on one worker with every instruction set. It uses four policies in turn: no
// balancing, balancing whenever that saves an iteration, balancing with the built-in costs, and balancing with
// calibrated costs. For each of the last two policies, it reports by how many per cent its shortest frame is longer
// than the shortest frame of the first two. No decision by cost should make a picture slower.
func BenchmarkCalibrated(b *testing.B) {
	meshes := []string{
		"scene:bumpy?triangles=10000", "scene:bumpy?triangles=100000", "scene:bumpy?triangles=1000000",
		"scene:slivers?triangles=100000",
		"scene:perforator?triangles=100000&version=unbalanced", "scene:perforator?triangles=100000",
		"scene:knot?triangles=20000", "scene:knot?triangles=300000", "scene:gear", "scene:soup?triangles=20000",
	}
	files, err := filepath.Glob(*meshFiles)
	if err != nil {
		b.Fatal(err)
	}
	meshes = append(meshes, files...)
	for _, level := range levels(b) {
		costs, err := calibration.Measure(b.Context(), level)
		if err != nil {
			b.Fatal(err)
		}
		for _, name := range meshes {
			b.Run(fmt.Sprintf("impl=%s/%s", level, filepath.Base(name)), func(b *testing.B) {
				benchCalibrated(b, benchMesh(b, name), level, costs)
			})
		}
	}
}

// benchMesh returns a scene or the mesh in a file.
func benchMesh(b *testing.B, name string) *scenes.Mesh {
	if strings.HasPrefix(name, "scene:") {
		return generated(b, name)
	}
	f, _, err := load.Stream(b.Context(), name, scenes.ReadOptions{})
	if err != nil {
		b.Fatal(err)
	}
	mesh, err := scenes.Load(context.Background(), f, scenes.ReadOptions{Workers: 1})
	if err != nil {
		b.Fatal(err)
	}
	return mesh
}

func benchCalibrated(b *testing.B, mesh *scenes.Mesh, level string, costs *calibration.Costs) {
	o := render.Options{Width: 1024, Height: 1024, Workers: 1, Pin: true, ISA: level}
	cam := fitted(b, mesh, o, camera.Options{})
	var renderers [4]*render.Renderer
	for i := range renderers {
		o.Balance = [4]render.Balance{render.BalanceNever, render.BalanceAlways, render.BalanceCost, render.BalanceCost}[i]
		if i == 3 {
			o.Costs = costs
		}
		renderers[i] = newRenderer(b, o)
	}
	best := [4]time.Duration{math.MaxInt64, math.MaxInt64, math.MaxInt64, math.MaxInt64}
	scan, zbuffer := best, best
	var last render.Stats
	var pic render.Picture
	for n := 0; b.Loop(); n++ {
		for i := range renderers {
			i := (i + n) % len(renderers) // the first renderer of a turn finds a colder cache
			for range 2 {
				s, err := renderers[i].Frame(b.Context(), mesh, cam, &pic)
				if err != nil {
					b.Fatal(err)
				}
				best[i] = min(best[i], s.Seconds.Frame)
				scan[i], zbuffer[i] = min(scan[i], s.Seconds.Scan), min(zbuffer[i], s.Seconds.ZBuffer)
				if i == 3 {
					last = s
				}
			}
		}
	}
	least := min(best[0], best[1]).Seconds()
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(best[0].Seconds()*1e3, "never-ms")
	b.ReportMetric(best[1].Seconds()*1e3, "always-ms")
	b.ReportMetric(100*(best[2].Seconds()/least-1), "%built-in")
	b.ReportMetric(100*(best[3].Seconds()/least-1), "%calibrated")
	b.ReportMetric(100*(scan[3]-scan[0]).Seconds()/best[0].Seconds(), "%scan")
	b.ReportMetric(100*(zbuffer[3]-zbuffer[0]).Seconds()/best[0].Seconds(), "%zbuffer")
	b.ReportMetric(last.Balance.Cost, "cost")
	b.ReportMetric(float64(last.Balance.Polygons), "polygons")
	b.ReportMetric(last.Balance.Seconds*1e3, "planning-ms")
}
