package render_test

import (
	"bytes"
	"context"
	"errors"
	"math"
	"runtime"
	"slices"
	"testing"
	"time"

	"lockstep/render"
	"lockstep/render/camera"
	"lockstep/scenes"
)

// TestDroppedTriangles checks that triangles with corners that are not finite are dropped and counted, and do not
// change the picture.
func TestDroppedTriangles(t *testing.T) {
	bad := []float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1))}
	whole := bumpy(60, 30)
	mesh := joined(whole, whole)
	kept := &scenes.Mesh{Block: scenes.MakeBlock(whole.Len())}
	dropped := 0
	for i := range whole.Len() {
		// The order of good and bad triangles is irregular.
		good, damaged := 2*i, 2*i+1
		if i%3 == 0 {
			good, damaged = damaged, good
		}
		mesh.Set(good, whole.Triangle(i))
		kept.Set(i, whole.Triangle(i))
		tri := whole.Triangle(i)
		tri[i%3][i/3%3] = bad[i/9%3]
		mesh.Set(damaged, tri)
		dropped++
	}
	if a, b := groupCache(t, mesh), groupCache(t, whole); a != b {
		t.Errorf("bounds are %v, want %v", a, b)
	}
	for _, isa := range levels(t) {
		for _, ortho := range []bool{false, true} {
			for _, view := range some(views) {
				o := render.Options{Width: 200, Height: 120, Depth: true, ISA: isa}
				cam := fitted(t, mesh, o, camera.Options{Azimuth: view[0], Elevation: view[1], Orthographic: ortho})
				got, stats := drawn(t, mesh, cam, o)
				want, wantStats := drawn(t, kept, cam, o)
				if !bytes.Equal(got.Pix, want.Pix) || !slices.Equal(got.Depth, want.Depth) {
					t.Errorf("%s, view %v, orthographic %v: the picture is not that of the mesh without bad triangles", isa, view, ortho)
				}
				tri := stats.Triangles
				if tri.In != int64(mesh.Len()) || tri.Dropped != int64(dropped) || tri.In != tri.Dropped+tri.Culled+tri.Drawn ||
					tri.Drawn != wantStats.Triangles.Drawn || tri.Clipped != 0 {
					t.Errorf("%s, view %v, orthographic %v: %+v", isa, view, ortho, tri)
				}
			}
		}
	}
}

// TestAllDropped checks that a mesh of bad triangles only covers no pixel.
func TestAllDropped(t *testing.T) {
	nan := math.NaN()
	mesh := meshOf([3]vec{{nan, 0, 0}, {1, 0, 0}, {0, 0, 1}}, [3]vec{{nan, nan, nan}, {nan, nan, nan}, {nan, nan, nan}})
	o := render.Options{Width: 20, Height: 20}
	_, stats := drawn(t, mesh, unitCamera(o), o)
	if stats.Triangles.Dropped != 2 || stats.Covered != 0 || stats.Pixels != 0 {
		t.Errorf("%+v", stats)
	}
}

func TestCancel(t *testing.T) {
	mesh := awkward()
	o := render.Options{Width: 100, Height: 80, Workers: 2}
	cam := closeCamera(t, mesh, o)
	r := newRenderer(t, o)
	want, wantStats := drawn(t, mesh, cam, o)

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	read := false
	source := &blockSource{mesh: mesh, before: func(int) error { read = true; return nil }}
	if _, err := r.Frame(ctx, source, cam, new(render.Picture)); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled before the frame: error %v", err)
	}
	if read {
		t.Error("a block was read for a frame that was cancelled before it began")
	}
	if err := cancelledFrame(t, r, mesh, cam); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled within the frame: error %v", err)
	}
	late, cancel := context.WithTimeout(t.Context(), 0)
	defer cancel()
	if _, err := r.Frame(late, mesh, cam, new(render.Picture)); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("past the deadline: error %v", err)
	}
	if err := failedFrame(t, r, mesh, cam); !errors.Is(err, errTest) {
		t.Errorf("failing source: error %v", err)
	}
	pic := new(render.Picture)
	stats, err := r.Frame(t.Context(), mesh, cam, pic)
	if err != nil {
		t.Fatal(err)
	}
	if err := same(pic, want, stats, wantStats); err != nil {
		t.Errorf("after frames that failed: %v", err)
	}
}

func TestCloseEndsGoroutines(t *testing.T) {
	before := runtime.NumGoroutine()
	for range 20 {
		r, err := render.New(render.Options{Width: 64, Height: 48, Workers: 5})
		if err != nil {
			t.Fatal(err)
		}
		mesh := meshOf(plate(0, 40, 0, 30, 0)...)
		if _, err := r.Frame(t.Context(), mesh, unitCamera(render.Options{Width: 64, Height: 48}), new(render.Picture)); err != nil {
			t.Fatal(err)
		}
		r.Close()
		r.Close()
	}
	// A goroutine may still exist for a moment after it has signalled its end.
	for range 1000 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Errorf("%d goroutines, %d before", runtime.NumGoroutine(), before)
}

// TestPictureIsReused draws pictures of different sizes into the same memory.
func TestPictureIsReused(t *testing.T) {
	pic := new(render.Picture)
	mesh := bumpy(40, 20)
	for _, size := range [][2]int{{200, 100}, {50, 70}, {300, 200}, {300, 200}} {
		o := render.Options{Width: size[0], Height: size[1]}
		cam := fitted(t, mesh, o, camera.Options{})
		r := newRenderer(t, o)
		memory := cap(pic.Pix)
		if _, err := r.Frame(t.Context(), mesh, cam, pic); err != nil {
			t.Fatal(err)
		}
		want, _ := drawn(t, mesh, cam, o)
		if !bytes.Equal(pic.Pix, want.Pix) || pic.Width != o.Width || pic.Height != o.Height || pic.Depth != nil {
			t.Errorf("%v: not the picture that a new one gets", size)
		}
		if need := 4 * o.Width * o.Height; memory >= need && cap(pic.Pix) != memory {
			t.Errorf("%v: new memory though %d bytes were enough", size, memory)
		}
		if b := pic.Image().Bounds(); b.Dx() != o.Width || b.Dy() != o.Height {
			t.Errorf("%v: the image has bounds %v", size, b)
		}
	}
}

func TestNoAllocationPerFrame(t *testing.T) {
	mesh := awkward()
	for _, workers := range []int{1, 2} {
		for _, samples := range []int{1, 4} {
			for _, source := range []scenes.Source{mesh, &blockSource{mesh: mesh}} {
				o := render.Options{Width: 320, Height: 180, Workers: workers, Samples: samples, Depth: true}
				r := newRenderer(t, o)
				cam := closeCamera(t, mesh, o)
				pic := new(render.Picture)
				ctx := t.Context()
				frame := func() {
					if _, err := r.Frame(ctx, source, cam, pic); err != nil {
						t.Fatal(err)
					}
				}
				// Either worker may read first, so both are warmed up.
				for range 5 {
					frame()
				}
				if n := testing.AllocsPerRun(20, frame); n != 0 {
					t.Errorf("%d workers, %d samples, %T: %v allocations a frame", workers, samples, source, n)
				}
			}
		}
	}
}
