package recipe_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lockstep/render/recipe"
)

// box returns the OBJ lines of a part, which is a cube at x. The parameter base is the number of vertices in the file
// before the cube.
func box(name string, x, base int) string {
	var b strings.Builder
	if name != "" {
		fmt.Fprintf(&b, "g %s\n", name)
	}
	for i := range 8 {
		fmt.Fprintf(&b, "v %d %d %d\n", x+i&1, i>>1&1, i>>2)
	}
	for _, f := range [][4]int{{1, 3, 4, 2}, {5, 6, 8, 7}, {1, 2, 6, 5}, {3, 7, 8, 4}, {1, 5, 7, 3}, {2, 4, 8, 6}} {
		fmt.Fprintf(&b, "f %d %d %d %d\n", f[0]+base, f[1]+base, f[2]+base, f[3]+base)
	}
	return b.String()
}

// TestParts checks that a picture with hidden parts is the same as a picture of a file without these parts. A colour
// for some parts must not change other parts.
func TestParts(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	all := file("all.obj", box("left", 0, 0)+box("mid", 3, 8)+box("right", 6, 16))
	draw := func(file string, change func(p *recipe.Picture)) []byte {
		t.Helper()
		p := recipe.Picture{Meshes: []recipe.Mesh{{File: file}}, Size: recipe.Size{Width: 90, Height: 60}}
		if change != nil {
			change(&p)
		}
		pic, err := recipe.Draw(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		return pic.Pix
	}
	same := func(what string, a, b []byte, want bool) {
		t.Helper()
		if bytes.Equal(a, b) != want {
			t.Errorf("%s: the same picture is %t", what, !want)
		}
	}
	whole := draw(all, nil)
	two := draw(file("two.obj", box("left", 0, 0)+box("right", 6, 8)), nil)
	one := draw(file("one.obj", box("mid", 3, 0)), nil)
	for what, c := range map[string]struct {
		parts recipe.Parts
		want  []byte
	}{
		"hide by name":           {recipe.Parts{Hide: []recipe.Part{"mid"}}, two},
		"hide by number":         {recipe.Parts{Hide: []recipe.Part{"1"}}, two},
		"only two":               {recipe.Parts{Only: []recipe.Part{"left", "2"}}, two},
		"only one":               {recipe.Parts{Only: []recipe.Part{"mid"}}, one},
		"only, and hidden again": {recipe.Parts{Only: []recipe.Part{"mid", "left"}, Hide: []recipe.Part{"0"}}, one},
	} {
		same(what, draw(all, func(p *recipe.Picture) { p.Parts = c.parts }), c.want, true)
	}
	red := func(parts ...recipe.Part) func(p *recipe.Picture) {
		return func(p *recipe.Picture) {
			for _, part := range parts {
				p.Parts.Colors = append(p.Parts.Colors, recipe.PartColor{Part: part, Color: "red"})
			}
		}
	}
	same("one red", draw(all, red("mid")), whole, false)
	same("by name and number", draw(all, red("mid")), draw(all, red("1")), true)
	same("all red", draw(all, red("0", "1", "2")), draw(all, func(p *recipe.Picture) { p.Look.Color = "red" }), true)
	same("the last counts", draw(all, func(p *recipe.Picture) {
		red("1")(p)
		p.Parts.Colors = append(p.Parts.Colors, recipe.PartColor{Part: "mid", Color: "blue"})
	}), draw(all, func(p *recipe.Picture) {
		p.Parts.Colors = []recipe.PartColor{{Part: "mid", Color: "blue"}}
	}), true)
	same("beside a colour of the mesh", draw(all, func(p *recipe.Picture) { red("1")(p); p.Look.Color = "blue" }), draw(all, func(p *recipe.Picture) {
		p.Parts.Colors = []recipe.PartColor{{Part: "0", Color: "blue"}, {Part: "1", Color: "red"}, {Part: "2", Color: "blue"}}
	}), true)
	same("in a section", draw(all, func(p *recipe.Picture) {
		red("1")(p)
		p.Cuts.Sections = []recipe.Plane{{Normal: [3]float64{0, 0, 1}, Offset: 0.5, Keep: '<'}}
	}), draw(all, func(p *recipe.Picture) {
		p.Cuts.Sections = []recipe.Plane{{Normal: [3]float64{0, 0, 1}, Offset: 0.5, Keep: '<'}}
	}), false)
	for part, want := range map[recipe.Part]string{"3": `parts.hide 3: the mesh has the parts 0 "left", 1 "mid", 2 "right"`, "none": "parts.hide none: the mesh has the parts"} {
		p := recipe.Picture{Meshes: []recipe.Mesh{{File: all}}, Parts: recipe.Parts{Hide: []recipe.Part{part}}}
		if _, err := recipe.Draw(t.Context(), p); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	p := recipe.Picture{Meshes: []recipe.Mesh{{File: all}}, Parts: recipe.Parts{Hide: []recipe.Part{"0", "1", "2"}}}
	if _, err := recipe.Draw(t.Context(), p); !recipe.IsBlank(err) {
		t.Errorf("all are hidden: %v", err)
	}
}
