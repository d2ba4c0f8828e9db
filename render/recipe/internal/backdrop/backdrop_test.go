package backdrop

import (
	"reflect"
	"testing"

	"lockstep/render/ground"
	"lockstep/scenes"
)

// TestGradient checks that the gradient behind a nearly white mesh is darker than the gradient behind other meshes, and
// that both are darker at the bottom.
func TestGradient(t *testing.T) {
	light, dark := Gradient(false), Gradient(true)
	if *light.Top <= *light.Bottom || *dark.Top <= *dark.Bottom || *light.Bottom <= *dark.Top {
		t.Errorf("%06x to %06x, and %06x to %06x", *light.Top, *light.Bottom, *dark.Top, *dark.Bottom)
	}
	if p := Plain(0x102030); *p.Top != 0x102030 || *p.Bottom != 0x102030 {
		t.Errorf("%06x to %06x", *p.Top, *p.Bottom)
	}
}

// TestShadowIsKept checks that a shadow is reused, and that another axis, another box or another size of the map causes
// a new one. Shadows of several sizes are kept at the same time.
func TestShadowIsKept(t *testing.T) {
	mesh := &scenes.Mesh{Block: scenes.MakeBlock(1)}
	mesh.Set(0, [3][3]float32{{0, 0, 0}, {2, 0, 1}, {0, 3, 1}})
	shadows := new(Shadows)
	var kept *ground.Ground
	wants := func(what string, of, under scenes.Box, up scenes.Axis, size [2]int, texels int, again bool) {
		t.Helper()
		got, err := shadows.Of(t.Context(), mesh, of, up, size[0], size[1])
		if err != nil {
			t.Fatal(err)
		}
		want, err := ground.New(t.Context(), mesh, under, up, texels)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) || (got == kept) != again {
			t.Errorf("%s: another shadow than that of the mesh, or one that was not kept", what)
		}
		kept = got
	}
	small, large := [2]int{90, 60}, [2]int{1920, 1080}
	box := mesh.Bounds()
	wants("first", box, box, scenes.PlusZ, small, 64, false)
	wants("again", box, box, scenes.PlusZ, small, 64, true)
	wants("another axis", box, box, scenes.PlusY, small, 64, false)
	first := kept
	wants("a larger map", box, box, scenes.PlusY, large, 512, false)
	kept = first
	wants("the smaller map beside it", box, box, scenes.PlusY, small, 64, true)
	fork := shadows.Fork()
	if got, err := fork.Of(t.Context(), mesh, box, scenes.PlusY, 90, 60); err != nil || got != first {
		t.Errorf("a copy has another shadow: %v", err)
	}
	core := scenes.Box{Max: [3]float64{1, 1, 1}}
	shadows.LieUnderCore(core)
	wants("under a part", box, core, scenes.PlusZ, small, 64, false)
	shadows.LieUnderSeries(scenes.Box{Min: [3]float64{-9, -9, -5}, Max: [3]float64{9, 9, 9}})
	core.Min[2] = -5
	wants("under a series", box, core, scenes.PlusZ, small, 64, false)
}

// TestShadowIsTakenOver checks that Join takes over the shadow of a fork, unless the cameras of the fork are fitted to
// a part of the mesh.
func TestShadowIsTakenOver(t *testing.T) {
	mesh := &scenes.Mesh{Block: scenes.MakeBlock(1)}
	mesh.Set(0, [3][3]float32{{0, 0, 0}, {2, 0, 1}, {0, 3, 1}})
	box := mesh.Bounds()
	for _, parted := range []bool{false, true} {
		shadows := new(Shadows)
		fork := shadows.Fork()
		if parted {
			fork.LieUnderCore(box)
		}
		found, err := fork.Of(t.Context(), mesh, box, scenes.PlusZ, 90, 60)
		if err != nil {
			t.Fatal(err)
		}
		shadows.Join(fork)
		got, err := shadows.Of(t.Context(), mesh, box, scenes.PlusZ, 90, 60)
		if err != nil || (got == found) == parted {
			t.Errorf("parted %v: taken over %v, %v", parted, got == found, err)
		}
	}
}
