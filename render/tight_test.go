package render_test

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl64"
	"pgregory.net/rapid"

	"lockstep/render"
	"lockstep/render/camera"
	"lockstep/scenes"
)

// span returns the range of pixels in which the vertices of a mesh project.
func span(cam *render.Camera, mesh *scenes.Mesh, width, height int) (lo, hi [2]float64) {
	lo, hi = [2]float64{math.Inf(1), math.Inf(1)}, [2]float64{math.Inf(-1), math.Inf(-1)}
	for tri := range mesh.Len() {
		for _, c := range mesh.Triangle(tri) {
			x, y, _ := cam.Project(mgl64.Vec3{float64(c[0]), float64(c[1]), float64(c[2])}, width, height)
			for axis, v := range [2]float64{x, y} {
				lo[axis], hi[axis] = math.Min(lo[axis], v), math.Max(hi[axis], v)
			}
		}
	}
	return lo, hi
}

// TestFitTight draws clouds of triangles. Their vertices must span nine tenths of the picture's limiting side and lie
// in the middle of both sides.
func TestFitTight(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		coordinate := rapid.Float64Range(-3, 3)
		var triangles [][3]vec
		for range rapid.IntRange(1, 30).Draw(t, "triangles") {
			var tri [3]vec
			for k := range tri {
				tri[k] = vec{coordinate.Draw(t, "x"), coordinate.Draw(t, "y"), 1 + 2*coordinate.Draw(t, "z")}
			}
			triangles = append(triangles, tri)
		}
		mesh := meshOf(triangles...)
		o := drawOptions(t)
		o.Zoom = 1
		width, height := rapid.IntRange(50, 500).Draw(t, "width"), rapid.IntRange(50, 500).Draw(t, "height")
		cam, err := camera.FitTight(t.Context(), mesh, mesh.Bounds(), width, height, o)
		if err != nil {
			t.Fatal(err)
		}
		lo, hi := span(&cam, mesh, width, height)
		size := [2]float64{float64(width), float64(height)}
		fill := math.Max((hi[0]-lo[0])/size[0], (hi[1]-lo[1])/size[1])
		if fill < 1e-6 {
			return // the mesh is a point, or a line along the view
		}
		if math.Abs(fill-0.9) > 0.001 && !(fill < 0.9 && cam.Near < 0.02*cam.Far) { // needles may be farther away
			t.Errorf("spans %v to %v of %v: %g of the limiting side", lo, hi, size, fill)
		}
		for axis := range 2 {
			if middle := (lo[axis] + hi[axis]) / 2; math.Abs(middle-size[axis]/2) > 0.1 {
				t.Errorf("spans %v to %v of %v: not in the middle", lo, hi, size)
			}
		}
	})
}

// TestFitTightTurn fits cameras to a turning mesh. No vertex may leave the central part of the picture, one vertex must
// come close to its border, and all cameras must have the same distance.
func TestFitTightTurn(t *testing.T) {
	mesh := boxMesh(vec{-1, -2, -3}, vec{2, 5, 1})
	turns := make([]float64, 360)
	for i := range turns {
		turns[i] = float64(i)
	}
	for _, o := range []camera.Options{{Elevation: 20}, {Elevation: -70}, {Elevation: 35, Orthographic: true}, {Up: scenes.PlusX, Azimuth: 17}} {
		const width, height = 320, 200
		cams, err := camera.FitTightTurn(t.Context(), mesh, mesh.Bounds(), width, height, o, turns)
		if err != nil {
			t.Fatal(err)
		}
		most := 0.0
		for i := range cams {
			lo, hi := span(&cams[i], mesh, width, height)
			most = math.Max(most, math.Max(math.Max(width/2-lo[0], hi[0]-width/2)/width, math.Max(height/2-lo[1], hi[1]-height/2)/height))
			d := cams[i].Target.Sub(cams[i].Eye).Len() - cams[0].Target.Sub(cams[0].Eye).Len()
			if !o.Orthographic && math.Abs(d) > 1e-9 || cams[i].Magnification != cams[0].Magnification {
				t.Fatalf("%+v: frame %d is %g farther away than the first", o, i, d)
			}
		}
		if most > 0.45001 || most < 0.449 {
			t.Errorf("%+v: vertices reach %g of the picture from its middle, want 0.45", o, most)
		}
	}
}

// TestFitTightSkipsWhatIsNotFinite checks that vertices that are not finite are ignored.
func TestFitTightSkipsWhatIsNotFinite(t *testing.T) {
	good := boxMesh(vec{-1, -1, -1}, vec{1, 2, 1})
	bad := boxMesh(vec{-1, -1, -1}, vec{1, 2, 1})
	bad.X[0] = append(bad.X[0], float32(math.NaN()), float32(math.Inf(1)))
	for k := range 3 {
		for len(bad.X[k]) < len(bad.X[0]) {
			bad.X[k] = append(bad.X[k], 0)
		}
		for range 2 {
			bad.Y[k], bad.Z[k] = append(bad.Y[k], 0), append(bad.Z[k], 0)
		}
	}
	o := camera.Options{Azimuth: 30, Elevation: 20}
	want, err := camera.FitTight(t.Context(), good, good.Bounds(), 100, 80, o)
	if err != nil {
		t.Fatal(err)
	}
	got, err := camera.FitTight(t.Context(), bad, bad.Bounds(), 100, 80, o)
	if err != nil || got != want {
		t.Errorf("camera %+v, want %+v; %v", got, want, err)
	}
}

// TestFitAround fits cameras all around a box. No vertex may leave the central part of the picture, and one vertex must
// come close to its border.
func TestFitAround(t *testing.T) {
	mesh := boxMesh(vec{-1, -2, -3}, vec{2, 5, 1})
	for _, o := range []camera.Options{{}, {FieldOfView: 90, Up: scenes.PlusY}, {Orthographic: true}} {
		for _, size := range [][2]int{{320, 200}, {200, 320}} {
			var views []camera.Options
			for az := 0; az < 360; az += 5 {
				for el := -90; el <= 90; el += 5 {
					o.Azimuth, o.Elevation = float64(az), float64(el)
					views = append(views, o)
				}
			}
			cams, err := camera.FitAround(t.Context(), mesh, mesh.Bounds(), size[0], size[1], views)
			if err != nil {
				t.Fatal(err)
			}
			most := 0.0
			for i := range cams {
				lo, hi := span(&cams[i], mesh, size[0], size[1])
				for axis, s := range size {
					s := float64(s)
					most = math.Max(most, math.Max(s/2-lo[axis], hi[axis]-s/2)/s)
				}
			}
			least := 0.44
			if size[0] < size[1] {
				least = 0.37 // in no view does the diagonal lie along the narrow side
			}
			if most > 0.45001 || most < least {
				t.Errorf("%+v at %v: vertices reach %g of the picture from its middle, want %g to 0.45", o, size, most, least)
			}
			box, err := camera.FitAround(t.Context(), nil, mesh.Bounds(), size[0], size[1], views[:1])
			if err != nil || math.Abs(box[0].Magnification-cams[0].Magnification) > 1e-12 || box[0].Eye.Sub(cams[0].Eye).Len() > 1e-9 {
				t.Errorf("%+v: %v from the box, %v from its corners, %v", o, box[0].Eye, cams[0].Eye, err)
			}
		}
	}
}
