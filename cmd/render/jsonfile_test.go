package main

import (
	"path/filepath"
	"strings"
	"testing"

	"lockstep/internal/cli"
	"lockstep/internal/clitest"
)

// TestDamagedCameras checks the messages about damaged cameras and keyframes. A message must contain the name of the
// file and the position of the fault, and no terms of Go.
func TestDamagedCameras(t *testing.T) {
	dir := t.TempDir()
	camera := func(text string, words ...string) {
		t.Helper()
		clitest.Write(t, filepath.Join(dir, "c.json"), text)
		r := run(t, dir, "", "-s", "16", "-o", "a.png", "--camera", "c.json", "scene:cube")
		if words == nil {
			r.Want(t, cli.Done)
			return
		}
		r.Want(t, cli.Input, append(words, "c.json")...)
		refuseWords(t, r.Stderr, "Go ", "main.", " json:")
	}
	camera(`{"eye":[9,9,9],"target":[0,0,0]}` + "\n\n")
	camera(`{"eye":[9,9],"target":[0,0,0]}`, "three numbers")
	camera(`{"eye":[9,9,9,9],"target":[0,0,0]}`, "three numbers")
	camera(`{"eye":[9,9,null],"target":[0,0,0]}`, "three numbers")
	camera(`{"eye":[9,9,1e999],"target":[0,0,0]}`, "three numbers")
	camera(`{"eye":[9,9,9]}`, "expected eye and target")
	camera(`{"eye":[9,9,9],"target":[0,0,0]} more`, "line 1, column 33", "nothing more")
	camera(`{"eye":[9,9,9],"target":[0,0,0]}{}`, "nothing more")
	camera("{\n \"eye\":[9,9,9],\n \"fov\":\"wide\"}", "line 3", "fov", "string")
	camera("{\n oops", "line 2, column 2")
	camera(`{"eye":[9,9,9],"target":`, "ends too early")
	camera("", "ends too early")
	camera("[]", "array")
	camera(`{"eye":[9,9,9],"target":[0,0,0],"roll":1}`, "roll")
	camera(`{"eye":[9,9,9],"target":[0,0,0],"up":[1,1,1]}`, "up is along the view")
	camera(`{"eye":[1,1,1],"target":[1,1,1]}`, "one point")

	keys := func(text string, words ...string) {
		t.Helper()
		clitest.Write(t, filepath.Join(dir, "k.json"), text)
		r := run(t, dir, "", "animate", "-s", "16", "--frames", "2", "-o", "a.png", "--keyframes", "k.json", "scene:cube")
		if words == nil {
			r.Want(t, cli.Done)
			return
		}
		r.Want(t, cli.Input, append(words, "k.json")...)
		refuseWords(t, r.Stderr, "Go ", "main.", " json:")
	}
	keys(`[{"frame":0,"eye":[9,9,9],"target":[0,0,0]}]`)
	keys(`[{"frame":0,"eye":[9,9,9]}]`)
	keys(`[{"frame":0,"target":[0,0,0]}]`, "keyframe 1", "an eye")
	keys(`[{"frame":0,"eye":[9,9],"target":[0,0,0]}]`, "three numbers")
	keys(`[{"frame":0,"eye":[9,9,9],"target":[0,0,0]}]x`, "nothing more")
	keys(`{"frame":0}`, "object")
	keys(`[`, "ends too early")
}

// refuseWords reports words that a message must not contain.
func refuseWords(t *testing.T, message string, words ...string) {
	t.Helper()
	for _, w := range words {
		if strings.Contains(message, w) {
			t.Errorf("%q in: %s", w, message)
		}
	}
}
