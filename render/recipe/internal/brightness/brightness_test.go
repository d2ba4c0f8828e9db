package brightness

import (
	"image"
	"image/color"
	"testing"

	"lockstep/render/internal/surface"
	"lockstep/scenes"
)

// TestPaleMaterials checks that the brightness of a material combines its colour, the colours of its corners and its
// texture.
func TestPaleMaterials(t *testing.T) {
	texture := func(left, right color.NRGBA) *scenes.Texture {
		pic := image.NewNRGBA(image.Rect(0, 0, 100, 3))
		for x := range 100 {
			for y := range 3 {
				if pic.SetNRGBA(x, y, right); x < 90 {
					pic.SetNRGBA(x, y, left)
				}
			}
		}
		return &scenes.Texture{Picture: pic}
	}
	light, dark := color.NRGBA{255, 255, 255, 255}, color.NRGBA{0, 0, 0, 255}
	bright, half := [4]float32{1, 1, 1, 1}, [4]float32{0.5, 1, 1, 1}
	white, gray := []scenes.RGBA{scenes.Opaque(0xffffff)}, []scenes.RGBA{scenes.Opaque(0x808080)}
	for name, c := range map[string]struct {
		material scenes.Material
		corners  []scenes.RGBA
		want     bool
	}{
		"white":             {scenes.Material{BaseColor: bright}, nil, true},
		"less red":          {scenes.Material{BaseColor: half}, nil, false},
		"white corners":     {scenes.Material{BaseColor: bright}, white, true},
		"gray corners":      {scenes.Material{BaseColor: bright}, gray, false},
		"white texture":     {scenes.Material{BaseColor: bright, Texture: texture(light, light)}, nil, true},
		"black texture":     {scenes.Material{BaseColor: bright, Texture: texture(dark, dark)}, nil, false},
		"mostly white one":  {scenes.Material{BaseColor: bright, Texture: texture(light, dark)}, nil, true},
		"mostly black one":  {scenes.Material{BaseColor: bright, Texture: texture(dark, light)}, nil, false},
		"less red, texture": {scenes.Material{BaseColor: half, Texture: texture(light, light)}, nil, false},
	} {
		mesh := &scenes.Mesh{Block: scenes.MakeBlock(1)}
		index := [3][]uint32{{0}, {0}, {0}}
		mesh.Attributes = &scenes.Attributes{Index: index, Vertices: 1, Materials: []scenes.Material{c.material}, MaterialOf: []int32{0}}
		mesh.Attributes.Colors = scenes.Attribute[scenes.RGBA]{Values: c.corners, Index: index}
		if got := Mean(mesh, 1, 0.1, surface.NewColors()); (got >= Pale) != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
