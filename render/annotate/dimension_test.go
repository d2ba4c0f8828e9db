package annotate_test

import (
	"bytes"
	"context"
	"math"
	"slices"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"lockstep/render"
	"lockstep/render/annotate"
	"lockstep/render/camera"
	"lockstep/scenes"
)

// inked draws on white paper of 300 by 200 pixels, with a front view of a box from -1 to 1. It returns a function that
// reports whether a pixel is dark.
func inked(t *testing.T, o annotate.Options) (dark func(x, y float64) bool, cam render.Camera, pix []byte) {
	t.Helper()
	box := scenes.Box{Min: [3]float64{-1, -1, -1}, Max: [3]float64{1, 1, 1}}
	cam, err := camera.Fit(box, 300, 200, camera.Options{Orthographic: true, Zoom: 0.5})
	if err != nil {
		t.Fatal(err)
	}
	a, err := annotate.New(context.Background(), nil, box, o)
	if err != nil {
		t.Fatal(err)
	}
	pic := &render.Picture{Width: 300, Height: 200, Pix: bytes.Repeat([]byte{255}, 4*300*200)}
	if err := a.Draw(context.Background(), pic, &cam); err != nil {
		t.Fatal(err)
	}
	return func(x, y float64) bool {
		return pic.Pix[4*(int(math.Floor(y))*300+int(math.Floor(x)))] < 128
	}, cam, pic.Pix
}

// TestDimension checks that the line of a dimension is beside its points, on the side away from the middle of the box.
func TestDimension(t *testing.T) {
	const away = 1.8 * 11
	for _, side := range []float64{-1, 1} {
		from, to := mgl64.Vec3{-1, -1, side}, mgl64.Vec3{1, -1, side}
		dark, cam, _ := inked(t, annotate.Options{LineWidth: 2, Dimensions: []annotate.Dimension{{From: from, To: to}}})
		x0, y, _ := cam.Project(from, 300, 200)
		x1, _, _ := cam.Project(to, 300, 200)
		line := y - side*away
		for x := x0 + 2; x < x1-2; x++ {
			if !dark(x, line) {
				t.Fatalf("side %v: no line at %v,%v", side, x, line)
			}
		}
		for _, x := range []float64{x0 - 4, x1 + 4} {
			if dark(x, line) {
				t.Errorf("side %v: the line goes on at %v", side, x)
			}
		}
		if dark((x0+x1)/2, y-side*4) {
			t.Errorf("side %v: a line between the points", side)
		}
	}
	// A dimension between two equal points has only a number. A dimension along the view is not drawn.
	for to, want := range map[mgl64.Vec3]bool{{0, -1, 0}: true, {0, 1, 0}: false, {0.2, 1, 0}: false, {0, -1e9, 0}: false, {1, 1, 0}: true} {
		_, _, pix := inked(t, annotate.Options{Dimensions: []annotate.Dimension{{From: mgl64.Vec3{0, -1, 0}, To: to}}})
		if got := slices.Min(pix) < 200; got != want {
			t.Errorf("to %v: there is something: %v", to, got)
		}
	}
}

// TestCaption checks that a caption is in the lower left corner, and that letters have the given size.
func TestCaption(t *testing.T) {
	ends := func(o annotate.Options) (right, top int) {
		_, _, pix := inked(t, o)
		top = 200
		for i := 0; i < len(pix); i += 4 {
			if pix[i] < 128 {
				right, top = max(right, i/4%300), min(top, i/4/300)
			}
		}
		return right, top
	}
	right, top := ends(annotate.Options{Caption: "caption"})
	if right < 20 || right > 80 || top < 175 {
		t.Errorf("a caption to column %d from row %d on", right, top)
	}
	if r, y := ends(annotate.Options{Caption: "caption", LetterSize: 22}); r < 2*right-12 || y >= top {
		t.Errorf("letters twice as large reach to column %d from row %d on", r, y)
	}
}
