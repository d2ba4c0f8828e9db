package main

import (
	"fmt"
	"path/filepath"
	"testing"

	"lockstep/internal/cli"
	"lockstep/internal/clitest"
)

// TestAnimateDefaults draws films without a motion, without a number of frames, or without both.
func TestAnimateDefaults(t *testing.T) {
	dir, mesh := clitest.CubeFile(t)
	run(t, dir, "", "animate", mesh, "-s", "16", "--fast", "-o", "all/").Want(t, cli.Done)
	wantCount(t, dir, "all/cube_*.png", 72)
	run(t, dir, "", "animate", mesh, "-s", "16", "--fast", "--turntable", "--frames", "72", "-o", "said/").Want(t, cli.Done)
	for _, k := range []int{0, 1, 35, 71} {
		name := fmt.Sprintf("cube_%04d.png", k)
		if !samePixels(pictureFile(t, dir, "all/"+name), pictureFile(t, dir, "said/"+name)) {
			t.Errorf("%s is no frame of a turntable of 72 frames", name)
		}
	}
	run(t, dir, "", "animate", mesh, "-s", "16", "--fast", "--frames", "2", "-o", "two/").Want(t, cli.Done)
	wantCount(t, dir, "two/*", 2)
	run(t, dir, "", "animate", mesh, "-s", "16", "--fast", "--orbit", "-o", "orbit/").Want(t, cli.Done)
	wantCount(t, dir, "orbit/*", 72)
	if samePixels(pictureFile(t, dir, "orbit/cube_0035.png"), pictureFile(t, dir, "all/cube_0035.png")) {
		t.Error("an orbit without --frames is a turntable")
	}
	run(t, dir, "", "animate", mesh, mesh, "-s", "16", "--fast", "-o", "series/").Want(t, cli.Done)
	wantCount(t, dir, "series/*", 2)
}

// TestKeyframesSayFrames checks that the number of frames follows from the last keyframe.
func TestKeyframesSayFrames(t *testing.T) {
	dir, mesh := clitest.CubeFile(t)
	clitest.Write(t, filepath.Join(dir, "k.json"), `[{"frame":0,"eye":[50,40,30]},{"frame":4,"eye":[60,10,30]}]`)
	run(t, dir, "", "animate", mesh, "-s", "16", "--fast", "--keyframes", "k.json", "-o", "out/").Want(t, cli.Done)
	wantCount(t, dir, "out/*", 5)
	run(t, dir, "", "animate", mesh, "-s", "16", "--fast", "--keyframes", "k.json", "--frames", "2", "-o", "fewer/").Want(t, cli.Done)
	wantCount(t, dir, "fewer/*", 2)
	for text, says := range map[string]string{
		`[{"frame":1e9,"eye":[1,2,3]}]`: "k.json: ", `[{"frame":1000000,"eye":[1,2,3]}]`: "keyframe 1: frame 1000000: expected 0 to 999999", `[]`: "k.json: ", `[{"frame":-1,"eye":[1,2,3]}]`: "k.json: ",
	} {
		clitest.Write(t, filepath.Join(dir, "k.json"), text)
		run(t, dir, "", "animate", mesh, "-s", "16", "--keyframes", "k.json", "-o", "none/").Want(t, cli.Input, says)
		wantCount(t, dir, "none/*", 0)
	}
}
