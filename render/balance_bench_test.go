package render_test

import (
	"bytes"
	"fmt"
	"math"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"lockstep/render"
	"lockstep/render/camera"
	"lockstep/scenes"
	"lockstep/scenes/load"
	"lockstep/scenes/procedural/perforator"
)

// balancePolicies are the policies that are compared.
var balancePolicies = []struct {
	name   string
	policy render.Balance
}{
	{"never", render.BalanceNever},
	{"cost", render.BalanceCost},
	{"always", render.BalanceAlways},
}

// balanceScenes are all procedural scenes. Those in which balancing matters occur in several sizes and views.
var balanceScenes = []struct {
	name          string
	width, height int
	camera        camera.Options
}{
	{"scene:slivers?triangles=100000", 512, 512, camera.Options{}}, // slivers as tall as the picture
	{"scene:slivers?triangles=100000", 512, 512, iso},
	{"scene:slivers?triangles=100000&wide=3000", 512, 512, iso},
	{"scene:perforator?version=unbalanced", 512, 512, camera.Options{}},
	{"scene:perforator?version=unbalanced", 512, 512, camera.Options{Azimuth: 45, Elevation: 45, Zoom: perforator.Zoom}},
	{"scene:perforator?version=unbalanced&triangles=100000", 512, 512, iso},
	{"scene:perforator", 512, 512, camera.Options{}},
	{"scene:perforator", 512, 512, camera.Options{Azimuth: 45, Elevation: 45, Zoom: perforator.Zoom}},
	{"scene:perforator?triangles=100000", 512, 512, iso},
	{"scene:bumpy?triangles=10000", 1920, 1080, iso},
	{"scene:bumpy?triangles=100000", 1920, 1080, iso},
	{"scene:bumpy?triangles=1000000", 1920, 1080, iso},
	{"scene:bumpy?triangles=10000000", 1920, 1080, iso},
	{"scene:gear", 1920, 1080, iso},
	{"scene:knot", 1920, 1080, iso},
	{"scene:soup", 1920, 1080, iso},
	{"scene:sphere", 1920, 1080, iso},
	{"scene:torus", 1920, 1080, iso},
	{"scene:plate?triangles=1000", 1920, 1080, iso},
	{"scene:cube", 1920, 1080, iso},
}

// iso is the default view of the command.
var iso = camera.Options{Azimuth: 30, Elevation: 20}

// BenchmarkBalance draws scenes with the policies cost, never and always in turn, on as many workers as -cpu says. In a
// turn the shortest of several frames of each policy counts, because interruptions and other programs make frames
// longer, never shorter. -benchtime 15x has fifteen turns. With -meshes it draws those files, too. It fails if pictures
// differ.
//
// It reports milliseconds. For the scan-conversion loop and for the frame, it also reports the shortest time without
// balancing divided by the shortest time with it. best is the time of a frame with the policy cost, divided by the time
// with the better one of the policies never and always. %over is how much longer a frame with the policy cost takes in
// the same turn than with the better one, which is the policy with the lower median. It is the median over the turns.
// %over-scan and %over-z are the same for scan conversion and for the z-buffer.
func BenchmarkBalance(b *testing.B) {
	for _, scene := range balanceScenes {
		name := fmt.Sprintf("%s/%.0f,%.0f,%.2f", scene.name, scene.camera.Azimuth, scene.camera.Elevation, max(scene.camera.Zoom, 1))
		// The mesh is made once, because making it may take seconds, and would be repeated for every value of b.N.
		mesh := sync.OnceValue(func() *scenes.Mesh { return generated(b, scene.name) })
		b.Run(name, func(b *testing.B) {
			benchBalance(b, mesh(), render.Options{Width: scene.width, Height: scene.height, Pin: true}, scene.camera)
		})
	}
	files, err := filepath.Glob(*meshFiles)
	if err != nil {
		b.Fatal(err)
	}
	for _, path := range files {
		b.Run(filepath.Base(path), func(b *testing.B) {
			mesh, _, err := load.File(b.Context(), path, scenes.ReadOptions{})
			if err != nil {
				b.Fatal(err)
			}
			benchBalance(b, mesh, render.Options{Width: 1920, Height: 1080, Pin: true}, iso)
		})
	}
}

// The function over compares the times of the second policy with the times of the first or the third policy, whichever
// has the lower median. It returns the median of the excess over the turns, in per cent.
func over(times [][]float64) float64 {
	middle := func(t []float64) float64 {
		sorted := slices.Sorted(slices.Values(t))
		return sorted[len(sorted)/2]
	}
	better := times[0]
	if middle(times[2]) < middle(better) {
		better = times[2]
	}
	ratios := make([]float64, len(better))
	for n := range ratios {
		ratios[n] = 100 * (times[1][n]/better[n] - 1)
	}
	return middle(ratios)
}

func benchBalance(b *testing.B, mesh *scenes.Mesh, o render.Options, from camera.Options) {
	if mesh.Len() > 2_000_000 && !*long {
		b.Skip("takes gigabytes")
	}
	o.Workers = runtime.GOMAXPROCS(0)
	cam := fitted(b, mesh, o, from)
	renderer := newRenderer(b, o)
	turns := balanceTurns{b: b, renderer: renderer, mesh: mesh, cam: cam}
	turns.draw(0) // the first frame allocates memory
	frames := int(min(max(turnTime/turns.draw(0).Frame, framesLeast), framesMost))
	b.ResetTimer()
	var all [3][]render.Seconds // times of each policy
	for n := range b.N {        // b.Loop would use the last value of -cpu for the first
		for i, s := range turns.turn(n, frames) {
			all[i] = append(all[i], s)
		}
	}
	turns.report(&all)
}

const (
	// In a turn, the frames of a policy take about turnTime. There are at least framesLeast of them, so that one is
	// probably not interrupted. There are at most framesMost, so that branch prediction does not learn a small scene by
	// heart.
	turnTime                = 20 * time.Millisecond
	framesLeast, framesMost = 6, 60
)

// balanceTurns draws a mesh with one policy after the other.
type balanceTurns struct {
	b        *testing.B
	renderer *render.Renderer
	mesh     *scenes.Mesh
	cam      render.Camera
	first    []byte // pixels of the first frame
	pic      render.Picture
	stats    [3]render.Stats // statistics of the last frame with each policy
}

// draw draws a frame with a policy, and fails if the picture differs from the first.
func (t *balanceTurns) draw(policy int) render.Seconds {
	o := t.renderer.Options()
	o.Balance = balancePolicies[policy].policy
	if err := t.renderer.SetOptions(o); err != nil {
		t.b.Fatal(err)
	}
	s, err := t.renderer.Frame(t.b.Context(), t.mesh, t.cam, &t.pic)
	if err != nil {
		t.b.Fatal(err)
	}
	if t.first == nil {
		t.first = bytes.Clone(t.pic.Pix)
	}
	if t.stats[policy].Seconds.Frame == 0 && !bytes.Equal(t.first, t.pic.Pix) {
		t.b.Fatalf("%s draws another picture", balancePolicies[policy].name)
	}
	t.stats[policy] = s
	return s.Seconds
}

// turn returns the shortest times of some frames of each policy. The policies draw alternately, in one order and in the
// reverse order, so that each policy follows every other equally often and finds its data in the caches.
func (t *balanceTurns) turn(n, frames int) (least [3]render.Seconds) {
	for i := range least {
		least[i] = render.Seconds{Scan: math.MaxInt64, ZBuffer: math.MaxInt64, Frame: math.MaxInt64}
	}
	for k := range frames {
		for i := range least {
			if k%2 == 1 {
				i = len(least) - 1 - i
			}
			i = (i + n + k/2) % len(least)
			s := t.draw(i)
			least[i].Frame, least[i].Scan, least[i].ZBuffer = min(least[i].Frame, s.Frame), min(least[i].Scan, s.Scan), min(least[i].ZBuffer, s.ZBuffer)
		}
	}
	return least
}

func (t *balanceTurns) report(all *[3][]render.Seconds) {
	b := t.b
	of := func(stage func(s render.Seconds) time.Duration) (times [][]float64, least [3]float64) {
		for i, turns := range all {
			var seconds []float64
			for _, s := range turns {
				seconds = append(seconds, stage(s).Seconds())
			}
			times, least[i] = append(times, seconds), slices.Min(seconds)
		}
		return times, least
	}
	frames, frame := of(func(s render.Seconds) time.Duration { return s.Frame })
	scans, scan := of(func(s render.Seconds) time.Duration { return s.Scan })
	zbuffers, zbuffer := of(func(s render.Seconds) time.Duration { return s.ZBuffer })
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(over(frames), "%over")
	b.ReportMetric(over(scans), "%over-scan")
	b.ReportMetric(over(zbuffers), "%over-z")
	b.ReportMetric(frame[1]/min(frame[0], frame[2]), "best")
	for i, p := range balancePolicies {
		b.ReportMetric(frame[i]*1e3, p.name+"-ms/frame")
		b.ReportMetric(scan[i]*1e3, p.name+"-ms/scan")
		b.ReportMetric(zbuffer[i]*1e3, p.name+"-ms/zbuffer")
		b.ReportMetric(t.stats[i].Loops[0].LaneUse, p.name+"-lane-use")
		if i > 0 {
			b.ReportMetric(scan[0]/scan[i], p.name+"-scan-speedup")
			b.ReportMetric(frame[0]/frame[i], p.name+"-frame-speedup")
		}
	}
}

// BenchmarkSharing draws twelve polygons as tall as the picture, all in one block, on one worker and on two workers in
// turn. It reports the shortest frames and their ratio.
func BenchmarkSharing(b *testing.B) {
	if runtime.GOMAXPROCS(0) < 2 {
		b.Skip("two workers want two processors")
	}
	var tris [][3]vec
	for i := range 12 {
		x := float64(150 * i)
		tris = append(tris, [3]vec{{x, 0.5, 0}, {x + 120 + 30*float64(i%3), 0, 0}, {x + 60, 1, 1080}})
	}
	mesh := meshOf(tris...)
	o := render.Options{Width: 1920, Height: 1080, Pin: true}
	cam := fitted(b, mesh, o, camera.Options{})
	var renderers [2]*render.Renderer
	for i := range renderers {
		o.Workers = i + 1
		renderers[i] = newRenderer(b, o)
	}
	best := [2]time.Duration{math.MaxInt64, math.MaxInt64}
	var pics [2]render.Picture
	for b.Loop() {
		for i, r := range renderers {
			for range 10 { // the first frame finds the caches filled by the other renderer, and its workers asleep
				s, err := r.Frame(b.Context(), mesh, cam, &pics[i])
				if err != nil {
					b.Fatal(err)
				}
				best[i] = min(best[i], s.Seconds.Frame)
			}
		}
	}
	if !bytes.Equal(pics[0].Pix, pics[1].Pix) {
		b.Fatal("two workers draw another picture")
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(best[0].Seconds()*1e3, "one-worker-ms")
	b.ReportMetric(best[1].Seconds()*1e3, "two-workers-ms")
	b.ReportMetric(best[0].Seconds()/best[1].Seconds(), "speedup")
}
