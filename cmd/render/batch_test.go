package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lockstep/internal/cli"
	"lockstep/internal/clitest"
	"lockstep/internal/framename"
)

// meshFiles writes mesh files of two cubes and returns their folder. In each file, the second cube has another size.
func meshFiles(t *testing.T, names ...string) string {
	t.Helper()
	dir := t.TempDir()
	for i, name := range names {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		clitest.Write(t, path, clitest.STL(append(clitest.Cube([3]float32{}, 10), clitest.Cube([3]float32{0, 0, 20}, float32(i+1))...)))
	}
	return dir
}

// TestBatch checks that a batch draws the same picture of each mesh as a command for this mesh alone, for any number of
// workers.
func TestBatch(t *testing.T) {
	var names []string
	for i := range 12 {
		names = append(names, fmt.Sprintf("m%02d.stl", i))
	}
	dir := meshFiles(t, names...)
	args := append(slices.Clone(names), "scene:gear?teeth=9", "-s", "40x30", "--samples", "4")
	run(t, dir, "", append(args, "-o", "thumbs/")...).Want(t, cli.Done)
	run(t, dir, "", append(args, "-o", "new/one", "--workers", "1")...).Want(t, cli.Done)
	for _, mesh := range append(names, "scene:gear?teeth=9") {
		name := framename.Base(mesh) + ".png"
		run(t, dir, "", mesh, "-s", "40x30", "--samples", "4", "-o", "single.png").Want(t, cli.Done)
		if !samePixels(pictureFile(t, dir, "thumbs/"+name), pictureFile(t, dir, "single.png")) {
			t.Errorf("%s differs from the picture of the mesh alone", name)
		}
		if !bytes.Equal(clitest.Read(t, filepath.Join(dir, "thumbs", name)), clitest.Read(t, filepath.Join(dir, "new/one", name))) {
			t.Errorf("%s differs with one worker", name)
		}
	}
	wantCount(t, dir, "thumbs/*", 13)
	// The shell may expand a pattern to a single mesh.
	run(t, dir, "", "m00.stl", "-s", "16", "-o", "few/").Want(t, cli.Done)
	wantCount(t, dir, "few/m00.png", 1)
}

func wantCount(t *testing.T, dir, pattern string, n int) {
	t.Helper()
	if found, _ := filepath.Glob(filepath.Join(dir, pattern)); len(found) != n {
		t.Errorf("%s: %q, want %d", pattern, found, n)
	}
}

// TestBatchFailures checks that every failure prints one line and that the other meshes are drawn.
func TestBatchFailures(t *testing.T) {
	dir := meshFiles(t, "a.stl", "b.stl", "taken.stl")
	clitest.Write(t, filepath.Join(dir, "text.stl"), "this is no mesh")
	clitest.Write(t, filepath.Join(dir, "empty.stl"), "")
	clitest.Write(t, filepath.Join(dir, "blank.stl"), "solid\nendsolid\n")
	whole := clitest.STL(clitest.Cube([3]float32{}, 10))
	clitest.Write(t, filepath.Join(dir, "cut.stl"), whole[:len(whole)-60])
	if err := os.MkdirAll(filepath.Join(dir, "out", "taken.png"), 0o755); err != nil {
		t.Fatal(err)
	}
	args := []string{"a.stl", "text.stl", "empty.stl", "blank.stl", "cut.stl", "missing.stl", "taken.stl", "scene:nonsense", "b.stl", "-s", "16", "-o", "out"}
	r := run(t, dir, "", args...)
	r.Want(t, cli.Partial, "render: text.stl: ", "render: empty.stl: ", "render: blank.stl: ", "render: missing.stl: no such file", "taken.png: is a folder", "nonsense", "render: warning: cut.stl: ")
	if n := strings.Count(r.Stderr, "\n"); n != 7 {
		t.Errorf("%d lines, want 6 failures and a warning:\n%s", n, r.Stderr)
	}
	clitest.WantFiles(t, filepath.Join(dir, "out"), "a.png", "b.png", "cut.png", "taken.png")
	run(t, dir, "", append(args, "--strict", "--quiet")...).Want(t, cli.Partial, "render: cut.stl: ")
}

func TestBatchRefuses(t *testing.T) {
	dir := meshFiles(t, "a.stl", "b.stl", "pictures/c.stl")
	mesh := clitest.Read(t, filepath.Join(dir, "a.stl"))
	clitest.Write(t, filepath.Join(dir, "pictures/b.png"), string(mesh))
	for args, says := range map[string]string{
		"a.stl b.stl":                      "-o FOLDER/",
		"a.stl b.png":                      "b.png",
		"a.stl b.stl -o o.png":             "expected a folder",
		"a.stl b.stl -o -":                 "expected a folder",
		"a.stl - -o out":                   "standard input has no name",
		"a.stl b.stl -o out --depth d.png": "--depth",
		"a.stl b.stl -o out --trace t":     "--trace",
		"a.stl b.stl -o out --stats text":  "--stats json prints one line for each",
		"a.stl -o a.png --resume":          "--resume",
		"a.stl pictures/b.png -o pictures": "would replace a mesh",
	} {
		run(t, dir, "", strings.Fields(args)...).Want(t, cli.Usage, says)
	}
	if !bytes.Equal(clitest.Read(t, filepath.Join(dir, "pictures/b.png")), mesh) {
		t.Error("a mesh was replaced")
	}
	run(t, dir, "", "a.stl", "b.stl", "-o", "a.stl").Want(t, cli.Output, "a.stl: is not a folder")
	run(t, dir, "", "a.stl", "b.stl", "-o", "a.stl/sub/").Want(t, cli.Output)
	wantCount(t, dir, "out", 0)
}

// TestBatchResume checks that a picture is drawn again only if it is missing or incomplete, or if the mesh or the
// flags have changed.
func TestBatchResume(t *testing.T) {
	dir := meshFiles(t, "a.stl", "b.stl", "c.stl", "d.stl")
	args := []string{"a.stl", "b.stl", "c.stl", "d.stl", "-s", "20", "-o", "out", "--resume"}
	run(t, dir, "", args...).Want(t, cli.Done)
	at := func(name string) string { return filepath.Join(dir, name) }
	whole := clitest.Read(t, at("out/b.png"))
	clitest.Write(t, at("out/b.png"), string(whole[:len(whole)-5]))
	clitest.Write(t, at("c.stl"), clitest.STL(clitest.Cube([3]float32{}, 30)))
	before := map[string]os.FileInfo{}
	for _, name := range []string{"a", "b", "c", "d"} {
		before[name], _ = os.Stat(at("out/" + name + ".png"))
	}
	run(t, dir, "", args...).Want(t, cli.Done)
	for _, name := range []string{"a", "b", "c", "d"} {
		info, err := os.Stat(at("out/" + name + ".png"))
		if drawn := err != nil || !os.SameFile(info, before[name]); drawn != (name == "b" || name == "c") {
			t.Errorf("%s: drawn again: %v", name, drawn)
		}
	}
	if !bytes.Equal(clitest.Read(t, at("out/b.png")), whole) {
		t.Error("the picture that was cut is not whole again")
	}
}

// TestBatchFlags draws batches with the flags of single pictures. Each flag must have the same effect as in a picture
// of one mesh, or it must be refused.
func TestBatchFlags(t *testing.T) {
	dir := meshFiles(t, "a.stl", "b.stl", "other.stl")
	clitest.Write(t, filepath.Join(dir, "camera.json"), `{"eye":[50,40,30],"target":[0,0,10]}`)
	clitest.Write(t, filepath.Join(dir, "config.toml"), "color = \"teal\"\n")
	for _, flags := range []string{
		"--view 10,20", "--zoom 2", "--up y", "--projection orthographic", "--fov 40", "--fast", "--shading flat", "--crease 95", "--occlusion off",
		"--light headlight", "--fit box", "--color red", "--color facing", "--eye 50,50,50 --target 0,0,9", "--camera camera.json", "--section z=5",
		"--clip-box 0,0,0,5,5,15 --section-color open", "--edges --line-width 2 --line-color red", "--wireframe", "--ground", "--axes", "--bounds",
		"--scale-bar", "--label Hello", "--add other.stl:move=9,0,0", "--config config.toml", "--background none", "--cull front", "--samples 16",
		"--dpi 300", "--small", "--strict", "--max-triangles 1K", "--max-memory 1G", "--workers 3", "--isa generic", "--balance never", "--crop 5,5,20x20",
		"--trim", "--resume", "--format png,stl",
	} {
		out := "with" + strings.ReplaceAll(flags, " ", "_")
		run(t, dir, "", append([]string{"a.stl", "b.stl", "-s", "48x40", "-q", "-o", out + "/"}, strings.Fields(flags)...)...).Want(t, cli.Done)
		alone := strings.Fields(strings.ReplaceAll(flags, "--resume", ""))
		run(t, dir, "", append([]string{"b.stl", "-s", "48x40", "-q", "-o", "one.png", "--workers", "1"}, alone...)...).Want(t, cli.Done)
		if !samePixels(pictureFile(t, dir, out+"/b.png"), pictureFile(t, dir, "one.png")) {
			t.Errorf("%s: differs from the picture of the mesh alone", flags)
		}
		wantCount(t, dir, out+"/a.png", 1)
	}
	for _, flags := range []string{
		"--depth d.png", "--normals n.png", "--ids i.png", "--parts p.png", "--coverage c.png", "--trace t", "--stats text", "--explain",
		"--contact-sheet 4", "--trim --resume", "--format jpeg", "--range 0,1", "--turntable", "--frames 3",
	} {
		r := run(t, dir, "", append([]string{"a.stl", "b.stl", "-s", "16", "-o", "none/"}, strings.Fields(flags)...)...)
		if r.Want(t, cli.Usage, strings.Fields(flags)[0]); strings.Count(r.Stderr, "\n") != 1 {
			t.Errorf("%s: %q", flags, r.Stderr)
		}
		wantCount(t, dir, "none", 0)
	}
}

func TestPictureNames(t *testing.T) {
	for _, c := range []struct{ meshes, want string }{
		{"a.stl b.obj", "a b"},
		{"a.stl a.obj b.ply", "a.stl a.obj b"},
		{"x/a.stl y/a.stl", "x_a y_a"},
		{"x/a.stl y/a.stl x/a.obj", "x_a y_a a.obj"},
		{"p/x/a.stl q/x/a.stl r/y/a.stl", "p_x_a q_x_a y_a"},
		{"scene:gear scene:gear?teeth=9 gear.stl", "gear gear_teeth=9 gear.stl"},
		{".stl a.b.stl", ".stl a.b"},
	} {
		got, err := pictureNames(strings.Fields(c.meshes), "")
		for i := range got {
			got[i] = strings.TrimSuffix(got[i], ".png")
		}
		if err != nil || strings.Join(got, " ") != c.want {
			t.Errorf("%s: %q, %v, want %s", c.meshes, got, err, c.want)
		}
	}
	if got, err := pictureNames([]string{"x/a.stl", "y/a.stl", "x_a.stl"}, ""); err == nil {
		t.Errorf("names that no folder tells apart: %q", got)
	}
	// The names are different, and do not depend on the order of the meshes.
	meshes := []string{"x/a.stl", "y/a.stl", "z/x_a.stl", "z/x_a.obj", "scene:gear", "scene:gear?teeth=9", "gear.stl", "gear.png"}
	got, err := pictureNames(meshes, "d")
	if err != nil {
		t.Fatal(err)
	}
	slices.Reverse(meshes)
	reversed, _ := pictureNames(meshes, "d")
	slices.Reverse(reversed)
	if fmt.Sprint(got) != fmt.Sprint(reversed) {
		t.Errorf("%q, and in reverse %q", got, reversed)
	}
	slices.Sort(got)
	if n := len(got); len(slices.Compact(got)) != n {
		t.Errorf("%q", got)
	}
}

// TestBatchShared checks which meshes of a batch are drawn by all workers together. These must be the meshes that are
// large compared with the others.
func TestBatchShared(t *testing.T) {
	for _, c := range []struct {
		sizes []int64
		lanes int
		want  int // -1 stands for any number above 0
	}{
		{[]int64{100, 90, 80}, 2, 0},                     // all are small
		{[]int64{9 << 20, 1 << 10, 1 << 10}, 2, 1},       // one is large
		{[]int64{9 << 20, 8 << 20, 7 << 20}, 2, 3},       // few meshes
		{slices.Repeat([]int64{2 << 20}, 100), 2, 0},     // many meshes of one size
		{slices.Repeat([]int64{100 << 20}, 100), 2, 100}, // too large for two at a time
		{[]int64{9 << 20, 8 << 20}, 1, 0},
	} {
		b := batch{}
		for _, size := range c.sizes {
			b.items = append(b.items, item{cost: size})
		}
		got := b.countShared(c.lanes)
		if c.want < 0 && got > 0 || got == c.want {
			continue
		}
		t.Errorf("%v on %d lanes: %d shared, want %d", c.sizes[:3], c.lanes, got, c.want)
	}
	// The shared meshes are drawn first, then the others.
	dir := meshFiles(t, "a.stl", "b.stl")
	run(t, dir, "", "scene:bumpy?triangles=100000", "a.stl", "b.stl", "-s", "30", "-o", "out").Want(t, cli.Done)
	wantCount(t, dir, "out/*.png", 3)
}

func TestBatchProgress(t *testing.T) {
	dir := meshFiles(t, "a.stl", "b.stl")
	run(t, dir, "", "--progress", "always", "a.stl", "b.stl", "-s", "30", "-o", "out").Want(t, cli.Done, "drawing")
}
