package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lockstep/internal/cli"
	"lockstep/internal/clitest"
)

// TestFramesDoNotReplaceTheMesh checks that no frame replaces the mesh, under any of its names.
func TestFramesDoNotReplaceTheMesh(t *testing.T) {
	dir := t.TempDir()
	data := clitest.STL(clitest.Cube([3]float32{}, 1))
	clitest.Write(t, filepath.Join(dir, "c_0001.png"), data)
	for _, err := range []error{
		os.Link(filepath.Join(dir, "c_0001.png"), filepath.Join(dir, "hard_0000.png")),
		os.Symlink("c_0001.png", filepath.Join(dir, "soft_0000.png")),
		os.Symlink(".", filepath.Join(dir, "here")),
		// The name of a frame of this mesh with -o .
		os.Link(filepath.Join(dir, "c_0001.png"), filepath.Join(dir, "c_0001_0001.png")),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	before := clitest.Files(t, dir)
	for _, output := range []string{"c_####.png", "./c_%04d.png", "here/c_####.png", filepath.Join(dir, "c_####.png"), "hard_####.png", "soft_####.png", "."} {
		for _, mesh := range []string{"c_0001.png", "here/c_0001.png"} {
			r := run(t, dir, "", "animate", mesh, "--turntable", "--frames", "2", "-s", "16", "-o", output)
			r.Want(t, cli.Usage, output+": frame ", "would replace "+mesh)
		}
	}
	clitest.WantFiles(t, dir, before...)
	if string(clitest.Read(t, filepath.Join(dir, "c_0001.png"))) != data {
		t.Error("the mesh is another one now")
	}
	// Frames with other numbers or widths of numbers are other files.
	for _, output := range []string{"c_#.png", "c_######.png", "new/c_####.png"} {
		run(t, dir, "", "animate", "c_0001.png", "--turntable", "--frames", "1", "-s", "16", "-o", output).Want(t, cli.Done)
	}
	run(t, dir, "", "animate", "c_0001.png", "--turntable", "--frames", "1", "-s", "16", "-o", "c_####.png").Want(t, cli.Done)
	if string(clitest.Read(t, filepath.Join(dir, "c_0001.png"))) != data {
		t.Error("the mesh is another one now")
	}
}

// TestFramesDoNotReplaceOtherOutputs checks that the file of a trace or of loads is refused if a frame of the same run
// would have the same name.
func TestFramesDoNotReplaceOtherOutputs(t *testing.T) {
	dir := t.TempDir()
	if err := os.Symlink("t.jsonl", filepath.Join(dir, "link_0002.png")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(".", filepath.Join(dir, "here")); err != nil {
		t.Fatal(err)
	}
	before := clitest.Files(t, dir)
	animate := []string{"animate", "scene:cube", "--turntable", "--frames", "3", "-s", "16"}
	for _, c := range []struct{ output, file string }{
		{"x_####.png", "x_0001.png"},
		{"x_####.png", "here/x_0002.png"},
		{"here/x_####.png", "x_0000.png"},
		{"new/deep", "new/deep/cube_0001.png"},
		{"here/new", "new/cube_0001.png"},
		{"link_####.png", "t.jsonl"},
	} {
		for _, flag := range []string{"--trace", "--record-loads"} {
			r := run(t, dir, "", append(animate, "-o", c.output, flag, c.file)...)
			r.Want(t, cli.Usage, c.output+": frame ", "would replace "+c.file)
		}
	}
	clitest.WantFiles(t, dir, before...)
	for _, file := range []string{"x_0003.png", "x_00001.png", "x_1.png", "y_0001.png", "x_-001.png"} {
		run(t, dir, "", append(animate, "-o", "x_####.png", "--trace", file)...).Want(t, cli.Done)
		if steps, _ := traceOf(t, clitest.Read(t, filepath.Join(dir, file))); len(steps) == 0 {
			t.Errorf("%s: no trace", file)
		}
	}
}

// The function onto runs the command with standard output redirected to a file.
func onto(t *testing.T, dir string, stdout *os.File, args ...string) clitest.Result {
	t.Helper()
	cmd := command(t, dir, args...)
	cmd.Stdout = stdout
	return finish(t, cmd)
}

// TestStandardOutputUnderAnotherName checks that standard output counts as the file or pipe to which it is
// redirected.
func TestStandardOutputUnderAnotherName(t *testing.T) {
	if _, err := os.Stat("/dev/stdout"); err != nil {
		t.Skip(err)
	}
	dir, mesh := clitest.CubeFile(t)
	data := clitest.Read(t, mesh)
	open := func(name string) *os.File {
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		return f
	}
	out := open(filepath.Join(dir, "oo_0001.png"))
	for _, args := range []string{
		"MESH -o - --trace /dev/stdout",
		"MESH -o - --depth /dev/stdout --format png",
		"MESH -o /dev/stdout --format png --trace -",
		"MESH -o - --trace oo_0001.png",
		"MESH -o oo_0001.png --trace /dev/stdout",
		"animate MESH --turntable --frames 2 -o oo_####.png --trace -",
		"animate MESH --turntable --frames 2 -o oo_####.png --record-loads /dev/stdout",
	} {
		args := strings.Fields(strings.ReplaceAll(args, "MESH", mesh))
		onto(t, dir, out, append(args, "-s", "16")...).Want(t, cli.Usage, "give another name")
	}
	if got := clitest.Read(t, filepath.Join(dir, "oo_0001.png")); len(got) > 0 {
		t.Errorf("%d bytes were written", len(got))
	}
	onto(t, dir, open(mesh), mesh, "-s", "16", "-o", "-").Want(t, cli.Usage, "would replace "+mesh)
	if string(clitest.Read(t, mesh)) != string(data) {
		t.Error("the mesh is another one now")
	}
	// Standard output is a pipe here.
	runProgram(t, dir, "", mesh, "-s", "16", "-o", "-", "--trace", "/dev/stdout").Want(t, cli.Usage, "/dev/stdout: is standard output")
	null := open(os.DevNull)
	onto(t, dir, null, mesh, "-s", "16", "-o", "-", "--trace", os.DevNull).Want(t, cli.Done)
	onto(t, dir, null, mesh, "-s", "16", "-o", os.DevNull, "--depth", os.DevNull, "--trace", "-").Want(t, cli.Done)
	onto(t, dir, out, mesh, "-s", "16", "-o", "-", "--trace", "t.jsonl").Want(t, cli.Done)
	picture(t, clitest.Read(t, filepath.Join(dir, "oo_0001.png")))
	clitest.WantFiles(t, dir, "oo_0001.png", "t.jsonl")
}
