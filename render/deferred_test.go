package render_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"testing"
	"weak"

	"lockstep/render"
	"lockstep/render/camera"
	"lockstep/scenes"
	"lockstep/vp/trace"
)

// TestDeferredIsIdentical draws the studio's look with any number of workers, instruction set and block size, with new
// and with used renderers. All pictures must have the same bits.
func TestDeferredIsIdentical(t *testing.T) {
	mesh := awkward()
	for _, samples := range []int{1, 4, 16} {
		o := render.Options{Width: 150, Height: 101, Depth: true}.Studio()
		o.Samples = samples
		cam := closeCamera(t, mesh, o)
		want, wantStats := drawn(t, mesh, cam, o)
		for workers := 1; workers <= 5; workers += 2 {
			for _, isa := range levels(t) {
				o := o
				o.Workers, o.ISA, o.BlockSize = workers, isa, 100*workers
				r := newRenderer(t, o)
				for pass := range 2 {
					pic := new(render.Picture)
					stats, err := r.Frame(t.Context(), mesh, cam, pic)
					if err != nil {
						t.Fatal(err)
					}
					if !bytes.Equal(pic.Pix, want.Pix) || stats.Covered != wantStats.Covered {
						t.Fatalf("%d samples, %d workers, %s, pass %d: another picture", samples, workers, isa, pass)
					}
					for i := range pic.Depth {
						if pic.Depth[i] != want.Depth[i] {
							t.Fatalf("%d samples, %d workers, %s: other depths", samples, workers, isa)
						}
					}
				}
			}
		}
	}
}

// TestCoplanarTrianglesHaveOneColour draws a plate of many triangles in orthographic projection. It must have a single
// colour, shaded flat and smooth.
func TestCoplanarTrianglesHaveOneColour(t *testing.T) {
	var triangles [][3]vec
	place := func(x, y int) vec { return vec{float64(x) / 7, float64(y) / 7, 0.1 * float64(x) / 7} } // nearly a plane
	for x := range 20 {
		for y := range 20 {
			triangles = append(triangles, quad(place(x, y), place(x+1, y), place(x+1, y+1), place(x, y+1))...)
		}
	}
	mesh := meshOf(triangles...)
	for _, shading := range []render.Shading{render.ShadingFlat, render.ShadingSmooth} {
		o := render.Options{Width: 200, Height: 200, Light: render.LightStudio, Shading: shading}
		cam := fitted(t, mesh, o, camera.Options{Azimuth: 20, Elevation: 50, Orthographic: true})
		pic, _ := drawn(t, mesh, cam, o)
		colors := map[[4]byte]int{}
		for i := 0; i < len(pic.Pix); i += 4 {
			if pic.Pix[i+3] != 0 {
				colors[[4]byte(pic.Pix[i:i+4])]++
			}
		}
		if len(colors) != 1 {
			t.Errorf("shading %d: %d colours: %v", shading, len(colors), colors)
		}
	}
}

// TestHolesAreDarker draws a well in a plate. With occlusion the floor of the well must be darker than the plate, and
// without occlusion equally bright.
func TestHolesAreDarker(t *testing.T) {
	var triangles [][3]vec
	side := func(a, b, c, d vec) { triangles = append(triangles, quad(a, b, c, d)...) }
	const w, h = 0.04, -0.15
	for _, s := range [][4]float64{{-1, -1, 1, -w}, {-1, w, 1, 1}, {-1, -w, -w, w}, {w, -w, 1, w}} {
		side(vec{s[0], s[1], 0}, vec{s[2], s[1], 0}, vec{s[2], s[3], 0}, vec{s[0], s[3], 0})
	}
	side(vec{-w, -w, h}, vec{w, -w, h}, vec{w, w, h}, vec{-w, w, h})
	rim := [5]vec{{-w, -w, 0}, {w, -w, 0}, {w, w, 0}, {-w, w, 0}, {-w, -w, 0}}
	for i := range 4 {
		a, b := rim[i], rim[i+1]
		side(a, b, vec{b[0], b[1], h}, vec{a[0], a[1], h})
	}
	mesh := meshOf(triangles...)
	for _, occlusion := range []bool{false, true} {
		o := render.Options{Width: 400, Height: 400, Light: render.LightStudio, Occlusion: occlusion}
		cam := fitted(t, mesh, o, camera.Options{Elevation: 90, Orthographic: true})
		pic, _ := drawn(t, mesh, cam, o)
		plate, floor := int(at(pic, 100, 100)[1]), int(at(pic, 200, 200)[1])
		if d := plate - floor; occlusion != (d >= 25) || !occlusion && d != 0 {
			t.Errorf("occlusion %t: the plate is %d, the floor of the hole %d", occlusion, plate, floor)
		}
	}
}

// TestKeptSpansCount compares frames whose spans are stored by tile row with a traced frame, whose spans are not
// stored. Pictures and counts must be equal, with back faces drawn at once. The finer meshes have more spans than a
// worker can store, and the cube has only large polygons.
func TestKeptSpansCount(t *testing.T) {
	for _, mesh := range []*scenes.Mesh{boxMesh(vec{}, vec{1, 1, 1}), bumpy(60, 40), bumpy(240, 160)} {
		o := render.Options{Width: 403, Height: 301, Workers: 1}.Studio()
		cam := fitted(t, mesh, o, camera.Options{Azimuth: 30, Elevation: 20, Zoom: 1.5})
		traced := o
		traced.Trace = func(trace.Step) error { return nil }
		want, wantStats := drawn(t, mesh, cam, traced)
		for _, workers := range []int{1, 3} {
			o.Workers = workers
			pic, stats := drawnAtOnce(t, mesh, cam, o)
			if !bytes.Equal(pic.Pix, want.Pix) {
				t.Errorf("%d triangles, %d workers: another picture", mesh.Len(), workers)
			}
			if got, want := counts(stats), counts(wantStats); got != want || stats.Loops != wantStats.Loops || stats.Balance.Shared != wantStats.Balance.Shared {
				t.Errorf("%d triangles, %d workers: counts %v, %+v, %d shared; want %v, %+v, %d", mesh.Len(), workers,
					got, stats.Loops, stats.Balance.Shared, want, wantStats.Loops, wantStats.Balance.Shared)
			}
		}
	}
}

// TestDeferredFrameEnds cancels frames, and checks that the next frame is not affected.
func TestDeferredFrameEnds(t *testing.T) {
	mesh := bumpy(60, 40)
	o := render.Options{Width: 300, Height: 200, Workers: 3}.Studio()
	cam := fitted(t, mesh, o, camera.Options{})
	want, _ := drawn(t, mesh, cam, o)
	r := newRenderer(t, o)
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	for range 3 {
		if _, err := r.Frame(canceled, mesh, cam, new(render.Picture)); !errors.Is(err, context.Canceled) {
			t.Errorf("error %v", err)
		}
		pic := new(render.Picture)
		if _, err := r.Frame(t.Context(), mesh, cam, pic); err != nil || !bytes.Equal(pic.Pix, want.Pix) {
			t.Errorf("another picture after a frame that was called off; %v", err)
		}
	}
}

// TestSmoothWantsAMesh checks that smooth shading of sources that are not in memory is an error.
func TestSmoothWantsAMesh(t *testing.T) {
	mesh := bumpy(20, 10)
	o := render.Options{Width: 30, Height: 20}.Studio()
	r := newRenderer(t, o)
	_, err := r.Frame(t.Context(), &blockSource{mesh: mesh}, fitted(t, mesh, o, camera.Options{}), new(render.Picture))
	if err == nil {
		t.Error("no error")
	}
}

// TestNoAllocationPerDeferredFrame checks that drawing a surface repeatedly allocates nothing.
func TestNoAllocationPerDeferredFrame(t *testing.T) {
	s := surfaceOf(t, awkward())
	o := render.Options{Width: 320, Height: 180, Workers: 2, Depth: true}.Studio()
	r, cam, pic, ctx := newRenderer(t, o), closeCamera(t, s, o), new(render.Picture), t.Context()
	frame := func() {
		if _, err := r.Frame(ctx, s, cam, pic); err != nil {
			t.Fatal(err)
		}
	}
	for range 5 {
		frame()
	}
	if n := testing.AllocsPerRun(20, frame); n > 40 {
		t.Errorf("%v allocations a frame", n)
	}
}

// TestSurfaceWorkers checks that the normals are the same for any number of workers, for a surface and for a frame of
// the mesh.
func TestSurfaceWorkers(t *testing.T) {
	mesh := generated(t, "scene:bumpy?triangles=60k")
	o := render.Options{Width: 160, Height: 90, Light: render.LightStudio, Shading: render.ShadingSmooth, Samples: 1}
	var want []byte
	for workers := range 5 {
		s, err := render.NewSurface(t.Context(), mesh, render.SurfaceOptions{Workers: workers})
		if err != nil {
			t.Fatal(err)
		}
		if n := s.Normals(); n.Tasks == 0 || workers > 0 && n.Processors != workers {
			t.Errorf("%d workers: %+v", workers, n)
		}
		for _, source := range []scenes.Source{s, mesh} {
			o.Workers = workers
			r, cam, pic := newRenderer(t, o), fitted(t, mesh, o, camera.Options{}), new(render.Picture)
			if _, err := r.Frame(t.Context(), source, cam, pic); err != nil {
				t.Fatal(err)
			}
			if want == nil {
				want = slices.Clone(pic.Pix)
			}
			if !slices.Equal(pic.Pix, want) {
				t.Errorf("%d workers, %T: another picture", workers, source)
			}
		}
	}
	for _, workers := range []int{-1, render.MaxWorkers + 1} {
		if _, err := render.NewSurface(t.Context(), mesh, render.SurfaceOptions{Workers: workers}); err == nil {
			t.Errorf("%d workers: no error", workers)
		}
	}
}

// TestCellsBesideOthersOfAnEarlierFrame draws a mesh of many triangles and then a mesh of two triangles far apart with
// the same renderer. The memory between the two triangles still has cells of the earlier frame.
func TestCellsBesideOthersOfAnEarlierFrame(t *testing.T) {
	many := &scenes.Mesh{Block: scenes.MakeBlock(5000)}
	two := &scenes.Mesh{Block: scenes.MakeBlock(2)}
	set := func(m *scenes.Mesh, i int, x, z, size float32) {
		for k := range 3 {
			m.X[k][i], m.Y[k][i], m.Z[k][i] = x, 0, z
		}
		m.X[1][i], m.Z[2][i] = x+size, z+size
	}
	for i := range 5000 {
		set(many, i, float32(i%100)/10, float32(i/100)/10, 0.2)
	}
	set(two, 0, 0, 0, 0.5)
	set(two, 1, 9.5, 0, 0.5)
	for _, shading := range []render.Shading{render.ShadingFlat, render.ShadingSmooth} {
		o := render.Options{Width: 500, Height: 300, Workers: 1, Light: render.LightStudio, Shading: shading, Occlusion: true, Samples: 4}
		r, cam := newRenderer(t, o), fitted(t, many, o, camera.Options{})
		for _, m := range []*scenes.Mesh{many, two} {
			if _, err := r.Frame(t.Context(), surfaceOf(t, m), cam, new(render.Picture)); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func surfaceOf(t testing.TB, mesh *scenes.Mesh) *render.Surface {
	t.Helper()
	s, err := render.NewSurface(t.Context(), mesh, render.SurfaceOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func BenchmarkStudio(b *testing.B) {
	for _, name := range []string{"scene:bumpy?triangles=70k", "scene:bumpy?triangles=1M"} {
		s := surfaceOf(b, generated(b, name))
		plain := render.Options{Width: 1920, Height: 1080, Pin: true}
		fast := plain
		fast.Light = render.LightStudio
		smooth := fast
		smooth.Shading = render.ShadingSmooth
		for look, o := range map[string]render.Options{"headlight": plain, "fast": fast, "smooth": smooth, "studio": plain.Studio()} {
			b.Run(fmt.Sprintf("%s/look=%s", name, look), func(b *testing.B) {
				r, cam, pic := newRenderer(b, o), fitted(b, s.Mesh, o, camera.Options{Azimuth: 30, Elevation: 20}), new(render.Picture)
				var stats render.Stats
				for b.Loop() {
					var err error
					if stats, err = r.Frame(b.Context(), s, cam, pic); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(stats.Seconds.Resolve.Microseconds())/1000, "resolve-ms")
			})
		}
	}
}

// TestDeferredSeesTheWholeSkyWithoutOcclusion checks the colour of a wall with nothing in front of it.
func TestDeferredSeesTheWholeSkyWithoutOcclusion(t *testing.T) {
	mesh := bumpy(60, 40)
	o := render.Options{Width: 60, Height: 40}.Studio()
	cam := closeCamera(t, mesh, o)
	with, _ := drawn(t, mesh, cam, o)
	o.Occlusion = false
	without, _ := drawn(t, mesh, cam, o)
	r := newRenderer(t, o)
	o.Occlusion = true
	if err := r.SetOptions(o); err != nil {
		t.Fatal(err)
	}
	again := new(render.Picture)
	for _, occlusion := range []bool{true, false} {
		o.Occlusion = occlusion
		if err := r.SetOptions(o); err != nil {
			t.Fatal(err)
		}
		if _, err := r.Frame(t.Context(), mesh, cam, again); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(again.Pix, without.Pix) {
		t.Error("without occlusion after a frame with it: another picture")
	}
	darker := 0
	for i := range with.Pix {
		if with.Pix[i] > without.Pix[i] {
			t.Fatalf("byte %d: %d with occlusion, %d without", i, with.Pix[i], without.Pix[i])
		}
		if with.Pix[i] < without.Pix[i] {
			darker++
		}
	}
	if darker == 0 {
		t.Error("occlusion darkens nothing")
	}
}

// TestPictureMemory draws into memory of the caller that may begin at any address and contain anything. Before pixels
// are lit, this memory holds their nearness.
func TestPictureMemory(t *testing.T) {
	mesh := awkward()
	for _, samples := range []int{1, 4, 16} {
		o := render.Options{Width: 150, Height: 101}.Studio()
		o.Samples = samples
		cam := closeCamera(t, mesh, o)
		want, _ := drawn(t, mesh, cam, o)
		r := newRenderer(t, o)
		for _, first := range []int{0, 1, 2, 3} {
			memory := bytes.Repeat([]byte{0xa5, 0xff, 0x7f}, 4*150*101/3+2) // some of these values are NaN
			pic := &render.Picture{Pix: memory[first : first : first+4*150*101]}
			if _, err := r.Frame(t.Context(), mesh, cam, pic); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(pic.Pix, want.Pix) {
				t.Errorf("%d samples: another picture in memory from byte %d on", samples, first)
			}
			if &pic.Pix[0] != &memory[first] {
				t.Errorf("byte %d: the picture has other memory", first)
			}
		}
	}
}

// TestPicturesAreCollected checks that the renderer keeps no reference to a picture after a complete or a cancelled
// frame. During a frame, the renderer stores the nearness in the memory of the picture.
func TestPicturesAreCollected(t *testing.T) {
	mesh := awkward()
	o := render.Options{Width: 150, Height: 101}.Studio()
	r, cam := newRenderer(t, o), closeCamera(t, mesh, o)
	draw := func(ctx context.Context) weak.Pointer[byte] {
		pic := new(render.Picture)
		if _, err := r.Frame(t.Context(), mesh, cam, pic); err != nil {
			t.Fatal(err)
		}
		if _, err := r.Frame(ctx, mesh, cam, pic); !errors.Is(err, ctx.Err()) {
			t.Fatal(err)
		}
		return weak.Make(&pic.Pix[0])
	}
	ended, end := context.WithCancel(t.Context())
	end()
	for _, ctx := range []context.Context{t.Context(), ended} {
		pixels := draw(ctx)
		runtime.GC()
		if pixels.Value() != nil {
			t.Errorf("the renderer keeps a picture; the last frame: %v", ctx.Err())
		}
	}
	runtime.KeepAlive(r)
}
