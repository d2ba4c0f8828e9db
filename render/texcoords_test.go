package render_test

import (
	"bytes"
	"image"
	"testing"

	"lockstep/render"
	"lockstep/scenes"
)

// TestSecondTextureCoordinates draws every texture of a material in three ways: by the first set of texture
// coordinates, by a second set, and by a placement of the first set. The pictures must be the same if all three give
// the same positions.
func TestSecondTextureCoordinates(t *testing.T) {
	img := image.NewNRGBA(image.Rect(0, 0, 8, 4))
	for i := range img.Pix {
		img.Pix[i] = uint8(90 + i*53%166)
	}
	// The placement turns the other texture coordinates by a quarter turn and doubles their distances.
	placement := &scenes.Placement{{0, 2, 0}, {-2, 0, 1}}
	others := [][2]float32{{0, 1}, {1, 1}, {1, 0}, {0, 0}}
	var places [][2]float32
	for _, uv := range others {
		places = append(places, placement.At(uv))
	}
	for slot := range len(new(scenes.Finish).Textures()) + 1 {
		draw := func(sets [2][][2]float32, x scenes.Texture, o render.Options) *render.Picture {
			mesh := paintedSquare()
			a := mesh.Attributes
			a.TexCoords = scenes.Attribute[[2]float32]{Values: sets[0], Index: a.Index}
			if sets[1] != nil {
				a.TexCoords2 = scenes.Attribute[[2]float32]{Values: sets[1], Index: a.Index}
			}
			x.Picture = img
			f := &scenes.Finish{
				Metallic: 0.5, Roughness: 0.5, Specular: [3]float32{0.5, 0.4, 0.3}, NormalScale: 1, OcclusionAmount: 1,
				Coat: 0.5, CoatRoughness: 0.5, CoatNormalScale: 1, Sheen: [3]float32{0.5, 0.4, 0.3}, SheenRoughness: 0.5,
				Transmission: 0.5, Thickness: 1, Absorption: [3]float32{1, 2, 3},
			}
			m := scenes.Material{BaseColor: [4]float32{0.5, 0.6, 0.7, 1}, Emission: [3]float32{0.2, 0.3, 0.4}, Finish: f}
			if slot == 0 {
				m.Glow = &x
			} else {
				*f.Textures()[slot-1] = &x
			}
			a.Materials, a.MaterialOf = []scenes.Material{m}, []int32{0, 0}
			return paintedPicture(t, mesh, o)
		}
		for _, o := range []render.Options{{Samples: 4}, {ISA: "generic"}} {
			want := draw([2][][2]float32{places}, scenes.Texture{}, o)
			for name, got := range map[string]*render.Picture{
				"second set": draw([2][][2]float32{others, places}, scenes.Texture{Second: true}, o),
				"placement":  draw([2][][2]float32{others}, scenes.Texture{Placement: placement}, o),
				"both":       draw([2][][2]float32{places, others}, scenes.Texture{Second: true, Placement: placement}, o),
			} {
				if !bytes.Equal(got.Pix, want.Pix) {
					t.Errorf("texture %d, %q, by %s: another picture", slot, o.ISA, name)
				}
			}
			plain := draw([2][][2]float32{others}, scenes.Texture{}, o)
			if bytes.Equal(plain.Pix, want.Pix) {
				t.Errorf("texture %d lies elsewhere, and does not show that", slot)
			}
		}
	}
}
