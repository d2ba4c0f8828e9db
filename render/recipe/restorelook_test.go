package recipe

import (
	"reflect"
	"testing"

	"lockstep/render"
	"lockstep/scenes"
)

// TestRestoreLook checks that the options of a mesh that is drawn plainly for lack of memory do not last: RestoreLook
// gives all of them back for the next mesh.
func TestRestoreLook(t *testing.T) {
	o := render.Options{Width: 8, Height: 8}.Studio()
	o.OneSided, o.Facing, o.EyeDome, o.Field, o.Finish = true, true, true, render.Field{Name: "size"}, &scenes.Finish{}
	d := &Drawer{}
	in := &Input{Source: &scenes.Mesh{Block: scenes.MakeBlock(1)}}
	plain := d.Look(Picture{}, in, o)
	if plain.InMemory() || plain.EyeDome {
		t.Fatalf("a mesh that does not fit into memory is drawn with %+v", plain)
	}
	if again := RestoreLook(plain, o); !reflect.DeepEqual(again, o) {
		t.Errorf("the next mesh is drawn with %+v, want %+v", again, o)
	}
}
