package main

import (
	"encoding/json"
	"math"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"lockstep/internal/cli"
	"lockstep/internal/clitest"
	"lockstep/scenes/load"
)

func TestInfo(t *testing.T) {
	dir := t.TempDir()
	clitest.Write(t, filepath.Join(dir, "cube.stl"), clitest.STL(clitest.Cube([3]float32{1, 2, 3}, 4)))
	r := run(t, dir, "", "info", "cube.stl")
	r.Want(t, cli.Done)
	for _, words := range []string{"cube.stl", "stl-binary", "684", "12", "-3 -2 -1 to 5 6 7", "8 x 8 x 8", "18: 0 open", "384", "512"} {
		if !strings.Contains(r.Stdout, words) {
			t.Errorf("lacks %q:\n%s", words, r.Stdout)
		}
	}
	var got meshInfo
	r = run(t, dir, "", "info", "--json", "cube.stl")
	r.Want(t, cli.Done)
	if err := json.Unmarshal([]byte(r.Stdout), &got); err != nil {
		t.Fatal(err)
	}
	want := meshInfo{
		Path: "cube.stl", Format: "stl-binary", Bytes: 684, Triangles: 12, Up: "z",
		Bounds: &boxInfo{[3]float64{-3, -2, -1}, [3]float64{5, 6, 7}, [3]float64{8, 8, 8}},
		Parts:  []partInfo{}, Fields: []fieldInfo{}, Warnings: []string{},
		Surface: &surfaceInfo{Vertices: 8, Edges: 18, Closed: true, Area: 384, Volume: new(512.0)},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestInfoOfParts(t *testing.T) {
	dir := t.TempDir()
	data := clitest.ASCIISTL("left", "right side")
	clitest.Write(t, filepath.Join(dir, "two.stl"), data+"trailing words")
	for _, args := range [][]string{{"info", "--json", "two.stl"}, {"info", "--json", "-"}} {
		r := run(t, dir, data+"trailing words", args...)
		r.Want(t, cli.Done, "warning")
		var got meshInfo
		if err := json.Unmarshal([]byte(r.Stdout), &got); err != nil {
			t.Fatal(err)
		}
		want := []partInfo{{"left", 0, 1}, {"right side", 1, 1}}
		if got.Format != "stl-ascii" || !reflect.DeepEqual(got.Parts, want) || len(got.Warnings) != 1 {
			t.Errorf("%q: %+v", args, got)
		}
	}
	run(t, dir, "", "info", "--strict", "two.stl").Want(t, cli.Input, "two.stl")
	r := run(t, dir, "", "info", "scene:sphere?triangles=1000")
	r.Want(t, cli.Done)
	if !strings.Contains(r.Stdout, "scene") {
		t.Errorf("info of a scene: %s", r.Stdout)
	}
}

// TestInfoOfSurface checks that faults of the surface are counted, and that the file's own statements are printed.
func TestInfoOfSurface(t *testing.T) {
	dir := t.TempDir()
	c := clitest.Cube([3]float32{}, 10)
	open := append(c[:11:11], c[3], clitest.Triangle{{0, 0, 0}, {1, 1, 1}, {2, 2, 2}}, clitest.Triangle{{float32(math.NaN()), 0, 0}})
	clitest.Write(t, filepath.Join(dir, "open.stl"), clitest.STL(open))
	r := run(t, dir, "", "info", "open.stl")
	r.Want(t, cli.Done, "NaN")
	for _, words := range []string{"1 with a NaN", "1 triangle without area, 1 triangle of the vertices of another", "open, ", "none: the surface is not closed", "1 fault", "-10 -10 -10 to 10 10 10"} {
		if !strings.Contains(r.Stdout, words) {
			t.Errorf("lacks %q:\n%s", words, r.Stdout)
		}
	}
	run(t, dir, "", "convert", "scene:cube", "a.stl.gz").Want(t, cli.Done)
	if r := run(t, dir, "", "info", "a.stl.gz"); !strings.Contains(r.Stdout, "stl-binary, packed by gzip") {
		t.Errorf("a packed file: %s", r.Stdout)
	}
}

func TestReadLimits(t *testing.T) {
	dir := t.TempDir()
	clitest.Write(t, filepath.Join(dir, "cube.stl"), clitest.STL(clitest.Cube([3]float32{}, 10)))
	clitest.Write(t, filepath.Join(dir, "face.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
	for args, says := range map[string]string{
		"cube.stl --max-triangles 11 -o o.png":     "cube.stl: the mesh needs at least 12 triangles, the limit is 11",
		"info cube.stl --max-triangles 11":         "the limit is 11",
		"convert scene:gear a.ply --max-memory 1k": "the limit is 1024",
		"info cube.stl --max-memory -1":            "--max-memory",
		"info cube.stl --max-triangles many":       "--max-triangles",
		"info cube.stl --format step":              "expected auto or " + strings.Join(load.Names()[:3], ", "),
		"cube.stl -o o.png --format step":          "expected auto, png, jpeg, tiff, bmp, webp, svg, pdf, or a format of meshes",
	} {
		run(t, dir, "", strings.Fields(args)...).Want(t, cli.Usage, says)
	}
	run(t, dir, "", "cube.stl", "-s", "16", "--max-triangles", "1k", "--max-memory", "1M", "--format", "stl,png", "-o", "o.dat").Want(t, cli.Done)
	run(t, dir, "", "face.obj", "-s", "16", "--format", "obj").Want(t, cli.Done)
	for _, format := range []string{"stl", "ply", "off", "glb"} {
		run(t, dir, "", "face.obj", "-s", "16", "--format", format).Want(t, cli.Input, "face.obj: ")
		run(t, dir, "", "info", "cube.stl", "--format", format)
	}
}
