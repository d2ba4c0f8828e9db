package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestResumeSeesFlags draws a frame with one value of a flag and goes on with another: the
// frame is drawn anew wherever the flag changes it.
func TestResumeSeesFlags(t *testing.T) {
	dir := meshFiles(t, "a.stl", "other.stl")
	write(t, filepath.Join(dir, "wave.ply"), string(read(t, "../../testdata/wave.ply")))
	for _, c := range []string{
		"--label A|--label B|",
		"--edges --line-color red|--edges --line-color blue|--edges",
		"--edges --line-width 1|--edges --line-width 5|--edges",
		"--edges --crease 10|--edges --crease 95|",
		"--crop 0,0,24x20|--crop 20,15,24x20|",
		"--add other.stl:move=9,0,0|--add other.stl:move=0,0,9|",
		"--section z=5|--section z=7|--section z=5 --section-color lime|--section z=5 --section-color open",
		"--clip-box 0,0,0,5,5,15|--clip-box 0,0,0,5,5,14|",
		"--ground|--axes|--bounds|--scale-bar|--wireframe|",
		"--color red|--color blue|--color facing|",
		"--up y|--up x|--view 10,10|--zoom 2|--fov 60|--projection orthographic|",
		"--light headlight|--occlusion off|--shading flat|--samples 16|--cull front|--fit box|--background none|--fast|",
		"wave.ply --field height|wave.ply --field height --colormap plasma|wave.ply --field height --range 0,1|wave.ply --field height --legend|wave.ply",
	} {
		previous := ""
		for flags := range strings.SplitSeq(c, "|") {
			args := strings.Fields(flags)
			if !strings.HasPrefix(flags, "wave") {
				args = append(args, "a.stl")
			}
			args = append(args, "-q", "-s", "64x48", "--turntable", "--frames", "1")
			// One folder for all values, and one of its own.
			run(t, dir, "", append([]string{"animate", "-o", "kept/f####.png", "--resume"}, args...)...).want(t, exitDone)
			run(t, dir, "", append([]string{"animate", "-o", "own/f####.png"}, args...)...).want(t, exitDone)
			if !samePixels(pictureFile(t, dir, "kept/f0000.png"), pictureFile(t, dir, "own/f0000.png")) {
				t.Errorf("%q after %q: the frame was not drawn anew", flags, previous)
			}
			previous = flags
		}
	}
}

// TestCameraOfAnyPicture draws a picture again with --camera PICTURE: both are the same, whichever
// flags set the camera of the first.
func TestCameraOfAnyPicture(t *testing.T) {
	dir := meshFiles(t, "a.stl")
	write(t, filepath.Join(dir, "wide.json"), `{"eye":[50,40,30],"target":[0,0,10],"fov":70,"zoom":1.3}`)
	write(t, filepath.Join(dir, "parallel.json"), `{"eye":[50,40,30],"target":[0,0,10],"projection":"orthographic","height":40}`)
	for _, flags := range []string{"--view 70,-35 --zoom 1.7 --fov 50", "--projection orthographic", "--camera wide.json", "--camera parallel.json", "--eye 60,50,40 --fov 40"} {
		draw := func(name string, more ...string) {
			run(t, dir, "", append([]string{"a.stl", "-q", "-s", "60x40", "-o", name}, more...)...).want(t, exitDone)
		}
		draw("whole.png", strings.Fields(flags)...)
		draw("part.png", append(strings.Fields(flags), "--crop", "15,5,30x25")...)
		for _, from := range []string{"whole.png", "part.png"} {
			draw("again.png", "--camera", from)
			draw("twice.png", "--camera", "again.png")
			for _, name := range []string{"again.png", "twice.png"} {
				if !samePixels(pictureFile(t, dir, "whole.png"), pictureFile(t, dir, name)) {
					t.Errorf("%s: %s by the camera of %s shows something else", flags, name, from)
				}
			}
		}
	}
	write(t, filepath.Join(dir, "keys.json"), `[{"frame":0,"eye":[50,40,30],"target":[0,0,10],"fov":20},{"frame":2,"eye":[50,40,30],"target":[0,0,10],"fov":60}]`)
	run(t, dir, "", "animate", "a.stl", "-q", "-s", "60x40", "--keyframes", "keys.json", "--frames", "3", "-o", "k#.png").want(t, exitDone)
	for _, name := range []string{"k0.png", "k1.png", "k2.png"} {
		run(t, dir, "", "a.stl", "-q", "-s", "60x40", "--fit", "box", "--camera", name, "-o", "again.png").want(t, exitDone)
		if !samePixels(pictureFile(t, dir, name), pictureFile(t, dir, "again.png")) {
			t.Errorf("by the camera of %s: another picture", name)
		}
	}
}
