//go:build unix

package main

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"lockstep/internal/cli"
	"lockstep/internal/clitest"
)

// picture returns the command line that draws a small picture by virtual processors.
func picture(mesh string, more ...string) []string {
	return append([]string{"lockstep", mesh, "--width", "24", "--cost", "5"}, more...)
}

// TestLockstepTraceIsAnOutput checks that a trace is written like any other output: it replaces neither the mesh nor a
// symbolic link.
func TestLockstepTraceIsAnOutput(t *testing.T) {
	dir := t.TempDir()
	mesh := filepath.Join(dir, "m.stl")
	data := clitest.STL(clitest.Cube([3]float32{}, 1))
	clitest.Write(t, mesh, data)
	for link, to := range map[string]string{"soft.stl": "m.stl", "old.link": "old.jsonl", "new.link": "new.jsonl"} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Link(mesh, filepath.Join(dir, "hard.stl")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"m.stl", "./m.stl", mesh, "soft.stl", "hard.stl"} {
		run(t, dir, "", picture("m.stl", "--trace", name)...).Want(t, cli.Usage, "would replace m.stl")
	}
	run(t, dir, "", picture("soft.stl", "--trace", "m.stl")...).Want(t, cli.Usage, "would replace soft.stl")
	if string(clitest.Read(t, mesh)) != data {
		t.Fatal("the mesh is another one now")
	}
	clitest.Write(t, filepath.Join(dir, "old.jsonl"), "old")
	for _, link := range []string{"old.link", "new.link"} {
		run(t, dir, "", picture("m.stl", "--trace", link)...).Want(t, cli.Done)
		if info, err := os.Lstat(filepath.Join(dir, link)); err != nil || info.Mode()&os.ModeSymlink == 0 {
			t.Errorf("%s is no link any more", link)
		}
	}
	for _, name := range []string{"old.jsonl", "new.jsonl"} {
		if got := string(clitest.Read(t, filepath.Join(dir, name))); !strings.HasPrefix(got, `{"trace":1,"title":"m.stl, 24x24`) {
			t.Errorf("%s begins %.60q", name, got)
		}
	}
	run(t, dir, "", picture("m.stl", "--trace", "")...).Want(t, cli.Usage, "--trace")
	run(t, dir, "", picture("m.stl", "--trace", ".")...).Want(t, cli.Output, ".: is a folder")
	run(t, dir, "", picture("missing.stl", "--trace", "t.jsonl")...).Want(t, cli.Input, "missing.stl")
	clitest.WantFiles(t, dir, "hard.stl", "m.stl", "new.jsonl", "new.link", "old.jsonl", "old.link", "soft.stl")
}

// TestLockstepTraceIsTriedFirst checks that a trace that cannot be written is reported before the mesh is read.
func TestLockstepTraceIsTriedFirst(t *testing.T) {
	dir := t.TempDir()
	run(t, dir, "", picture("missing.stl", "--trace", "no/such/place")...).Want(t, cli.Output, "no/such/place: no such file")
}

// TestLockstepTraceToPipes checks a trace on standard output, which replaces the table, and a trace into a named pipe,
// which must not replace the pipe. Both must have the same contents as a trace in a file.
func TestLockstepTraceToPipes(t *testing.T) {
	dir, mesh := clitest.CubeFile(t)
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o644); err != nil {
		t.Skip(err)
	}
	run(t, dir, "", picture(mesh, "--trace", "file")...).Want(t, cli.Done)
	want := string(clitest.Read(t, filepath.Join(dir, "file")))
	r := run(t, dir, "", picture(mesh, "--trace", "-")...)
	r.Want(t, cli.Done)
	if r.Stdout != want || strings.Count(want, "\n") < 3 {
		t.Errorf("standard output got %.100q, a file %.100q", r.Stdout, want)
	}
	got := make(chan string)
	go func() {
		data, _ := os.ReadFile(pipe)
		got <- string(data)
	}()
	run(t, dir, "", picture(mesh, "--trace", "pipe")...).Want(t, cli.Done)
	if data := <-got; data != want {
		t.Errorf("the pipe got %.100q", data)
	}
	run(t, dir, "", picture(mesh, "--trace", "-", "--json")...).Want(t, cli.Usage, "--json")
	clitest.WantFiles(t, dir, "file", "pipe")
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip(err)
	}
	defer full.Close()
	cmd := tested.Command(t, dir, picture(mesh, "--trace", "-")...)
	cmd.Stdout = full
	tested.Finish(t, cmd).Want(t, cli.Output, "lockstep-bench: standard output: no space left")
}

// TestLockstepPrintsIntoItsMesh checks that the command refuses to print into its own mesh, to which a shell can
// redirect standard output.
func TestLockstepPrintsIntoItsMesh(t *testing.T) {
	dir, mesh := clitest.CubeFile(t)
	data := string(clitest.Read(t, mesh))
	both, err := os.OpenFile(mesh, os.O_RDWR|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer both.Close()
	for name, says := range map[string]string{mesh: mesh, "-": "standard input"} {
		cmd := tested.Command(t, dir, picture(name)...)
		cmd.Stdin, cmd.Stdout = both, both
		tested.Finish(t, cmd).Want(t, cli.Usage, "standard output: would replace "+says)
	}
	cmd := tested.Command(t, dir, picture("-", "--trace", mesh)...)
	cmd.Stdin = both
	tested.Finish(t, cmd).Want(t, cli.Usage, "would replace standard input")
	if string(clitest.Read(t, mesh)) != data {
		t.Error("the mesh is another one now")
	}
}

// TestLockstepReadsWhatImageReads checks that lockstep reads, warns about and refuses the same meshes as the command
// image.
func TestLockstepReadsWhatImageReads(t *testing.T) {
	dir := t.TempDir()
	triangles := clitest.Cube([3]float32{}, 1)
	whole := clitest.STL(triangles)
	nan := float32(math.NaN())
	clitest.Write(t, filepath.Join(dir, "ascii.stl"), clitest.ASCIISTL("a"))
	clitest.Write(t, filepath.Join(dir, "cut.stl"), whole[:len(whole)-70])
	clitest.Write(t, filepath.Join(dir, "nan.stl"), clitest.STL([]clitest.Triangle{{{nan, 0, 0}, {1, nan, 0}, {0, 1, nan}}}))
	clitest.Write(t, filepath.Join(dir, "point.stl"), clitest.STL([]clitest.Triangle{{{1, 1, 1}, {1, 1, 1}, {1, 1, 1}}, {{2, 2, 2}, {2, 2, 2}, {2, 2, 2}}}))
	run(t, dir, "", picture("ascii.stl")...).Want(t, cli.Done)
	run(t, dir, whole, picture("-")...).Want(t, cli.Done)
	run(t, dir, "", picture("cut.stl")...).Want(t, cli.Done, "lockstep-bench: warning: cut.stl: ")
	if r := run(t, dir, "", append(picture("cut.stl"), "--quiet")...); r.Stderr != "" {
		t.Errorf("--quiet prints %q", r.Stderr)
	}
	for _, name := range []string{"nan.stl", "point.stl"} {
		r := run(t, dir, "", picture(name, "--trace", "t.jsonl")...)
		r.Want(t, cli.Blank, "lockstep-bench: "+name+": nothing of it would be visible")
		if r.Stdout != "" {
			t.Errorf("%s: prints %q", name, r.Stdout)
		}
	}
	for _, name := range []string{"missing.stl", "ascii.stl/m.stl"} {
		if r := run(t, dir, "", picture(name)...); r.Code != int(cli.Input) || strings.Count(r.Stderr, name) != 1 {
			t.Errorf("%s: exit code %d: %s", name, r.Code, r.Stderr)
		}
	}
	clitest.WantFiles(t, dir, "ascii.stl", "cut.stl", "nan.stl", "point.stl")
}

// TestBenchFlagsOfNothing checks that flags with empty or zero values are refused and not replaced by defaults.
func TestBenchFlagsOfNothing(t *testing.T) {
	dir, mesh := clitest.CubeFile(t)
	for _, args := range [][]string{
		picture(mesh, "--zoom", "0"), picture(mesh, "--zoom", "nan"), picture(mesh, "--task", "0"),
		{"tables", "--frames", "0"}, {"tables", "--runs", "0"},
		{"tables", "--plot", ""}, {"criteria", "--plot", ""}, {"circuit", "--plot", ""},
		{"trace", mesh, "--plot", ""},
	} {
		run(t, dir, "", args...).Want(t, cli.Usage, args[len(args)-2])
	}
	run(t, dir, "", "trace", "").Want(t, cli.Usage, "expected a name")
	run(t, dir, "", "lockstep", "").Want(t, cli.Usage, "expected a name")
}

// TestLockstepHostileName checks that control characters in a file name do not get into the trace.
func TestLockstepHostileName(t *testing.T) {
	dir := t.TempDir()
	name := "a\nb\x1b[31m.stl"
	clitest.Write(t, filepath.Join(dir, name), clitest.STL(clitest.Cube([3]float32{}, 1)))
	r := run(t, dir, "", picture(name, "--trace", "-")...)
	r.Want(t, cli.Done)
	if !strings.HasPrefix(r.Stdout, `{"trace":1,"title":"a?b?[31m.stl, `) {
		t.Errorf("the header is %.80q", r.Stdout)
	}
}
