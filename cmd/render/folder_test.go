package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lockstep/internal/cli"
	"lockstep/internal/clitest"
)

// mixedFolder returns a folder with a folder of meshes, subfolders and other files.
func mixedFolder(t *testing.T) string {
	t.Helper()
	dir := meshFiles(t, "meshes/a.stl", "meshes/nameless", "meshes/.hidden.stl", "meshes/.hidden/b.stl", "meshes/below/a.stl", "meshes/below/further/c.stl")
	clitest.Write(t, filepath.Join(dir, "meshes/a.obj"), "v 0 0 0\nv 1 0 0\nv 0 0 1\nf 1 2 3\n")
	clitest.Write(t, filepath.Join(dir, "meshes/README.md"), "Meshes.\n")
	clitest.Write(t, filepath.Join(dir, "meshes/below/a.mtl"), "newmtl red\nKd 1 0 0\n")
	if err := os.MkdirAll(filepath.Join(dir, "meshes/none/at.stl"), 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestFolder checks that the meshes of a folder are drawn and that its other files are left out.
func TestFolder(t *testing.T) {
	dir := mixedFolder(t)
	if r := run(t, dir, "", "meshes", "-s", "16", "-o", "out/"); r.Code != 0 || r.Stderr != "" {
		t.Errorf("exit code %d: %s", r.Code, r.Stderr)
	}
	clitest.WantFiles(t, filepath.Join(dir, "out"), "a.obj.png", "a.stl.png", "nameless.png")
	run(t, dir, "", "meshes/", "-r", "-s", "16", "-o", "all").Want(t, cli.Done)
	clitest.WantFiles(t, filepath.Join(dir, "all"), "a.obj.png", "a.stl.png", "below", "below/a.png", "below/further", "below/further/c.png", "nameless.png")
	for _, file := range []string{"out/a.stl.png", "all/a.stl.png"} {
		run(t, dir, "", "meshes/a.stl", "-s", "16", "-o", "alone.png").Want(t, cli.Done)
		if !samePixels(pictureFile(t, dir, file), pictureFile(t, dir, "alone.png")) {
			t.Errorf("%s differs from the picture of the mesh alone", file)
		}
	}
	// A mesh that is named twice is drawn once. The current folder can be named too.
	run(t, dir, "", "meshes/a.stl", "meshes", "meshes/below/./a.stl", "meshes/below", "-s", "16", "-o", "once").Want(t, cli.Done)
	clitest.WantFiles(t, filepath.Join(dir, "once"), "a.obj.png", "below_a.png", "meshes_a.png", "nameless.png")
	run(t, filepath.Join(dir, "meshes"), "", ".", "-s", "16", "-o", "../here").Want(t, cli.Done)
	clitest.WantFiles(t, filepath.Join(dir, "here"), "a.obj.png", "a.stl.png", "nameless.png")
}

// TestFolderLinks checks that links to files are drawn, and that circles of links end.
func TestFolderLinks(t *testing.T) {
	dir := mixedFolder(t)
	for name, to := range map[string]string{"meshes/below/up": "..", "meshes/self": "self", "meshes/linked.stl": "below/a.stl", "meshes/gone.stl": "nowhere", "named": "meshes"} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Skip(err)
		}
	}
	run(t, dir, "", "named", "-r", "-s", "16", "-o", "out").Want(t, cli.Done)
	clitest.WantFiles(t, filepath.Join(dir, "out"), "a.obj.png", "a.stl.png", "below", "below/a.png", "below/further", "below/further/c.png", "linked.png", "nameless.png")
}

func TestFolderRefuses(t *testing.T) {
	dir := mixedFolder(t)
	for _, c := range []struct {
		args string
		code cli.Code
		says string
	}{
		{"meshes/none -o out", cli.Input, "meshes/none: there is no mesh in this folder (--recursive"},
		{"meshes/none -r -o out", cli.Input, "meshes/none: there is no mesh in this folder and those below it"},
		{"info meshes/none", cli.Input, "there is no mesh"},
		{"meshes", cli.Usage, "meshes is a folder of meshes: -o FOLDER/ is missing"},
		{"meshes -o a.png", cli.Usage, "expected a folder"},
		{"meshes --contact-sheet 4 -o out", cli.Usage, "--contact-sheet"},
		{"meshes --depth d.png -o out", cli.Usage, "--depth"},
		{"convert meshes a.obj", cli.Input, "meshes: is a folder, and a mesh is expected"},
		{"animate meshes --turntable --frames 2 -o out", cli.Input, "meshes: is a folder"},
	} {
		r := run(t, dir, "", strings.Fields(c.args)...)
		r.Want(t, c.code, c.says)
		if strings.Count(r.Stderr, "\n") != 1 {
			t.Errorf("%s: not one line: %s", c.args, r.Stderr)
		}
	}
	wantCount(t, dir, "out", 0)
	run(t, dir, "", "meshes/a.stl", "-r", "-s", "16", "-o", "a.png").Want(t, cli.Done, "--recursive is ignored")
}

// TestFolderFailures checks that the meshes of a folder are drawn, and that a file which is not a mesh is reported.
func TestFolderFailures(t *testing.T) {
	dir := mixedFolder(t)
	clitest.Write(t, filepath.Join(dir, "meshes/text.stl"), "no mesh")
	r := run(t, dir, "", "meshes", "-s", "16", "-o", "out")
	r.Want(t, cli.Partial, "render: meshes/text.stl: ")
	clitest.WantFiles(t, filepath.Join(dir, "out"), "a.obj.png", "a.stl.png", "nameless.png")
	r = run(t, dir, "", "info", "--json", "meshes")
	r.Want(t, cli.Partial, "render: meshes/text.stl: ")
	if n := strings.Count(r.Stdout, "\n"); n != 3 {
		t.Errorf("%d lines, want 3: %s", n, r.Stdout)
	}
}

// TestInfoOfSeveral checks that several meshes are described as each one alone.
func TestInfoOfSeveral(t *testing.T) {
	dir := mixedFolder(t)
	all := []string{"meshes/a.obj", "meshes/a.stl", "meshes/below/a.stl", "meshes/below/further/c.stl", "meshes/nameless"}
	for _, flags := range [][]string{{"--json"}, nil} {
		var alone []string
		for _, mesh := range all {
			r := run(t, dir, "", append([]string{"info", mesh}, flags...)...)
			r.Want(t, cli.Done)
			alone = append(alone, r.Stdout)
		}
		between := map[bool]string{true: "", false: "\n"}[flags != nil]
		want := strings.Join(alone, between)
		if r := run(t, dir, "", append([]string{"info", "meshes", "-r"}, flags...)...); r.Stdout != want || r.Code != 0 {
			t.Errorf("exit code %d, standard output\n%s, want\n%s", r.Code, r.Stdout, want)
		}
		if r := run(t, dir, "", append(append([]string{"info"}, all...), flags...)...); r.Stdout != want {
			t.Errorf("several meshes give\n%s, want\n%s", r.Stdout, want)
		}
	}
}

// TestStatsOfSeveral checks that one object per mesh is printed, in the order of the meshes, with the same counts as
// for the mesh alone.
func TestStatsOfSeveral(t *testing.T) {
	dir := meshFiles(t, "small.stl", "b.stl", "c.stl")
	clitest.Write(t, filepath.Join(dir, "large.stl"), clitest.STL(append(clitest.Cube([3]float32{}, 3), clitest.Cube([3]float32{9, 9, 9}, 3)...)))
	clitest.Write(t, filepath.Join(dir, "none.stl"), "solid\nendsolid\n")
	clitest.Write(t, filepath.Join(dir, "text.stl"), "text")
	meshes := []string{"small.stl", "none.stl", "large.stl", "text.stl", "b.stl"}
	r := run(t, dir, "", append(append([]string{}, meshes...), "-s", "32", "-o", "out", "--stats", "json")...)
	r.Want(t, cli.Partial)
	var got []string
	for line := range strings.Lines(r.Stderr) {
		var s, alone statistics
		if json.Unmarshal([]byte(line), &s) != nil {
			continue
		}
		got = append(got, s.Mesh.Path)
		one := run(t, dir, "", s.Mesh.Path, "-s", "32", "-o", "one.png", "--stats", "json")
		json.Unmarshal([]byte(strings.SplitAfter(one.Stderr, "\n")[0]), &alone)
		if s.Triangles != alone.Triangles || s.Image != alone.Image || s.Spans != alone.Spans || s.Mesh != alone.Mesh {
			t.Errorf("%s: %+v, alone %+v", s.Mesh.Path, s, alone)
		}
		if s.Mesh.Path != "none.stl" && !(s.Seconds.Frame > 0 && s.Seconds.Frame <= s.Seconds.Total) {
			t.Errorf("%s: seconds %+v", s.Mesh.Path, s.Seconds)
		}
	}
	if want := "[small.stl none.stl large.stl b.stl]"; fmt.Sprint(got) != want {
		t.Errorf("statistics of %v, want %s", got, want)
	}
	// With --resume, a finished picture is not drawn again and has no statistics.
	args := []string{"small.stl", "b.stl", "-s", "32", "-o", "kept", "--stats", "json", "--resume"}
	run(t, dir, "", args...).Want(t, cli.Done)
	if r := run(t, dir, "", args...); r.Stderr != "" {
		t.Errorf("statistics of kept pictures: %s", r.Stderr)
	}
}
