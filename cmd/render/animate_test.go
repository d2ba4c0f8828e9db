package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"lockstep/internal/cli"
	"lockstep/internal/clitest"
	"lockstep/internal/framename"
)

func TestAnimation(t *testing.T) {
	dir, mesh := clitest.CubeFile(t)
	run(t, dir, "", append([]string{"animate", mesh, "--turntable", "--frames", "4", "-s", "80x60", "-o", "a/b"}, plain...)...).Want(t, cli.Done)
	out := filepath.Join(dir, "a", "b")
	clitest.WantFiles(t, out, "cube_0000.png", "cube_0001.png", "cube_0002.png", "cube_0003.png")
	first := picture(t, clitest.Read(t, filepath.Join(out, "cube_0000.png")))
	for k, view := range []string{"30,20", "120,20", "210,20", "300,20"} {
		data := clitest.Read(t, filepath.Join(out, clitest.Files(t, out)[k]))
		if got := texts(t, data)["Camera"]; !strings.Contains(got, " view="+view) {
			t.Errorf("frame %d: camera %q, want view %s", k, got, view)
		}
		// A cube is symmetric, so it looks the same after a quarter of a turn.
		if n := covered(picture(t, data)); n != covered(first) || n == 0 {
			t.Errorf("frame %d covers %d pixels, the first %d", k, n, covered(first))
		}
	}
	// The first frame of an animation equals the picture of the same --view.
	r := run(t, dir, "", plainly(mesh, "-s", "80x60", "-o", "-")...)
	if fmtPixels(t, r.Stdout) != fmtPixels(t, string(clitest.Read(t, filepath.Join(out, "cube_0000.png")))) {
		t.Error("the first frame is not the picture of the same view")
	}
}

// TestTurntableKeepsDistance checks that a long body turns without changing its distance from the eye.
func TestTurntableKeepsDistance(t *testing.T) {
	dir := t.TempDir()
	var bar []clitest.Triangle
	for x := float32(-9); x <= 9; x += 2 {
		bar = append(bar, clitest.Cube([3]float32{x, 0, 0}, 1)...)
	}
	clitest.Write(t, filepath.Join(dir, "bar.stl"), clitest.STL(bar))
	run(t, dir, "", "animate", "bar.stl", "--turntable", "--frames", "6", "--view", "front", "--projection", "orthographic", "-s", "100", "-o", "out", "--background", "none").Want(t, cli.Done)
	height := -1
	for _, name := range clitest.Files(t, filepath.Join(dir, "out")) {
		m := picture(t, clitest.Read(t, filepath.Join(dir, "out", name)))
		rows := 0
		for y := range 100 {
			for x := range 100 {
				if _, _, _, a := m.At(x, y).RGBA(); a > 0 {
					rows++
					break
				}
			}
		}
		if height >= 0 && rows != height {
			t.Errorf("%s: %d rows high, the first %d", name, rows, height)
		}
		height = rows
	}
}

func TestFrameNames(t *testing.T) {
	dir, mesh := clitest.CubeFile(t)
	for _, c := range []struct{ output, want string }{
		{"f_##.png", "f_00.png f_01.png"},
		{"f_######_x.png", "f_000000_x.png f_000001_x.png"},
		{"sub/f%03d.png", "sub sub/f000.png sub/f001.png"},
		{"f%d.PNG", "f0.PNG f1.PNG"},
		{"plain", "plain plain/cube_0000.png plain/cube_0001.png"},
		{"with.dot/", "with.dot with.dot/cube_0000.png with.dot/cube_0001.png"},
		{".", "cube_0000.png cube_0001.png"},
	} {
		dir := t.TempDir()
		run(t, dir, "", "animate", mesh, "--turntable", "--frames", "2", "-s", "16", "-o", c.output).Want(t, cli.Done)
		clitest.WantFiles(t, dir, strings.Fields(c.want)...)
	}
	names, err := framename.New("out", "m.stl", 20000)
	if err != nil || names.Name(7) != "out/m_00007.png" {
		t.Errorf("%v, %v", names.Name(7), err)
	}
	clitest.Write(t, filepath.Join(dir, "file"), "")
	run(t, dir, "", "animate", mesh, "--turntable", "--frames", "2", "-s", "16", "-o", "file").Want(t, cli.Output, "file")
	run(t, dir, "", "animate", mesh, "--turntable", "--frames", "2", "-s", "16", "-o", "file/sub").Want(t, cli.Output, "file/sub")
	run(t, dir, "", "animate", "missing.stl", "--turntable", "--frames", "2", "-s", "16", "-o", "new").Want(t, cli.Input, "missing.stl")
	clitest.WantFiles(t, dir, "file")
	run(t, dir, string(clitest.Read(t, mesh)), "animate", "-", "--turntable", "--frames", "1", "-s", "16", "-o", "in").Want(t, cli.Done)
	clitest.WantFiles(t, filepath.Join(dir, "in"), "frame_0000.png")
}

// TestBlankFrames draws two cubes side by side. The middle of the picture is empty in a view from the front, and shows
// a cube in a view from the side.
func TestBlankFrames(t *testing.T) {
	dir := t.TempDir()
	two := append(clitest.Cube([3]float32{-10, 0, 0}, 1), clitest.Cube([3]float32{10, 0, 0}, 1)...)
	clitest.Write(t, filepath.Join(dir, "two.stl"), clitest.STL(two))
	args := []string{"animate", "two.stl", "--turntable", "--view", "front", "--zoom", "8", "-s", "100", "-o", "out", "--frames"}
	run(t, dir, "", append(args, "4", "--stats", "json")...).Want(t, cli.Partial, "two.stl", "2 frames of 4: 0, 2", `"frames":4`)
	clitest.WantFiles(t, dir, "out", "out/two_0001.png", "out/two_0003.png", "two.stl")
	if err := os.RemoveAll(filepath.Join(dir, "out")); err != nil {
		t.Fatal(err)
	}
	run(t, dir, "", append(args, "2")...).Want(t, cli.Blank, "two.stl", "any frame")
	clitest.WantFiles(t, dir, "two.stl")
}

func TestResume(t *testing.T) {
	dir, mesh := clitest.CubeFile(t)
	args := []string{"animate", mesh, "--turntable", "--frames", "6", "-s", "40", "-o", "out"}
	name := func(k int) string { return filepath.Join(dir, "out", "cube_000"+string(rune('0'+k))+".png") }
	run(t, dir, "", args...).Want(t, cli.Done)
	var want [6][]byte
	old := time.Now().Add(-time.Hour).Truncate(time.Second)
	if err := os.Chtimes(mesh, old, old); err != nil {
		t.Fatal(err)
	}
	for k := range want {
		want[k] = clitest.Read(t, name(k))
		if err := os.Chtimes(name(k), old, old); err != nil {
			t.Fatal(err)
		}
	}
	other := bytes.Replace(want[2], []byte(`"size":"40x40"`), []byte(`"size":"40x41"`), 1)
	for k, data := range map[int][]byte{
		1: want[1][:len(want[1])-5], // the file is incomplete
		2: other,                    // drawn with other flags
		3: nil,                      // an empty file
		4: want[5],                  // the file of another frame
	} {
		clitest.Write(t, name(k), string(data))
		if err := os.Chtimes(name(k), old, old); err != nil {
			t.Fatal(err)
		}
	}
	run(t, dir, "", append(args, "--resume")...).Want(t, cli.Done)
	for k := range want {
		info, err := os.Stat(name(k))
		if err != nil {
			t.Fatal(err)
		}
		if kept := info.ModTime().Equal(old); kept != (k == 0 || k == 5) {
			t.Errorf("frame %d: kept is %t", k, kept)
		}
		if !bytes.Equal(clitest.Read(t, name(k)), want[k]) {
			t.Errorf("frame %d is another picture", k)
		}
	}
}

func TestList(t *testing.T) {
	for want, numbers := range map[string][]int{
		"":             nil,
		"3":            {3},
		"0-1":          {0, 1},
		"0-2, 5, 7-8":  {0, 1, 2, 5, 7, 8},
		"1, 3, 5, 100": {1, 3, 5, 100},
	} {
		if got := framename.Ranges(numbers); got != want {
			t.Errorf("%v: %q, want %q", numbers, got, want)
		}
	}
}

// TestAnimateCrop checks that a cropped frame is a part of the whole frame, drawn with the camera of the whole frame.
func TestAnimateCrop(t *testing.T) {
	dir, mesh := clitest.CubeFile(t)
	flags := append([]string{"--turntable", "--frames", "4", "-s", "80x60", "--crop", "20,10,33x40"}, plain...)
	run(t, dir, "", append([]string{"animate", mesh, "-o", "a"}, flags...)...).Want(t, cli.Done)
	for k, view := range []string{"30,20", "120,20", "210,20", "300,20"} {
		got := clitest.Read(t, filepath.Join(dir, "a", clitest.Files(t, filepath.Join(dir, "a"))[k]))
		run(t, dir, "", plainly(mesh, "-s", "80x60", "--crop", "20,10,33x40", "--view", view, "-o", "one.png")...).Want(t, cli.Done)
		if fmtPixels(t, string(got)) != fmtPixels(t, string(clitest.Read(t, filepath.Join(dir, "one.png")))) {
			t.Errorf("frame %d is not the part of its picture", k)
		}
	}
	run(t, dir, "", append([]string{"animate", mesh, "-o", "a.gif"}, flags...)...).Want(t, cli.Done)
	run(t, dir, "", "animate", mesh, "-o", "b", "--turntable", "--frames", "2", "-s", "80x60", "--crop", "60,10,33x40").Want(t, cli.Usage, "--crop 60,10,33x40")
}
