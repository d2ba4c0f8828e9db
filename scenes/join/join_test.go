package join_test

import (
	"image"
	"math"
	"testing"

	"lockstep/scenes"
	"lockstep/scenes/join"
)

func triangle(origin [3]float64, color *uint32) *scenes.Mesh {
	m := &scenes.Mesh{Block: scenes.MakeBlock(1), Origin: origin}
	m.Set(0, [3][3]float32{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}})
	if color != nil {
		m.Colors = []uint32{*color}
	}
	return m
}

func TestMeshes(t *testing.T) {
	red, blue := uint32(0xff0000), uint32(0x0000ff)
	move := scenes.Affine{{1, 0, 0, 10}, {0, 1, 0, 0}, {0, 0, 2, 0}}
	mirror := scenes.Affine{{-1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}
	m, err := join.Meshes([]join.Item{
		{Mesh: triangle([3]float64{100, 0, 0}, nil), Name: "a"},
		{Mesh: triangle([3]float64{}, &blue), Name: "b", Transform: &move},
		{Mesh: triangle([3]float64{}, &blue), Name: "c", Transform: &mirror, Color: &red},
	}, 0x123456)
	if err != nil {
		t.Fatal(err)
	}
	want := [][3][3]float32{
		{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}},
		{{-90, 0, 0}, {-89, 0, 0}, {-90, 1, 0}},
		{{-100, 0, 0}, {-100, 1, 0}, {-101, 0, 0}}, // the corners are still counter-clockwise
	}
	for i := range want {
		if got := m.Triangle(i); got != want[i] {
			t.Errorf("triangle %d: %v, want %v", i, got, want[i])
		}
	}
	if m.Colors[0] != 0x123456 || m.Colors[1] != blue || m.Colors[2] != red {
		t.Errorf("colours %x", m.Colors)
	}
	if len(m.Parts) != 3 || m.Parts[2].Name != "c" || m.Parts[2].First != 2 || m.Origin[0] != 100 {
		t.Errorf("parts %v, origin %v", m.Parts, m.Origin)
	}
}

// TestAttributes checks that the materials, colours and fields of one item do not change the other items.
func TestAttributes(t *testing.T) {
	rich := triangle([3]float64{}, nil)
	rich.Attributes = &scenes.Attributes{
		Index: [3][]uint32{{0}, {1}, {2}}, Vertices: 3,
		Materials:  []scenes.Material{{BaseColor: [4]float32{1, 0, 0, 1}, Texture: &scenes.Texture{Picture: image.NewNRGBA(image.Rect(0, 0, 1, 1))}}},
		MaterialOf: []int32{0},
		TexCoords:  scenes.Attribute[[2]float32]{Values: [][2]float32{{0, 0}, {1, 0}, {0, 1}}, Index: [3][]uint32{{0}, {1}, {2}}},
		Fields:     []scenes.Field{{Name: "f", Values: []float32{1, 2, 3}, Symmetric: 0.5}},
	}
	painted := triangle([3]float64{}, nil)
	painted.Attributes = &scenes.Attributes{
		Index: [3][]uint32{{0}, {1}, {2}}, Vertices: 3,
		Colors: scenes.Attribute[scenes.RGBA]{Values: []scenes.RGBA{scenes.Opaque(0x00ff00)}, Index: [3][]uint32{{0}, {0}, {0}}},
	}
	m, err := join.Meshes([]join.Item{{Mesh: triangle([3]float64{}, nil)}, {Mesh: rich}, {Mesh: painted}}, 0x808080)
	if err != nil {
		t.Fatal(err)
	}
	a := m.Attributes
	if got := []int32{a.MaterialOf[0], a.MaterialOf[1], a.MaterialOf[2]}; got[0] != -1 || got[1] != 0 || got[2] != -1 {
		t.Errorf("materials %v", got)
	}
	for i, want := range []uint32{0x808080, 0xffffff, 0x00ff00} {
		if got := a.Colors.At(1, i).RGB(); got != want {
			t.Errorf("triangle %d: colour %06x, want %06x", i, got, want)
		}
	}
	if a.Fields[0].Symmetric != 0.5 {
		t.Errorf("a range of %v about 0, want 0.5", a.Fields[0].Symmetric)
	}
	f := a.Fields[0].Values
	if len(f) != a.Vertices || f[a.Index[2][1]] != 3 || !scenes.IsNoField(f[a.Index[0][0]]) || !scenes.IsNoField(f[a.Index[1][2]]) {
		t.Errorf("field %v of %d vertices", f, a.Vertices)
	}
	red := uint32(0xff0000)
	m, err = join.Meshes([]join.Item{{Mesh: rich}, {Mesh: rich, Color: &red}}, 0)
	if err != nil {
		t.Fatal(err)
	}
	if a := m.Attributes; a.Fields[0].Values[a.Index[1][0]] != 2 || !scenes.IsNoField(a.Fields[0].Values[a.Index[1][1]]) {
		t.Errorf("field %v, where the second mesh has a colour", a.Fields[0].Values)
	}
	if uv := a.TexCoords.At(1, 1); uv != [2]float32{1, 0} {
		t.Errorf("texture at %v", uv)
	}
}

// TestOneSided gives a colour to a mesh with a one-sided material. Its triangles must stay one-sided.
func TestOneSided(t *testing.T) {
	m, red := triangle([3]float64{}, nil), uint32(0xff0000)
	m.Attributes = &scenes.Attributes{
		Index: [3][]uint32{{0}, {1}, {2}}, Vertices: 3,
		Materials: []scenes.Material{{}, {OneSided: true, BaseColor: [4]float32{0, 1, 0, 1}}}, MaterialOf: []int32{1},
	}
	joined, err := join.Meshes([]join.Item{{Mesh: triangle([3]float64{}, nil)}, {Mesh: m, Color: &red}}, 0x808080)
	if err != nil {
		t.Fatal(err)
	}
	a := joined.Attributes
	if got := a.Material(1); got == nil || !got.OneSided || got.BaseColor != [4]float32{1, 1, 1, 1} || a.Material(0) != nil {
		t.Errorf("materials %v of %+v", a.MaterialOf, a.Materials)
	}
	for i, want := range []uint32{0x808080, red} {
		if got := a.Colors.At(0, i).RGB(); got != want {
			t.Errorf("triangle %d: colour %06x, want %06x", i, got, want)
		}
	}
}

func TestRefused(t *testing.T) {
	flat := scenes.Affine{{1, 0, 0, 0}, {1, 0, 0, 0}, {0, 0, 1, 0}}
	if _, err := join.Meshes([]join.Item{{Mesh: triangle([3]float64{}, nil), Transform: &flat}}, 0); err == nil {
		t.Error("a flat transform: no error")
	}
	if _, err := join.Meshes(nil, 0); err == nil {
		t.Error("no items: no error")
	}
}

// TestThickness scales a mesh with a body. Its thickness and absorption must be in units of the joined mesh, and the
// mesh itself must stay as it was.
func TestThickness(t *testing.T) {
	body := scenes.Finish{Thickness: 3, Absorption: [3]float32{0, 0.5, 2}, Refraction: 1.25}
	huge := scenes.Finish{Thickness: math.MaxFloat32}
	m := triangle([3]float64{}, nil)
	m.Attributes = &scenes.Attributes{
		Index: [3][]uint32{{0}, {1}, {2}}, Vertices: 3,
		Materials: []scenes.Material{{Finish: &body}, {}, {Finish: &huge}}, MaterialOf: []int32{0},
	}
	larger := scenes.Affine{{0, -10, 0, 5}, {10, 0, 0, 0}, {0, 0, -10, 0}}
	turned := scenes.Affine{{0, -1, 0, 5}, {1, 0, 0, 0}, {0, 0, 1, 0}}
	smaller := scenes.Affine{{1e-60, 0, 0, 0}, {0, 1e-60, 0, 0}, {0, 0, 1e-60, 0}}
	joined, err := join.Meshes([]join.Item{{Mesh: m}, {Mesh: m, Transform: &larger}, {Mesh: m, Transform: &turned}, {Mesh: m, Transform: &smaller}}, 0)
	if err != nil {
		t.Fatal(err)
	}
	all := joined.Attributes.Materials
	want := scenes.Finish{Thickness: 30, Absorption: [3]float32{0, 0.05, 0.2}, Refraction: 1.25}
	if *all[0].Finish != body || *all[3].Finish != want || *all[6].Finish != body || *all[5].Finish != huge || all[4].Finish != nil {
		t.Errorf("%+v, %+v, %+v, %+v, %+v", *all[0].Finish, *all[3].Finish, *all[6].Finish, *all[5].Finish, all[4])
	}
	if got := all[9].Finish; got.Thickness != 0 || got.Absorption != [3]float32{0, math.MaxFloat32, math.MaxFloat32} {
		t.Errorf("very small: %+v", *got)
	}
	if body.Thickness != 3 {
		t.Error("the mesh changed")
	}
}
