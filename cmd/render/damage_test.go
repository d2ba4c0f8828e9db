package main

import (
	"math"
	"path/filepath"
	"strings"
	"testing"

	"lockstep/internal/cli"
	"lockstep/internal/clitest"
)

// TestUnusableInput draws files that are no meshes, and files without triangles.
func TestUnusableInput(t *testing.T) {
	dir := t.TempDir()
	whole := clitest.STL(clitest.Cube([3]float32{}, 1))
	empty := map[string]bool{"solid.stl": true, "head.stl": true} // these files may be meshes without facets
	for name, data := range map[string]string{
		"empty.stl":  "",
		"text.stl":   "This is a letter to a friend.\nIt has two lines.\n",
		"binary.stl": strings.Repeat("\xff\x00\x17", 400),
		"png.stl":    "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + strings.Repeat("\x00", 100),
		"head.stl":   whole[:80],
		"less.stl":   whole[:100],
		"solid.stl":  "solid of what\n",
		"zeros.stl":  strings.Repeat("\x00", 83),
	} {
		clitest.Write(t, filepath.Join(dir, name), data)
		for _, flag := range []string{"--lenient", "--strict"} {
			r := run(t, dir, "", name, flag, "-s", "16", "-o", "o.png")
			// A file that is only a header may be a mesh without facets.
			if r.Code != int(cli.Input) && r.Code != int(cli.Blank) {
				t.Errorf("%s %s: exit code %d: %s", name, flag, r.Code, r.Stderr)
			}
			if r.Code == int(cli.Blank) && !empty[name] {
				t.Errorf("%s %s: exit code %d: %s", name, flag, r.Code, r.Stderr)
			}
			if !strings.Contains(r.Stderr, name) {
				t.Errorf("%s %s: message without the file: %s", name, flag, r.Stderr)
			}
			if info := run(t, dir, "", "info", name, flag); !empty[name] && info.Code != int(cli.Input) {
				t.Errorf("info %s %s: exit code %d", name, flag, info.Code)
			}
			run(t, dir, data, "-", flag, "-s", "16", "-o", "o.png")
		}
	}
	for _, name := range []string{"missing.stl", "missing/m.stl"} {
		run(t, dir, "", name, "-s", "16", "-o", "o.png").Want(t, cli.Input, name)
		run(t, dir, "", "info", name).Want(t, cli.Input, name)
	}
	run(t, dir, "", "info", ".").Want(t, cli.Partial, "render: binary.stl: ", "render: zeros.stl: ")
	for _, name := range clitest.Files(t, dir) {
		if strings.HasSuffix(name, ".png") || strings.HasSuffix(name, ".tmp") {
			t.Errorf("%s was left behind", name)
		}
	}
}

// TestDamagedInput checks that damaged files are drawn with a warning, or refused with --strict.
func TestDamagedInput(t *testing.T) {
	dir := t.TempDir()
	triangles := clitest.Cube([3]float32{}, 1)
	whole := clitest.STL(triangles)
	bad := append([]clitest.Triangle{}, triangles...)
	bad[5][1][2] = float32(math.NaN())
	bad[7][0][0] = float32(math.Inf(-1))
	for name, data := range map[string]string{
		"truncated.stl": whole[:len(whole)-70],
		"trailing.stl":  whole + "xy",
		"toomany.stl":   whole[:80] + "\xff\xff\xff\xff" + whole[84:],
		"nan.stl":       clitest.STL(bad),
		"noend.stl":     strings.TrimSuffix(clitest.ASCIISTL("a"), "endsolid a\n"),
		"cut.stl":       clitest.ASCIISTL("a") + clitest.ASCIISTL("b")[:70],
	} {
		clitest.Write(t, filepath.Join(dir, name), data)
		lenient := run(t, dir, "", name, "--view", "10,10", "-s", "16", "-o", "-")
		lenient.Want(t, cli.Done, "render: warning: "+name+": ")
		if covered(picture(t, []byte(lenient.Stdout))) == 0 {
			t.Errorf("%s: blank picture", name)
		}
		strict := run(t, dir, "", name, "--strict", "-s", "16", "-o", "o.png")
		strict.Want(t, cli.Input, "render: "+name+": ")
		if strings.Contains(strict.Stderr, "warning") {
			t.Errorf("%s: strict warns: %s", name, strict.Stderr)
		}
		quiet := run(t, dir, "", name, "-q", "--view", "10,10", "-s", "16", "-o", "-")
		quiet.Want(t, cli.Done)
		if quiet.Stderr != "" || quiet.Stdout != lenient.Stdout {
			t.Errorf("%s: --quiet prints %q or changes the picture", name, quiet.Stderr)
		}
	}
	r := run(t, dir, "", "nan.stl", "-s", "16", "-o", "-", "-q", "--stats", "json")
	if s := parseStats(t, r.Stderr); s.Mesh.Dropped != 2 || s.Mesh.Triangles != 12 {
		t.Errorf("%d triangles, %d dropped; want 12 and 2", s.Mesh.Triangles, s.Mesh.Dropped)
	}
}

func TestAllDropped(t *testing.T) {
	dir := t.TempDir()
	nan := float32(math.NaN())
	clitest.Write(t, filepath.Join(dir, "nan.stl"), clitest.STL([]clitest.Triangle{{{nan, 0, 0}, {1, nan, 0}, {0, 1, nan}}}))
	run(t, dir, "", "nan.stl", "-s", "16").Want(t, cli.Input, "nan.stl: no vertex of it has finite coordinates: triangle 0 at byte 84: the triangle has a NaN or infinite coordinate")
	run(t, dir, "", "nan.stl", "-s", "16", "--strict").Want(t, cli.Input, "nan.stl")
	clitest.WantFiles(t, dir, "nan.stl")
}

// TestHostileNames checks that control characters in names of files do not reach the terminal.
func TestHostileNames(t *testing.T) {
	dir := t.TempDir()
	name := "a\nb\x1b[31m.stl"
	clitest.Write(t, filepath.Join(dir, name), "no mesh")
	r := run(t, dir, "", name, "-s", "16")
	r.Want(t, cli.Input)
	if strings.ContainsAny(strings.TrimSuffix(r.Stderr, "\n"), "\n\x1b") {
		t.Errorf("standard error has control characters: %q", r.Stderr)
	}
	clitest.Write(t, filepath.Join(dir, name), clitest.STL(clitest.Cube([3]float32{}, 1)))
	r = run(t, dir, "", name, "-s", "16", "-o", "o.png")
	r.Want(t, cli.Done)
	if got := texts(t, clitest.Read(t, filepath.Join(dir, "o.png")))["Source"]; got != "a?b?[31m.stl" {
		t.Errorf("Source is %q", got)
	}
}
