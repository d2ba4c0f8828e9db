package main

import (
	"bytes"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lockstep/internal/cli"
	"lockstep/internal/clitest"
)

// tower returns the triangles of a pointed tower, once with the axis z up and its base at z = 0, and once with the axis
// y up.
func tower() (zUp, yUp []clitest.Triangle) {
	const n = 16
	at := func(i int) [3]float32 {
		a := 2 * math.Pi * float64(i) / n
		return [3]float32{float32(4 * math.Cos(a)), float32(4 * math.Sin(a)), 0}
	}
	for i := range n {
		zUp = append(zUp, clitest.Triangle{at(i), at(i + 1), {0.5, 0, 10}}, clitest.Triangle{at(i + 1), at(i), {}})
	}
	for _, t := range zUp {
		for k, c := range t {
			t[k] = [3]float32{c[0], c[2], 0 - c[1]}
		}
		yUp = append(yUp, t)
	}
	return zUp, yUp
}

// towers writes both towers to a folder.
func towers(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	zUp, yUp := tower()
	clitest.Write(t, filepath.Join(dir, "z.stl"), clitest.STL(zUp))
	clitest.Write(t, filepath.Join(dir, "y.stl"), clitest.STL(yUp))
	return dir
}

func wantSame(t *testing.T, dir, a, b string) {
	t.Helper()
	if !samePixels(pictureFile(t, dir, a), pictureFile(t, dir, b)) {
		t.Errorf("%s and %s differ", a, b)
	}
}

// wantNearly compares two pictures whose colours may differ a little, because numbers are rounded differently along
// other axes.
func wantNearly(t *testing.T, dir, a, b string) {
	t.Helper()
	p, q := pictureFile(t, dir, a), pictureFile(t, dir, b)
	for y := range p.Bounds().Max.Y {
		for x := range p.Bounds().Max.X {
			pr, pg, pb, _ := p.At(x, y).RGBA()
			qr, qg, qb, _ := q.At(x, y).RGBA()
			for _, v := range [][2]uint32{{pr, qr}, {pg, qg}, {pb, qb}} {
				if d := int(v[0]>>8) - int(v[1]>>8); d < -2 || d > 2 {
					t.Fatalf("%s and %s differ by %d at %d,%d", a, b, d, x, y)
				}
			}
		}
	}
}

// TestUpOfOneMesh checks :up= after the name of a mesh.
func TestUpOfOneMesh(t *testing.T) {
	dir := towers(t)
	draw := func(args ...string) { run(t, dir, "", append(args, "-s", "40x30", "-q")...).Want(t, cli.Done) }
	draw("y.stl", "--up", "y", "-o", "flag.png")
	draw("y.stl:up=y", "-o", "name.png")
	draw("y.stl:up=y", "--up", "x", "-o", "both.png")
	draw("y.stl", "-o", "wrong.png")
	wantSame(t, dir, "name.png", "flag.png")
	wantSame(t, dir, "both.png", "flag.png")
	if samePixels(pictureFile(t, dir, "wrong.png"), pictureFile(t, dir, "flag.png")) {
		t.Error("the up axis changes nothing")
	}
	// Several meshes may have different up axes. A mesh without an up axis of its own has the axis of --up.
	draw("y.stl:up=y", "z.stl", "-o", "batch")
	wantSame(t, dir, "batch/y.png", "flag.png")
	draw("z.stl", "-o", "z.png")
	wantSame(t, dir, "batch/z.png", "z.png")
	draw("y.stl", "z.stl:up=+z", "--up", "y", "-o", "other")
	wantSame(t, dir, "other/y.png", "flag.png")
	wantSame(t, dir, "other/z.png", "z.png")
	// A file with exactly this name has precedence.
	clitest.Write(t, filepath.Join(dir, "cube.stl"), clitest.STL(clitest.Cube([3]float32{}, 3)))
	clitest.Write(t, filepath.Join(dir, "y.stl:up=y"), clitest.STL(clitest.Cube([3]float32{}, 3)))
	draw("y.stl:up=y", "-o", "called.png")
	draw("cube.stl", "-o", "cube.png")
	wantSame(t, dir, "called.png", "cube.png")
}

// TestUpOfFolder checks :up= for all meshes of a folder.
func TestUpOfFolder(t *testing.T) {
	dir := towers(t)
	_, yUp := tower()
	sub := meshFiles(t, "in/a.stl")
	clitest.Write(t, filepath.Join(sub, "in/a.stl"), clitest.STL(yUp))
	run(t, dir, "", filepath.Join(sub, "in:up=y"), "z.stl", "-s", "40x30", "-o", "out").Want(t, cli.Done)
	run(t, dir, "", "y.stl:up=y", "-s", "40x30", "-o", "y.png").Want(t, cli.Done)
	wantSame(t, dir, "out/a.png", "y.png")
	run(t, dir, "", filepath.Join(sub, "in:up=y"), "-s", "40x30", "-o", "alone").Want(t, cli.Done)
	wantSame(t, dir, "alone/a.png", "y.png")
}

// TestUpOfFurtherMeshes checks :up= for meshes that are added to another mesh or follow it in a series.
func TestUpOfFurtherMeshes(t *testing.T) {
	dir := towers(t)
	draw := func(args ...string) { run(t, dir, "", append(args, "-s", "40x30", "-q")...).Want(t, cli.Done) }
	draw("z.stl", "--add", "z.stl:move=9,0,0:color=red", "-o", "want.png")
	draw("z.stl", "--add", "y.stl:up=y:move=9,0,0:color=red", "-o", "added.png")
	wantSame(t, dir, "added.png", "want.png")
	draw("y.stl:up=y", "--add", "y.stl:move=9,0,0:color=red", "-o", "both.png")
	wantNearly(t, dir, "both.png", "want.png")
	draw("y.stl:up=y", "--add", "z.stl:up=z:move=9,0,0:color=red", "-o", "other.png")
	wantNearly(t, dir, "other.png", "want.png")

	draw("animate", "z.stl", "y.stl:up=y", "-o", "series/")
	wantSame(t, dir, "series/z_0001.png", "series/z_0000.png")
	draw("animate", "y.stl:up=y", "z.stl:up=z", "-o", "turned/")
	wantSame(t, dir, "turned/y_0001.png", "turned/y_0000.png")
	wantNearly(t, dir, "turned/y_0000.png", "series/z_0000.png")
	// Meshes that do not fit into memory are read again for their frames.
	many := append([]string{"animate", "z.stl"}, slices.Repeat([]string{"y.stl:up=y"}, 9)...)
	run(t, dir, "", append(many, "--max-memory", "6K", "--scale-bar", "--unit", "mm", "--fast", "-s", "160", "-o", "small/")...).Want(t, cli.Done)
	for _, k := range []int{1, 8, 9} {
		wantSame(t, dir, fmt.Sprintf("small/z_%04d.png", k), "small/z_0000.png")
	}
	draw("animate", "y.stl:up=y", "--frames", "1", "-o", "one/")
	draw("animate", "y.stl", "--up", "y", "--frames", "1", "-o", "flag/")
	wantSame(t, dir, "one/y_0000.png", "flag/y_0000.png")
}

func TestUpRefuses(t *testing.T) {
	dir := towers(t)
	for args, says := range map[string]string{
		"y.stl:up=w -o a.png":                       "y.stl:up=w: expected x, y, z, -x, -y or -z behind :up=",
		"y.stl:up=y z.stl y.stl:up=x -o a":          "y.stl: is named with :up=y and :up=x",
		"z.stl --add y.stl:up=5 -o a.png":           "behind :up=",
		"convert z.stl:up= a.stl":                   "behind :up=",
		"info z.stl y.stl:up=yy":                    "behind :up=",
		"animate y.stl:up=no z.stl --frames 2 -o a": "behind :up=",
	} {
		run(t, dir, "", strings.Fields(args)...).Want(t, cli.Usage, says)
	}
	run(t, dir, "", ":up=y", "-o", "a.png").Want(t, cli.Input, ":up=y: no such file")
}

// TestConvertUp checks that a mesh with a stated up axis is turned to the up axis of the new format.
func TestConvertUp(t *testing.T) {
	dir := towers(t)
	run(t, dir, "", "convert", "z.stl", "want.stl").Want(t, cli.Done)
	for _, args := range [][]string{{"convert", "--up", "y", "y.stl"}, {"convert", "y.stl:up=y"}} {
		run(t, dir, "", append(args, "a.stl")...).Want(t, cli.Done)
		if !bytes.Equal(clitest.Read(t, filepath.Join(dir, "a.stl"))[80:], clitest.Read(t, filepath.Join(dir, "want.stl"))[80:]) {
			t.Errorf("%q: the coordinates are not those of z.stl", args)
		}
	}
	// A mesh with the up axis of OBJ stays as it is, without a warning. For glTF a mesh is turned from the stated
	// axis.
	if r := run(t, dir, "", "convert", "y.stl:up=y", "y.obj"); r.Stderr != "" || !strings.Contains(string(clitest.Read(t, filepath.Join(dir, "y.obj"))), "v 0.5 10 0\n") {
		t.Errorf("%s\n%s", r.Stderr, clitest.Read(t, filepath.Join(dir, "y.obj")))
	}
	for _, c := range [][]string{{"y.stl:up=y", "y.glb"}, {"z.stl", "z.glb"}} {
		run(t, dir, "", "convert", c[0], c[1]).Want(t, cli.Done)
		if r := run(t, dir, "", "info", c[1]); !strings.Contains(r.Stdout, "-4 0 -4 to 4 10 4") {
			t.Errorf("%s: %s", c[0], r.Stdout)
		}
	}
}

// TestInfoOfStanding checks that info suggests another up axis if and only if a mesh lies on its side.
func TestInfoOfStanding(t *testing.T) {
	dir := towers(t)
	for args, hint := range map[string]string{"z.stl": "", "y.stl": "y", "y.stl:up=y": "", "y.stl --up y": "", "y.obj": "", "z.obj": "z", "y.glb": "", "wrong.glb": ""} {
		file, _, _ := strings.Cut(args, " ")
		switch file {
		case "y.obj", "y.glb":
			run(t, dir, "", "convert", "y.stl:up=y", file).Want(t, cli.Done)
		case "z.obj":
			run(t, dir, "", "convert", "z.stl", file).Want(t, cli.Done)
		case "wrong.glb": // a glTF file defines its up axis
			run(t, dir, "", "convert", "z.stl:up=y", file).Want(t, cli.Done)
		}
		all := append([]string{"info"}, strings.Fields(args)...)
		r := run(t, dir, "", all...)
		r.Want(t, cli.Done)
		if said := strings.Contains(r.Stdout, "it may stand on its side (--up "+hint+")"); said != (hint != "") || hint == "" && strings.Contains(r.Stdout, "side") {
			t.Errorf("%s: %s", args, r.Stdout)
		}
		r = run(t, dir, "", append(all, "--json")...)
		if said := strings.Contains(r.Stdout, `"likely_up":"`+hint+`"`); said != (hint != "") || hint == "" && strings.Contains(r.Stdout, "likely_up") {
			t.Errorf("%s: %s", args, r.Stdout)
		}
	}
}
