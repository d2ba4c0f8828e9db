package render_test

import (
	"bytes"
	"context"
	"image/color"
	"math/rand/v2"
	"slices"
	"testing"

	"lockstep/render"
	"lockstep/render/camera"
	"lockstep/render/part"
	"lockstep/scenes"
)

// byRows draws a frame some rows at a time, in the given order, with the renderer r.
func byRows(t *testing.T, r *render.Renderer, mesh scenes.Source, cam render.Camera, cuts []int, order []int) *render.Picture {
	t.Helper()
	o := r.Options()
	n := o.Width * o.Height
	whole := &render.Picture{Width: o.Width, Height: o.Height, Pix: make([]byte, 4*n), Depth: make([]float32, n), Coverage: make([]uint8, n)}
	if o.Triangles {
		whole.Triangles, whole.Normals = make([]uint32, n), make([][3]float32, n)
	}
	var pic render.Picture
	for _, i := range order {
		lo, hi := cuts[i], cuts[i+1]
		if lo == hi {
			continue
		}
		if _, err := part.DrawRows(context.Background(), r, mesh, cam, part.Rows{Lo: lo, Hi: hi}, &pic); err != nil {
			t.Fatal(err)
		}
		if pic.Width != o.Width || pic.Height != hi-lo {
			t.Fatalf("rows %d to %d: a picture of %dx%d", lo, hi, pic.Width, pic.Height)
		}
		from := lo * o.Width
		copy(whole.Pix[4*from:], pic.Pix)
		copy(whole.Depth[from:], pic.Depth)
		if o.Triangles {
			copy(whole.Triangles[from:], pic.Triangles)
			copy(whole.Normals[from:], pic.Normals)
		}
		copy(whole.Coverage[from:], pic.Coverage)
	}
	return whole
}

// TestFrameRows draws frames some rows at a time, in any order. Everything that pictures hold must be the same as with
// Frame, bit for bit.
func TestFrameRows(t *testing.T) {
	mesh := awkward()
	random := rand.New(rand.NewPCG(3, 4))
	looks := partedLooks()
	field := looks["occlusion, 4 samples"]
	field.Samples, field.Background = 16, color.White
	looks["occlusion, 16 samples"] = field
	for name, o := range looks {
		t.Run(name, func(t *testing.T) {
			o.Width, o.Height, o.BlockSize = 90, 331, 256
			o.Depth, o.Coverage = true, true
			o.Triangles, o.Normals = o.Light == render.LightStudio, o.Light == render.LightStudio
			for trial := range 4 {
				o.Workers = 1 + trial%3
				r := newRenderer(t, o)
				cam := closeCamera(t, mesh, o)
				if trial == 2 {
					cam = fitted(t, mesh, o, camera.Options{Orthographic: true, Azimuth: 70, Elevation: 10})
				}
				if trial == 3 {
					cam = fitted(t, mesh, o, camera.Options{Azimuth: 20, Elevation: 60, FieldOfView: 0.01})
				}
				want := new(render.Picture)
				if _, err := r.Frame(context.Background(), mesh, cam, want); err != nil {
					t.Fatal(err)
				}
				cuts := []int{0, o.Height}
				for range 1 + random.IntN(4) {
					cuts = append(cuts, random.IntN(o.Height/part.RowStep)*part.RowStep)
				}
				slices.Sort(cuts)
				got := byRows(t, r, mesh, cam, cuts, random.Perm(len(cuts)-1))
				checkSame(t, got, want)
				// Afterwards the renderer must still draw whole frames.
				again := new(render.Picture)
				if _, err := r.Frame(context.Background(), mesh, cam, again); err != nil {
					t.Fatal(err)
				}
				checkSame(t, again, want)
			}
		})
	}
}

func checkSame(t *testing.T, got, want *render.Picture) {
	t.Helper()
	for i := range want.Pix {
		if got.Pix[i] != want.Pix[i] {
			n := i / 4
			t.Fatalf("pixel (%d, %d) differs", n%want.Width, n/want.Width)
		}
	}
	if !bytes.Equal(got.Coverage, want.Coverage) || !slices.Equal(got.Depth, want.Depth) || !slices.Equal(got.Triangles, want.Triangles) || !slices.Equal(got.Normals, want.Normals) {
		t.Fatal("depths, triangles, normals or coverage differ")
	}
}

// TestFrameRowsOfStream draws rows of a mesh that is not in memory.
func TestFrameRowsOfStream(t *testing.T) {
	mesh := awkward()
	o := render.Options{Width: 100, Height: 200, Light: render.LightStudio}
	r := newRenderer(t, o)
	cam := closeCamera(t, mesh, o)
	want := new(render.Picture)
	stream := struct{ scenes.Source }{mesh}
	if _, err := r.Frame(context.Background(), stream, cam, want); err != nil {
		t.Fatal(err)
	}
	var pic render.Picture
	for lo := 0; lo < o.Height; lo += 48 {
		if _, err := part.DrawRows(context.Background(), r, stream, cam, part.Rows{Lo: lo, Hi: min(lo+48, o.Height)}, &pic); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(pic.Pix, want.Pix[4*o.Width*lo:4*o.Width*min(lo+48, o.Height)]) {
			t.Errorf("rows from %d on differ", lo)
		}
	}
}

func TestFrameRowsErrors(t *testing.T) {
	mesh := awkward()
	o := render.Options{Width: 100, Height: 100}
	r := newRenderer(t, o)
	cam := closeCamera(t, mesh, o)
	for _, c := range [][2]int{{-16, 16}, {0, 0}, {16, 16}, {32, 16}, {0, 101}, {8, 32}, {0, 24}, {96, 112}} {
		if _, err := part.DrawRows(context.Background(), r, mesh, cam, part.Rows{Lo: c[0], Hi: c[1]}, new(render.Picture)); err == nil {
			t.Errorf("rows %v: no error", c)
		}
	}
	if _, err := part.DrawRows(context.Background(), r, nil, cam, part.Rows{Lo: 0, Hi: 16}, new(render.Picture)); err == nil {
		t.Error("no error without a source")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := part.DrawRows(ctx, r, mesh, cam, part.Rows{Lo: 0, Hi: 16}, new(render.Picture)); err == nil {
		t.Error("no error after the context has ended")
	}
	// A cancelled frame must not affect the next frame, which has another size.
	want, got := new(render.Picture), new(render.Picture)
	if _, err := newRenderer(t, o).Frame(context.Background(), mesh, cam, want); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Frame(context.Background(), mesh, cam, got); err != nil {
		t.Fatal(err)
	}
	checkSame(t, got, want)
}
