package render_test

import (
	"context"
	"errors"
	"fmt"
	"image/color"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"lockstep/render"
	"lockstep/render/camera"
	"lockstep/scenes"
)

// TestFrameWhileBusy checks that a second Frame and a change of options are errors during a frame, on another goroutine
// or from within the frame. The frame that is being drawn must not be disturbed.
func TestFrameWhileBusy(t *testing.T) {
	mesh := awkward()
	o := render.Options{Width: 100, Height: 80, Workers: 2}
	cam := closeCamera(t, mesh, o)
	want, wantStats := drawn(t, mesh, cam, o)
	r := newRenderer(t, o)
	reading, goOn := make(chan struct{}), make(chan struct{})
	source := &blockSource{mesh: mesh, before: func(block int) error {
		if block == 0 {
			if _, err := r.Frame(t.Context(), mesh, cam, new(render.Picture)); !errors.Is(err, render.ErrBusy) {
				t.Errorf("a frame within a frame: error %v", err)
			}
			if r.Options().Width != o.Width {
				t.Error("the options within a frame are others")
			}
			close(reading)
			<-goOn
		}
		return nil
	}}
	type result struct {
		stats render.Stats
		err   error
	}
	var pic render.Picture
	done := make(chan result)
	go func() {
		stats, err := r.Frame(t.Context(), source, cam, &pic)
		done <- result{stats, err}
	}()
	<-reading
	if _, err := r.Frame(t.Context(), mesh, cam, new(render.Picture)); !errors.Is(err, render.ErrBusy) {
		t.Errorf("a frame beside a frame: error %v", err)
	}
	if err := r.SetOptions(o); !errors.Is(err, render.ErrBusy) {
		t.Errorf("options beside a frame: error %v", err)
	}
	close(goOn)
	got := <-done
	if got.err != nil {
		t.Fatal(got.err)
	}
	if err := same(&pic, want, got.stats, wantStats); err != nil {
		t.Error(err)
	}
}

// TestFrameAfterClose checks that a closed renderer returns ErrClosed, and that Close waits for the frame that is being
// drawn.
func TestFrameAfterClose(t *testing.T) {
	mesh := bumpy(20, 10)
	o := render.Options{Width: 40, Height: 30, Workers: 2}
	cam := fitted(t, mesh, o, camera.Options{})
	r := newRenderer(t, o)
	reading, drew, closed := make(chan struct{}), make(chan error), make(chan struct{})
	source := &blockSource{mesh: mesh, before: func(int) error { close(reading); return nil }}
	go func() {
		_, err := r.Frame(t.Context(), source, cam, new(render.Picture))
		drew <- err
	}()
	<-reading
	go func() { r.Close(); close(closed) }()
	if err := <-drew; err != nil {
		t.Errorf("a frame before Close: %v", err)
	}
	<-closed
	r.Close()
	if _, err := r.Frame(t.Context(), mesh, cam, new(render.Picture)); !errors.Is(err, render.ErrClosed) {
		t.Errorf("a frame after Close: error %v", err)
	}
	if err := r.SetOptions(o); !errors.Is(err, render.ErrClosed) {
		t.Errorf("options after Close: error %v", err)
	}
}

func TestFrameWithoutArguments(t *testing.T) {
	mesh := bumpy(20, 10)
	r := newRenderer(t, render.Options{Width: 40, Height: 30})
	cam := fitted(t, mesh, render.Options{Width: 40, Height: 30}, camera.Options{})
	if _, err := r.Frame(t.Context(), nil, cam, new(render.Picture)); err == nil {
		t.Error("no source: no error")
	}
	if _, err := r.Frame(t.Context(), mesh, cam, nil); err == nil {
		t.Error("no picture: no error")
	}
	if _, err := r.Frame(t.Context(), mesh, render.Camera{}, new(render.Picture)); err == nil {
		t.Error("no camera: no error")
	}
}

// TestCameraAspect checks that a camera draws pictures of any size, but only of the shape to which it was fitted.
func TestCameraAspect(t *testing.T) {
	mesh := bumpy(20, 10)
	for _, c := range []struct {
		fit, draw [2]int
		suits     bool
	}{
		{[2]int{1920, 1080}, [2]int{1920, 1080}, true}, {[2]int{1920, 1080}, [2]int{64, 36}, true},
		{[2]int{1920, 1080}, [2]int{100, 56}, true}, {[2]int{1920, 1080}, [2]int{104, 56}, false},
		{[2]int{1920, 1080}, [2]int{64, 48}, false}, {[2]int{1920, 1080}, [2]int{36, 64}, false},
		{[2]int{100, 100}, [2]int{300, 301}, true}, {[2]int{100, 100}, [2]int{300, 302}, false},
	} {
		cam := fitted(t, mesh, render.Options{Width: c.fit[0], Height: c.fit[1]}, camera.Options{})
		r := newRenderer(t, render.Options{Width: c.draw[0], Height: c.draw[1]})
		if _, err := r.Frame(t.Context(), mesh, cam, new(render.Picture)); (err == nil) != c.suits {
			t.Errorf("fitted to %v, drawn in %v: error %v", c.fit, c.draw, err)
		}
		cam.Aspect = 0
		if _, err := r.Frame(t.Context(), mesh, cam, new(render.Picture)); err != nil {
			t.Errorf("for any shape, drawn in %v: error %v", c.draw, err)
		}
	}
}

// TestBlank checks that a blank picture is an error, and a complete picture nevertheless.
func TestBlank(t *testing.T) {
	away := meshOf(plate(100, 200, 100, 200, 0)...)
	o := render.Options{Width: 64, Height: 48, Background: rgb(0x102030), Depth: true}
	r := newRenderer(t, o)
	for name, mesh := range map[string]*scenes.Mesh{"outside the picture": away, "no triangles": meshOf()} {
		var pic render.Picture
		stats, err := r.Frame(t.Context(), mesh, unitCamera(o), &pic)
		if !errors.Is(err, render.ErrBlank) || stats.Triangles.In != int64(mesh.Len()) || stats.Seconds.Frame <= 0 {
			t.Errorf("%s: error %v, %+v", name, err, stats)
		}
		if at(&pic, 0, 0) != opaque(0x102030) || at(&pic, 63, 47) != opaque(0x102030) || !math.IsInf(float64(pic.Depth[0]), 1) {
			t.Errorf("%s: the picture is not its background", name)
		}
	}
	if _, err := camera.Fit(scenes.EmptyBox(), 10, 10, camera.Options{}); !errors.Is(err, render.ErrBlank) {
		t.Errorf("an empty box: error %v", err)
	}
	if _, err := camera.Flyby(scenes.EmptyBox(), camera.Options{}, 2); !errors.Is(err, render.ErrBlank) {
		t.Errorf("a flight past an empty box: error %v", err)
	}
}

// changes returns options that differ in the fields that may change from frame to frame.
func changes() []render.Options {
	return []render.Options{
		{Width: 200, Height: 150},
		{Width: 20, Height: 15, Samples: 16, Depth: true},
		{Width: 300, Height: 225, Samples: 4, Background: rgb(0x204060)},
		{Width: 64, Height: 48, Color: rgb(0xff8000), Cull: render.CullBack},
		{Width: 640, Height: 480, Color: color.NRGBA{0, 0xff, 0x80, 0xff}, Background: color.Gray{0x33}, Depth: true},
		{Width: 640, Height: 480, Balance: render.BalanceNever},
		{Width: 513, Height: 385, Balance: render.BalanceAlways, Background: color.Transparent},
	}
}

// TestSetOptions checks a renderer whose options change from frame to frame. It must draw the same pictures as new
// renderers, also after cancelled frames. Once it has drawn with all options, it must allocate nothing.
func TestSetOptions(t *testing.T) {
	mesh := awkward()
	all := changes()
	cam := closeCamera(t, mesh, all[0])
	r := newRenderer(t, render.Options{Workers: 2})
	var pic render.Picture
	r2 := rand.New(rand.NewPCG(1, 2))
	for round := range 6 {
		for _, i := range r2.Perm(len(all)) {
			o := all[i]
			want, wantStats := drawn(t, mesh, cam, o)
			o.Workers = 2
			if err := r.SetOptions(o); err != nil {
				t.Fatal(err)
			}
			if round%2 == 1 {
				if err := cancelledFrame(t, r, mesh, cam); !errors.Is(err, context.Canceled) {
					t.Fatal(err)
				}
			}
			got := r.Options()
			if got.Width != o.Width || got.Samples != max(o.Samples, 1) || got.Workers != 2 || got.ISA != "auto" {
				t.Errorf("options %+v, want %+v", got, o)
			}
			if round%3 == 2 { // the next frame has another size
				continue
			}
			stats, err := r.Frame(t.Context(), mesh, cam, &pic)
			if err != nil {
				t.Fatal(err)
			}
			if err := same(&pic, want, stats, wantStats); err != nil {
				t.Errorf("round %d, options %d: %v", round, i, err)
			}
		}
	}
}

func TestSetOptionsAllocatesNothing(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	mesh := awkward()
	all := changes()
	for i := range all {
		all[i].Workers, all[i].Depth = 2, true
	}
	cam := closeCamera(t, mesh, all[0])
	r := newRenderer(t, render.Options{Workers: 2})
	var pic render.Picture
	round := func() {
		for i := range all {
			if err := r.SetOptions(all[i]); err != nil {
				t.Fatal(err)
			}
			if _, err := r.Frame(context.Background(), mesh, cam, &pic); err != nil {
				t.Fatal(err)
			}
		}
	}
	round() // AllocsPerRun calls round once more
	// Converting colours to interfaces allocates a little.
	if n := testing.AllocsPerRun(5, round); n > float64(2*len(all)) {
		t.Errorf("%g allocations in %d frames", n, len(all))
	}
}

func TestSetOptionsFaults(t *testing.T) {
	o := render.Options{Width: 30, Height: 20, Workers: 2, BlockSize: 100, ISA: "generic"}
	r := newRenderer(t, o)
	before := fmt.Sprintf("%+v", r.Options())
	for name, change := range map[string]func(o *render.Options){
		"workers":                 func(o *render.Options) { o.Workers = 1 },
		"pinning":                 func(o *render.Options) { o.Pin = true },
		"block size":              func(o *render.Options) { o.BlockSize = 0 },
		"instruction set":         func(o *render.Options) { o.ISA = "" },
		"samples":                 func(o *render.Options) { o.Samples = 3 },
		"width":                   func(o *render.Options) { o.Width = render.MaxPixels + 1 },
		"a transparent colour":    func(o *render.Options) { o.Color = color.Transparent },
		"a translucent colour":    func(o *render.Options) { o.Color = color.NRGBA{1, 2, 3, 254} },
		"a translucent ground":    func(o *render.Options) { o.Background = color.NRGBA{1, 2, 3, 1} },
		"an unknown cost of none": func(o *render.Options) { o.BalanceCost = math.NaN() },
	} {
		bad := o
		change(&bad)
		if err := r.SetOptions(bad); err == nil {
			t.Errorf("%s: no error", name)
		}
		if after := fmt.Sprintf("%+v", r.Options()); after != before {
			t.Errorf("%s: the options are %s", name, after)
		}
	}
}

// TestColors checks that options accept all colours of package image/color.
func TestColors(t *testing.T) {
	for _, c := range []struct {
		color color.Color
		want  uint32
	}{
		{render.RGB(0x123456), 0x123456}, {color.NRGBA{0x12, 0x34, 0x56, 255}, 0x123456}, {color.RGBA{0xfe, 1, 0, 255}, 0xfe0100},
		{color.White, 0xffffff}, {color.Black, 0}, {color.Gray{0x77}, 0x777777}, {color.NRGBA64{0x1234, 0xabff, 0xffff, 0xffff}, 0x12abff},
	} {
		o := render.Options{Width: 64, Height: 48, Color: c.color}
		pic, _ := drawn(t, meshOf(plate(10, 50, 10, 40, 0)...), unitCamera(o), o)
		if got := at(pic, 30, 24); got != opaque(c.want) {
			t.Errorf("colour %v: pixel %v, want %06x", c.color, got, c.want)
		}
		o.Color, o.Background = nil, c.color
		pic, _ = drawn(t, meshOf(plate(10, 50, 10, 40, 0)...), unitCamera(o), o)
		if got := at(pic, 2, 2); got != opaque(c.want) {
			t.Errorf("background %v: pixel %v, want %06x", c.color, got, c.want)
		}
	}
	r, g, b, a := render.RGB(0x12ab00).RGBA()
	if r != 0x1212 || g != 0xabab || b != 0 || a != 0xffff {
		t.Errorf("RGBA of 12ab00: %x %x %x %x", r, g, b, a)
	}
}

// TestProject checks that Project finds the pixels of points, and Unproject the points of pixels.
func TestProject(t *testing.T) {
	mesh := bumpy(60, 30)
	random := rand.New(rand.NewPCG(3, 4))
	for _, ortho := range []bool{false, true} {
		o := render.Options{Width: 300, Height: 200, Depth: true}
		cam := fitted(t, mesh, o, camera.Options{Azimuth: 35, Elevation: -20, Orthographic: ortho, Zoom: 1.5})
		for range 100 {
			p := mgl64.Vec3{random.NormFloat64(), random.NormFloat64(), random.NormFloat64()}.Mul(0.3)
			x, y, depth := cam.Project(p, o.Width, o.Height)
			if back := cam.Unproject(x, y, depth, o.Width, o.Height); back.Sub(p).Len() > 1e-12 {
				t.Errorf("orthographic %t: %v came back as %v", ortho, p, back)
			}
		}
		// A tiny triangle covers the pixel at its projected place, with its depth.
		for range 30 {
			i, j := random.IntN(o.Width), random.IntN(o.Height)
			depth := cam.Near + (cam.Far-cam.Near)*random.Float64()
			corner := func(x, y float64) vec {
				return vec(cam.Unproject(float64(i)+x, float64(j)+y, depth, o.Width, o.Height))
			}
			pic, stats := drawn(t, meshOf([3]vec{corner(0, 0), corner(1.9, 0.1), corner(0.1, 1.9)}), cam, o)
			if got := pic.Depth[j*o.Width+i]; stats.Covered != 1 || math.Abs(float64(got)-depth) > 1e-5*cam.Far {
				t.Errorf("orthographic %t, pixel (%d, %d): %d pixels covered, depth %g, want %g", ortho, i, j, stats.Covered, got, depth)
			}
		}
	}
}
