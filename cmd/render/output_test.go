package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lockstep/internal/cli"
	"lockstep/internal/clitest"
)

func TestOutputFailures(t *testing.T) {
	dir, mesh := clitest.CubeFile(t)
	if err := os.Mkdir(filepath.Join(dir, "folder.png"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "folder"), 0o755); err != nil {
		t.Fatal(err)
	}
	clitest.Write(t, filepath.Join(dir, "file"), "")
	long := strings.Repeat("x", 300) + ".png"
	for _, c := range []struct{ args, says string }{
		{"-o /dev/full", "/dev/full: no space left"},
		{"-o ok.png --depth /dev/full", "/dev/full: no space left"},
		{"-o missing/o.png", "missing/o.png"},
		{"-o ok.png --depth missing/d.png", "missing/d.png"},
		{"-o folder.png", "folder.png: is a folder"},
		{"-o folder", "folder: is a folder"},
		{"-o .", ".: is a folder"},
		{"-o folder --format png", "folder: is a folder"},
		{"-o ok.png --depth folder", "folder: is a folder"},
		{"-o file/o.png", "file/o.png"},
		{"-o " + long, "too long"},
	} {
		args := append(strings.Fields(c.args), mesh, "-s", "32")
		r := run(t, dir, "", args...)
		if r.Code != int(cli.Output) || !strings.Contains(r.Stderr, c.says) {
			t.Errorf("%s: exit code %d, %q; want %d, %q", c.args, r.Code, r.Stderr, cli.Output, c.says)
		}
	}
	clitest.WantFiles(t, dir, "file", "folder", "folder.png")
	run(t, dir, "", mesh, "-s", "32", "-o", "/dev/null").Want(t, cli.Done)
	if info, err := os.Stat("/dev/null"); err != nil || info.Mode().IsRegular() {
		t.Fatal("/dev/null was replaced")
	}
}

// TestStandardOutputFailures checks that a failure to write standard output is reported like that of a file.
func TestStandardOutputFailures(t *testing.T) {
	dir, mesh := clitest.CubeFile(t)
	for _, args := range [][]string{
		{mesh, "-s", "32", "-o", "-"},
		{"info", mesh},
		{"info", "--json", mesh},
		{"--help"},
		{"--version"},
	} {
		full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
		if err != nil {
			t.Skip(err)
		}
		tested.RunOn(t, dir, cli.Streams{Stdout: full}, args...).Want(t, cli.Output, "standard output", "no space left")
		full.Close()

		reader, writer, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		reader.Close()
		// This command is a separate process, because the system ends a process that writes into a broken pipe, unless the
		// process prevents it.
		cmd := command(t, dir, args...)
		cmd.Stdout = writer
		finish(t, cmd).Want(t, cli.Output, "standard output", "broken pipe")
		writer.Close()
	}
}

// TestNullOutput checks that results are dropped without an error if standard output is the null device. The device may
// be opened for writing, or for reading and writing as some programs open it. It also replaces a standard output that
// is closed when a process starts.
func TestNullOutput(t *testing.T) {
	dir, mesh := clitest.CubeFile(t)
	both, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer both.Close()
	for args, want := range map[string]cli.Code{
		mesh + " -s 16 -o -": cli.Done, mesh + " -s 16 -o /dev/null --trace -": cli.Done,
		mesh + " -s 16 -o /dev/null --depth -": cli.Done, "animate scene:cube --turntable --frames 1 -s 16 --record-loads -": cli.Done,
		"info " + mesh: cli.Done, "info --json " + mesh: cli.Done, "diff " + mesh + " " + mesh: cli.Done,
		"diff " + mesh + " scene:cube --tolerance 1e-9": cli.Differs, "--version": cli.Done,
	} {
		tested.RunOn(t, dir, cli.Streams{Stdout: both}, strings.Fields(args)...).Want(t, want)
	}
	for _, command := range []string{`"$0" info MESH >&-`, `"$0" MESH -s 16 -o - >&-`, `"$0" MESH -s 16 -o /dev/stdout --format png 1<>/dev/null`, `"$0" info MESH 1<>/dev/null`, `"$0" info MESH >/dev/null`} {
		limited(t, dir, strings.ReplaceAll(command, "MESH", mesh)+"; exit $?; false").Want(t, cli.Done)
	}
	clitest.WantFiles(t, dir)
}

// TestRedirectedInputIsNeverReplaced checks that a mesh on a redirected standard input is not replaced, under any of
// its names.
func TestRedirectedInputIsNeverReplaced(t *testing.T) {
	dir := t.TempDir()
	data := clitest.STL(clitest.Cube([3]float32{}, 1))
	mesh := filepath.Join(dir, "m_0001.png")
	clitest.Write(t, mesh, data)
	for _, err := range []error{
		os.Symlink("m_0001.png", filepath.Join(dir, "soft.png")),
		os.Link(mesh, filepath.Join(dir, "hard.png")),
		os.Link(mesh, filepath.Join(dir, "hard_0000.png")),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	before := clitest.Files(t, dir)
	redirected := func(stdout *os.File, args ...string) clitest.Result {
		stdin, err := os.Open(mesh)
		if err != nil {
			t.Fatal(err)
		}
		defer stdin.Close()
		return tested.RunOn(t, dir, cli.Streams{Stdin: stdin, Stdout: stdout}, append(args, "-s", "16")...)
	}
	for _, args := range []string{
		"- -o m_0001.png", "- -o soft.png", "- -o hard.png", "- -o o.png --depth hard.png", "- -o o.png --trace m_0001.png",
		"animate - --turntable --frames 2 -o m_####.png", "animate - --turntable --frames 2 -o hard_####.png",
		"animate - --turntable --frames 2 -o new --record-loads soft.png", "animate - --turntable --frames 2 -o new --trace hard.png",
	} {
		redirected(nil, strings.Fields(args)...).Want(t, cli.Usage, "would replace standard input")
	}
	for _, flags := range []int{os.O_RDWR, os.O_WRONLY | os.O_APPEND} {
		both, err := os.OpenFile(mesh, flags, 0)
		if err != nil {
			t.Fatal(err)
		}
		redirected(both, "-", "-o", "-").Want(t, cli.Usage, "standard output: would replace standard input")
		redirected(both, "-", "-o", "o.png", "--trace", "-").Want(t, cli.Usage, "standard output: would replace standard input")
		for _, mesh := range []string{"-", "hard.png"} {
			for _, args := range []string{"info", "info --json"} {
				tested.RunOn(t, dir, cli.Streams{Stdin: both, Stdout: both}, append(strings.Fields(args), mesh)...).
					Want(t, cli.Usage, "standard output: would replace "+meshName(mesh))
			}
		}
		both.Close()
	}
	if string(clitest.Read(t, mesh)) != data {
		t.Error("the mesh is another one now")
	}
	clitest.WantFiles(t, dir, before...)
	// If the command reads another mesh, the file on standard input may be replaced.
	redirected(nil, "scene:cube", "-o", "hard.png").Want(t, cli.Done)
	redirected(nil, "-", "-o", "new.png").Want(t, cli.Done)
}

func TestInputIsNeverReplaced(t *testing.T) {
	dir := t.TempDir()
	mesh := filepath.Join(dir, "m.png") // a mesh, although its name is that of a picture
	data := clitest.STL(clitest.Cube([3]float32{}, 1))
	clitest.Write(t, mesh, data)
	if err := os.Symlink("m.png", filepath.Join(dir, "soft.png")); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(mesh, filepath.Join(dir, "hard.png")); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"m.png"}, // the default output is the same file
		{"m.png", "-o", "./m.png"},
		{"m.png", "-o", mesh},
		{"m.png", "-o", "soft.png"},
		{"m.png", "-o", "hard.png"},
		{"soft.png", "-o", "m.png"},
		{"m.png", "-o", "o.png", "--depth", "soft.png"},
	} {
		run(t, dir, "", append(args, "-s", "16")...).Want(t, cli.Usage, "would replace")
	}
	if string(clitest.Read(t, mesh)) != data {
		t.Error("the mesh is another one now")
	}
	clitest.WantFiles(t, dir, "hard.png", "m.png", "soft.png")
}

func TestSymbolicLinksStay(t *testing.T) {
	dir, mesh := clitest.CubeFile(t)
	sub := filepath.Join(dir, "sub")
	if err := os.Mkdir(sub, 0o755); err != nil {
		t.Fatal(err)
	}
	clitest.Write(t, filepath.Join(sub, "old.png"), "old")
	for link, to := range map[string]string{
		"a.png":    "b.png",
		"b.png":    "sub/old.png",
		"new.png":  "sub/new.png",
		"loop.png": "loop.png",
	} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	for _, link := range []string{"a.png", "new.png"} {
		run(t, dir, "", mesh, "-s", "16", "-o", link).Want(t, cli.Done)
		if info, err := os.Lstat(filepath.Join(dir, link)); err != nil || info.Mode()&os.ModeSymlink == 0 {
			t.Errorf("%s is no link any more", link)
		}
	}
	run(t, dir, "", mesh, "-s", "16", "-o", "loop.png").Want(t, cli.Output, "loop.png")
	for _, file := range []string{"old.png", "new.png"} {
		picture(t, clitest.Read(t, filepath.Join(sub, file)))
	}
	clitest.WantFiles(t, dir, "a.png", "b.png", "loop.png", "new.png", "sub", "sub/new.png", "sub/old.png")
}

// TestFailureKeepsOldPicture checks that an existing picture is replaced only when the new one is complete.
func TestFailureKeepsOldPicture(t *testing.T) {
	dir := t.TempDir()
	clitest.Write(t, filepath.Join(dir, "o.png"), "old")
	clitest.Write(t, filepath.Join(dir, "bad.stl"), "no mesh at all")
	run(t, dir, "", "bad.stl", "-o", "o.png").Want(t, cli.Input)
	if got := string(clitest.Read(t, filepath.Join(dir, "o.png"))); got != "old" {
		t.Errorf("the old picture is %q now", got)
	}
	clitest.WantFiles(t, dir, "bad.stl", "o.png")
}
