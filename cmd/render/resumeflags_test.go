package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"lockstep/internal/cli"
	"lockstep/internal/clitest"
)

// TestResumeSeesFlags draws a frame with one value of a flag and continues with another value. The frame must be
// drawn again if the flag changes it.
func TestResumeSeesFlags(t *testing.T) {
	dir := meshFiles(t, "a.stl", "other.stl")
	clitest.Write(t, filepath.Join(dir, "wave.ply"), string(clitest.Read(t, "../../testdata/wave.ply")))
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
			args = append(args, "-q", "-s", "64x48", "--turntable", "--frames", "1", "--workers", "1")
			// All values share one folder, and this value has another folder of its own.
			run(t, dir, "", append([]string{"animate", "-o", "kept/f####.png", "--resume"}, args...)...).Want(t, cli.Done)
			run(t, dir, "", append([]string{"animate", "-o", "own/f####.png"}, args...)...).Want(t, cli.Done)
			if !samePixels(pictureFile(t, dir, "kept/f0000.png"), pictureFile(t, dir, "own/f0000.png")) {
				t.Errorf("%q after %q: the frame was not drawn anew", flags, previous)
			}
			previous = flags
		}
	}
}

// TestResumeSeesContents replaces the contents of a file but not its time, and continues. Frames and pictures that show
// the file must be drawn again. The others must be kept, even if only the time of a file has changed.
func TestResumeSeesContents(t *testing.T) {
	const object = "mtllib m.mtl\nv 0 0 0\nv 1 0 0\nv 0 0 1\nvt 0 0\nvt 1 0\nvt 0 1\nusemtl m\nf 1/1 2/2 3/3\n"
	dir := meshFiles(t, "a.stl", "b.stl", "c.stl")
	other := string(clitest.STL(clitest.Cube([3]float32{1, 2, 3}, 7)))
	texture := func(name, color string) {
		run(t, dir, "", "scene:cube", "-s", "8", "--zoom", "9", "-q", "--color", color, "-o", name).Want(t, cli.Done)
	}
	keys := `[{"frame":0,"eye":[50,40,30]},{"frame":1,"eye":[60,40,30]}]`
	for _, c := range []struct{ flags, file, contents, drawn, kept string }{
		{"animate --turntable --frames 2 a.stl -o f/#.png", "a.stl", other, "f/0.png f/1.png", ""},
		{"animate --turntable --frames 2 - -o f/#.png", "-", other, "f/0.png f/1.png", ""},
		{"animate --turntable --frames 1 - -o f/#.png", "-", "", "", "f/0.png"},
		{"animate a.stl b.stl --frames 4 --view 0,0 -o f/#.png", "b.stl", other, "f/2.png f/3.png", "f/0.png f/1.png"},
		{"animate --turntable --frames 1 a.stl --add b.stl:move=9,0,0 --add c.stl -o f/#.png", "c.stl", other, "f/0.png", ""},
		{"animate --turntable --frames 1 a.stl --add o.obj -o f/#.png", "m.mtl", "newmtl m\nKd 0 1 0\n", "f/0.png", ""},
		{"animate --turntable --frames 1 a.stl --add scene:cube -o f/#.png", "b.stl", other, "", "f/0.png"},
		{"animate --turntable --frames 1 o.obj -o f/#.png", "m.mtl", "newmtl m\nKd 0 1 0\n", "f/0.png", ""},
		{"animate --turntable --frames 1 o.obj -o f/#.png", "t.png", "red", "f/0.png", ""},
		{"animate --keyframes keys.json --frames 2 a.stl -o f/#.png", "keys.json", `[{"frame":0,"eye":[50,40,30]},{"frame":1,"eye":[61,40,30]}]`, "f/1.png", "f/0.png"},
		{"animate --turntable --camera keys2.json --frames 1 a.stl -o f/#.png", "keys2.json", `{"eye":[50,45,30],"target":[0,0,0]}`, "f/0.png", ""},
		{"a.stl b.stl -o f/", "b.stl", other, "f/b.png", "f/a.png"},
		{"a.stl b.stl -o f/", "b.stl", "", "", "f/a.png f/b.png"},
		{"a.stl b.stl --add c.stl -o f/", "c.stl", other, "f/a.png f/b.png", ""},
	} {
		args := append(strings.Fields(c.flags), "-q", "-s", "32", "--resume")
		os.RemoveAll(filepath.Join(dir, "f"))
		mesh := string(clitest.STL(clitest.Cube([3]float32{}, 20)))
		for name, contents := range map[string]string{
			"a.stl": mesh, "b.stl": mesh, "c.stl": mesh, "o.obj": object, "m.mtl": "newmtl m\nmap_Kd t.png\n",
			"keys.json": keys, "keys2.json": `{"eye":[50,40,30],"target":[0,0,0]}`,
		} {
			clitest.Write(t, filepath.Join(dir, name), contents)
		}
		texture("t.png", "blue")
		run(t, dir, mesh, args...).Want(t, cli.Done)
		past := time.Now().Add(-time.Hour)
		for _, name := range strings.Fields(c.drawn + " " + c.kept) {
			if err := os.Chtimes(filepath.Join(dir, name), past, past); err != nil {
				t.Fatal(err)
			}
		}
		at := past.Add(-time.Hour)
		switch {
		case c.file == "-" && c.contents != "":
			mesh = c.contents
		case c.file == "-":
		case c.file == "t.png":
			texture(c.file, c.contents)
		case c.contents == "":
			at = time.Now().Add(time.Hour)
		default:
			clitest.Write(t, filepath.Join(dir, c.file), c.contents)
		}
		if c.file != "-" {
			if err := os.Chtimes(filepath.Join(dir, c.file), at, at); err != nil {
				t.Fatal(err)
			}
		}
		run(t, dir, mesh, args...).Want(t, cli.Done)
		for name, drawn := range map[string]bool{c.drawn: true, c.kept: false} {
			for _, picture := range strings.Fields(name) {
				info, err := os.Stat(filepath.Join(dir, picture))
				if err != nil {
					t.Fatal(err)
				}
				if info.ModTime().Equal(past) == drawn {
					t.Errorf("%s, %s changed: %s is of %v", c.flags, c.file, picture, info.ModTime())
				}
			}
		}
	}
}

// TestResumeSeesRange changes the numbers of one of two meshes and continues. The range of numbers changes, and so do
// the colours of all frames. The frames of the other mesh must be drawn again too, unless a flag sets the range.
func TestResumeSeesRange(t *testing.T) {
	dir := t.TempDir()
	wave := string(clitest.Read(t, "../../testdata/wave.ply"))
	for _, c := range []struct {
		flags string
		same  bool
	}{{"", false}, {"--legend", false}, {"--range 0,1", true}} {
		args := append(strings.Fields("animate a.ply b.ply --field height -q -s 64x48 -o f/#.png --resume"), strings.Fields(c.flags)...)
		var frames [2]string
		for i, most := range []string{"1.5", "99"} {
			clitest.Write(t, filepath.Join(dir, "a.ply"), wave)
			clitest.Write(t, filepath.Join(dir, "b.ply"), strings.ReplaceAll(wave, "0.584", most))
			past := time.Now().Add(-time.Hour)
			if err := os.Chtimes(filepath.Join(dir, "a.ply"), past, past); err != nil {
				t.Fatal(err)
			}
			run(t, dir, "", args...).Want(t, cli.Done)
			frames[i] = string(clitest.Read(t, filepath.Join(dir, "f/0.png")))
		}
		if same := frames[0] == frames[1]; same != c.same {
			t.Errorf("%q: the other mesh's frame is the same: %v", c.flags, same)
		}
		os.RemoveAll(filepath.Join(dir, "f"))
	}
}

// TestUnheededFlags checks the warnings about flags that have no effect in combination with other flags.
func TestUnheededFlags(t *testing.T) {
	dir := meshFiles(t, "a.stl")
	clitest.Write(t, filepath.Join(dir, "wave.ply"), string(clitest.Read(t, "../../testdata/wave.ply")))
	clitest.Write(t, filepath.Join(dir, "c.toml"), `color = "orange"`)
	for flags, warning := range map[string]string{
		"wave.ply --field height --color red":                 "--color ff0000 is ignored: --field",
		"wave.ply --field height --config c.toml":             "--color ffa500 is ignored: --field",
		"wave.ply --field height --add scene:cube:color=lime": "",
		"a.stl --light headlight --shading smooth":            "--shading smooth is ignored",
		"a.stl --light headlight --occlusion on":              "--occlusion on is ignored",
		"a.stl --light headlight --shading flat --color red":  "",
		"wave.ply --field height --color source --fast":       "",
		"a.stl --add scene:cube:color=lime --shading smooth":  "",
	} {
		args := append(strings.Fields(flags), "-s", "32", "-o", "o.png")
		got := run(t, dir, "", args...)
		got.Want(t, cli.Done)
		if lines := strings.Count(got.Stderr, "\n"); (warning != "") != (lines == 1) || warning != "" && !strings.HasPrefix(got.Stderr, "render: warning: "+warning) {
			t.Errorf("%s: %q", flags, got.Stderr)
		}
	}
	run(t, dir, "", "wave.ply", "--field", "height", "--color", "facing", "-o", "o.png").Want(t, cli.Usage, "expected one of them")
}

// TestCameraOfAnyPicture checks that --camera PICTURE draws the same picture again, for all flags that set a camera.
func TestCameraOfAnyPicture(t *testing.T) {
	dir := meshFiles(t, "a.stl")
	clitest.Write(t, filepath.Join(dir, "wide.json"), `{"eye":[50,40,30],"target":[0,0,10],"fov":70,"zoom":1.3}`)
	clitest.Write(t, filepath.Join(dir, "parallel.json"), `{"eye":[50,40,30],"target":[0,0,10],"projection":"orthographic","height":40}`)
	for _, flags := range []string{"--view 70,-35 --zoom 1.7 --fov 50", "--projection orthographic", "--camera wide.json", "--camera parallel.json", "--eye 60,50,40 --fov 40"} {
		draw := func(name string, more ...string) {
			run(t, dir, "", append([]string{"a.stl", "-q", "-s", "60x40", "--workers", "1", "-o", name}, more...)...).Want(t, cli.Done)
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
	clitest.Write(t, filepath.Join(dir, "keys.json"), `[{"frame":0,"eye":[50,40,30],"target":[0,0,10],"fov":20},{"frame":2,"eye":[50,40,30],"target":[0,0,10],"fov":60}]`)
	run(t, dir, "", "animate", "a.stl", "-q", "-s", "60x40", "--keyframes", "keys.json", "--frames", "3", "-o", "k#.png").Want(t, cli.Done)
	for _, name := range []string{"k0.png", "k1.png", "k2.png"} {
		run(t, dir, "", "a.stl", "-q", "-s", "60x40", "--samples", "4", "--fit", "box", "--camera", name, "-o", "again.png").Want(t, cli.Done)
		if !samePixels(pictureFile(t, dir, name), pictureFile(t, dir, "again.png")) {
			t.Errorf("by the camera of %s: another picture", name)
		}
	}
}
