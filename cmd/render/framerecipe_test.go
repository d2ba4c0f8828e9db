package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lockstep/internal/cli"
	"lockstep/internal/clitest"
)

// TestFrameRecipes draws animations, and then a single picture of the recipe in each frame. The picture must have the
// pixels of the frame.
func TestFrameRecipes(t *testing.T) {
	dir := meshFiles(t, "a.stl")
	clitest.Write(t, filepath.Join(dir, "wave.ply"), string(clitest.Read(t, "../../testdata/wave.ply")))
	far := clitest.Cube([3]float32{1e6, -2e6, 3.3e5}, 8)
	clitest.Write(t, filepath.Join(dir, "far.stl"), string(clitest.STL(far)))
	clitest.Write(t, filepath.Join(dir, "keys.json"), `[{"frame": 0, "eye": [60, -50, 40], "target": [5, 5, 5]},
		{"frame": 2, "eye": [30, 70, 20], "target": [6, 4, 5], "fov": 41.3, "zoom": 1.7}, {"frame": 4, "eye": [3, 2, 90], "target": [5, 5, 6]}]`)
	for i, c := range []string{
		"a.stl --turntable",
		"a.stl --turntable --frames 7 --samples 1 --zoom 1.3 --fov 47.1 --view 12.3,45.6",
		"a.stl --turntable --view 20,90",
		"a.stl --turntable --view 20,-90 --projection orthographic",
		"a.stl --turntable --projection orthographic --fit box --samples 16",
		"a.stl --turntable --eye 70,-33,41 --camera-shift 0.05,-0.1",
		"a.stl --turntable --eye 70,-33,41 --projection orthographic --camera-height 50",
		"a.stl --orbit", "a.stl --orbit --projection orthographic", "a.stl --flyby", "a.stl --flyby --view 30,90",
		"a.stl --keyframes keys.json", "a.stl --keyframes keys.json --projection orthographic",
		"far.stl --turntable --frames 6", "far.stl --orbit --frames 6 --ground",
		"wave.ply --turntable --field height --legend",
		"scene:knot?triangles=2k --turntable --fast",
		"scene:sphere --material glass --turntable --crop 10,8,40x30",
		"a.stl --views 7",
		"far.stl --views 7 --fit box",
	} {
		args := append(strings.Fields(c), "-q", "-s", "64x48")
		if !strings.Contains(c, "--frames") && !strings.Contains(c, "--views") {
			args = append(args, "--frames", "5")
		}
		out := fmt.Sprint(i)
		frames := filepath.Join(dir, out, "f_*.png")
		if strings.Contains(c, "--views") {
			frames = filepath.Join(dir, out, "train", "000000", "rgb", "*.png")
		} else {
			out += "/f_##.png"
		}
		run(t, dir, "", append([]string{"animate", "-o", out}, args...)...).Want(t, cli.Done)
		names, err := filepath.Glob(frames)
		if err != nil || len(names) < 5 {
			t.Fatalf("%s: %d frames, %v", c, len(names), err)
		}
		for k, name := range names {
			run(t, dir, "", "--recipe", name, "-q", "-o", "again.png").Want(t, cli.Done)
			if !samePixels(pictureFile(t, dir, "again.png"), pictureFile(t, "", name)) {
				t.Errorf("%s: frame %d: its recipe gives another picture", c, k)
			}
		}
	}
}

// TestFrameRecipeResumed stops after some frames and continues. Kept and later frames must have the same text as in one
// run.
func TestFrameRecipeResumed(t *testing.T) {
	dir := meshFiles(t, "a.stl")
	args := []string{"animate", "a.stl", "-q", "-s", "64x48", "--turntable", "--frames", "6", "--resume"}
	run(t, dir, "", append(args, "-o", "whole/f_##.png")...).Want(t, cli.Done)
	run(t, dir, "", append(args, "-o", "parts/f_##.png")...).Want(t, cli.Done)
	kept := filepath.Join(dir, "parts", "f_02.png")
	before, err := os.Stat(kept)
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range []string{"01", "04"} {
		if err := os.Remove(filepath.Join(dir, "parts", "f_"+k+".png")); err != nil {
			t.Fatal(err)
		}
	}
	run(t, dir, "", append(args, "-o", "parts/f_##.png")...).Want(t, cli.Done)
	if after, err := os.Stat(kept); err != nil || !after.ModTime().Equal(before.ModTime()) {
		t.Errorf("a finished frame was drawn again: %v", err)
	}
	for k := range 6 {
		name := fmt.Sprintf("f_%02d.png", k)
		if !bytes.Equal(clitest.Read(t, filepath.Join(dir, "parts", name)), clitest.Read(t, filepath.Join(dir, "whole", name))) {
			t.Errorf("%s differs after --resume", name)
		}
		run(t, dir, "", "--recipe", "parts/"+name, "-q", "-o", "again.png").Want(t, cli.Done)
		if !samePixels(pictureFile(t, dir, "again.png"), pictureFile(t, dir, "parts/"+name)) {
			t.Errorf("%s: its recipe gives another picture", name)
		}
	}
}
