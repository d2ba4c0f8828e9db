package recipe_test

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl64"
	"pgregory.net/rapid"

	"lockstep/render/recipe"
	"lockstep/scenes"
)

// TestMatrix checks that a matrix projects points in the same way as its camera, except for half a pixel. In the
// matrix, the centres of pixels have whole coordinates. The camera that is made from the matrix must project points to
// the same positions.
func TestMatrix(t *testing.T) {
	box := scenes.Box{Min: [3]float64{-1, -2, -3}, Max: [3]float64{3, 2, 1}}
	origin := [3]float64{100, -50, 7}
	rapid.Check(t, func(t *rapid.T) {
		near := func(label string) float64 { return rapid.Float64Range(-2, 2).Draw(t, label) }
		p := recipe.Picture{Size: recipe.Size{Width: 300, Height: 200}}
		p.Camera = recipe.Camera{
			Eye: &recipe.Point{109 + near("x"), -59 + near("y"), 12 + near("z")}, Target: &recipe.Point{100 + near("tx"), -50 + near("ty"), 7 + near("tz")},
			Upward: &recipe.Point{0.2 * near("ux"), 0.2 * near("uy"), 1}, Zoom: rapid.Float64Range(0.5, 3).Draw(t, "zoom"),
			Shift: [2]float64{near("sx"), near("sy")},
		}
		if rapid.Bool().Draw(t, "orthographic") {
			p.Camera.Projection, p.Camera.Height = "orthographic", 4+near("height")
		}
		cam, err := p.Place(box, origin, scenes.PlusZ)
		if err != nil {
			t.Fatal(err)
		}
		m := recipe.MatrixOf(&cam, origin, p.Size)
		back := p
		if back.Camera, err = m.Camera(); err != nil {
			t.Fatal(err)
		}
		again, err := back.Place(box, origin, scenes.PlusZ)
		if err != nil {
			t.Fatal(err)
		}
		at := mgl64.Vec3{near("px"), near("py"), near("pz")}
		pixel, ok := m.Pixel(at.Add(origin))
		x, y, depth := cam.Project(at, 300, 200)
		u, v, _ := again.Project(at, 300, 200)
		if !ok || depth <= 0 {
			t.Fatalf("%v is behind the eye", at)
		}
		const close = 1e-6 // in pixels
		if math.Hypot(pixel[0]+0.5-x, pixel[1]+0.5-y) > close || math.Hypot(u-x, v-y) > close {
			t.Fatalf("%v: the matrix says %v, the camera %v %v, the one of the matrix %v %v", at, pixel, x-0.5, y-0.5, u-0.5, v-0.5)
		}
	})
}

// TestMatrixErrors checks that a matrix is refused if no camera with square pixels has it.
func TestMatrixErrors(t *testing.T) {
	good := recipe.Matrix{Width: 64, Height: 48, K: [3][3]float64{{50, 0, 31.5}, {0, 50, 23.5}, {0, 0, 1}}, R: [3][3]float64{{1, 0, 0}, {0, 0, -1}, {0, 1, 0}}, T: [3]float64{0, 0, 9}}
	if c, err := good.Camera(); err != nil || *c.Eye != (recipe.Point{0, -9, 0}) || c.Shift != [2]float64{} {
		t.Fatalf("%+v, %v", c, err)
	}
	for name, spoil := range map[string]func(m *recipe.Matrix){
		"no size":          func(m *recipe.Matrix) { m.Width = 0 },
		"fx is not fy":     func(m *recipe.Matrix) { m.K[0][0] = 51 },
		"negative":         func(m *recipe.Matrix) { m.K[0][0], m.K[1][1] = -50, -50 },
		"skew":             func(m *recipe.Matrix) { m.K[0][1] = 1 },
		"last row":         func(m *recipe.Matrix) { m.K[2][2] = 2 },
		"NaN":              func(m *recipe.Matrix) { m.K[0][2] = math.NaN() },
		"scaled rotation":  func(m *recipe.Matrix) { m.R[0][0] = 2 },
		"mirror":           func(m *recipe.Matrix) { m.R[2][1] = -1 },
		"infinite vector":  func(m *recipe.Matrix) { m.T[1] = math.Inf(1) },
		"NaN in rotation":  func(m *recipe.Matrix) { m.R[1][1] = math.NaN() },
		"no rotation":      func(m *recipe.Matrix) { m.R = [3][3]float64{} },
		"not right angles": func(m *recipe.Matrix) { m.R[0] = [3]float64{0.8, 0.6, 0}; m.R[1] = [3]float64{0.6, 0.8, 0} },
	} {
		m := good
		spoil(&m)
		if _, err := m.Camera(); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
