package render_test

import (
	"bytes"
	"runtime"
	"testing"
	"weak"

	"lockstep/render"
	"lockstep/render/camera"
	"lockstep/render/part"
	"lockstep/scenes"
)

// TestBehindInParts checks that the parts of a frame share the picture behind glass, and that a part draws it anew after
// any change of the source, the camera or the look. The pixels must be those of a new renderer.
func TestBehindInParts(t *testing.T) {
	pane := glassPane([3]float32{0.9, 0.6, 0.5}, func(f *scenes.Finish) { f.Roughness = 0.3 })
	mesh := windowMesh([3]float32{1, 0.5, 0.2}, [3]float32{0.1, 0.3, 0.9}, pane)
	other := windowMesh([3]float32{0.1, 0.5, 0.2}, [3]float32{0.8, 0.3, 0.1}, pane)
	o := render.Options{Width: 100, Height: 20 * part.RowStep, Light: render.LightStudio, Shading: render.ShadingSmooth}
	r := newRenderer(t, o)
	cam := fitted(t, mesh, o, camera.Options{Azimuth: 30, Elevation: 20})
	draws := 0
	draw := func(name string, source scenes.Source, want int) {
		t.Helper()
		if err := r.SetOptions(o); err != nil {
			t.Fatal(err)
		}
		var whole render.Picture
		if _, err := newRenderer(t, o).Frame(t.Context(), source, cam, &whole); err != nil {
			t.Fatal(err)
		}
		for lo := 0; lo < o.Height; lo += part.RowStep {
			var band render.Picture
			rows := part.Rows{Lo: lo, Hi: lo + part.RowStep}
			if _, err := part.DrawRows(t.Context(), r, source, cam, rows, &band); err != nil || !bytes.Equal(band.Pix, whole.Pix[4*lo*o.Width:][:len(band.Pix)]) {
				t.Fatalf("%s, rows from %d: another picture, %v", name, lo, err)
			}
		}
		if got := render.BehindDraws(r) - draws; got != want {
			t.Errorf("%s: drew the picture behind glass %d times, want %d", name, got, want)
		}
		draws = render.BehindDraws(r)
	}
	draw("first", mesh, 1)
	draw("the same", mesh, 0)
	draw("another mesh", other, 1)
	cam = fitted(t, mesh, o, camera.Options{Azimuth: 50, Elevation: 20})
	draw("another camera", other, 1)
	for name, change := range map[string]func(){
		"samples": func() { o.Samples = 4 }, "occlusion": func() { o.Occlusion = true }, "crease": func() { o.Crease = 60 },
		"cull": func() { o.Cull = render.CullBack }, "shading": func() { o.Shading, o.OneSided = render.ShadingFlat, true },
		"color": func() { o.Color = render.RGB(0x336699) }, "width": func() { o.Width = 99; cam.Aspect = 0 },
		"finish": func() { o.Finish = &scenes.Finish{Metallic: 1} },
	} {
		change()
		want := 1
		if o.Color != nil { // one colour for all surfaces leaves no materials, and no glass
			want = 0
		}
		draw(name, other, want)
		o.Color = nil
	}
	o.Width++ // cam is one for pictures of any shape by now
	draw("another width", other, 1)
	o.Height += part.RowStep
	draw("another height", other, 1)
	o.Background, o.Depth, o.Coverage, o.Triangles, o.Normals = render.RGB(0x112233), true, true, true, true
	draw("another background", other, 0)
	var pic render.Picture
	for range 2 { // the caller may have changed the mesh between two frames
		if _, err := r.Frame(t.Context(), other, cam, &pic); err != nil {
			t.Fatal(err)
		}
	}
	draw("two frames before", other, 3)
}

// TestBehindReleasesMesh checks that a renderer that has drawn a part of a mesh with glass does not keep the mesh.
func TestBehindReleasesMesh(t *testing.T) {
	mesh := windowMesh([3]float32{1, 1, 1}, [3]float32{1, 1, 1}, glassPane([3]float32{0.9, 0.6, 0.5}, nil))
	o := render.Options{Width: 100, Height: 100, Light: render.LightStudio, Shading: render.ShadingSmooth}
	r, cam := newRenderer(t, o), fitted(t, mesh, o, camera.Options{})
	var pic render.Picture
	if _, err := part.DrawRows(t.Context(), r, mesh, cam, part.Rows{Hi: 64}, &pic); err != nil {
		t.Fatal(err)
	}
	kept := weak.Make(mesh)
	mesh = nil
	runtime.GC()
	if kept.Value() != nil {
		t.Error("the renderer keeps the mesh")
	}
	runtime.KeepAlive(r)
}
