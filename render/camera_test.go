package render_test

import (
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"lockstep/render"
	"lockstep/render/camera"
	"lockstep/scenes"
)

// filled returns the largest coordinate of a box's projected corners. 1 is the border of the picture.
func filled(cam *render.Camera, box scenes.Box, width, height int) (most float64) {
	for i := range 8 {
		var p vec
		for c := range p {
			p[c] = box.Min[c]
			if i&(1<<c) != 0 {
				p[c] = box.Max[c]
			}
		}
		p = p.sub(vec(cam.Eye))
		scale := 2 * cam.Magnification
		if !cam.Orthographic {
			z := p.dot(vec(cam.Forward))
			if z <= 0 {
				return math.Inf(1)
			}
			scale /= z
		}
		x := math.Abs(p.dot(vec(cam.Right))) * scale * float64(height) / float64(width)
		y := math.Abs(p.dot(vec(cam.Up))) * scale
		most = max(most, x, y)
	}
	return most
}

func drawBox(t *rapid.T) scenes.Box {
	var box scenes.Box
	for c := range 3 {
		at := rapid.Float64Range(-1e3, 1e3).Draw(t, "at")
		size := rapid.Float64Range(1e-3, 1e3).Draw(t, "size")
		box.Min[c], box.Max[c] = at, at+size
	}
	return box
}

func drawOptions(t *rapid.T) camera.Options {
	return camera.Options{
		Up:           scenes.Axis(rapid.IntRange(0, 5).Draw(t, "up")),
		Azimuth:      rapid.OneOf(rapid.Float64Range(-720, 720), rapid.Just(90.), rapid.Just(-180.)).Draw(t, "azimuth"),
		Elevation:    rapid.OneOf(rapid.Float64Range(-90, 90), rapid.Just(90.), rapid.Just(-90.)).Draw(t, "elevation"),
		FieldOfView:  rapid.OneOf(rapid.Float64Range(1, 170), rapid.Just(0.)).Draw(t, "fov"),
		Orthographic: rapid.Bool().Draw(t, "orthographic"),
	}
}

func TestFitTouchesTheMargin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		box, o := drawBox(t), drawOptions(t)
		w, h := rapid.IntRange(1, 5000).Draw(t, "w"), rapid.IntRange(1, 5000).Draw(t, "h")
		cam, err := camera.Fit(box, w, h, o)
		if err != nil {
			t.Fatal(err)
		}
		if most := filled(&cam, box, w, h); math.Abs(most-0.9) > 1e-9 {
			t.Fatalf("the box fills %.12f of the picture, want 0.9", most)
		}
		checkAxes(t, &cam)
		zoomed := o
		zoomed.Zoom = 3
		close, err := camera.Fit(box, w, h, zoomed)
		if err != nil {
			t.Fatal(err)
		}
		if close.Eye != cam.Eye || math.Abs(close.Magnification/cam.Magnification-3) > 1e-12 {
			t.Fatalf("zoom 3 moves the eye from %v to %v and magnifies %g times", cam.Eye, close.Eye, close.Magnification/cam.Magnification)
		}
	})
}

// checkAxes fails unless the camera's axes are orthonormal and right-handed, and its depth range is valid.
func checkAxes(t interface{ Fatalf(string, ...any) }, cam *render.Camera) {
	r, u, f := vec(cam.Right), vec(cam.Up), vec(cam.Forward)
	off := math.Abs(r.length()-1) + math.Abs(u.length()-1) + r.cross(u).add(f).length()
	if !(off < 1e-12) {
		t.Fatalf("axes %v %v %v are off by %g", r, u, f, off)
	}
	if !(cam.Near <= cam.Far) || !cam.Orthographic && !(cam.Near > 0) {
		t.Fatalf("depth range %g to %g", cam.Near, cam.Far)
	}
}

func TestFitMatchesReference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		box, o := drawBox(t), drawOptions(t)
		w, h := rapid.IntRange(1, 5000).Draw(t, "w"), rapid.IntRange(1, 5000).Draw(t, "h")
		cam, err := camera.Fit(box, w, h, o)
		if err != nil {
			t.Fatal(err)
		}
		ref := refFit(box, w, h, o)
		far := vec(cam.Eye).sub(vec(box.Center())).length()
		for name, d := range map[string]float64{
			"forward": vec(cam.Forward).sub(ref.forward).length(),
			// Near the poles, the reference's up direction has fewer exact digits.
			"up":    vec(cam.Up).sub(ref.up).length() * math.Cos(o.Elevation*math.Pi/180),
			"scale": 2*cam.Magnification*ref.half - 1,
		} {
			if !(math.Abs(d) < 1e-9) {
				t.Fatalf("%s is off by %g", name, d)
			}
		}
		if !o.Orthographic && vec(cam.Eye).sub(ref.eye).length() > 1e-9*far {
			t.Fatalf("the eye is at %v, want %v", cam.Eye, ref.eye)
		}
	})
}

func TestFitTurnKeepsItsDistance(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		box, o := drawBox(t), drawOptions(t)
		turns := []float64{0, 17, 45, 90, 180, 222, 340}
		cams, err := camera.FitTurn(box, 640, 360, o, turns)
		if err != nil || len(cams) != len(turns) {
			t.Fatalf("%d cameras, %v", len(cams), err)
		}
		distance := vec(cams[0].Eye).sub(vec(cams[0].Target)).length()
		most := 0.0
		for i := range cams {
			d := vec(cams[i].Eye).sub(vec(cams[i].Target)).length()
			if !o.Orthographic && math.Abs(d-distance) > 1e-9*distance || cams[i].Magnification != cams[0].Magnification {
				t.Fatalf("turn %g: distance %g and magnification %g, want %g and %g", turns[i], d, cams[i].Magnification, distance, cams[0].Magnification)
			}
			most = max(most, filled(&cams[i], box, 640, 360))
			turned := o
			turned.Azimuth += turns[i]
			single, err := camera.Fit(box, 640, 360, turned)
			if err != nil {
				t.Fatal(err)
			}
			if vec(single.Forward).sub(vec(cams[i].Forward)).length() > 1e-12 {
				t.Fatalf("turn %g looks along %v, want %v", turns[i], cams[i].Forward, single.Forward)
			}
		}
		if math.Abs(most-0.9) > 1e-9 {
			t.Fatalf("the turning box fills %.12f, want 0.9", most)
		}
	})
}

func TestFitDegenerateBoxes(t *testing.T) {
	tiny := math.SmallestNonzeroFloat32
	for name, box := range map[string]scenes.Box{
		"point":     {},
		"far point": {Min: [3]float64{1e6, 1e6, 1e6}, Max: [3]float64{1e6, 1e6, 1e6}},
		"line":      {Max: [3]float64{0, 5, 0}},
		"flat":      {Max: [3]float64{3, 0, 2}},
		"tiny":      {Max: [3]float64{tiny, tiny, tiny}},
		"huge":      {Min: [3]float64{-math.MaxFloat32, -math.MaxFloat32, -math.MaxFloat32}, Max: [3]float64{math.MaxFloat32, math.MaxFloat32, math.MaxFloat32}},
	} {
		for _, view := range some(views) {
			for _, ortho := range []bool{false, true} {
				cam, err := camera.Fit(box, 64, 48, camera.Options{Azimuth: view[0], Elevation: view[1], Orthographic: ortho})
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				for _, x := range []float64{cam.Eye[0], cam.Eye[1], cam.Eye[2], cam.Magnification, cam.Near, cam.Far} {
					if math.IsNaN(x) || math.IsInf(x, 0) {
						t.Errorf("%s, view %v, orthographic %v: %+v", name, view, ortho, cam)
						break
					}
				}
				checkAxes(t, &cam)
				// The nearest camera of a line that is seen end-on touches the line.
				if most := filled(&cam, box, 64, 48); !(most <= 0.9+1e-9) && name != "line" {
					t.Errorf("%s, view %v, orthographic %v: fills %g", name, view, ortho, most)
				}
				a, b := vec(box.Min), vec(box.Max)
				drawn(t, meshOf([3]vec{a, b, a}, [3]vec{a, {b[0], a[1], b[2]}, b}), cam, render.Options{Width: 64, Height: 48, Depth: true})
			}
		}
	}
}

// TestFlatBoxFacingTheView checks that a plate is visible if the view is exactly along its normal. The near and the far
// plane then coincide.
func TestFlatBoxFacingTheView(t *testing.T) {
	for _, c := range []struct {
		view   [2]float64
		center float64
	}{{[2]float64{0, 0}, 0.1}, {[2]float64{180, 0}, 0.1}, {[2]float64{0, 0}, 1e6}, {[2]float64{0, 0}, -1e-30}} {
		for _, ortho := range []bool{false, true} {
			mesh := meshOf(plate(-1, 1, -1, 1, c.center)...)
			o := render.Options{Width: 100, Height: 100}
			_, stats := drawn(t, mesh, fitted(t, mesh, o, camera.Options{Azimuth: c.view[0], Elevation: c.view[1], Orthographic: ortho}), o)
			if stats.Covered != 90*90 || stats.Pixels != 90*90 {
				t.Errorf("view %v, depth %g, orthographic %v: %d pixels covered, %d tested, want 8100", c.view, c.center, ortho, stats.Covered, stats.Pixels)
			}
			// The eye is so near that the plate has to be clipped.
			from := camera.Options{Azimuth: c.view[0], Elevation: c.view[1], Orthographic: ortho, Zoom: 1000}
			_, stats = drawn(t, mesh, fitted(t, mesh, o, from), o)
			full(t, fmt.Sprintf("view %v, depth %g, orthographic %v, zoom 1000", c.view, c.center, ortho), stats, o)
		}
	}
}

func TestBadOptions(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	box := scenes.Box{Max: [3]float64{1, 1, 1}}
	for _, o := range []camera.Options{
		{FieldOfView: 180}, {FieldOfView: -1}, {FieldOfView: nan}, {Zoom: -1}, {Zoom: nan}, {Zoom: inf},
		{Elevation: 90.1}, {Elevation: -91}, {Elevation: nan}, {Azimuth: nan}, {Azimuth: inf},
	} {
		if _, err := camera.Fit(box, 10, 10, o); err == nil {
			t.Errorf("camera %+v: no error", o)
		}
	}
	if _, err := camera.Fit(scenes.EmptyBox(), 10, 10, camera.Options{}); err == nil {
		t.Error("empty box: no error")
	}
	for _, o := range []render.Options{
		{Samples: 2}, {Samples: -1}, {Width: 10}, {Height: 10}, {Width: -1, Height: 5}, {Width: 32769, Height: 1},
		{Width: 16385, Height: 1, Samples: 4}, {Width: 8193, Height: 1, Samples: 16}, {Cull: 3}, {Balance: 77},
		{Workers: -1}, {Workers: render.MaxWorkers + 1}, {BlockSize: -1}, {BlockSize: 8192 + 1}, {ISA: "mmx"},
	} {
		if r, err := render.New(o); err == nil {
			r.Close()
			t.Errorf("options %+v: no error", o)
		}
	}
}
