package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lockstep/cluster/film"
	"lockstep/internal/cli"
	"lockstep/internal/clitest"
	"lockstep/internal/framename"
	"lockstep/internal/pictureflags"
)

// TestBlankFilmIsRefused checks that a film which shows nothing is refused after its first frames, with the exit code
// of a blank picture, and leaves nothing behind. --tries does not apply, because the failure recurs.
func TestBlankFilmIsRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	apart := append(clitest.Cube([3]float32{-10, -10, -10}, 1), clitest.Cube([3]float32{10, 10, 10}, 1)...)
	clitest.Write(t, filepath.Join(dir, "two.stl"), clitest.STL(apart))
	r := run(t, dir, "", "film", "two.stl", "--turntable", "--frames", "40", "-s", "50", "--fast", "--zoom", "8", "-o", "out", "--nodes", "1", "--tries", "9")
	r.Want(t, cli.Blank, "nothing of it would be visible in any frame")
	if n := strings.Count(r.Stderr, "\n"); n != 1 {
		t.Errorf("%d lines, want one: %s", n, r.Stderr)
	}
	if _, err := os.Stat(filepath.Join(dir, "out", film.Folder)); err == nil {
		t.Error("the film's queue stays")
	}
}

// TestNodeNames checks that a host whose name looks like a local node gets another name.
func TestNodeNames(t *testing.T) {
	for host, want := range map[string]string{
		"alpha": "alpha-7", "local-9": "host-local-9-7", "local-": "host-local-7", "submitter": "submitter-7", "a b": "a-b-7",
	} {
		if got := nodeNameFor(host, 7); got != want {
			t.Errorf("the node of %s is %s, want %s", host, got, want)
		}
		if isReservedName(nodeNameFor(host, 7)) {
			t.Errorf("the node of %s has a reserved name %s", host, nodeNameFor(host, 7))
		}
	}
	if err := (&nodeCommand{Name: "local-1", Child: true}).checkName(); err != nil {
		t.Error(fmt.Errorf("a film's own node: %w", err))
	}
}

// TestAskedFolder checks that commands about a film find its folder from the same -o.
func TestAskedFolder(t *testing.T) {
	t.Chdir(t.TempDir())
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for out, want := range map[string]string{"out": "out", "out/": "out", ".": "", "out/f_####.png": "out", "f_%03d.png": "", "a/b/": "a/b"} {
		names, err := framename.New(out, "mesh.stl", 12)
		if err != nil {
			t.Fatal(err)
		}
		got, err := (&jobFlags{Output: pictureflags.Path(out)}).folder()
		of, _ := filepath.Abs(names.Folder())
		if err != nil || got != filepath.Join(here, want) || got != of {
			t.Errorf("-o %s: %s, %v, want %s", out, got, err, of)
		}
	}
	if got, err := new(jobFlags).folder(); got != "" || err != nil {
		t.Errorf("without -o: %q, %v", got, err)
	}
}

// TestNodeSuffixes checks that the local nodes of two commands have different names if other nodes may join.
func TestNodeSuffixes(t *testing.T) {
	one, other := &coordinator{nodeSuffix: newNodeSuffix(true)}, &coordinator{nodeSuffix: newNodeSuffix(true)}
	if one.localNodeName(3) == other.localNodeName(3) || len(one.nodeSuffix) < 5 || newNodeSuffix(false) != "" {
		t.Errorf("suffixes %q and %q", one.nodeSuffix, other.nodeSuffix)
	}
}
