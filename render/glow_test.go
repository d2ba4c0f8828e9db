package render_test

import (
	"image"
	"math"
	"testing"

	"lockstep/render"
	"lockstep/scenes"
)

// TestEmission checks that emitted light is added to reflected light. The emitted light is given by a factor, or by a
// factor and a texture.
func TestEmission(t *testing.T) {
	mesh := paintedSquare()
	a := mesh.Attributes
	a.TexCoords = scenes.Attribute[[2]float32]{Values: [][2]float32{{0, 1}, {1, 1}, {1, 0}, {0, 0}}, Index: a.Index}
	a.MaterialOf = []int32{0, 0}
	img := image.NewNRGBA(image.Rect(0, 0, 2, 1))
	copy(img.Pix, []byte{255, 255, 255, 255, 0, 0, 0, 255}) // white on the left
	light := [3]float32{0.3, 0.05, 0.6}
	draw := func(m scenes.Material, o render.Options) *render.Picture {
		m.BaseColor = [4]float32{0.1, 0.2, 0.05, 1}
		a.Materials = []scenes.Material{m}
		return paintedPicture(t, mesh, o)
	}
	for _, o := range []render.Options{{}, {ISA: "generic"}, {Samples: 4, Occlusion: true}, {Samples: 16, Workers: 3}} {
		dark, plain := draw(scenes.Material{}, o), draw(scenes.Material{Emission: light}, o)
		half := draw(scenes.Material{Emission: light, Glow: &scenes.Texture{Picture: img, WrapU: scenes.Clamp, WrapV: scenes.Clamp, Nearest: true}}, o)
		for _, x := range []int{20, 80} {
			for c := range 3 {
				before := toLinear(float64(at(dark, x, 50)[c]) / 255)
				want, wantHalf := before+float64(light[c]), before
				if x == 20 {
					wantHalf = want
				}
				for what, got := range map[string][2]float64{"plain": {float64(at(plain, x, 50)[c]), want}, "textured": {float64(at(half, x, 50)[c]), wantHalf}} {
					if math.Abs(got[0]-255*toSRGB(got[1])) > 1.5 {
						t.Errorf("%+v, %s: channel %d at %d is %g, want %.1f", o.Samples, what, c, x, got[0], 255*toSRGB(got[1]))
					}
				}
			}
		}
	}
	if p := at(draw(scenes.Material{Emission: [3]float32{1e9, 0, 0}}, render.Options{}), 50, 50); p[0] != 255 || p[1] > 150 {
		t.Errorf("as bright as can be: %v", p)
	}
	if got, want := draw(scenes.Material{Emission: light, Unlit: true}, render.Options{}), draw(scenes.Material{Unlit: true}, render.Options{}); at(got, 50, 50) != at(want, 50, 50) {
		t.Error("the colour of what no light changes is changed by its own")
	}
}
