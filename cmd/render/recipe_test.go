package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"lockstep/internal/framename"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"lockstep/internal/cli"
	"lockstep/internal/clitest"
	"lockstep/render/recipe"
	"lockstep/render/recipe/recipetest"
)

// TestDumpRecipe checks that every recipe has a command line with the same recipe.
func TestDumpRecipe(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(r *rapid.T) {
		p := recipetest.Picture().Draw(r, "recipe")
		args := p.Args()
		result := run(t, dir, "", append([]string{"--dump-recipe"}, args...)...)
		if result.Code != int(cli.Done) {
			r.Fatalf("%q: %s", args, result.Stderr)
		}
		var got recipe.Picture
		if err := json.Unmarshal([]byte(result.Stdout), &got); err != nil {
			r.Fatalf("%q: %v", args, err)
		}
		want, _ := json.Marshal(p.Normal())
		if text, _ := json.Marshal(got); !bytes.Equal(text, want) {
			r.Fatalf("%q\nmakes %s\nwant  %s", args, text, want)
		}
	})
}

// TestDumpAnimation checks that every animation has a command line that gives the same animation.
func TestDumpAnimation(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(r *rapid.T) {
		a := recipetest.Animation().Draw(r, "animation")
		if a.Clip != "" { // the rules for several meshes apply
			a.Picture.Camera.Fit = ""
		}
		if len(a.More) > 0 {
			// Several meshes are fitted by their boxes and cannot be turned.
			a.Picture.Camera.Fit, a.Picture.Meshes[0] = "", recipe.Mesh{File: "first.stl"}
			for i := range a.More { // a file can have only one up axis
				a.More[i].File = fmt.Sprintf("%d%s", i, a.More[i].File)
			}
		}
		args := a.Args()
		result := run(t, dir, "", append([]string{"animate", "--dump-recipe", "-o", "out"}, args...)...)
		for _, refused := range []string{"drawn in bands", "needs --projection perspective", "at most 89 degrees", "is named with :up=", "expected at most "} {
			if result.Code == int(cli.Usage) && strings.Contains(result.Stderr, refused) {
				return
			}
		}
		if result.Code != int(cli.Done) {
			r.Fatalf("%q: %s", args, result.Stderr)
		}
		var got recipe.Animation
		if err := json.Unmarshal([]byte(result.Stdout), &got); err != nil {
			r.Fatalf("%q: %v", args, err)
		}
		if len(a.More) > 0 || a.Clip != "" {
			got.Picture.Camera.Fit = ""
		}
		want, _ := json.Marshal(a.Normal())
		if text, _ := json.Marshal(got); !bytes.Equal(text, want) {
			r.Fatalf("%q\nmakes %s\nwant  %s", args, text, want)
		}
	})
}

// recipeMeshes writes the meshes of random recipes into a folder.
func recipeMeshes(t *testing.T, dir string) []string {
	clitest.Write(t, filepath.Join(dir, "cube.stl"), clitest.STL(clitest.Cube([3]float32{0.1, 0.2, 0}, 1)))
	run(t, dir, "", "convert", "scene:knot?triangles=600", "knot.ply").Want(t, cli.Done)
	var text strings.Builder
	text.WriteString("ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\nproperty float t\nelement face 2\nproperty list uchar int vertex_indices\nend_header\n")
	text.WriteString("-1 -1 0 -0.4\n1 -1 0.2 0\n1 1 0 0.5\n-1 1 0.3 0.9\n3 0 1 2\n3 0 2 3\n")
	clitest.Write(t, filepath.Join(dir, "field.ply"), text.String())
	return []string{"cube.stl", "knot.ply", "field.ply", "scene:gear?triangles=500"}
}

// TestSameBytes ends after fewPictures pictures or fewRecipes recipes. With -long it draws as many recipes as the flag
// -rapid.checks states.
const fewPictures, fewRecipes = 5, 25

// TestSameBytes checks that a recipe gives the same file through the library, through flags and through --recipe.
func TestSameBytes(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	files := recipeMeshes(t, dir)
	drawn, tried := 0, 0
	rapid.Check(t, func(r *rapid.T) {
		if tried++; !*long && (drawn >= fewPictures || tried > fewRecipes) {
			return
		}
		p := recipetest.Drawable(files, []string{"t"}).Draw(r, "recipe")
		var library bytes.Buffer
		err := new(recipe.Drawer).PNG(t.Context(), &library, p, recipe.Output{})
		flags := run(t, dir, "", append([]string{"-o", "flags.png"}, p.Args()...)...)
		if err != nil {
			if flags.Code != int(cli.CodeOf(err)) {
				r.Fatalf("the library says %v, the command %d, %s", err, flags.Code, flags.Stderr)
			}
			return
		}
		drawn++
		if flags.Code != int(cli.Done) {
			r.Fatalf("%q: %s", p.Args(), flags.Stderr)
		}
		text, err := json.Marshal(p)
		if err != nil {
			r.Fatal(err)
		}
		clitest.Write(t, "recipe.json", string(text))
		run(t, dir, "", "--recipe", "recipe.json", "-o", "recipe.png").Want(t, cli.Done)
		run(t, dir, "", "--recipe", "flags.png", "-o", "again.png").Want(t, cli.Done)
		for _, name := range []string{"flags.png", "recipe.png", "again.png"} {
			file, err := os.ReadFile(name)
			if err != nil {
				r.Fatal(err)
			}
			if !bytes.Equal(file, library.Bytes()) {
				r.Fatalf("%s is another file than the library's\n%s\n%q", name, text, p.Args())
			}
		}
	})
	t.Logf("%d recipes had pictures", drawn)
	if drawn == 0 { // about eleven of forty recipes have a picture; others are blank, or their meshes lack the field
		t.Errorf("%d recipes had pictures", drawn)
	}
}

// someAnimations is the number of animations that are tried without -long. About three of four animations cannot be
// drawn. If none of the animations can be drawn, more are tried.
const someAnimations = 12

// TestSameFrames checks that an animation gives the same files through the library, through flags and through
// --recipe.
func TestSameFrames(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	files := recipeMeshes(t, dir)
	drawn, tried := 0, 0
	rapid.Check(t, func(r *rapid.T) {
		if tried++; tried > someAnimations && drawn > 0 && !*long {
			return
		}
		a := recipetest.Moving(files, []string{"t"}).Draw(r, "animation")
		var want [][]byte
		err := new(recipe.Drawer).Frames(t.Context(), a, recipe.Output{}, func(_ int, file []byte) error {
			want = append(want, bytes.Clone(file))
			return nil
		})
		byFlags, byRecipe := fmt.Sprint(tried, "flags"), fmt.Sprint(tried, "recipe")
		clitest.Write(t, "recipe.json", a.String())
		flags := run(t, dir, "", append([]string{"animate", "-o", byFlags + "/f_##.png"}, a.Args()...)...)
		if err != nil { // the command still draws the frames on which something is visible
			if code := cli.CodeOf(err); flags.Code != int(code) && !(code == cli.Blank && flags.Code == int(cli.Partial)) {
				r.Fatalf("the library says %v, the command %d, %s", err, flags.Code, flags.Stderr)
			}
			return
		}
		drawn++
		flags.Want(t, cli.Done)
		run(t, dir, "", "animate", "--recipe", "recipe.json", "-o", byRecipe+"/f_##.png").Want(t, cli.Done)
		for _, folder := range []string{byFlags, byRecipe} {
			for k := range want {
				names, err := framename.New(folder+"/f_##.png", "", len(want))
				if err != nil {
					r.Fatal(err)
				}
				if got, err := os.ReadFile(names.Name(k)); err != nil || !bytes.Equal(got, want[k]) {
					r.Fatalf("frame %d of %s differs: %v\n%s", k, folder, err, a)
				}
			}
		}
	})
	if drawn == 0 {
		t.Error("no animation had pictures")
	}
}
