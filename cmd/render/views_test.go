package main

import (
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lockstep/internal/cli"
	"lockstep/internal/clitest"
)

// viewsArgs draw a data set of two cubes. In many views one of them hides a part of the other.
var viewsArgs = []string{"animate", "scene:cube", "--add", "scene:cube:color=c04020:scale=0.5:move=1.6,0,0", "--views", "6", "-s", "80x60"}

// entries are the parts of a data set's files that the tests read.
type entries struct {
	camera map[string]struct {
		K     [9]float64 `json:"cam_K"`
		R     [9]float64 `json:"cam_R_w2c"`
		T     [3]float64 `json:"cam_t_w2c"`
		Scale float64    `json:"depth_scale"`
	}
	info map[string][]struct {
		All   int `json:"px_count_all"`
		Shown int `json:"px_count_visib"`
	}
	coco struct {
		Annotations []struct {
			Image        int `json:"image_id"`
			Category     int `json:"category_id"`
			Area         int
			Segmentation struct{ Counts, Size []int }
		}
	}
}

func readEntries(t *testing.T, scene string) (e entries) {
	t.Helper()
	for name, to := range map[string]any{"scene_camera.json": &e.camera, "scene_gt_info.json": &e.info, "scene_gt_coco.json": &e.coco} {
		if err := json.Unmarshal(clitest.Read(t, filepath.Join(scene, name)), to); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	return e
}

// grey returns the first channel of a picture of a data set, row by row, with values from 0 to 65535.
func grey(t *testing.T, name string) (v []int) {
	t.Helper()
	m, err := png.Decode(strings.NewReader(string(clitest.Read(t, name))))
	if err != nil {
		t.Fatal(err)
	}
	for y := range m.Bounds().Dy() {
		for x := range m.Bounds().Dx() {
			r, _, _, _ := m.At(x, y).RGBA()
			v = append(v, int(r))
		}
	}
	return v
}

// TestViews checks every pixel of a data set. Depths must lead to the faces of the cubes. Masks must have as many
// pixels as the files state. The mask of the visible part of an object must be within the mask of the whole object.
func TestViews(t *testing.T) {
	dir := t.TempDir()
	run(t, dir, "", append(viewsArgs, "-o", "set")...).Want(t, cli.Done)
	scene := filepath.Join(dir, "set", "train", "000000")
	e := readEntries(t, scene)
	hidden := 0
	for k := range 6 {
		name := fmt.Sprintf("%06d", k)
		steps := grey(t, filepath.Join(scene, "depth", name+".png"))
		covered := grey(t, filepath.Join(scene, "coverage", name+".png"))
		shown := make([]int, len(steps)) // 1 + the number of the visible object, or 0
		for object := range 2 {
			file := fmt.Sprintf("%s_%06d.png", name, object)
			all, part := grey(t, filepath.Join(scene, "mask", file)), grey(t, filepath.Join(scene, "mask_visib", file))
			nAll, nPart := 0, 0
			for i := range all {
				if part[i] > all[i] || part[i] > 0 && (shown[i] > 0 || steps[i] == 0 || covered[i] == 0) {
					t.Fatalf("view %d: pixel %d of object %d", k, i, object)
				}
				if part[i] > 0 {
					nPart++
					shown[i] = 1 + object
				}
				nAll += all[i] / 65535
			}
			info := e.info[fmt.Sprint(k)][object]
			if info.All != nAll || info.Shown != nPart || nPart == 0 {
				t.Errorf("view %d, object %d: %+v, and masks of %d and %d pixels", k, object, info, nAll, nPart)
			}
			hidden += nAll - nPart
		}
		c := e.camera[fmt.Sprint(k)]
		for i, s := range steps {
			if (s > 0) != (shown[i] > 0) {
				t.Fatalf("view %d: pixel %d has depth %d and object %d", k, i, s, shown[i])
			}
			if s == 0 {
				continue
			}
			z := float64(s) * c.Scale
			in := [3]float64{(float64(i%80) - c.K[2]) / c.K[0] * z, (float64(i/80) - c.K[5]) / c.K[4] * z, z}
			far := 0.0 // largest distance from the middle of the cube along an axis
			for axis := range 3 {
				x := 0.0
				for row := range 3 {
					x += c.R[3*row+axis] * (in[row] - c.T[row])
				}
				if shown[i] == 2 && axis == 0 {
					x -= 1.6
				}
				far = max(far, math.Abs(x))
			}
			if want := []float64{1, 0.5}[shown[i]-1]; math.Abs(far-want) > 2*c.Scale {
				t.Fatalf("view %d: pixel %d is %v from the middle of cube %d, want %v", k, i, far, shown[i]-1, want)
			}
		}
	}
	if hidden == 0 {
		t.Error("nothing is hidden in any view")
	}
	if n := len(e.coco.Annotations); n != 12 {
		t.Errorf("%d annotations", n)
	}
	for _, a := range e.coco.Annotations {
		area, pixels := 0, 0
		for i, run := range a.Segmentation.Counts {
			area, pixels = area+i%2*run, pixels+run
		}
		if info := e.info[fmt.Sprint(a.Image)][a.Category-1]; area != a.Area || info.Shown != area || pixels != 80*60 {
			t.Errorf("%+v: an area of %d, %d pixels", a, area, pixels)
		}
	}
}

// TestViewsByWorkers checks that the files do not depend on the number of workers.
func TestViewsByWorkers(t *testing.T) {
	dir := t.TempDir()
	for _, workers := range []string{"1", "3"} {
		run(t, dir, "", append(viewsArgs, "--workers", workers, "-o", "by"+workers)...).Want(t, cli.Done)
	}
	files := 0
	err := filepath.WalkDir(filepath.Join(dir, "by1"), func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		files++
		if one, three := clitest.Read(t, path), clitest.Read(t, strings.Replace(path, "by1", "by3", 1)); string(one) != string(three) {
			t.Errorf("%s depends on the workers", path)
		}
		return nil
	})
	if want := 6*(7+2*2) + 6 + 2; err != nil || files != want {
		t.Errorf("%d files, want %d (%v)", files, want, err)
	}
}

// TestViewsOfMaterials draws a data set of a mesh with a material. Its model must be a whole mesh file.
func TestViewsOfMaterials(t *testing.T) {
	dir := t.TempDir()
	clitest.Write(t, filepath.Join(dir, "a.mtl"), "newmtl red\nKd 1 0 0\n")
	clitest.Write(t, filepath.Join(dir, "a.obj"), "mtllib a.mtl\nv 0 0 0\nv 2 0 0\nv 0 1 0\nv 0 0 1\nusemtl red\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n")
	run(t, dir, "", "animate", "a.obj", "--views", "2", "-s", "40x30", "-o", "set").Want(t, cli.Done)
	r := run(t, dir, "", "info", "--json", filepath.Join("set", "models", "obj_000001.ply"))
	if r.Want(t, cli.Done); !strings.Contains(r.Stdout, `"triangles":4,`) || !strings.Contains(r.Stdout, `"max":[2,1,1]`) {
		t.Errorf("the model: %s", r.Stdout)
	}
}

// TestViewsMasks draws data sets of parts that are cut out by a texture, half clear, or glass. Where an object would be
// if it were alone, either it must be visible, or another object.
func TestViewsMasks(t *testing.T) {
	dir := t.TempDir()
	m := image.NewNRGBA(image.Rect(0, 0, 4, 4))
	for i := range 16 {
		m.SetNRGBA(i%4, i/4, color.NRGBA{255, 255, 255, uint8(255 * ((i + i/4) % 2))})
	}
	var picture strings.Builder
	if err := png.Encode(&picture, m); err != nil {
		t.Fatal(err)
	}
	clitest.Write(t, filepath.Join(dir, "a.png"), picture.String())
	clitest.Write(t, filepath.Join(dir, "cut.mtl"), "newmtl other\nKd 1 0 0\nnewmtl own\nmap_Kd a.png\nmap_d a.png\n")
	clitest.Write(t, filepath.Join(dir, "half.mtl"), "newmtl other\nKd 1 0 0\nnewmtl own\nd 0.4\n")
	for _, name := range []string{"cut", "half"} {
		clitest.Write(t, filepath.Join(dir, name+".obj"), "mtllib "+name+`.mtl
v -1 0 -1
v 1 0 -1
v 1 0 1
v -1 0 1
v -1 0.5 0
v 1 0.5 0
v 1 0.5 2
v -1 0.5 2
vt 0 0
vt 1 0
vt 1 1
vt 0 1
o first
usemtl other
f 1/1 2/2 3/3 4/4
o second
usemtl own
f 5/1 6/2 7/3 8/4
`)
	}
	for _, c := range []struct {
		name  string
		args  []string
		least float64 // limits of the part of the second object's box that its mask covers in the view that shows most of it
		most  float64
	}{
		{"cut", []string{"cut.obj"}, 0.4, 0.6},
		{"cut by normals", []string{"cut.obj", "--shading", "smooth"}, 0.4, 0.6},
		{"half clear", []string{"half.obj"}, 0.3, 0.5},
		{"whole under a headlight", []string{"cut.obj", "--light", "headlight"}, 0.9, 1},
		{"whole in one colour", []string{"cut.obj", "--color", "red"}, 0.9, 1},
		{"glass", append(slices.Clone(viewsArgs[1:4]), "--material", "glass"), 0.01, 1},
	} {
		run(t, dir, "", append(append([]string{"animate"}, c.args...), "--views", "9", "--view", "0,0", "-s", "80x60", "-o", c.name)...).Want(t, cli.Done)
		scene := filepath.Join(dir, c.name, "train", "000000")
		hidden, largest := 0, 0.0
		for k := range 9 {
			masks := func(kind string, object int) []int {
				return grey(t, filepath.Join(scene, kind, fmt.Sprintf("%06d_%06d.png", k, object)))
			}
			seen := [2][]int{masks("mask_visib", 0), masks("mask_visib", 1)}
			for object := range 2 {
				n, box := 0, image.Rectangle{}
				for i, v := range masks("mask", object) {
					switch {
					case v == 0 && seen[object][i] > 0, v > 0 && seen[0][i]+seen[1][i] == 0:
						t.Fatalf("%s: view %d, object %d, pixel %d: mask %d, visible %d and %d", c.name, k, object, i, v, seen[0][i], seen[1][i])
					case v > 0:
						n, box = n+1, box.Union(image.Rect(i%80, i/80, i%80+1, i/80+1))
					}
					hidden += (v - seen[object][i]) / 65535
				}
				if object == 1 && box.Dx()*box.Dy() > 400 {
					largest = max(largest, float64(n)/float64(box.Dx()*box.Dy()))
				}
			}
		}
		if hidden == 0 || !(c.least <= largest && largest <= c.most) {
			t.Errorf("%s: %d pixels are hidden, and the mask covers at most %v of its box", c.name, hidden, largest)
		}
	}
}

// TestViewsFaults checks that flags which no data set can have are refused.
func TestViewsFaults(t *testing.T) {
	dir, mesh := clitest.CubeFile(t)
	for flags, says := range map[string]string{
		"-o set.gif":                             "expected -o DIR",
		"-o set/####.png":                        "expected -o DIR",
		"":                                       "-o DIR is missing",
		"-o s --orbit":                           "--orbit",
		"-o s --frames 3":                        "--frames 3",
		"-o s --eye 1,2,3":                       "--eye",
		"-o s --projection orthographic":         "perspective",
		"-o s --crop 1,2,3x4":                    "--crop",
		"-o s --resume":                          "--resume",
		"-o s scene:cube":                        "one mesh",
		"-o s --record-loads l.json":             "--record-loads",
		"-o s --frames 0":                        "--frames",
		"-o s --only 7":                          "no parts",
		"-o s --max-memory 10":                   "memory",
		"-o s --fit tight --views 0 --turntable": "--views",
	} {
		r := run(t, dir, "", append([]string{"animate", mesh, "--views", "2", "-s", "16"}, strings.Fields(flags)...)...)
		if r.Code == int(cli.Done) || !strings.Contains(r.Stderr, says) {
			t.Errorf("%s: %d, %q, want %q", flags, r.Code, r.Stderr, says)
		}
	}
	run(t, dir, "", "animate", mesh, "--views", "2", "-s", "16", "--cull", "none", "--clip-box", "900,900,900,901,901,901", "-o", "none").Want(t, cli.Blank)
	// A data set may have any look.
	run(t, dir, "", "animate", mesh, "--views", "2", "-s", "16", "--light", "headlight", "-o", "head").Want(t, cli.Done)
	run(t, dir, "", "animate", mesh, "--views", "2", "-s", "16", "--fast", "--dump-recipe").Want(t, cli.Done)
}

// TestViewsReader reads a data set with the program in the documentation.
func TestViewsReader(t *testing.T) {
	python := ""
	for _, name := range []string{"python3", "/usr/bin/python3"} {
		if exec.Command(name, "-c", "import numpy, PIL").Run() == nil {
			python = name
			break
		}
	}
	if python == "" {
		t.Skip("there is no python3 with numpy and Pillow")
	}
	_, code, found := strings.Cut(string(clitest.Read(t, "../../docs/datasets.md")), "```python\n")
	if !found {
		t.Fatal("docs/datasets.md has no reader")
	}
	code, _, _ = strings.Cut(code, "```")
	dir := t.TempDir()
	run(t, dir, "", append(viewsArgs, "-o", "set")...).Want(t, cli.Done)
	clitest.Write(t, filepath.Join(dir, "reader.py"), code)
	clitest.Write(t, filepath.Join(dir, "use.py"), `
import numpy as np
from reader import views
n = 0
for v in views("set"):
    y, x = np.nonzero(np.isfinite(v["depth"]))
    pixels = np.stack([x, y, np.ones_like(x)]) * v["depth"][y, x]
    points = v["R"].T @ (np.linalg.inv(v["K"]) @ pixels - v["t"][:, None])
    part = v["parts"][y, x]
    points[0] -= 1.6 * part
    assert np.allclose(np.abs(points).max(axis=0), np.where(part == 1, 0.5, 1), atol=5e-4)
    assert (v["parts"] == 0).sum() == v["masks"][0].sum() and (v["parts"] == 1).sum() == v["masks"][1].sum()
    assert v["rgb"].shape == (60, 80, 3) and 0 <= v["coverage"].min() and v["coverage"].max() == 1
    assert v["triangles"].min() == -1 and 12 <= v["triangles"].max() < 24
    assert np.allclose(np.linalg.norm(v["normals"][y, x], axis=1), 1, atol=0.02)
    n += 1
print(n, "views")
`)
	cmd := exec.Command(python, "use.py")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil || string(out) != "6 views\n" {
		t.Errorf("%v: %s", err, out)
	}
}
