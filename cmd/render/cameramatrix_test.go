package main

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"lockstep/internal/cli"
	"lockstep/internal/clitest"
)

// TestCameraJSON checks that a written camera can be read again, from its points or from its matrices alone.
func TestCameraJSON(t *testing.T) {
	dir, mesh := clitest.CubeFile(t)
	for _, flags := range [][]string{{"--view", "40,25"}, {"--projection", "orthographic", "--view", "-20,10"}, {"--eye", "40,50,60", "--camera-shift", "0.1,-0.2", "--camera-up", "0.1,0,1"}} {
		args := plainly(append([]string{mesh, "-s", "90x60"}, flags...)...)
		run(t, dir, "", append(args, "-o", "a.png", "--camera-json", "a.json")...).Want(t, cli.Done)
		var all map[string]any
		if err := json.Unmarshal(clitest.Read(t, filepath.Join(dir, "a.json")), &all); err != nil {
			t.Fatal(err)
		}
		matrices := map[string]any{"projection": all["projection"]}
		for _, key := range []string{"size", "K", "R", "t"} {
			matrices[key] = all[key]
		}
		text, _ := json.Marshal(matrices)
		clitest.Write(t, filepath.Join(dir, "m.json"), string(text))
		k := all["K"].([]any)
		row := func(i, j int) float64 { return k[i].([]any)[j].(float64) }
		delete(matrices, "K")
		matrices["fx"], matrices["fy"], matrices["cx"], matrices["cy"] = row(0, 0), row(1, 1), row(0, 2), row(1, 2)
		text, _ = json.Marshal(matrices)
		clitest.Write(t, filepath.Join(dir, "f.json"), string(text))
		want := pictureFile(t, dir, "a.png")
		for _, name := range []string{"a.json", "m.json", "f.json"} {
			run(t, dir, "", plainly(mesh, "-s", "90x60", "--camera", name, "-o", "b.png")...).Want(t, cli.Done)
			if !samePixels(pictureFile(t, dir, "b.png"), want) {
				t.Errorf("%v: another picture by %s", flags, name)
			}
		}
		run(t, dir, "", plainly(mesh, "-s", "90x60", "--camera", "a.png", "-o", "b.png")...).Want(t, cli.Done)
		if !samePixels(pictureFile(t, dir, "b.png"), want) {
			t.Errorf("%v: another picture by the camera of the picture", flags)
		}
	}
	run(t, dir, "", plainly(mesh, "-o", "-", "--format", "png", "--camera-json", "a.json", "--contact-sheet", "4")...).Want(t, cli.Usage, "--camera-json")
	for text, word := range map[string]string{
		`{"K":[[9,0,9],[0,9,9],[0,0,1]],"R":[[1,0,0],[0,0,-1],[0,1,0]],"t":[0,0,9]}`:                               "size",
		`{"size":[9,9],"K":[[9,0,9],[0,9,9],[0,0,1]]}`:                                                             "R and t",
		`{"size":[9,9],"fx":9,"fy":9,"R":[[1,0,0],[0,0,-1],[0,1,0]],"t":[0,0,9]}`:                                  "fx, fy, cx and cy",
		`{"size":[9,9],"fx":9,"fy":8,"cx":4,"cy":4,"R":[[1,0,0],[0,0,-1],[0,1,0]],"t":[0,0,9]}`:                    "square",
		`{"size":[9,9],"fx":9,"fy":9,"cx":4,"cy":4,"R":[[1,0,0],[0,0,-1],[0,1,1]],"t":[0,0,9]}`:                    "rotation",
		`{"size":[9,9],"fx":9,"fy":9,"cx":4,"cy":4,"R":[[1,0,0],[0,0,-1],[0,1,0]],"t":[0,0,9],"distortion":[0.1]}`: "distortion",
	} {
		clitest.Write(t, filepath.Join(dir, "bad.json"), text)
		run(t, dir, "", mesh, "-o", "b.png", "--camera", "bad.json").Want(t, cli.Input, "bad.json", word)
	}
}
