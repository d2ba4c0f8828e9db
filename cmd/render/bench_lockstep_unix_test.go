//go:build unix

package main

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// lockstep are the arguments of a small picture by virtual processors.
func lockstep(mesh string, more ...string) []string {
	return append([]string{"bench", "lockstep", mesh, "--width", "24", "--cost", "5"}, more...)
}

// A trace is an output like any other: it replaces neither the mesh nor a link.
func TestLockstepTraceIsAnOutput(t *testing.T) {
	dir := t.TempDir()
	mesh := filepath.Join(dir, "m.stl")
	data := stl(cube([3]float32{}, 1))
	write(t, mesh, data)
	for link, to := range map[string]string{"soft.stl": "m.stl", "old.link": "old.jsonl", "new.link": "new.jsonl"} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Link(mesh, filepath.Join(dir, "hard.stl")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"m.stl", "./m.stl", mesh, "soft.stl", "hard.stl"} {
		run(t, dir, "", lockstep("m.stl", "--trace", name)...).want(t, exitUsage, "would replace m.stl")
	}
	run(t, dir, "", lockstep("soft.stl", "--trace", "m.stl")...).want(t, exitUsage, "would replace soft.stl")
	if string(read(t, mesh)) != data {
		t.Fatal("the mesh is another one now")
	}
	write(t, filepath.Join(dir, "old.jsonl"), "old")
	for _, link := range []string{"old.link", "new.link"} {
		run(t, dir, "", lockstep("m.stl", "--trace", link)...).want(t, exitDone)
		if info, err := os.Lstat(filepath.Join(dir, link)); err != nil || info.Mode()&os.ModeSymlink == 0 {
			t.Errorf("%s is no link any more", link)
		}
	}
	for _, name := range []string{"old.jsonl", "new.jsonl"} {
		if got := string(read(t, filepath.Join(dir, name))); !strings.HasPrefix(got, `{"trace":1,"title":"m.stl, 24x24`) {
			t.Errorf("%s begins %.60q", name, got)
		}
	}
	run(t, dir, "", lockstep("m.stl", "--trace", "")...).want(t, exitUsage, "--trace")
	run(t, dir, "", lockstep("m.stl", "--trace", ".")...).want(t, exitOutput, ".: is a folder")
	run(t, dir, "", lockstep("missing.stl", "--trace", "t.jsonl")...).want(t, exitInput, "missing.stl")
	wantFiles(t, dir, "hard.stl", "m.stl", "new.jsonl", "new.link", "old.jsonl", "old.link", "soft.stl")
}

// The place is tried before the mesh is read.
func TestLockstepTraceIsTriedFirst(t *testing.T) {
	dir := t.TempDir()
	run(t, dir, "", lockstep("missing.stl", "--trace", "no/such/place")...).want(t, exitOutput, "no/such/place: no such file")
}

// Standard output takes the trace in place of the table, a pipe is written in place,
// and both get what a file gets.
func TestLockstepTraceToPipes(t *testing.T) {
	dir, mesh := cubeFile(t)
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o644); err != nil {
		t.Skip(err)
	}
	run(t, dir, "", lockstep(mesh, "--trace", "file")...).want(t, exitDone)
	want := string(read(t, filepath.Join(dir, "file")))
	r := run(t, dir, "", lockstep(mesh, "--trace", "-")...)
	r.want(t, exitDone)
	if r.stdout != want || strings.Count(want, "\n") < 3 {
		t.Errorf("standard output got %.100q, a file %.100q", r.stdout, want)
	}
	got := make(chan string)
	go func() {
		data, _ := os.ReadFile(pipe)
		got <- string(data)
	}()
	run(t, dir, "", lockstep(mesh, "--trace", "pipe")...).want(t, exitDone)
	if data := <-got; data != want {
		t.Errorf("the pipe got %.100q", data)
	}
	run(t, dir, "", lockstep(mesh, "--trace", "-", "--json")...).want(t, exitUsage, "--json")
	wantFiles(t, dir, "file", "pipe")
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip(err)
	}
	defer full.Close()
	cmd := command(t, dir, lockstep(mesh, "--trace", "-")...)
	cmd.Stdout = full
	finish(t, cmd).want(t, exitOutput, "render: standard output: no space left")
}

// What image reads, warns of, or refuses, lockstep does.
func TestLockstepReadsWhatImageReads(t *testing.T) {
	dir := t.TempDir()
	triangles := cube([3]float32{}, 1)
	whole := stl(triangles)
	nan := float32(math.NaN())
	write(t, filepath.Join(dir, "ascii.stl"), asciiSTL("a"))
	write(t, filepath.Join(dir, "cut.stl"), whole[:len(whole)-70])
	write(t, filepath.Join(dir, "nan.stl"), stl([]triangle{{{nan, 0, 0}, {1, nan, 0}, {0, 1, nan}}}))
	write(t, filepath.Join(dir, "point.stl"), stl([]triangle{{{1, 1, 1}, {1, 1, 1}, {1, 1, 1}}, {{2, 2, 2}, {2, 2, 2}, {2, 2, 2}}}))
	run(t, dir, "", lockstep("ascii.stl")...).want(t, exitDone)
	run(t, dir, whole, lockstep("-")...).want(t, exitDone)
	run(t, dir, "", lockstep("cut.stl")...).want(t, exitDone, "render: warning: cut.stl: ")
	if r := run(t, dir, "", append(lockstep("cut.stl"), "--quiet")...); r.stderr != "" {
		t.Errorf("--quiet prints %q", r.stderr)
	}
	for _, name := range []string{"nan.stl", "point.stl"} {
		r := run(t, dir, "", lockstep(name, "--trace", "t.jsonl")...)
		r.want(t, exitBlank, "render: "+name+": nothing of it would be visible")
		if r.stdout != "" {
			t.Errorf("%s: prints %q", name, r.stdout)
		}
	}
	for _, name := range []string{"missing.stl", "ascii.stl/m.stl"} {
		if r := run(t, dir, "", lockstep(name)...); r.code != int(exitInput) || strings.Count(r.stderr, name) != 1 {
			t.Errorf("%s: exit code %d: %s", name, r.code, r.stderr)
		}
	}
	wantFiles(t, dir, "ascii.stl", "cut.stl", "nan.stl", "point.stl")
}

// A flag that says nothing is refused, not taken for its default.
func TestBenchFlagsOfNothing(t *testing.T) {
	dir, mesh := cubeFile(t)
	for _, args := range [][]string{
		lockstep(mesh, "--zoom", "0"), lockstep(mesh, "--zoom", "nan"), lockstep(mesh, "--task", "0"),
		{"bench", "tables", "--frames", "0"}, {"bench", "tables", "--runs", "0"},
		{"bench", "tables", "--plot", ""}, {"bench", "criteria", "--plot", ""}, {"bench", "circuit", "--plot", ""},
		{"bench", "trace", mesh, "--plot", ""},
	} {
		run(t, dir, "", args...).want(t, exitUsage, args[len(args)-2])
	}
	run(t, dir, "", "bench", "trace", "").want(t, exitUsage, "expected a name")
	run(t, dir, "", "bench", "lockstep", "").want(t, exitUsage, "expected a name")
}

// Traces named after hostile files are as clean as those of image.
func TestLockstepHostileName(t *testing.T) {
	dir := t.TempDir()
	name := "a\nb\x1b[31m.stl"
	write(t, filepath.Join(dir, name), stl(cube([3]float32{}, 1)))
	r := run(t, dir, "", lockstep(name, "--trace", "-")...)
	r.want(t, exitDone)
	if !strings.HasPrefix(r.stdout, `{"trace":1,"title":"a?b?[31m.stl, `) {
		t.Errorf("the header is %.80q", r.stdout)
	}
}
