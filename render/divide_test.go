package render_test

import (
	"context"
	"slices"
	"testing"

	"lockstep/render"
	"lockstep/render/camera"
	"lockstep/scenes"
	"lockstep/scenes/distance"
	"lockstep/scenes/procedural"
)

// TestDivide draws a mesh of large facets, and a finer mesh into which it was divided. The pictures must look the same,
// because both use the normals of the large facets. Normals of the finer mesh would make the facets visible.
func TestDivide(t *testing.T) {
	ctx := context.Background()
	scene, err := procedural.Parse("scene:sphere?triangles=300")
	if err != nil {
		t.Fatal(err)
	}
	mesh, err := scenes.Load(ctx, scene, scenes.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	fine := distance.Refine(mesh, distance.Refinement{Edge: 0.05})
	whole, err := render.NewSurface(ctx, mesh, render.SurfaceOptions{Crease: 60})
	if err != nil {
		t.Fatal(err)
	}
	anew, err := render.NewSurface(ctx, fine.Mesh, render.SurfaceOptions{Crease: 60})
	if err != nil {
		t.Fatal(err)
	}
	r, err := render.New(render.Options{Width: 120, Height: 90, Light: render.LightStudio, Shading: render.ShadingSmooth})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	cam, err := camera.Fit(mesh.Bounds(), 120, 90, camera.Options{Azimuth: 30, Elevation: 20})
	if err != nil {
		t.Fatal(err)
	}
	draw := func(s scenes.Source) []byte {
		var pic render.Picture
		if _, err := r.Frame(ctx, s, cam, &pic); err != nil {
			t.Fatal(err)
		}
		return slices.Clone(pic.Pix)
	}
	unlike := func(a, b []byte) (n int) {
		for i := range a {
			if max(a[i], b[i])-min(a[i], b[i]) > 2 {
				n++
			}
		}
		return n
	}
	want := draw(whole)
	got := draw(whole.Divide(fine.Mesh, fine.Owners, 1))
	if n := unlike(got, want); n > 5 {
		t.Errorf("%d bytes differ", n)
	}
	if n := unlike(draw(anew), want); n < 1000 {
		t.Errorf("%d bytes differ by normals that are found anew: the test shows nothing", n)
	}
	for _, workers := range []int{2, 5} {
		if !slices.Equal(draw(whole.Divide(fine.Mesh, fine.Owners, workers)), got) {
			t.Errorf("%d workers: another picture", workers)
		}
	}
	flat := &render.Surface{Mesh: mesh}
	if slices.Equal(draw(flat.Divide(fine.Mesh, fine.Owners, 1)), got) {
		t.Error("a flat surface is divided into a smooth one")
	}
}
