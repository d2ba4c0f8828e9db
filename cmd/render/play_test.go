package main

import (
	"path/filepath"
	"strings"
	"testing"

	"lockstep/internal/cli"
	"lockstep/internal/clitest"
)

// TestPlay plays a clip with a fixed camera, and draws pictures at single times of it.
func TestPlay(t *testing.T) {
	dir := t.TempDir()
	clitest.Write(t, filepath.Join(dir, "a.gltf"), clitest.SlidingSquare())
	look := []string{"-s", "120x60", "--view", "front", "--background", "white", "--no-ground", "--shading", "flat"}
	run(t, dir, "", append([]string{"animate", "--clip", "slide", "--frames", "4", "a.gltf", "-o", "out"}, look...)...).Want(t, cli.Done)
	last, camera := 0, ""
	for k, name := range clitest.Files(t, filepath.Join(dir, "out")) {
		path := filepath.Join(dir, "out", name)
		at, n := middle(t, path)
		text := texts(t, clitest.Read(t, path))
		if k > 0 && at < last+20 || n < 100 || k > 0 && text["Camera"] != camera {
			t.Errorf("frame %d: %d pixels around column %d, the frame before around %d; camera %s", k, n, at, last, text["Camera"])
		}
		if want := `"clip":"slide","time":` + []string{"0", "1", "2", "3"}[k] + `,`; !strings.Contains(text["Recipe"], want) {
			t.Errorf("frame %d: the recipe %s, expected %s", k, text["Recipe"], want)
		}
		last, camera = at, text["Camera"]
	}
	clitest.WantFiles(t, filepath.Join(dir, "out"), "a_0000.png", "a_0001.png", "a_0002.png", "a_0003.png")
	// A picture at a single time equals the frame at that time, with the same camera. Frames are the same if meshes are
	// read again for lack of memory.
	eye := strings.Fields(strings.ReplaceAll(camera, "eye=", ""))[0]
	place := []string{"--eye", eye, "--target", strings.TrimPrefix(strings.Fields(camera)[1], "target=")}
	run(t, dir, "", append(append([]string{"--time", "3s", "a.gltf", "-o", "three.png", "--samples", "4"}, place...), look[0], look[1], look[4], look[5], look[6], look[7], look[8])...).Want(t, cli.Done)
	if at, _ := middle(t, filepath.Join(dir, "three.png")); at != last {
		t.Errorf("at 3 seconds around column %d, on the frame around %d", at, last)
	}
	for out, most := range map[string]string{"kept": "1G", "again": "6500"} { // 6500 bytes suffice for some of the meshes
		run(t, dir, "", "animate", "--clip", "slide", "--frames", "120", "--max-memory", most, "a.gltf", "-o", out, "-s", "40x20", "--fast").Want(t, cli.Done)
	}
	for _, name := range clitest.Files(t, filepath.Join(dir, "kept")) {
		if a, b := clitest.Read(t, filepath.Join(dir, "kept", name)), clitest.Read(t, filepath.Join(dir, "again", name)); string(a) != string(b) {
			t.Errorf("%s differs where meshes are read again", name)
		}
	}
	r := run(t, dir, "", "info", "a.gltf")
	r.Want(t, cli.Done)
	if !strings.Contains(r.Stdout, "\"slide\", 4 seconds\n") {
		t.Errorf("info says %s", r.Stdout)
	}
	r = run(t, dir, "", "info", "--time", "2", "--json", "a.gltf")
	if r.Want(t, cli.Done); !strings.Contains(r.Stdout, `"min":[4,0,0]`) || !strings.Contains(r.Stdout, `"clips":[{"name":"slide","seconds":4},{"name":""}]`) {
		t.Errorf("info says %s", r.Stdout)
	}
}

// TestPlayRefused checks that a message lists the clips of a file, and that flags which contradict clips are refused.
func TestPlayRefused(t *testing.T) {
	dir, cube := clitest.CubeFile(t)
	clitest.Write(t, filepath.Join(dir, "a.gltf"), clitest.SlidingSquare())
	run(t, dir, "", "--clip", "jump", "a.gltf", "-s", "16").Want(t, cli.Usage, `a.gltf: --clip "jump": expected slide or 2`)
	run(t, dir, "", "animate", "--clip", "3", "a.gltf", "-s", "16", "-o", "x").Want(t, cli.Usage, "expected slide or 2")
	run(t, dir, "", "animate", "--clip", "1", cube, "-s", "16", "-o", "x").Want(t, cli.Input, "no animation of the file is known")
	run(t, dir, "", "--time", "1", cube, "-s", "16", "-o", "x.png").Want(t, cli.Done, "--time is ignored: no animation")
	run(t, dir, "", "--time", "-1", "a.gltf").Want(t, cli.Usage, "expected seconds")
	for line, says := range map[string]string{
		"a.gltf b.gltf":           "several",
		"a.gltf --views 3":        "--time beside --clip",
		"a.gltf --fit tight":      "--fit tight",
		"-":                       "standard input",
		"a.gltf --record-loads x": "--record-loads",
	} {
		run(t, dir, "", append([]string{"animate", "--clip", "1", "-s", "16", "-o", "x"}, strings.Fields(line)...)...).Want(t, cli.Usage, says)
	}
	r := run(t, dir, "", "animate", "--clip", "1", "--time", "2", "--frames", "2", "a.gltf", "-s", "16", "-o", "turn")
	r.Want(t, cli.Done)
	clitest.WantFiles(t, filepath.Join(dir, "turn"), "a_0000.png", "a_0001.png")
}
