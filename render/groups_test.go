package render_test

import (
	"bytes"
	"testing"

	"lockstep/render"
	"lockstep/render/camera"
)

// TestGroups draws a surface several times, also magnified and from within. Frames that skip groups of triangles must
// show the same picture as a first frame, and count every triangle once.
func TestGroups(t *testing.T) {
	mesh := generated(t, "scene:gear?triangles=40000")
	for name, o := range map[string]render.Options{
		"flat": {}, "studio": {Light: render.LightStudio, Shading: render.ShadingSmooth, Occlusion: true, Samples: 4}, "back": {Cull: render.CullBack, Samples: 16, Workers: 3},
	} {
		o.Width, o.Height = 160, 120
		again, err := render.NewSurface(t.Context(), mesh, render.SurfaceOptions{})
		if err != nil {
			t.Fatal(err)
		}
		r := newRenderer(t, o)
		skipped := false
		for round, zoom := range []float64{1, 1, 9, 60, 2, 500} {
			cam, err := camera.Fit(mesh.Bounds(), o.Width, o.Height, camera.Options{Azimuth: 40 * float64(round), Elevation: 25, Zoom: zoom, Orthographic: round == 4})
			if err != nil {
				t.Fatal(err)
			}
			if round == 3 { // the eye is inside the mesh
				cam.Eye = mesh.Bounds().Center()
				for axis, f := range cam.Forward {
					cam.Target[axis] = cam.Eye[axis] + f
				}
				cam.Near /= 1000
			}
			fresh, err := render.NewSurface(t.Context(), mesh, render.SurfaceOptions{})
			if err != nil {
				t.Fatal(err)
			}
			var want, got render.Picture
			first, err := r.Frame(t.Context(), fresh, cam, &want)
			if err != nil {
				t.Fatal(err)
			}
			want.Pix = bytes.Clone(want.Pix)
			s, err := r.Frame(t.Context(), again, cam, &got)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got.Pix, want.Pix) {
				t.Errorf("%s, zoom %g: another picture", name, zoom)
			}
			if c := s.Triangles; c.In != int64(mesh.Len()) || c.Drawn != first.Triangles.Drawn || c.Culled != first.Triangles.Culled {
				t.Errorf("%s, zoom %g: %+v, want %+v", name, zoom, c, first.Triangles)
			}
			skipped = skipped || s.Triangles.Clipped < first.Triangles.Clipped
		}
		if !skipped {
			t.Errorf("%s: no group was stepped over", name)
		}
	}
}
