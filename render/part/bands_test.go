package part

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"testing"

	"lockstep/render"
	"lockstep/render/camera"
	"lockstep/render/footprint"
	"lockstep/scenes"
	"lockstep/scenes/procedural"
)

// scene returns a mesh in memory, and a camera for pictures of the given size.
func scene(t *testing.T, width, height int) (*scenes.Mesh, render.Camera) {
	t.Helper()
	source, err := procedural.Parse("scene:gear?triangles=4000")
	if err != nil {
		t.Fatal(err)
	}
	mesh, err := scenes.Load(context.Background(), source, scenes.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	cam, err := camera.FitTight(context.Background(), mesh, mesh.Bounds(), width, height, camera.Options{Azimuth: 30, Elevation: 35})
	if err != nil {
		t.Fatal(err)
	}
	return mesh, cam
}

// draw draws a picture in bands and returns the joined pixels. Each band must begin where the previous band ends.
func draw(t *testing.T, o BandOptions) (pix []byte, bands int) {
	t.Helper()
	mesh, cam := scene(t, o.Width, o.Height)
	o.Camera = &cam
	page, err := o.Page()
	if err != nil {
		t.Fatal(err)
	}
	page.Workers = max(o.Workers, 1)
	r, err := render.New(page)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	next := 0
	stats, err := Bands(context.Background(), r, mesh, cam, o, func(b Band) error {
		if b.Lo != next || b.Hi <= b.Lo || b.Picture.Width != o.Width || b.Top+b.Picture.Height < b.Hi {
			t.Fatalf("band %d to %d of %d after %d", b.Lo, b.Hi, b.Picture.Width, next)
		}
		if around := b.Lo - b.Top; o.Overlap && b.Lo > 0 && around != RowStep {
			t.Fatalf("band from %d on comes with %d rows before", b.Lo, around)
		}
		if after := b.Top + b.Picture.Height - b.Hi; o.Overlap && b.Hi < o.Height && after != min(RowStep, o.Height-b.Hi) {
			t.Fatalf("band up to %d comes with %d rows behind", b.Hi, after)
		}
		next, bands = b.Hi, bands+1
		pix = append(pix, b.Own()...)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if next != o.Height || stats.Covered == 0 {
		t.Fatalf("%d rows of %d, %d pixels covered", next, o.Height, stats.Covered)
	}
	return pix, bands
}

// looks returns looks with different lights.
func looks() map[string]render.Options {
	flat := render.Options{Light: render.LightStudio, Background: render.StudioBackground}
	return map[string]render.Options{"studio": render.Options{}.Studio(), "flat": flat, "headlight": {Samples: 16}}
}

// TestBandsAreThePicture draws pictures in bands of any height. The pictures must equal those of Renderer.Frame, bit
// for bit.
func TestBandsAreThePicture(t *testing.T) {
	for name, look := range looks() {
		look.Width, look.Height = 210, 331
		mesh, cam := scene(t, look.Width, look.Height)
		r, err := render.New(look)
		if err != nil {
			t.Fatal(err)
		}
		var want render.Picture
		_, err = r.Frame(context.Background(), mesh, cam, &want)
		r.Close()
		if err != nil {
			t.Fatal(err)
		}
		most := 0
		for _, rows := range []int{0, RowStep, 3 * RowStep} {
			for _, overlap := range []bool{false, true} {
				o := BandOptions{Options: look, Overlap: overlap, Camera: &cam}
				if rows > 0 {
					if o.Memory, err = o.Bytes(rows); err != nil {
						t.Fatal(err)
					}
				}
				got, bands := draw(t, o)
				if !bytes.Equal(got, want.Pix) {
					t.Errorf("%s: with %d bytes in %d bands another picture", name, o.Memory, bands)
				}
				if rows == 0 && bands != 1 {
					t.Errorf("%s: %d bands with enough memory", name, bands)
				}
				most = max(most, bands)
			}
		}
		if most < 10 {
			t.Errorf("%s: at most %d bands", name, most)
		}
	}
}

// TestPart draws parts of pictures in bands and pages. The parts must equal the same parts of whole pictures.
func TestPart(t *testing.T) {
	for name, look := range looks() {
		look.Width, look.Height = 300, 260
		look.Depth = true
		mesh, cam := scene(t, look.Width, look.Height)
		for _, page := range []int{0, 128} {
			o := BandOptions{Options: look, pageSide: page, Camera: &cam}
			whole, _ := draw(t, o)
			for _, part := range []image.Rectangle{image.Rect(70, 41, 181, 200), image.Rect(0, 0, 300, 3), image.Rect(130, 130, 131, 260), image.Rect(127, 16, 129, 32), image.Rect(128, 16, 256, 32)} {
				o.Part, o.Overlap = part, part.Min.X == 130
				if o.Memory = 0; part.Dx() > 100 {
					memory, err := o.Bytes(3 * RowStep)
					if err != nil {
						t.Fatal(err)
					}
					o.Memory = memory
				}
				next := part.Min.Y
				pages, err := o.Page()
				if err != nil {
					t.Fatal(err)
				}
				pages.Workers = 1
				r, err := render.New(pages)
				if err != nil {
					t.Fatal(err)
				}
				_, err = Bands(context.Background(), r, mesh, cam, o, func(b Band) error {
					if b.Lo != next {
						t.Fatalf("%s, page %d, %v: rows from %d on after %d", name, page, part, b.Lo, next)
					}
					left, right := max(part.Min.X-1, 0), min(part.Max.X+1, look.Width) // lines depend on neighbouring pixels
					for y := range b.Hi - b.Lo {
						row, at := 4*(y*look.Width+left), 4*((b.Lo+y)*look.Width+left)
						if !bytes.Equal(b.Own()[row:row+4*(right-left)], whole[at:at+4*(right-left)]) {
							t.Fatalf("%s, page %d, %v: row %d differs", name, page, part, b.Lo+y)
						}
					}
					next = b.Hi
					return nil
				})
				r.Close()
				if err != nil || next != part.Max.Y {
					t.Fatalf("%s, page %d, %v: up to row %d, %v", name, page, part, next, err)
				}
			}
		}
	}
}

// TestPages cuts a picture into pages. The picture must have the same bits for any memory. It may differ from the
// picture of Renderer.Frame only at corners whose positions differ slightly.
func TestPages(t *testing.T) {
	for name, look := range looks() {
		look.Width, look.Height = 300, 260
		want, _ := draw(t, BandOptions{Options: look})
		_, cam := scene(t, look.Width, look.Height)
		o := BandOptions{Options: look, pageSide: 128, Camera: &cam}
		whole, _ := draw(t, o)
		least, err := o.Bytes(RowStep)
		if err != nil {
			t.Fatal(err)
		}
		o.Memory, o.Workers = least, 1
		if got, bands := draw(t, o); !bytes.Equal(got, whole) || bands < 15 {
			t.Errorf("%s: another picture in %d bands", name, bands)
		}
		differ := 0
		for i := 0; i < len(want); i += 4 {
			if !bytes.Equal(want[i:i+4], whole[i:i+4]) {
				differ++
			}
		}
		if most := len(want) / 4 / 200; differ > most {
			t.Errorf("%s: %d pixels differ, at most %d may", name, differ, most)
		}
	}
}

func TestErrors(t *testing.T) {
	for _, c := range []render.Options{{Width: 0, Height: 5}, {Width: 5, Height: MostPixels + 1}, {Width: MostPixels + 1, Height: 5}, {Width: 5, Height: 5, Samples: 3}} {
		if _, err := (BandOptions{Options: c}).Page(); err == nil {
			t.Errorf("%dx%d with %d samples: no error", c.Width, c.Height, c.Samples)
		}
	}
	o := BandOptions{Options: render.Options{Width: 200, Height: 200}}
	mesh, cam := scene(t, 200, 200)
	r, err := render.New(o.Options)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	ctx := context.Background()
	if _, err := Bands(ctx, r, mesh, cam, o, nil); err == nil {
		t.Error("no error without a function for bands")
	}
	full := errors.New("full")
	if _, err := Bands(ctx, r, mesh, cam, o, func(Band) error { return full }); !errors.Is(err, full) {
		t.Errorf("error %v of a function that fails", err)
	}
	o.Memory = 1000
	var memory *MemoryError
	if _, err := Bands(ctx, r, mesh, cam, o, func(Band) error { return nil }); !errors.As(err, &memory) || memory.Have != 1000 || memory.Need <= 1000 {
		t.Errorf("error %v with too little memory", err)
	}
	ctx, cancel := context.WithCancel(ctx)
	cancel()
	o.Memory = 0
	if _, err := Bands(ctx, r, mesh, cam, o, func(Band) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v after the context has ended", err)
	}
}

// TestMemoryOfWorkers checks that memory is counted for the workers of the renderer, also if the options name no
// number.
func TestMemoryOfWorkers(t *testing.T) {
	o := BandOptions{Options: render.Options{Width: 200, Height: 200}}
	mesh, cam := scene(t, 200, 200)
	o.Camera = &cam
	one, err := o.Bytes(RowStep)
	if err != nil {
		t.Fatal(err)
	}
	o.Memory = one
	for workers, enough := range map[int]bool{1: true, 2: false} {
		page := o.Options
		page.Workers = workers
		r, err := render.New(page)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		_, err = Bands(t.Context(), r, mesh, cam, o, func(Band) error { return nil })
		var memory *MemoryError
		if enough && err != nil || !enough && !errors.As(err, &memory) {
			t.Errorf("%d workers with memory for one: error %v", workers, err)
		}
	}
}

// TestMemoryOfMeshBands draws a mesh with memory for bands without eye-dome light, because only clouds need such
// memory.
func TestMemoryOfMeshBands(t *testing.T) {
	o := BandOptions{Options: render.Options{Width: 200, Height: 200, Light: render.LightStudio}}
	mesh, cam := scene(t, 200, 200)
	o.Camera = &cam
	var err error
	if o.Memory, err = o.Bytes(RowStep); err != nil {
		t.Fatal(err)
	}
	o.EyeDome = true
	if more, err := o.Bytes(RowStep); err != nil || more <= o.Memory {
		t.Fatalf("eye-dome light takes %d bytes, without it %d: %v", more, o.Memory, err)
	}
	page, err := o.Page()
	if err != nil {
		t.Fatal(err)
	}
	page.Workers = 1
	r, err := render.New(page)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, err := Bands(t.Context(), r, mesh, cam, o, func(Band) error { return nil }); err != nil {
		t.Error(err)
	}
}

// TestLargestPages checks that pictures up to the largest size have pages that a renderer can draw.
func TestLargestPages(t *testing.T) {
	for _, samples := range []int{1, 4, 16} {
		for _, size := range []int{1, 8192, 8193, 16384, 32768, 32769, MostPixels} {
			o := BandOptions{Options: render.Options{}.Studio()}
			o.Width, o.Height, o.Samples = size, size, samples
			page, err := o.Page()
			if err != nil {
				t.Fatal(err)
			}
			if err := fits(page); err != nil {
				t.Errorf("%d pixels, %d samples: %v", size, samples, err)
			}
			side := map[int]int{1: 1, 4: 2, 16: 4}[samples]
			if want := size*side <= render.MaxPixels; o.Fits() != want {
				t.Errorf("%d pixels, %d samples: fits %v", size, samples, o.Fits())
			}
		}
	}
}

func fits(o render.Options) error {
	if _, err := footprint.Frame(o); err != nil {
		return fmt.Errorf("page: %w", err)
	}
	return nil
}

// TestBandsBehindGlass checks that the memory of bands includes the picture behind glass and the frames for drawing it.
func TestBandsBehindGlass(t *testing.T) {
	o := BandOptions{Options: render.Options{Width: 8000, Height: 1400, Samples: 4, Light: render.LightStudio, Shading: render.ShadingSmooth}, Workers: 2}
	without, err := o.Bytes(RowStep)
	if err != nil {
		t.Fatal(err)
	}
	o.ShowsBehind = true
	with, err := o.Bytes(RowStep)
	const pixels = 2667 * 467 // a third of the size
	if more := with - without; err != nil || more < pixels*(2*(4*8-6)+16+12) || more > pixels*(2*4*9+16+16) {
		t.Errorf("%d bytes more, %v", more, err)
	}
}
