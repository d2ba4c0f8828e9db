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

// TestInput draws pictures by several cameras, sizes and samples of one input, one of which finds that triangles lie far
// away: the files are those of reading the mesh each time.
func TestInput(t *testing.T) {
	file := filepath.Join(t.TempDir(), "far.stl")
	clitest.Write(t, file, clitest.STL(append(clitest.Cube([3]float32{1, 2, 3}, 1), clitest.Cube([3]float32{3e7, 2, 3}, 1)[0])))
	whole := recipe.Picture{Meshes: []recipe.Mesh{{File: file}}, Size: recipe.Size{Width: 80, Height: 60}}
	small, turned, placed, coarse := whole, whole, whole, whole
	small.Size = recipe.Size{Width: 33, Height: 21}
	turned.Camera.View, turned.Lines.Axes = &recipe.View{Azimuth: 200, Elevation: 50}, true
	placed.Camera.Eye, placed.Camera.Target = &recipe.Point{8, -9, 12}, &recipe.Point{1, 2, 3}
	coarse.Look.Samples = 1
	var d recipe.Drawer
	base, err := d.ReadBase(t.Context(), whole)
	if err != nil {
		t.Fatal(err)
	}
	in, err := d.OpenBase(t.Context(), base, whole, whole.RenderOptions())
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range []recipe.Picture{placed, whole, placed, small, turned, coarse, placed, whole} {
		var got, want bytes.Buffer
		if err := d.InputPNG(t.Context(), &got, in, p, recipe.Output{}); err != nil {
			t.Fatal(err)
		}
		if err := d.PNG(t.Context(), &want, p, recipe.Output{}); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got.Bytes(), want.Bytes()) {
			t.Errorf("picture %d has other bytes", i)
		}
	}
}
