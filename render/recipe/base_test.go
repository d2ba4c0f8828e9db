package recipe_test

import (
	"bytes"
	"path/filepath"
	"testing"

	"lockstep/internal/clitest"
	"lockstep/render/recipe"
)

// TestBase draws several recipes of a mesh that was read once: the files are those of reading it each time.
func TestBase(t *testing.T) {
	file := filepath.Join(t.TempDir(), "cube.stl")
	clitest.Write(t, file, clitest.STL(clitest.Cube([3]float32{1, 2, 3}, 1)))
	plain := recipe.Picture{Meshes: []recipe.Mesh{{File: file}}, Size: recipe.Size{Width: 80, Height: 60}}
	cut, unit, fast, scene := plain, plain, plain, plain
	cut.Cuts.Sections = []recipe.Plane{{Normal: [3]float64{0, 0, 1}, Offset: 40, Percent: true, Keep: '<'}}
	cut.Lines.Edges = true
	unit.Unit, unit.Lines.Bounds = "mm", true
	fast.Fast()
	scene.Meshes = []recipe.Mesh{{File: "scene:knot?triangles=3000"}}
	var d recipe.Drawer
	base, err := d.ReadBase(t.Context(), plain)
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range []recipe.Picture{plain, cut, unit, plain, fast, cut, scene} {
		var got, want bytes.Buffer
		if err := d.BasePNG(t.Context(), &got, base, p, recipe.Output{}); err != nil {
			t.Fatal(err)
		}
		if err := d.PNG(t.Context(), &want, p, recipe.Output{}); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got.Bytes(), want.Bytes()) {
			t.Errorf("recipe %d has other bytes", i)
		}
	}
	if base.Fits(scene) || !base.Fits(cut) || base.Mesh().Unit != 0 {
		t.Error("the base was changed")
	}
}
