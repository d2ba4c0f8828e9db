package film

import (
	"bytes"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lockstep/internal/clitest"
	"lockstep/render/recipe"
)

// coloredCube is a cube with two materials from another file.
const coloredCube = `mtllib cube.mtl
v 0 0 0
v 1 0 0
v 1 1 0
v 0 1 0
v 0 0 1
v 1 0 1
v 1 1 1
v 0 1 1
vt 0 0
vt 1 0
vt 1 1
usemtl red
f 1/1 2/2 3/3
f 1 4 3 2
f 5 6 7 8
f 1 2 6 5
usemtl blue
f 2 3 7 6
f 3 4 8 7
f 4 1 5 8
`

// sourcesOf writes the files of a film that has every kind of file, and returns the film. Each file contains an 8 that
// can be replaced by a 9.
func sourcesOf(t *testing.T, dir string) (files []string, f Film) {
	t.Helper()
	var texture bytes.Buffer
	picture := image.NewGray(image.Rect(0, 0, 2, 2))
	picture.Pix[0] = 200
	if err := png.Encode(&texture, picture); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"cube.obj":       "# 8\n" + coloredCube,
		"cube.mtl":       "newmtl red\nKd 0.8 0 0\nmap_Kd skins/skin.png\nnewmtl blue\nKd 0 0 1\n",
		"skins/skin.png": texture.String() + "8",
		"more/added.obj": "# 8\n" + coloredCube,
		"more/cube.mtl":  "newmtl red\nKd 0 0.8 0\nnewmtl blue\nKd 0 1 1\n",
	} {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		clitest.Write(t, name, text)
		files = append(files, name)
	}
	meshes := []recipe.Mesh{{File: filepath.Join(dir, "cube.obj")}, {File: filepath.Join(dir, "more", "added.obj"), Move: recipe.Point{2, 0, 0}, Scale: 0.5}}
	return files, Film{
		Animation: recipe.Animation{Picture: recipe.Picture{Meshes: meshes, Size: recipe.Size{Width: 120, Height: 90}}, Frames: 6},
		Output:    recipe.Output{File: filepath.Join(dir, "out")},
	}
}

// idOf returns the ID of a film.
func idOf(t *testing.T, f Film) string {
	t.Helper()
	s, err := Open(t.Context(), f, Options{Drawer: recipe.Drawer{Workers: 1}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	return s.Job().ID
}

// TestIDCoversFiles checks that the ID of a film changes if a byte of any file changes, even if the file's time does
// not, and that it does not change if only the time does.
func TestIDCoversFiles(t *testing.T) {
	files, f := sourcesOf(t, t.TempDir())
	ids := map[string]string{idOf(t, f): "the film"}
	for _, name := range files {
		was := clitest.Read(t, name)
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		clitest.Write(t, name, strings.Replace(string(was), "8", "9", 1))
		if err := os.Chtimes(name, info.ModTime(), info.ModTime()); err != nil {
			t.Fatal(err)
		}
		id := idOf(t, f)
		if other := ids[id]; other != "" {
			t.Errorf("with another %s the film is %s", name, other)
		}
		ids[id] = "that with another " + name
		clitest.Write(t, name, string(was)) // restores the contents, but with another time
		if got := idOf(t, f); ids[got] != "the film" {
			t.Errorf("written again, %s makes another film", name)
		}
	}
}

// TestIDCoversRecipe checks that the ID of a film changes if the recipe or the output does. It must not depend on the
// folder of the meshes, on limits for reading, or on the drawer.
func TestIDCoversRecipe(t *testing.T) {
	_, f := sourcesOf(t, t.TempDir())
	ids := map[string]string{idOf(t, f): "the film"}
	for what, change := range map[string]func(*Film){
		"zoom":   func(f *Film) { f.Animation.Picture.Camera.Zoom = 0.5 },
		"frames": func(f *Film) { f.Animation.Frames = 7 },
		"motion": func(f *Film) { f.Animation.Motion = "orbit" },
		"label":  func(f *Film) { f.Animation.Picture.Lines.Label = "x" },
		"small":  func(f *Film) { f.Output.Small = true },
		"dpi":    func(f *Film) { f.Output.DPI = 300 },
		"output": func(f *Film) { f.Output.File += "2" },
		"a keyframe in the middle": func(f *Film) {
			f.Animation.Keyframes = []recipe.Keyframe{{Eye: &recipe.Point{9, 0, 0}}, {Frame: 2, Eye: &recipe.Point{0, 9, 0}}, {Frame: 5, Eye: &recipe.Point{9, 9, 0}}}
		},
		"another keyframe in the middle": func(f *Film) {
			f.Animation.Keyframes = []recipe.Keyframe{{Eye: &recipe.Point{9, 0, 0}}, {Frame: 2, Eye: &recipe.Point{0, 8, 0}}, {Frame: 5, Eye: &recipe.Point{9, 9, 0}}}
		},
	} {
		other := f
		change(&other)
		id := idOf(t, other)
		if ids[id] != "" {
			t.Errorf("%s: the film is %s", what, ids[id])
		}
		ids[id] = what
	}
	_, moved := sourcesOf(t, t.TempDir())
	moved.Output, moved.Tries, moved.Priority = f.Output, 9, 1
	if got := ids[idOf(t, moved)]; got != "the film" {
		t.Errorf("the same meshes in another folder make another film: %q", got)
	}
}
