package recipe_test

import (
	"math"
	"path/filepath"
	"testing"

	"lockstep/internal/clitest"
	"lockstep/render/recipe"
)

// TestPointSize checks diameters of points in units of the file and in pixels. Diameters in pixels apply to points at
// the centre of the cloud.
func TestPointSize(t *testing.T) {
	file := filepath.Join(t.TempDir(), "cloud.xyz")
	clitest.Write(t, file, "1000 0 0\n1004 0 0\n1000 4 0\n1004 4 0\n1000 0 4\n1004 4 4\n")
	flat := recipe.Camera{Eye: &recipe.Point{1002, -50, 2}, Target: &recipe.Point{1002, 2, 2}, Projection: "orthographic", Height: 10}
	deep := recipe.Camera{Eye: &recipe.Point{1002, -8, 2}, Target: &recipe.Point{1002, 2, 2}, Fov: 60}
	fitted := recipe.Camera{View: &recipe.View{}, Projection: "orthographic", Fit: "box"}
	for name, c := range map[string]struct {
		size   string
		camera recipe.Camera
		want   float64
	}{
		"units":                {"0.5", flat, 0.5},
		"pixels of a parallel": {"5px", flat, 0.5},
		"pixels of a fit":      {"9px", fitted, 0.4}, // the box is 4 units high and fills nine tenths of 100 pixels
		"pixels of a deep one": {"5px", deep, 5 * 2 * 10 * math.Tan(math.Pi/6) / 100},
	} {
		p := recipe.Picture{Meshes: []recipe.Mesh{{File: file}}, Size: recipe.Size{Width: 200, Height: 100}, Camera: c.camera}
		if err := p.Look.PointSize.UnmarshalText([]byte(c.size)); err != nil {
			t.Fatal(err)
		}
		var d recipe.Drawer
		in, err := d.Open(t.Context(), p, p.RenderOptions(), false)
		if err != nil {
			t.Fatal(err)
		}
		if got := in.Box.Size()[0] - 4; math.Abs(got-c.want) > 1e-4 {
			t.Errorf("%s: a diameter of %g, expected %g", name, got, c.want)
		}
	}
	var s recipe.PointSize
	for _, text := range []string{"0", "-1px", "px", "3 px", "", "inf"} {
		if err := s.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q is taken for %v", text, s)
		}
	}
}
