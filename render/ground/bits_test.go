package ground_test

import (
	"context"
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl64"

	"lockstep/render/ground"
	"lockstep/scenes"
	"lockstep/scenes/procedural"
)

// plate returns a plate of 100 by 100 units. Its lower side lies at the height lift.
func plate(t *testing.T, thickness, lift float32) *scenes.Mesh {
	t.Helper()
	scene, err := procedural.Parse("scene:cube")
	if err != nil {
		t.Fatal(err)
	}
	mesh, err := scenes.Load(context.Background(), scene, scenes.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	half := float32(mesh.Bounds().Max[0])
	for corner := range 3 {
		for i := range mesh.Z[corner] {
			mesh.X[corner][i] *= 50 / half
			mesh.Y[corner][i] *= 50 / half
			mesh.Z[corner][i] = (mesh.Z[corner][i]/half+1)/2*thickness + lift
		}
	}
	return mesh
}

// TestShadowIgnoresLastBits draws shadows of plates whose thicknesses differ by a millionth. Their tops lie where a
// slice of the shadow begins. Darkness and outline may differ by little more than the thicknesses do.
func TestShadowIgnoresLastBits(t *testing.T) {
	ctx := context.Background()
	for _, thickness := range []float32{1, 3, 10, 30, 20} {
		for _, lift := range []float32{0, 33.3} {
			var shades [2][]float32
			var reach [2]float64
			for i, factor := range []float32{1 - 1e-6, 1 + 1e-6} {
				mesh := plate(t, thickness*factor, lift)
				g, err := ground.New(ctx, mesh, mesh.Bounds(), scenes.PlusZ, 256)
				if err != nil {
					t.Fatal(err)
				}
				for away := float64(0); away < 20; away += 0.5 {
					shades[i] = append(shades[i], g.Shade(mgl64.Vec3{50 + away, 0, float64(lift)}))
				}
				for _, p := range g.Outline(0.06) {
					reach[i] = max(reach[i], p[0])
				}
			}
			for k, s := range shades[0] {
				if d := math.Abs(float64(s - shades[1][k])); d > 1e-4 {
					t.Errorf("plate of %g at %g: darkness %g and %g at %g from it", thickness, lift, s, shades[1][k], float64(k)/2)
				}
			}
			if !(reach[0] > 49) || math.Abs(reach[0]-reach[1]) > 1e-3 {
				t.Errorf("plate of %g at %g: the shadow ends at %g and %g", thickness, lift, reach[0], reach[1])
			}
		}
	}
}
