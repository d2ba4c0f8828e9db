package surface

import (
	"image"
	"reflect"
	"testing"

	"lockstep/render/internal/kernel/texel"
	"lockstep/scenes"
)

// TestSharedTextures checks that materials share textures that are used in the same way, and no others.
func TestSharedTextures(t *testing.T) {
	p := image.NewNRGBA(image.Rect(0, 0, 8, 8))
	a := hasPlaces()
	a.MaterialOf = []int32{0}
	placed := func(x float32) *scenes.Texture {
		return &scenes.Texture{Picture: p, Placement: &scenes.Placement{{x, 0, 0}, {0, x, 0}}}
	}
	textures := []*scenes.Texture{
		placed(2), {Picture: p}, {Picture: p, WrapU: scenes.Clamp}, {Picture: p, WrapV: scenes.Clamp}, {Picture: p, Nearest: true},
		{Picture: p, Minify: scenes.MinifyNearest}, placed(3),
	}
	for range 2 {
		for _, x := range textures {
			a.Materials = append(a.Materials, scenes.Material{Finish: &scenes.Finish{Thick: x, Surface: x, Thickness: float32(len(a.Materials))}})
		}
	}
	a.Materials[len(a.Materials)-1].Finish.Thick = placed(3) // a copy
	paint, n := NewPaint(a, NewColors()), len(textures)
	seen := map[*texture]bool{}
	for i := range n {
		first, second := paint.materials[i].finish, paint.materials[i+n].finish
		if first.thick != second.thick || first.thick != first.surface {
			t.Errorf("materials %d and %d do not share their texture", i, i+n)
		}
		if first.Thickness != float32(i) || second.Thickness != float32(i+n) {
			t.Errorf("materials %d and %d share their thickness", i, i+n)
		}
		seen[first.thick] = true
	}
	if len(seen) != n {
		t.Errorf("%d textures for %d uses", len(seen), n)
	}
	if got, want := PaintBytes(a), int64(2*n*(materialBytes+finishBytes)+n*useBytes); got != want {
		t.Errorf("%d bytes, want %d", got, want)
	}
	a.Materials = []scenes.Material{{}}
	if got := PaintBytes(a); got != materialBytes || PaintBytes(nil) != 0 {
		t.Errorf("a material without a finish takes %d bytes", got)
	}
}

// TestPaintBytes compares the bounds of PaintBytes with the sizes of types. A map has up to two entries for each key.
func TestPaintBytes(t *testing.T) {
	size := func(all ...any) (n uintptr) {
		for _, v := range all {
			n += (reflect.TypeOf(v).Size() + 15) / 16 * 16
		}
		return n
	}
	if n := size(material{}); n > materialBytes {
		t.Errorf("a material takes %d bytes", n)
	}
	if n := size(finish{}, scenes.Finish{}); n > finishBytes {
		t.Errorf("a finish takes %d bytes", n)
	}
	if n := size(texture{}, texel.Texture{}, uvSet{}) + 2*size(use{}, &texture{}, uvSet{}, &uvSet{}); n > useBytes {
		t.Errorf("a texture takes %d bytes", n)
	}
}
