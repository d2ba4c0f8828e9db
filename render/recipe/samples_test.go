package recipe_test

import (
	"strings"
	"testing"

	"lockstep/render"
	"lockstep/render/recipe"
	"lockstep/scenes/procedural"
)

// TestSingle checks that a single picture has sixteen samples per pixel. It must have fewer if the recipe or the mesh
// does not allow sixteen, or if the renderer refuses sixteen at the size of the picture.
func TestSingle(t *testing.T) {
	const small, most, large = "scene:cube", "scene:soup?triangles=1000000", "scene:soup?triangles=1000001"
	for _, c := range []struct {
		mesh, args string
		samples    int
	}{
		{small, "", 16},
		{small, "--size=2100x1000", 16},
		{small, "--size=2101x1000", 4},
		{small, "--size=8192x20", 16},
		{small, "--size=8193x20", 4},
		{small, "--size=20x8193", 4},
		{small, "--size=16384x2", 4},
		{small, "--size=2x32768", 1},
		{small, "--samples=4", 4},
		{small, "--samples=1", 1},
		{small, "--light=headlight", 4},
		{small, "--fast", 1},
		{most, "", 16},
		{large, "", 4},
	} {
		args := c.args + " " + c.mesh
		p, err := recipe.Parse(strings.Fields(args))
		if err != nil {
			t.Fatal(err)
		}
		warned := ""
		d := recipe.Drawer{Warn: func(text string) { warned += text }}
		scene, err := procedural.Parse(c.mesh)
		if err != nil {
			t.Fatal(err)
		}
		o := d.Single(p, &recipe.Input{Source: scene, Name: c.mesh}, p.RenderOptions(), true)
		if o.Samples != c.samples || warned != "" {
			t.Errorf("%s: %d samples, want %d; warned %q", args, o.Samples, c.samples, warned)
		}
		r, err := render.New(render.Options{Width: o.Width, Height: 1, Samples: o.Samples})
		if err != nil {
			t.Errorf("%s: %v", args, err)
		} else {
			r.Close()
		}
	}
}

// TestSingleWithoutMemory checks that a picture without memory for sixteen samples a pixel has four, and that a warning
// says so.
func TestSingleWithoutMemory(t *testing.T) {
	p, err := recipe.Parse([]string{"scene:cube"})
	if err != nil {
		t.Fatal(err)
	}
	scene, err := procedural.Parse("scene:cube")
	if err != nil {
		t.Fatal(err)
	}
	for whole, want := range map[bool]int{true: 16, false: 4} {
		warned := ""
		d := recipe.Drawer{Warn: func(text string) { warned += text }}
		o := d.Single(p, &recipe.Input{Source: scene, Name: "scene:cube"}, p.RenderOptions(), whole)
		const says = "scene:cube: drawn with 4 samples a pixel: there is no memory for 16 (--samples 4 does"
		if o.Samples != want || strings.HasPrefix(warned, says) == whole {
			t.Errorf("whole %v: %d samples, want %d; warned %q", whole, o.Samples, want, warned)
		}
	}
}
