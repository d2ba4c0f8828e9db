package cameras

import (
	"testing"

	"lockstep/render/camera"
	"lockstep/scenes"
)

// TestTurntableKeepsShift checks that all frames of a turntable show the target at the same place in the picture.
func TestTurntableKeepsShift(t *testing.T) {
	s := Scene{
		Box: scenes.Box{Max: [3]float64{1, 2, 3}}, Width: 64, Height: 48, Options: camera.Options{FieldOfView: 30},
		Eye: &Eye{At: [3]float64{9, -8, 7}, Shift: [2]float64{0.05, -0.1}},
	}
	cams, _, err := s.Cameras(t.Context(), Motion{Name: "turntable", Frames: 3})
	if err != nil {
		t.Fatal(err)
	}
	for k, cam := range cams {
		if cam.ShiftX != 0.05 || cam.ShiftY != -0.1 {
			t.Errorf("frame %d is shifted by %g, %g", k, cam.ShiftX, cam.ShiftY)
		}
	}
}

// TestTightOrbit checks that the cameras of an orbit are fitted to the vertices only if the recipe says so. The
// vertices lie in the middles of the sides of their box, so the cameras are then nearer than those fitted to the box.
func TestTightOrbit(t *testing.T) {
	mesh := &scenes.Mesh{Block: scenes.MakeBlock(2)}
	mesh.Set(0, [3][3]float32{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}})
	mesh.Set(1, [3][3]float32{{-1, 0, 0}, {0, -1, 0}, {0, 0, -1}})
	away := func(tight bool) float64 {
		s := Scene{Source: mesh, Box: mesh.Bounds(), Width: 64, Height: 48, Tight: tight, Options: camera.Options{FieldOfView: 30}}
		cams, _, err := s.Cameras(t.Context(), Motion{Name: "orbit", Frames: 3})
		if err != nil {
			t.Fatal(err)
		}
		return cams[1].Eye.Sub(cams[1].Target).Len()
	}
	if tight, loose := away(true), away(false); tight > 0.7*loose {
		t.Errorf("%g away from the vertices, %g from the box", tight, loose)
	}
}
