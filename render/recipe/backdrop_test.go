package recipe

import (
	"context"
	"reflect"
	"testing"

	"lockstep/render"
	"lockstep/render/annotate"
	"lockstep/render/ground"
	"lockstep/scenes"
)

// The background is what the recipe says, and a gradient is darker behind what is nearly white.
func TestBackground(t *testing.T) {
	in := &Input{Source: &scenes.Mesh{Block: scenes.MakeBlock(1)}}
	for name, c := range map[string]struct {
		look        Look
		top, bottom *render.RGB
	}{
		"default":   {Look{}, new(lightTop), new(lightBottom)},
		"white":     {Look{Color: "white"}, new(darkTop), new(darkBottom)},
		"plain":     {Look{Color: "white", Background: "102030"}, new(render.RGB(0x102030)), new(render.RGB(0x102030))},
		"none":      {Look{Background: "none"}, nil, nil},
		"headlight": {Look{Light: "headlight"}, nil, nil},
	} {
		p := Picture{Look: c.look}
		if b := p.background(in); !reflect.DeepEqual(b, &ground.Backdrop{Top: c.top, Bottom: c.bottom}) {
			t.Errorf("%s: %v", name, b)
		}
	}
	if got, want := new(Picture).ink(), annotate.Ink(render.RGB(0xf3f4f6)); got != want {
		t.Errorf("ink on a gradient: %06x, want %06x", got, want)
	}
}

// The shadow that an input keeps is found again for another axis, another box and maps of another size, of which it keeps each.
func TestShadowIsKept(t *testing.T) {
	ctx := context.Background()
	mesh := &scenes.Mesh{Block: scenes.MakeBlock(1)}
	mesh.Set(0, [3][3]float32{{0, 0, 0}, {2, 0, 1}, {0, 3, 1}})
	in := &Input{Source: mesh, Box: mesh.Bounds(), shadows: new(shadowCache)}
	var kept *ground.Ground
	wants := func(what string, p Picture, box scenes.Box, up scenes.Axis, texels int, again bool) {
		t.Helper()
		got, err := in.shadow(ctx, &p)
		if err != nil {
			t.Fatal(err)
		}
		want, err := ground.New(ctx, mesh, box, up, texels)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) || (got == kept) != again {
			t.Errorf("%s: another shadow than that of the mesh, or one that was not kept", what)
		}
		kept = got
	}
	small, y := Picture{Size: Size{90, 60}}, Picture{Size: Size{90, 60}, Up: "y"}
	box := mesh.Bounds()
	wants("first", small, box, scenes.PlusZ, 64, false)
	wants("again", small, box, scenes.PlusZ, 64, true)
	wants("another axis", y, box, scenes.PlusY, 64, false)
	first := kept
	wants("a larger map", Picture{Up: "y"}, box, scenes.PlusY, 512, false)
	kept = first
	wants("the smaller map beside it", y, box, scenes.PlusY, 64, true)
	core := scenes.Box{Max: [3]float64{1, 1, 1}}
	part := in.withCore(core)
	if part.Box != core || !part.Parted {
		t.Errorf("parted to %v: %v", core, part)
	}
	wants("under a part", small, core, scenes.PlusZ, 64, false)
	in.GroundUnder(scenes.Box{Min: [3]float64{-9, -9, -5}, Max: [3]float64{9, 9, 9}})
	core.Min[2] = -5
	wants("under a series", small, core, scenes.PlusZ, 64, false)
}
