package main

import (
	"path/filepath"
	"strings"
	"testing"

	"lockstep/internal/cli"
	"lockstep/internal/clitest"
)

// TestUnit checks that --unit adds a unit to all lengths of a file that has none.
func TestUnit(t *testing.T) {
	dir, mesh := clitest.CubeFile(t)
	info := func(args ...string) string {
		r := run(t, dir, "", append([]string{"info"}, args...)...)
		r.Want(t, cli.Done)
		return r.Stdout
	}
	if s := info(mesh); strings.Contains(s, "unit") {
		t.Error(s)
	}
	for _, c := range []struct{ flag, name, json string }{{"mm", "millimetre", "0.001"}, {"cm", "centimetre", "0.01"}, {"m", "metre", "1"}, {"in", "inch", "0.0254"}, {"INCH", "inch", "0.0254"}, {"ft", "foot", "0.3048"}, {"um", "micrometre", "0.000001"}} {
		if s := info(mesh, "--unit", c.flag); !strings.Contains(s, "unit       "+c.name+"\n") {
			t.Errorf("%s: %s", c.flag, s)
		}
		if s := info(mesh, "--unit", c.flag, "--json"); !strings.Contains(s, `"unit":`+c.json+`,`) {
			t.Errorf("%s: %s", c.flag, s)
		}
	}
	// Pictures show the unit with the lengths, and their texts contain it.
	draw := func(name string, args ...string) {
		run(t, dir, "", append(args, mesh, "-s", "200", "--scale-bar", "--bounds", "-o", name)...).Want(t, cli.Done)
	}
	draw("mm.png", "--unit", "mm")
	draw("in.png", "--unit", "in")
	draw("none.png")
	draw("fast.png", "--unit", "mm", "--fast")
	draw("fastin.png", "--unit", "in", "--fast")
	for _, pair := range [][2]string{{"mm.png", "in.png"}, {"mm.png", "none.png"}, {"fast.png", "fastin.png"}} {
		if samePixels(pictureFile(t, dir, pair[0]), pictureFile(t, dir, pair[1])) {
			t.Errorf("%s and %s are the same", pair[0], pair[1])
		}
	}
	if text := string(clitest.Read(t, filepath.Join(dir, "mm.png"))); !strings.Contains(text, `"unit":"mm"`) {
		t.Error("the text of the picture lacks the unit")
	}
	if text := string(clitest.Read(t, filepath.Join(dir, "none.png"))); strings.Contains(text, `"unit"`) {
		t.Error("the text of the picture has a unit")
	}
	for _, args := range []string{"info MESH --unit yard", "MESH --unit 5", "convert MESH a.glb --unit"} {
		run(t, dir, "", strings.Fields(strings.ReplaceAll(args, "MESH", mesh))...).Want(t, cli.Usage, "--unit")
	}
}

// TestConvertUnit checks formats with a unit: glTF is always in metres, and 3MF states its unit.
func TestConvertUnit(t *testing.T) {
	dir, mesh := clitest.CubeFile(t)
	for _, c := range []struct{ args, bounds, unit string }{
		{"cube.glb --unit mm", "-0.01 -0.01 -0.01 to 0.01 0.01 0.01", "metre"},
		{"cube.glb", "-10 -10 -10 to 10 10 10", "metre"},
		{"cube.3mf --unit in", "-10 -10 -10 to 10 10 10", "inch"},
		{"cube.3mf --unit mm", "-10 -10 -10 to 10 10 10", "millimetre"},
		{"cube.3mf", "-10 -10 -10 to 10 10 10", "millimetre"},
	} {
		args := strings.Fields(c.args)
		if r := run(t, dir, "", append([]string{"convert", mesh}, args...)...); r.Code != 0 || r.Stderr != "" {
			t.Errorf("%s: exit code %d, %s", c.args, r.Code, r.Stderr)
		}
		r := run(t, dir, "", "info", args[0])
		if !strings.Contains(r.Stdout, c.bounds) || !strings.Contains(r.Stdout, "unit       "+c.unit+"\n") {
			t.Errorf("%s: %s", c.args, r.Stdout)
		}
	}
	// The unit that the file states has precedence.
	r := run(t, dir, "", "info", "cube.3mf", "--unit", "in")
	r.Want(t, cli.Done, "cube.3mf: --unit is ignored: the unit of the file is the millimetre")
	if !strings.Contains(r.Stdout, "millimetre") {
		t.Error(r.Stdout)
	}
	if r := run(t, dir, "", "info", "cube.3mf", "--unit", "mm"); r.Stderr != "" {
		t.Error(r.Stderr)
	}
	run(t, dir, "", "convert", mesh, "a.ply", "--unit", "mm").Want(t, cli.Done, "does not hold the unit of length")
}

// TestConvert3MF checks that a 3MF file keeps parts and colours, and that its up axis is +z.
func TestConvert3MF(t *testing.T) {
	dir := towers(t)
	clitest.Write(t, filepath.Join(dir, "two.stl"), clitest.ASCIISTL("left & right", "other"))
	run(t, dir, "", "convert", "two.stl", "two.3mf").Want(t, cli.Done)
	if r := run(t, dir, "", "info", "two.3mf"); !strings.Contains(r.Stdout, `"left & right", 1 triangle`) || !strings.Contains(r.Stdout, `"other", 1 triangle`) {
		t.Error(r.Stdout)
	}
	run(t, dir, "", "convert", "y.stl:up=y", "tower.3mf").Want(t, cli.Done)
	run(t, dir, "", "convert", "z.stl", "same.3mf").Want(t, cli.Done)
	run(t, dir, "", "tower.3mf", "-s", "40", "-o", "a.png").Want(t, cli.Done)
	run(t, dir, "", "z.stl", "-s", "40", "-o", "b.png").Want(t, cli.Done)
	wantSame(t, dir, "a.png", "b.png")
	clitest.Write(t, filepath.Join(dir, "c.ply"), "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\nproperty uchar red\nproperty uchar green\nproperty uchar blue\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0 255 0 0\n1 0 0 0 255 0\n0 0 1 0 0 255\n3 0 1 2\n")
	run(t, dir, "", "convert", "c.ply", "c.3mf").Want(t, cli.Done)
	run(t, dir, "", "c.ply", "-s", "40", "-o", "a.png").Want(t, cli.Done)
	run(t, dir, "", "c.3mf", "-s", "40", "-o", "b.png").Want(t, cli.Done)
	wantSame(t, dir, "a.png", "b.png")
	// A pipe, in which the writer cannot go back.
	if r := run(t, dir, "", "convert", "z.stl", "-", "--to", "3mf"); r.Code != 0 || r.Stdout != string(clitest.Read(t, filepath.Join(dir, "same.3mf"))) {
		t.Errorf("exit code %d, %s", r.Code, r.Stderr)
	}
}
