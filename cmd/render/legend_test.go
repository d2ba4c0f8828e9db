package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"lockstep/internal/cli"
	"lockstep/internal/clitest"
	"lockstep/render/annotate"
)

// TestLegendLeavesMesh checks the part of a picture to the left of its legend. Except for the rounding of corners, it
// must equal a picture of that size without a legend, for every type of camera.
func TestLegendLeavesMesh(t *testing.T) {
	dir := t.TempDir()
	clitest.Write(t, filepath.Join(dir, "wave.ply"), string(clitest.Read(t, "../../testdata/wave.ply")))
	clitest.Write(t, filepath.Join(dir, "low.ply"), strings.ReplaceAll(string(clitest.Read(t, "../../testdata/wave.ply")), "0.584", "12345"))
	clitest.Write(t, filepath.Join(dir, "keys.json"), `[{"frame":0,"eye":[6,-7,4]},{"frame":2,"eye":[-6,-7,4]}]`)
	width := func(high float64, height int) int {
		w, err := (&annotate.Legend{Title: "height", Low: -0.301, High: high}).Width(320, height)
		if err != nil || w < 40 || w > 120 {
			t.Fatal(w, err)
		}
		return w
	}
	usual, series := width(0.584, 180), width(12345, 180)
	for _, c := range []struct {
		flags string
		width int
		frame string
	}{
		{"-o NAME.png", usual, ""},
		{"-o NAME.png --fit box --projection orthographic", usual, ""},
		{"-o NAME.png --eye 6,-7,4 --target 0,0,0", usual, ""},
		{"-o NAME/", usual, "/wave"},
		{"-o NAME.png --crop 0,10,200x150", usual, ""},
		{"animate --turntable --frames 3 -o NAME#.png", usual, "1"},
		{"animate --turntable --frames 3 --crop 0,10,200x150 -o NAME#.png", usual, "1"},
		{"animate --orbit --frames 3 -o NAME#.png", usual, "1"},
		{"animate --flyby --frames 3 -o NAME#.png", usual, "1"},
		{"animate --keyframes keys.json --frames 3 -o NAME#.png", usual, "1"},
		{"animate --turntable --eye 6,-7,4 --frames 3 -o NAME#.png", usual, "1"},
		{"animate low.ply -o NAME#.png", series, "0"},
	} {
		draw := func(name, size string, more ...string) string {
			args := append(strings.Fields(strings.ReplaceAll(c.flags, "NAME", name)), "wave.ply", "--field", "height", "--occlusion", "off", "-q", "--workers", "1", "-s", size)
			run(t, dir, "", append(args, more...)...).Want(t, cli.Done)
			return name + c.frame + ".png"
		}
		got := pictureFile(t, dir, draw("got", "320x180", "--legend"))
		left := 320 - c.width
		want := pictureFile(t, dir, draw("want", fmt.Sprintf("%dx180", left)))
		if strings.Contains(c.flags, "--crop") {
			left = 200
		}
		differ, shown := 0, 0
		for y := range want.Bounds().Dy() {
			for x := range left {
				if got.At(x, y) != want.At(x, y) {
					differ++
				}
				if want.At(x, y) != want.At(0, 0) {
					shown++
				}
			}
		}
		if differ > shown/20 || shown < 1000 {
			t.Errorf("%s: %d of %d pixels differ", c.flags, differ, shown)
		}
	}
}

// TestLegendOfNarrowPicture checks that a legend fills at most half of a picture.
func TestLegendOfNarrowPicture(t *testing.T) {
	dir := t.TempDir()
	clitest.Write(t, filepath.Join(dir, "wave.ply"), string(clitest.Read(t, "../../testdata/wave.ply")))
	run(t, dir, "", "wave.ply", "--field", "height", "--legend", "-s", "40x80", "-q", "-o", "o.png", "--coverage", "c.png").Want(t, cli.Done)
	shown := pictureFile(t, dir, "c.png")
	first, last := 40, 0
	for x := range 40 {
		for y := range 80 {
			if r, _, _, _ := shown.At(x, y).RGBA(); r > 0 {
				first, last = min(first, x), max(last, x)
			}
		}
	}
	if first > 2 || last < 17 || last > 19 {
		t.Errorf("the mesh is drawn from %d to %d", first, last)
	}
}

// TestContours checks that a larger number of contours gives more lines, and that all frames have contours. A field of
// triangles has no contours.
func TestContours(t *testing.T) {
	dir := t.TempDir()
	clitest.Write(t, filepath.Join(dir, "wave.ply"), string(clitest.Read(t, "../../testdata/wave.ply")))
	plain := []string{"wave.ply", "--field", "height", "-s", "120x90"}
	run(t, dir, "", append(plain, "-o", "none.png")...).Want(t, cli.Done)
	lines := map[string]int{}
	for _, n := range []string{"3", "12"} {
		run(t, dir, "", append(plain, "-o", "a.png", "--contours", n)...).Want(t, cli.Done)
		without, with := pictureFile(t, dir, "none.png"), pictureFile(t, dir, "a.png")
		for y := range 90 {
			for x := range 120 {
				if !sameColor(without, x, y, with, x, y) {
					lines[n]++
				}
			}
		}
	}
	if lines["3"] == 0 || lines["12"] < 2*lines["3"] {
		t.Errorf("pixels of lines: %v", lines)
	}
	run(t, dir, "", append(plain, "-o", "part.png", "--contours", "12", "--crop", "20,10,70x60")...).Want(t, cli.Done)
	whole, part := pictureFile(t, dir, "a.png"), pictureFile(t, dir, "part.png")
	for y := range 60 {
		for x := range 70 {
			if !sameColor(part, x, y, whole, 20+x, 10+y) {
				t.Fatalf("a part is another picture at %d,%d", x, y)
			}
		}
	}
	clitest.Write(t, filepath.Join(dir, "faces.ply"), "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\nelement face 1\nproperty list uchar int vertex_indices\nproperty float heat\nend_header\n0 0 0\n1 0 0\n0 0 1\n3 0 1 2 5\n")
	run(t, dir, "", "faces.ply", "--field", "heat", "--contours", "3", "-s", "20", "-o", "b.png").Want(t, cli.Usage, "--contours", "one of triangles")
}
