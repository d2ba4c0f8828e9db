package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"lockstep/internal/cli"
	"lockstep/internal/clitest"
	"lockstep/scenes"
	"lockstep/scenes/procedural"
	stlfile "lockstep/scenes/stl"
)

// underLimit is like limited, with a limit on the address space in KiB.
func underLimit(t *testing.T, dir string, kib int, args ...string) clitest.Result {
	t.Helper()
	return limited(t, dir, fmt.Sprintf("ulimit -v %d", kib), args...)
}

// drawsUnder reports whether a small picture is drawn under a limit.
func drawsUnder(t *testing.T, kib int, mesh string) bool {
	t.Helper()
	cmd := command(t, t.TempDir())
	cmd.Path, cmd.Args = "/bin/sh", []string{"sh", "-c", fmt.Sprintf(`ulimit -v %d; exec "$0" -s 100 -o o.png '%s'`, kib, mesh), program(t)}
	return cmd.Run() == nil
}

// startSpace returns approximately the lowest limit on the address space, in KiB, from which a small picture is always
// drawn. Near the limit, the result of a run varies for two reasons. The Go runtime reserves half a gigabyte more if it
// can, and then may not start because the rest is too small. It also begins the heap at any position in an arena of 64
// MiB, so a run may need that much more.
//
// The limit is determined once for all tests, in about ten runs. The first steps are large: half as wide as the range
// from 1.18 to 1.46 million below the limit, in which no run started.
func startSpace(t *testing.T, mesh string) (kib int) {
	t.Helper()
	foundSpace.Do(func() { foundSpace.kib = findSpace(t, mesh) })
	if foundSpace.kib == 0 {
		t.Fatal("the least limit was not found")
	}
	return foundSpace.kib
}

var foundSpace struct {
	sync.Once
	kib int
}

func findSpace(t *testing.T, mesh string) (kib int) {
	t.Helper()
	kib = 1_800_000
	for _, step := range []int{160_000, 40_000} {
		for drawsUnder(t, kib-step, mesh) {
			if kib -= step; kib < 1_000_000 {
				t.Fatal("there is no limit that is too low")
			}
		}
	}
	return kib
}

// TestAddressSpaceLimit checks that the command ends with a message before the address space is used up. Otherwise
// the Go runtime would end it with the stacks of its goroutines and leave the temporary file.
func TestAddressSpaceLimit(t *testing.T) {
	dir, mesh := clitest.CubeFile(t)
	start := startSpace(t, mesh)
	for _, c := range []struct {
		kib        int
		size, name string
		want       cli.Code
	}{
		{4_000_000, "11000", "o.bmp", cli.Usage}, // 4.1 GiB, less than the memory of most machines
		{4_000_000, "300", "o.png", cli.Done},
		{start + 100_000, "300", "o.png", cli.Done},
		{start + 100_000, "6000", "o.bmp", cli.Usage},
		// Drawn in bands of 16 rows, which take 96 MiB. A further 50,000 KiB allow for the differences between runs.
		{start + 350_000, "3600", "o.png", cli.Done},
	} {
		r := underLimit(t, dir, c.kib, "-s", c.size, "--workers", "2", "-o", c.name, mesh)
		r.Want(t, c.want)
		if c.want == cli.Usage {
			r.Want(t, cli.Usage, "GiB of address space")
			clitest.WantFiles(t, dir)
		} else {
			clitest.WantFiles(t, dir, "o.png")
			os.Remove(filepath.Join(dir, "o.png"))
		}
	}
}

// TestFewerWorkersThanWanted checks that fewer workers draw if the address space holds the frames of only a few.
func TestFewerWorkersThanWanted(t *testing.T) {
	dir, mesh := clitest.CubeFile(t)
	want := run(t, dir, "", "--fast", "-s", "3000", "--workers", "2", "--stats", "json", "-o", "want.png", mesh)
	want.Want(t, cli.Done)
	if s := parseStats(t, want.Stderr); s.Workers != 2 || s.WantedWorkers != 0 {
		t.Errorf("%d workers of %d, want 2, all of them", s.Workers, s.WantedWorkers)
	}
	// A frame occupies two arenas of the heap.
	limit := startSpace(t, mesh) + 600_000
	r := underLimit(t, dir, limit, "--fast", "-s", "3000", "--workers", "32", "--stats", "json", "-o", "o.png", mesh)
	r.Want(t, cli.Done)
	if s := parseStats(t, r.Stderr); s.Workers < 2 || s.Workers > 16 || s.WantedWorkers != 32 {
		t.Errorf("%d workers of %d, want 2 to 16 of 32", s.Workers, s.WantedWorkers)
	}
	r = underLimit(t, dir, limit, "--fast", "-s", "3000", "--workers", "32", "--stats", "text", "-o", "o.png", mesh)
	r.Want(t, cli.Done, " of 32, for lack of memory")
	if !bytes.Equal(clitest.Read(t, filepath.Join(dir, "o.png")), clitest.Read(t, filepath.Join(dir, "want.png"))) {
		t.Error("the picture depends on the number of workers")
	}
}

// meshOfSize writes an STL file with a number of triangles.
func meshOfSize(t *testing.T, triangles string) (path string) {
	t.Helper()
	scene, err := procedural.Parse("scene:bumpy?triangles=" + triangles)
	if err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(t.TempDir(), "mesh.stl")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	mesh, err := scenes.Load(context.Background(), scene, scenes.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := stlfile.Write(f, mesh, stlfile.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestMeshLargerThanMemory checks that a mesh from a pipe which does not fit into memory is refused with one line,
// and leaves no file. A file that does not fit is read while it is drawn, once for each time that it is drawn.
func TestMeshLargerThanMemory(t *testing.T) {
	mesh := meshOfSize(t, "2M") // 72 MB in memory, and twice that while it is read
	dir := t.TempDir()
	_, cube := clitest.CubeFile(t)
	kib := startSpace(t, cube) + 100_000
	piped := fmt.Sprintf(`f() { cat '%s' | ( ulimit -v %d; exec "$@" ); }; f`, mesh, kib)
	r := limited(t, dir, fmt.Sprintf("exec 0< '%s'; true", mesh), "--fast", "-s", "100", "-o", "o.png", "-")
	r.Want(t, cli.Done)
	clitest.WantFiles(t, dir, "o.png")
	os.Remove(filepath.Join(dir, "o.png"))
	cmd := command(t, dir)
	cmd.Path, cmd.Args = "/bin/sh", []string{"sh", "-c", piped + ` "$0" -s 100 -o o.png -`, program(t)}
	r = finish(t, cmd)
	r.Want(t, cli.Usage, "standard input: the mesh needs at least", "GiB of address space")
	if lines := strings.Count(r.Stderr, "\n"); lines != 1 {
		t.Errorf("%d lines on standard error: %s", lines, r.Stderr)
	}
	clitest.WantFiles(t, dir)
	for _, args := range [][]string{{"-s", "100", "-o", "o.png"}, {"animate", "--fast", "--turntable", "--frames", "2", "-s", "100", "-o", "frames"}} {
		r := underLimit(t, dir, kib, append(args, mesh)...)
		r.Want(t, cli.Done)
	}
	r = underLimit(t, dir, kib, "info", mesh)
	r.Want(t, cli.Done)
}

// TestAddressSpaceSweep draws a mesh of 200 MB under 300 limits: from a pipe, from a file, and several times. Each run
// must draw the mesh, or end with one line and leave no file. Limits under which the Go runtime does not start are
// skipped.
func TestAddressSpaceSweep(t *testing.T) {
	if !*long {
		t.Skip("-long not given")
	}
	mesh := meshOfSize(t, "4M")
	ways := map[string]string{
		"pipe":    `cat '%[1]s' | ( ulimit -v %[2]d; exec "$0" -q -s 800x600 -o o.png - )`,
		"file":    `ulimit -v %[2]d; exec "$0" -q -s 800x600 -o o.png '%[1]s'`,
		"input":   `ulimit -v %[2]d; exec "$0" -q -s 800x600 -o o.png - < '%[1]s'`,
		"animate": `ulimit -v %[2]d; exec "$0" animate -q -s 800x600 --turntable --frames 2 -o frames '%[1]s'`,
		"large":   `ulimit -v %[2]d; exec "$0" -q -s 3000 --samples 4 --workers 8 --depth d.png -o o.png '%[1]s'`,
	}
	drawn, refused := map[string]int{}, map[string]int{}
	unstarted := 0
	for step := range 300 {
		kib := 800_000_000/1024 + step*(1_200_000_000/1024)/299
		start := command(t, t.TempDir())
		start.Path, start.Args = "/bin/sh", []string{"sh", "-c", fmt.Sprintf(`ulimit -v %d; exec "$0" --version`, kib), program(t)}
		start.Stderr = io.Discard
		if start.Run() != nil {
			unstarted++
			continue
		}
		for name, way := range ways {
			dir := t.TempDir()
			cmd := command(t, dir)
			cmd.Path, cmd.Args = "/bin/sh", []string{"sh", "-c", fmt.Sprintf(way, mesh, kib), program(t)}
			var stderr strings.Builder
			cmd.Stderr = &stderr
			err := cmd.Run()
			var exit *exec.ExitError
			if err != nil && !errors.As(err, &exit) {
				t.Fatal(err)
			}
			r := clitest.Result{Code: cmd.ProcessState.ExitCode(), Stderr: stderr.String()}
			if strings.Contains(r.Stderr, "goroutine 1") && !strings.Contains(r.Stderr, "main.main") {
				unstarted++
				continue
			}
			switch r.Code {
			case int(cli.Done):
				drawn[name]++
			case int(cli.Usage):
				refused[name]++
				clitest.WantFiles(t, dir)
				if strings.Count(r.Stderr, "\n") != 1 || !strings.Contains(r.Stderr, "address space") {
					t.Errorf("%s, %d KiB: %.200s", name, kib, r.Stderr)
				}
			default:
				t.Errorf("%s, %d KiB: exit code %d", name, kib, r.Code)
			}
			os.RemoveAll(dir)
		}
	}
	for name := range ways {
		t.Logf("%s: %d pictures, %d refusals", name, drawn[name], refused[name])
	}
	t.Logf("%d limits or runs under which the Go runtime does not start", unstarted)
}
