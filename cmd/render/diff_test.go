package main

import (
	"bytes"
	"encoding/json"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"lockstep/internal/cli"
	"lockstep/internal/clitest"
)

// TestDiff runs the command diff on a cube and itself, and on a cube and a copy that was moved.
func TestDiff(t *testing.T) {
	dir := t.TempDir()
	clitest.Write(t, filepath.Join(dir, "a.stl"), clitest.STL(clitest.Cube([3]float32{1, 2, 3}, 1)))
	clitest.Write(t, filepath.Join(dir, "b.stl"), clitest.STL(clitest.Cube([3]float32{1.25, 2, 3}, 1)))
	r := run(t, dir, "", "diff", "a.stl", "b.stl", "--json", "--tolerance", "0.2")
	r.Want(t, cli.Differs, "a.stl and b.stl are 0.25 apart, more than 0.2")
	var got comparison
	if err := json.Unmarshal([]byte(r.Stdout), &got); err != nil || strings.Count(r.Stdout, "\n") != 1 {
		t.Fatalf("%v: %s", err, r.Stdout)
	}
	if got.Hausdorff != 0.25 || *got.Within || *got.Tolerance != 0.2 || got.A.Area != 24 || got.B.Triangles != 12 || got.A.Path != "a.stl" {
		t.Errorf("%+v", got)
	}
	for _, d := range []direction{got.Forward, got.Back} {
		if d.Max != 0.25 || d.Least != -0.25 || d.Greatest != 0.25 || math.Abs(*d.Beyond-0.29) > 0.01 || d.Mean <= 0.05 || d.RMS < d.Mean || d.Samples < 10000 {
			t.Errorf("%+v", d)
		}
	}
	// The picture equals that of --against. A difference within the tolerance is a success.
	r = run(t, dir, "", "diff", "b.stl", "a.stl:move=0.25,0,0", "--tolerance", "0", "--unit", "mm", "-o", "d.png", "--format", "png", "-s", "80x60", "--fast", "-q")
	r.Want(t, cli.Done)
	for _, words := range []string{"b.stl: 12 triangles, area 24", "the millimetre", "beyond 0", "0 % of the area"} {
		if !strings.Contains(r.Stdout, words) {
			t.Errorf("lacks %q:\n%s", words, r.Stdout)
		}
	}
	run(t, dir, "", "b.stl", "--against", "a.stl:move=0.25,0,0", "--legend", "--unit", "mm", "-o", "e.png", "-s", "80x60", "--fast", "-q").Want(t, cli.Done)
	if !bytes.Equal(clitest.Read(t, filepath.Join(dir, "d.png")), clitest.Read(t, filepath.Join(dir, "e.png"))) {
		t.Error("diff -o and --against are different pictures")
	}
	// A part inside another one lies outside of it nowhere.
	clitest.Write(t, filepath.Join(dir, "in.stl"), clitest.STL(clitest.Cube([3]float32{1, 2, 3}, 0.5)))
	r = run(t, dir, "", "diff", "in.stl", "a.stl", "-q")
	if r.Want(t, cli.Done); !strings.Contains(r.Stdout, "outside   nowhere") || !strings.Contains(r.Stdout, "inside    -0.5 ") {
		t.Errorf("says of a part inside another one:\n%s", r.Stdout)
	}
	// The recipe in the picture draws the same picture again.
	clitest.WantFiles(t, dir, "a.stl", "b.stl", "d.png", "e.png", "in.stl")
	run(t, dir, "", "--recipe", "d.png", "-o", "f.png", "-q").Want(t, cli.Done)
	if !samePicture(t, clitest.Read(t, filepath.Join(dir, "d.png")), clitest.Read(t, filepath.Join(dir, "f.png"))) {
		t.Error("the recipe in the picture draws another one")
	}
}

// TestDiffOfUnits compares files with different units.
func TestDiffOfUnits(t *testing.T) {
	dir := t.TempDir()
	clitest.Write(t, filepath.Join(dir, "a.stl"), clitest.STL(clitest.Cube([3]float32{}, 1)))
	run(t, dir, "", "convert", "a.stl", "mm.3mf", "--unit", "mm").Want(t, cli.Done)
	run(t, dir, "", "convert", "a.stl", "in.3mf", "--unit", "in").Want(t, cli.Done)
	r := run(t, dir, "", "diff", "mm.3mf", "in.3mf", "--json")
	r.Want(t, cli.Done, "in.3mf: its unit is the inch: scaled to the millimetre of mm.3mf")
	var got comparison
	if err := json.Unmarshal([]byte(r.Stdout), &got); err != nil {
		t.Fatal(err)
	}
	if math.Abs(got.Hausdorff-24.4*math.Sqrt(3)) > 1e-6 || got.Forward.Max > 24.4001 || got.Unit != 0.001 || got.Within != nil || got.Forward.Beyond != nil {
		t.Errorf("%+v", got)
	}
}

// TestDiffRefuses checks that every failure prints one line with the name of the file, and no numbers.
func TestDiffRefuses(t *testing.T) {
	dir := t.TempDir()
	clitest.Write(t, filepath.Join(dir, "a.stl"), clitest.STL(clitest.Cube([3]float32{}, 1)))
	clitest.Write(t, filepath.Join(dir, "text.stl"), "no mesh at all")
	clitest.Write(t, filepath.Join(dir, "cut.stl"), clitest.STL(clitest.Cube([3]float32{}, 1))[:400])
	clitest.Write(t, filepath.Join(dir, "line.obj"), "v 0 0 0\nv 1 1 1\nv 2 2 2\nf 1 2 3\n")
	for _, c := range []struct {
		args string
		code cli.Code
		says string
	}{
		{"a.stl", cli.Usage, "render diff A B"},
		{"", cli.Usage, "mesh"},
		{"a.stl -", cli.Usage, "standard input"},
		{"a.stl a.stl a.stl", cli.Usage, "unexpected argument"},
		{"a.stl a.stl --against a.stl", cli.Usage, "--against"},
		{"a.stl a.stl:color=red", cli.Usage, "not drawn"},
		{"a.stl a.stl --field heat", cli.Usage, "--field heat"},
		{"a.stl a.stl --tolerance -1", cli.Usage, "--tolerance"},
		{"a.stl a.stl --tolerance nan", cli.Usage, "--tolerance"},
		{"a.stl a.stl --light headlight", cli.Usage, "studio"},
		{"a.stl a.stl -o -", cli.Usage, "standard output"},
		{"a.stl text.stl -o text.stl", cli.Usage, "would replace"},
		{"a.stl a.stl -o none/a.png", cli.Output, "none"},
		{"a.stl missing.stl", cli.Input, "missing.stl"},
		{"missing.stl a.stl", cli.Input, "missing.stl"},
		{"a.stl text.stl", cli.Input, "text.stl"},
		{"text.stl a.stl", cli.Input, "text.stl"},
		{"a.stl cut.stl --strict", cli.Input, "cut.stl"},
		{"a.stl a.stl --format obj", cli.Input, "a.stl"},
		{"line.obj a.stl", cli.Blank, "line.obj"},
		{"a.stl line.obj", cli.Blank, "line.obj: the mesh has no triangle with a nonzero area"},
	} {
		r := run(t, dir, "", append([]string{"diff"}, strings.Fields(c.args)...)...)
		if r.Want(t, c.code, c.says); r.Stdout != "" {
			t.Errorf("%s printed %q", c.args, r.Stdout)
		}
	}
	clitest.WantFiles(t, dir, "a.stl", "cut.stl", "line.obj", "text.stl")
	run(t, dir, "", "diff", "a.stl", "a.stl", "--size", "30").Want(t, cli.Done, "warning: --size is ignored: without -o nothing is drawn")
}

// TestAgainstInFilms checks that films can show distances too.
func TestAgainstInFilms(t *testing.T) {
	dir := t.TempDir()
	args := []string{"animate", "scene:sphere?triangles=200", "--against", "scene:cube", "--turntable", "--frames", "2", "-s", "32x24", "--fast", "-q"}
	run(t, dir, "", append(args, "-o", "f#.png")...).Want(t, cli.Done)
	if samePicture(t, clitest.Read(t, filepath.Join(dir, "f0.png")), clitest.Read(t, filepath.Join(dir, "f1.png"))) {
		t.Error("the film stands still")
	}
}
