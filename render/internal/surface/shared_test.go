package surface

import (
	"image"
	"testing"

	"lockstep/scenes"
)

// TestSharedPicture checks that a picture is prepared once for all textures that show it, and that each texture keeps
// its own wrap mode.
func TestSharedPicture(t *testing.T) {
	p := image.NewNRGBA(image.Rect(0, 0, 4, 4))
	textures := []*scenes.Texture{
		{Picture: p}, {Picture: p}, {Picture: p, WrapU: scenes.Clamp}, {Picture: p, WrapV: scenes.Mirror}, {Picture: p, Nearest: true},
	}
	a := &scenes.Attributes{MaterialOf: []int32{0}, TexCoords: scenes.Attribute[[2]float32]{Values: make([][2]float32, 1)}}
	for k := range a.TexCoords.Index {
		a.TexCoords.Index[k] = []uint32{0}
	}
	for _, x := range textures {
		a.Materials = append(a.Materials, scenes.Material{Texture: x})
	}
	paint := NewPaint(a, NewColors())
	for i, x := range textures {
		got := paint.materials[i].texture
		if &got.levels[0].pix[0] != &paint.materials[0].texture.levels[0].pix[0] {
			t.Errorf("%d: the picture was prepared again", i)
		}
		if got.wrapU != x.WrapU || got.wrapV != x.WrapV || got.nearest != x.Nearest {
			t.Errorf("%d: wrapped as another texture", i)
		}
	}
}
