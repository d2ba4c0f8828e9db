package recipe

import (
	"reflect"
	"testing"

	"lockstep/render"
	"lockstep/render/annotate"
	"lockstep/render/ground"
	"lockstep/render/recipe/internal/backdrop"
	"lockstep/scenes"
)

// TestBackground checks that the background is the one of the recipe, and that the default gradient is darker behind a
// nearly white mesh.
func TestBackground(t *testing.T) {
	in := &Input{Source: &scenes.Mesh{Block: scenes.MakeBlock(1)}}
	for name, c := range map[string]struct {
		look Look
		want *ground.Backdrop
	}{
		"default":   {Look{}, backdrop.Gradient(false)},
		"white":     {Look{Color: "white"}, backdrop.Gradient(true)},
		"plain":     {Look{Color: "white", Background: "102030"}, backdrop.Plain(0x102030)},
		"none":      {Look{Background: "none"}, new(ground.Backdrop)},
		"headlight": {Look{Light: "headlight"}, new(ground.Backdrop)},
	} {
		p := Picture{Look: c.look}
		if b := p.background(in); !reflect.DeepEqual(b, c.want) {
			t.Errorf("%s: %v", name, b)
		}
	}
	if got, want := new(Picture).ink(), annotate.Ink(render.RGB(0xf3f4f6)); got != want {
		t.Errorf("ink on a gradient: %06x, want %06x", got, want)
	}
}
