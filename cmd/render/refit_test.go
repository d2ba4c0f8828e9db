package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lockstep/internal/cli"
	"lockstep/internal/clitest"
)

// TestFarTriangles checks meshes with one triangle far away from all others. If the whole mesh were in the picture, the
// other triangles would be too small to see. The meshes must be drawn as if the far triangle were absent, alone and in
// a batch.
func TestFarTriangles(t *testing.T) {
	dir := t.TempDir()
	far := clitest.Triangle{{1e30, 0, 0}, {1e30, 1, 0}, {1e30, 0, 1}}
	cubes := clitest.Cube([3]float32{5, 6, 7}, 1)
	clitest.Write(t, filepath.Join(dir, "cube.stl"), clitest.STL(cubes))
	clitest.Write(t, filepath.Join(dir, "far.stl"), clitest.STL(append(cubes, far)))
	flags := []string{"-s", "32", "--shading", "flat", "--occlusion", "off", "--fit", "box"}
	for _, more := range []string{"--samples=4", "--fast", "--zoom=2", "--crop=8,8,16x16"} {
		var pictures [2][]byte
		for i, name := range []string{"cube.stl", "far.stl"} {
			r := run(t, dir, "", append(flags, more, name, "-o", "o.png", "--stats", "json")...)
			r.Want(t, cli.Done)
			line := "render: warning: far.stl: 1 triangle of 13 far away from the others: the picture is fitted to those\n"
			if strings.Contains(r.Stderr, line) != (i == 1) || strings.Count(r.Stderr, "warning") != i {
				t.Errorf("%s %s: %s", name, more, r.Stderr)
			}
			data := clitest.Read(t, filepath.Join(dir, "o.png"))
			m := picture(t, data)
			s := parseStats(t, r.Stderr[strings.Index(r.Stderr, "{"):])
			if n := covered(m); s.Image.Covered == 0 || s.Triangles.In != int64(12+i) || n == 0 {
				t.Errorf("%s %s: %d pixels, statistics %+v", name, more, n, s)
			}
			pictures[i] = data[bytes.Index(data, []byte("IDAT")):]
		}
		if !bytes.Equal(pictures[0], pictures[1]) {
			t.Errorf("%s: another picture than without the triangle", more)
		}
	}
	args := append(flags, "cube.stl", "far.stl", "--samples=4", "-o", "out/")
	run(t, dir, "", args...).Want(t, cli.Done, "warning: far.stl: 1 triangle of 13")
	one, other := clitest.Read(t, filepath.Join(dir, "out", "cube.png")), clitest.Read(t, filepath.Join(dir, "out", "far.png"))
	if !bytes.Equal(one[bytes.Index(one, []byte("IDAT")):], other[bytes.Index(other, []byte("IDAT")):]) {
		t.Error("another picture in a batch")
	}
	run(t, dir, "", append(args, "--resume")...).Want(t, cli.Done)
	// Films, sheets of several views and pictures in bands are not drawn a second time.
	for _, command := range []string{
		"animate FILE --turntable --frames 2 -o OUT/",
		"animate FILE --orbit --frames 2 -o OUT/",
		"animate FILE FILE --frames 2 -o OUT/",
		"FILE --contact-sheet 4 -o OUT/0.png",
		"FILE -o OUT/0.png --max-memory 1MB -s 600",
	} {
		var files [2][]string
		for i, name := range []string{"cube.stl", "far.stl"} {
			folder := strings.Fields(command)[0] + name
			if err := os.MkdirAll(filepath.Join(dir, folder), 0o777); err != nil {
				t.Fatal(err)
			}
			args := strings.Fields(strings.NewReplacer("FILE", name, "OUT", folder).Replace(command))
			r := run(t, dir, "", append(slices.Concat(args[:1], flags, args[1:]), "-q")...)
			r.Want(t, cli.Done)
			names, err := filepath.Glob(filepath.Join(dir, folder, "*.png"))
			if err != nil || len(names) == 0 {
				t.Fatalf("%s: %d pictures, %v", command, len(names), err)
			}
			for _, name := range names {
				f := clitest.Read(t, name)
				files[i] = append(files[i], string(f[bytes.Index(f, []byte("IDAT")):]))
			}
		}
		if !slices.Equal(files[0], files[1]) {
			t.Errorf("%s: other pictures than without the triangle", command)
		}
	}
	// A camera that the user has set stays as it is.
	run(t, dir, "", "far.stl", "-s", "32", "-o", "no.png", "--eye", "1e30,0,9e30").Want(t, cli.Blank, "nothing of it")
}

// TestBlankByDamage checks the exit codes of blank pictures of undamaged and damaged files. In some meshes the
// triangles beside the far triangle are not visible either.
func TestBlankByDamage(t *testing.T) {
	dir := t.TempDir()
	whole := clitest.STL(clitest.Cube([3]float32{}, 1))
	point := clitest.Triangle{{1, 2, 3}, {1, 2, 3}, {1, 2, 3}}
	for name, data := range map[string]string{
		"whole.stl":  whole,
		"cut.stl":    whole[:len(whole)-20],
		"points.stl": clitest.STL([]clitest.Triangle{point, point, point, {{1e30, 0, 0}, {1e30, 0, 0}, {1e30, 0, 0}}}),
		"lines.stl":  clitest.STL([]clitest.Triangle{{{0, 0, 0}, {1, 0, 0}, {2, 0, 0}}, {{0, 1, 0}, {0, 2, 0}, {0, 3, 0}}, {{1e30, 0, 0}, {1e30, 1, 0}, {1e30, 0, 0}}}),
	} {
		clitest.Write(t, filepath.Join(dir, name), data)
	}
	const nothing = ": nothing of it would be visible"
	const cut = ": byte 634: the file ends within triangle 11 of 12"
	for _, c := range []struct {
		args string
		code cli.Code
		says string
	}{
		{"whole.stl --zoom 1e-5", cli.Blank, nothing + "\n"},
		{"cut.stl --zoom 1e-5", cli.Input, nothing + "" + cut + "\n"},
		{"cut.stl --zoom 1e-5 --contact-sheet 4", cli.Input, nothing + "" + cut + "\n"},
		{"points.stl", cli.Blank, nothing + "\n"},
		{"lines.stl --view 30,20", cli.Blank, nothing + "\n"},
		{"animate whole.stl --zoom 1e-5 --turntable --frames 2 --stats json", cli.Blank, nothing + " on any frame\n"},
		{"animate cut.stl --zoom 1e-5 --turntable --frames 2 --stats json", cli.Input, nothing + " on any frame" + cut + "\n"},
	} {
		args := strings.Fields(c.args)
		if args[0] == "animate" {
			args = append(args, "-o", "frames")
		} else {
			args = append(args, "-o", "o.png")
		}
		r := run(t, dir, "", append(args, "-s", "64", "-q")...)
		r.Want(t, c.code)
		if !strings.HasSuffix(r.Stderr, c.says) {
			t.Errorf("%s: %s", c.args, r.Stderr)
		}
		if strings.Contains(c.args, "--stats") && !strings.HasPrefix(r.Stderr, "{") {
			t.Errorf("%s: no statistics: %s", c.args, r.Stderr)
		}
	}
}
