package recipe_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lockstep/render/recipe"
	"lockstep/scenes/distance"
)

// scaledBox returns the OBJ text of a closed cube with a corner at the origin.
func scaledBox(side int) string {
	var b strings.Builder
	for i := range 8 {
		fmt.Fprintf(&b, "v %d %d %d\n", i&1*side, i>>1&1*side, i>>2*side)
	}
	return b.String() + "f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n"
}

// compared returns a recipe that compares two meshes.
func compared(a, b string) recipe.Picture {
	return recipe.Picture{Meshes: []recipe.Mesh{{File: a}, {File: b, Against: true}}, Size: recipe.Size{Width: 90, Height: 60}, Look: recipe.Look{Samples: 1}}
}

// TestAgainst checks that distances are drawn like a field of the file. The picture must not depend on the number of
// workers. It must depend on the mesh to compare with, although that mesh is not drawn.
func TestAgainst(t *testing.T) {
	draw := func(p recipe.Picture, workers int) []byte {
		t.Helper()
		pic, err := (&recipe.Drawer{Workers: workers}).Draw(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		return bytes.Clone(pic.Pix)
	}
	p := compared("scene:sphere?triangles=500", "scene:cube")
	want := draw(p, 1)
	for _, workers := range []int{2, 7} {
		if !bytes.Equal(draw(p, workers), want) {
			t.Errorf("%d workers: another picture", workers)
		}
	}
	full := p
	full.Look.Field, full.Look.Colormap = "distance", "coolwarm"
	if !bytes.Equal(draw(full, 1), want) {
		t.Error("distance by coolwarm is not the default")
	}
	moved := compared("scene:sphere?triangles=500", "scene:cube")
	moved.Meshes[1].Move = recipe.Point{0.5, 0, 0}
	for what, other := range map[string]recipe.Picture{
		"a mesh elsewhere": moved, "another mesh": compared("scene:sphere?triangles=500", "scene:sphere?triangles=500"),
		"no mesh": {Meshes: p.Meshes[:1], Size: p.Size, Look: p.Look},
	} {
		if bytes.Equal(draw(other, 1), want) {
			t.Errorf("%s: the same picture", what)
		}
	}
	both := compared("scene:sphere?triangles=500", "scene:cube")
	both.Meshes[0].Move, both.Meshes[1].Move = recipe.Point{3, -2, 8}, recipe.Point{3, -2, 8}
	both.Camera.Eye, both.Camera.Target = &recipe.Point{3, -12, 8}, &recipe.Point{3, -2, 8}
	p.Camera.Eye, p.Camera.Target = &recipe.Point{0, -10, 0}, &recipe.Point{}
	if differ(draw(both, 1), draw(p, 1)) > 60 {
		t.Errorf("moving both is another picture: %d bytes differ", differ(draw(both, 1), draw(p, 1)))
	}
}

// differ returns the number of bytes that differ by more than rounding.
func differ(a, b []byte) (n int) {
	for i := range a {
		if max(a[i], b[i])-min(a[i], b[i]) > 3 {
			n++
		}
	}
	return n
}

// TestCompared checks the distances between two cubes in both directions.
func TestCompared(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"one.obj": scaledBox(1), "two.obj": scaledBox(2)} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	p := compared(filepath.Join(dir, "one.obj"), filepath.Join(dir, "two.obj"))
	d := recipe.Drawer{KeepCompared: true}
	in, err := d.Open(t.Context(), p, p.RenderOptions(), false)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	forth := in.Compared.Forth
	back, err := in.Compared.Back(t.Context(), distance.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if forth.Least != -1 || forth.Greatest != 0 || forth.Area != 6 {
		t.Errorf("the cube of 1 lies from %v to %v, area %v", forth.Least, forth.Greatest, forth.Area)
	}
	if back.Least != 0 || math.Abs(back.Greatest-math.Sqrt(3)) > 1e-12 || back.Area != 24 {
		t.Errorf("the cube of 2 lies from %v to %v, area %v", back.Least, back.Greatest, back.Area)
	}
}

// TestAgainstIsChecked tests invalid recipes, and meshes that cannot be compared.
func TestAgainstIsChecked(t *testing.T) {
	cube := recipe.Mesh{File: "scene:cube"}
	against := recipe.Mesh{File: "scene:cube", Against: true}
	colored := against
	colored.Color = "red"
	for _, c := range []struct {
		p    recipe.Picture
		says string
	}{
		{recipe.Picture{Meshes: []recipe.Mesh{against}}, "meshes[0].against: is for meshes after the first"},
		{recipe.Picture{Meshes: []recipe.Mesh{cube, against, against}}, "meshes[2].against: expected one"},
		{recipe.Picture{Meshes: []recipe.Mesh{cube, colored}}, "meshes[1].color: the mesh is not drawn"},
		{recipe.Picture{Meshes: []recipe.Mesh{cube, against}, Look: recipe.Look{Light: "headlight"}}, "look.field: needs look.light studio"},
		{recipe.Picture{Meshes: []recipe.Mesh{cube, against}, Look: recipe.Look{Color: "facing"}}, "facing and look.field"},
	} {
		if err := c.p.Validate(); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%v, want %q", err, c.says)
		}
	}
	file := filepath.Join(t.TempDir(), "line.obj")
	if err := os.WriteFile(file, []byte("v 0 0 0\nv 1 1 1\nv 2 2 2\nf 1 2 3\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	var blank *recipe.Error
	for _, p := range []recipe.Picture{compared(file, "scene:cube"), compared("scene:cube", file)} {
		if _, err := recipe.Draw(t.Context(), p); !errors.As(err, &blank) || blank.Kind != recipe.Blank || !strings.Contains(err.Error(), "line.obj: the mesh has no triangle with a nonzero area") {
			t.Error(err)
		}
	}
}

// TestAgainstIsHashed checks that the hash of a recipe depends on the mesh to compare with.
func TestAgainstIsHashed(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "other.obj")
	hash := func(text string) string {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		h, err := compared("scene:cube", file).Hash(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	if hash(scaledBox(1)) == hash(scaledBox(2)) {
		t.Error("another mesh to compare with has the same hash")
	}
}

// TestAgainstInPlace checks that the mesh to compare with is turned by its up axis, and that its contents are noted,
// too. The unit of length must be a part of the normal form, because the legend shows it.
func TestAgainstInPlace(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	tall := "v 0 0 0\nv 1 0 0\nv 0 3 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
	a := file("a.obj", tall)
	turned := compared(a, file("b.obj", "v 0 0 0\nv 1 0 0\nv 0 0 3\nv 0 -1 0\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"))
	turned.Meshes[1].Up = "z"
	open := func(p recipe.Picture) *recipe.Input {
		d := recipe.Drawer{KeepCompared: true, NoteContents: true}
		in, err := d.Open(t.Context(), p, p.RenderOptions(), false)
		if err != nil {
			t.Fatal(err)
		}
		in.Close()
		return in
	}
	if in := open(turned); in.Compared.Forth.Max() != 0 {
		t.Errorf("a mesh that was turned onto itself is %v away", in.Compared.Forth.Max())
	}
	if open(compared(a, a)).Contents == open(compared(a, "scene:cube")).Contents || open(compared(a, a)).Contents == open(turned).Contents {
		t.Error("the contents of the mesh to compare with are not noted")
	}
	p := compared(a, "scene:cube")
	p.Unit, p.Lines.Legend, p.Size = "mm", true, recipe.Size{Width: 300, Height: 200}
	if p.Normal().Unit != "mm" {
		t.Error("the normal form lacks the unit")
	}
	said, err := recipe.Draw(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	p.Unit = ""
	unsaid, err := recipe.Draw(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Equal(said.Pix, unsaid.Pix) {
		t.Error("the legend does not say the unit")
	}
}

// TestAgainstIsSmooth compares a mesh with itself. The picture must equal that of the mesh in the middle colour,
// without visible facets, although triangles are divided and meshes are moved or joined.
func TestAgainstIsSmooth(t *testing.T) {
	ball := recipe.Mesh{File: "scene:sphere?triangles=300"}
	moved := ball
	moved.Move = recipe.Point{1, 2, 3}
	beside := recipe.Mesh{File: "scene:sphere?triangles=300", Move: recipe.Point{2, 0, 0}, Color: "red"}
	for i, meshes := range [][]recipe.Mesh{{ball}, {moved}, {ball, beside}} {
		same := meshes[0]
		same.Against = true
		p := recipe.Picture{Meshes: append(slices.Clone(meshes), same), Size: recipe.Size{Width: 120, Height: 80}, Look: recipe.Look{Samples: 1, Crease: 60}}
		plain := p
		plain.Meshes, plain.Look.Color = meshes, "dddddd"
		got, err := recipe.Draw(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		want, err := recipe.Draw(t.Context(), plain)
		if err != nil {
			t.Fatal(err)
		}
		// The map of the shadow has texels at silhouettes that the last bits of depths decide.
		if n := differ(got.Pix, want.Pix); n > 60 {
			t.Errorf("%d: %d bytes differ", i, n)
		}
	}
}
