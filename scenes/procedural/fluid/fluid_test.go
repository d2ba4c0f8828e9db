package fluid

import (
	"math"
	"testing"

	"lockstep/scenes"
	"lockstep/scenes/internal/vector"

	"pgregory.net/rapid"
)

// TestFields checks that fields change no faster than the distance, because March relies on this when it skips bricks.
func TestFields(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64Range(0, 9).Draw(t, "seed")
		coordinate := rapid.Float64Range(-1.1, 1.1)
		p := [3]float64{coordinate.Draw(t, "x"), coordinate.Draw(t, "y"), coordinate.Draw(t, "z")}
		d := [3]float64{coordinate.Draw(t, "dx"), coordinate.Draw(t, "dy"), coordinate.Draw(t, "dz")}
		d = vector.Scale(rapid.SampledFrom([]float64{1e-3, 0.03, 0.3}).Draw(t, "step"), d)
		for name, f := range map[string]func([3]float64) float64{"vortices": vortices(seed), "shear": shear(seed)} {
			rise, run := math.Abs(f(vector.Add(p, d))-f(p)), math.Sqrt(vector.Dot(d, d))
			if rise > run*(1+1e-9)+1e-12 {
				t.Fatalf("%s changes by %v over %v at %v", name, rise, run, p)
			}
		}
	})
}

// TestSurfaces checks that every point is on the surface of its field, and that each scene has the intended kind of
// triangles. In the vortices, no triangle is much taller than the median. In the shear layer, some triangles are a
// hundred times as tall.
func TestSurfaces(t *testing.T) {
	for _, c := range []struct {
		name        string
		scene       *Scene
		field       func([3]float64) float64
		cell        float64
		least, most float64 // limits of the greatest height divided by the mean height
	}{
		{"vortices", Vortices(DefaultTriangles, 1), vortices(1), 0.0526, 1, 4},
		{"shear", Shear(DefaultTriangles, 1), shear(1), 0.026, 30, 100},
	} {
		m := scenes.MakeBlock(c.scene.Len())
		c.scene.Fill(0, &m)
		tallest, sum := 0.0, 0.0
		for tri := range m.Len() {
			low, high := math.Inf(1), math.Inf(-1)
			for _, p := range m.Triangle(tri) {
				at := [3]float64{float64(p[0]), float64(p[1]), float64(p[2])}
				if v := math.Abs(c.field(at)); v > c.cell/10 {
					t.Fatalf("%s: triangle %d: the field is %v at %v", c.name, tri, v, at)
				}
				low, high = math.Min(low, at[2]), math.Max(high, at[2])
			}
			tallest, sum = math.Max(tallest, high-low), sum+high-low
		}
		if over := tallest / (sum / float64(m.Len())); over < c.least || over > c.most {
			t.Errorf("%s: the tallest triangle is %.1f times as tall as the mean", c.name, over)
		}
	}
}
