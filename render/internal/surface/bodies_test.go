package surface

import (
	"slices"
	"testing"

	"lockstep/scenes"
)

// TestBodiesOf checks which materials are bodies. Colours of corners count only for the materials of their triangles,
// and only if they are not grey.
func TestBodiesOf(t *testing.T) {
	glass := func(change func(m *scenes.Material)) scenes.Material {
		m := scenes.Material{BaseColor: [4]float32{0.8, 0.8, 0.8, 1}, Finish: &scenes.Finish{Transmission: 1}}
		if change != nil {
			change(&m)
		}
		return m
	}
	a := &scenes.Attributes{
		Vertices: 9, MaterialOf: []int32{-1, 0, 1},
		Index: [3][]uint32{{0, 3, 6}, {1, 4, 7}, {2, 5, 8}},
		Materials: []scenes.Material{
			glass(nil), glass(nil),
			glass(func(m *scenes.Material) { m.BaseColor[2] = 0.7 }),
			glass(func(m *scenes.Material) { m.BaseColor[1] = 0.7 }),
			glass(func(m *scenes.Material) { m.Texture = new(scenes.Texture) }),
			glass(func(m *scenes.Material) { m.Finish.Roughness = 0.5 }),
			glass(func(m *scenes.Material) { m.Finish.Thickness = 0.5 }),
			glass(func(m *scenes.Material) { m.Finish.Thickness, m.Finish.Transmission = 0.5, 0 }),
			glass(func(m *scenes.Material) { m.Finish.Thickness, m.Unlit = 0.5, true }),
			{BaseColor: [4]float32{1, 0, 0, 1}},
		},
	}
	want := []bool{false, false, true, true, true, true, true, false, false, false}
	check := func(name string) {
		t.Helper()
		if got := bodiesOf(a); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
	check("without colours")
	white := scenes.RGBA{255, 255, 255, 255}
	a.Colors = scenes.Attribute[scenes.RGBA]{Values: slices.Repeat([]scenes.RGBA{white}, 9), Index: a.Index}
	check("white corners")
	a.Colors.Values[1], a.Colors.Values[5] = scenes.RGBA{255, 0, 0, 255}, scenes.RGBA{90, 90, 90, 7}
	check("a red corner of a triangle without a material, and a grey one")
	a.Colors.Values[8] = scenes.RGBA{255, 255, 250, 255}
	want[1] = true
	check("a yellowish corner")
	a.Materials, want = a.Materials[:2], want[:2]
	if !HasBodies(a) || HasBodies(nil) {
		t.Error("HasBodies")
	}
	a.Colors.Values[8] = white
	if HasBodies(a) {
		t.Error("clear glass is a body")
	}
}
