package render_test

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"lockstep/render/camera"
	"lockstep/scenes"
)

// TestLook checks the function Look. With the position and the target of a camera that Fit returned, it must return the
// same camera, also if the camera looks straight down or up.
func TestLook(t *testing.T) {
	box := scenes.Box{Min: [3]float64{-1, -2, -3}, Max: [3]float64{4, 5, 6}}
	for _, o := range []camera.Options{
		{Azimuth: 30, Elevation: 20}, {Elevation: 90}, {Elevation: -90}, {Up: scenes.PlusY, Azimuth: 200, Elevation: -50, FieldOfView: 60},
		{Up: scenes.MinusX, Azimuth: 10, Elevation: 5, Zoom: 3},
	} {
		want, err := camera.Fit(box, 200, 100, o)
		if err != nil {
			t.Fatal(err)
		}
		got, err := camera.Look(box, want.Eye, want.Target, o)
		if err != nil {
			t.Fatal(err)
		}
		for i, pair := range [][2]mgl64.Vec3{{got.Right, want.Right}, {got.Up, want.Up}, {got.Forward, want.Forward}, {got.Eye, want.Eye}} {
			if pair[0].Sub(pair[1]).Len() > 1e-9 {
				t.Errorf("%+v: axis %d is %v, want %v", o, i, pair[0], pair[1])
			}
		}
		if math.Abs(got.Magnification-want.Magnification) > 1e-9 || math.Abs(got.Near-want.Near) > 1e-9*want.Far {
			t.Errorf("%+v: %+v, want %+v", o, got, want)
		}
	}
	if _, err := camera.Look(box, mgl64.Vec3{1, 2, 3}, mgl64.Vec3{1, 2, 3}, camera.Options{}); err == nil {
		t.Error("an eye that is its target sees nothing")
	}
}
