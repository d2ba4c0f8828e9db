package main

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"lockstep/internal/blockplace"
	"lockstep/lb/loads"
	"lockstep/render"
)

// TestPlaceOf checks the projection by a camera that looks down from height 2. A point one unit to the right must
// appear at half of the camera's magnification. A point nearer than the near plane must not be visible.
func TestPlaceOf(t *testing.T) {
	cam := render.Camera{
		Eye: mgl64.Vec3{0, 0, 2}, Right: mgl64.Vec3{1, 0, 0}, Up: mgl64.Vec3{0, 1, 0}, Forward: mgl64.Vec3{0, 0, -1},
		Magnification: 3, Near: 0.5,
	}
	for _, c := range []struct {
		at   mgl64.Vec3
		x, y float64
	}{
		{mgl64.Vec3{1, 0, 0}, 1.5, 0},
		{mgl64.Vec3{0, -1, 1}, 0, -3},
		{mgl64.Vec3{1, 1, 5}, 6, 6},
		{mgl64.Vec3{1e9, 0, 0}, loads.MaxPlace, 0},
	} {
		if x, y := blockplace.Project(c.at, &cam); math.Abs(x-c.x) > 1e-12 || math.Abs(y-c.y) > 1e-12 {
			t.Errorf("%v is at (%v, %v), want (%v, %v)", c.at, x, y, c.x, c.y)
		}
	}
	cam.Orthographic = true
	if x, y := blockplace.Project(mgl64.Vec3{1, 2, 7}, &cam); x != 3 || y != 6 {
		t.Errorf("without perspective (1, 2, 7) is at (%v, %v), want (3, 6)", x, y)
	}
}
