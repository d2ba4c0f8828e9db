package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"lockstep/cluster"
	"lockstep/internal/cli"
	"lockstep/internal/clitest"
	"lockstep/internal/framename"
	"lockstep/scenes"
)

// A film that shows nothing is refused after its first frames, with the exit code of a picture that
// shows nothing, and leaves nothing behind. --tries is for failures that may not recur.
func TestBlankFilmIsRefused(t *testing.T) {
	dir := t.TempDir()
	apart := append(clitest.Cube([3]float32{-10, -10, -10}, 1), clitest.Cube([3]float32{10, 10, 10}, 1)...)
	clitest.Write(t, filepath.Join(dir, "two.stl"), clitest.STL(apart))
	r := run(t, dir, "", "film", "two.stl", "--turntable", "--frames", "40", "-s", "50", "--fast", "--zoom", "8", "-o", "out", "--nodes", "1", "--tries", "9")
	r.Want(t, cli.Blank, "nothing of it would be visible in any frame")
	if n := strings.Count(r.Stderr, "\n"); n != 1 {
		t.Errorf("%d lines, want one: %s", n, r.Stderr)
	}
	if _, err := os.Stat(filepath.Join(dir, "out", officeName)); err == nil {
		t.Error("the film's queue stays")
	}
}

// What recurs is of the flags, the mesh and the view, not of a place or a moment.
func TestJudge(t *testing.T) {
	for _, c := range []struct {
		err    error
		recurs bool
	}{
		{nil, false},
		{cli.Usagef("a flag"), true},
		{cli.Inputf("a.stl: %w", errors.New("damaged")), true},
		{cli.Blankf("nothing"), true},
		{cli.Outputf("a file"), false},
		{cli.Partialf("a part"), false},
		{errors.New("who knows"), false},
		{context.Canceled, false},
		{context.DeadlineExceeded, false},
		{cli.Inputf("a.stl: %w", context.DeadlineExceeded), false},
		{cli.Inputf("a.stl: %w", &fs.PathError{Op: "read", Err: errors.New("gone")}), false},
		{cli.Inputf("a.stl: %w", syscall.ENOMEM), false},
		{cli.Inputf("a.stl: %w", &scenes.LimitError{}), false},
	} {
		var told cluster.Recurring
		err := judge(c.err)
		if got := errors.As(err, &told) && told.Recurs(); got != c.recurs || !errors.Is(err, c.err) && c.err != nil || cli.CodeOf(err) != cli.CodeOf(c.err) {
			t.Errorf("%v: recurs %v, want %v", c.err, got, c.recurs)
		}
	}
}

// A film is blank when all of the frames that are drawn first are, whatever comes before or between.
func TestBlankFilm(t *testing.T) {
	r := &reel{job: cluster.Job{Frames: 100}}
	first := cluster.Order(100)[:blankFrames]
	for i, k := range first[1:] {
		if r.isBlank(k) || r.isBlank(1+i) {
			t.Fatalf("a film is blank after %d of its first frames", i)
		}
	}
	if !r.isBlank(first[0]) {
		t.Error("a film of which all first frames are blank is not")
	}
	if short := (&reel{job: cluster.Job{Frames: 1}}); !short.isBlank(0) {
		t.Error("a film of one blank frame is not blank")
	}
}

// Only nodes that this command started are taken for its own, and nobody's claim to be the command.
func TestWhoIsSuspect(t *testing.T) {
	mark := newNodeMark(true)
	if other := newNodeMark(true); other == mark || len(mark) < 5 || newNodeMark(false) != "" {
		t.Errorf("marks %q and %q", mark, other)
	}
	open := (&office{mark: mark}).localName(3)
	for _, c := range []struct {
		name, mark string
		suspect    bool
	}{
		{"local-0", "", false}, {"local-12", "", false}, {open, mark, false},
		{"local-0", mark, true}, {open, "", true}, {open + "x", mark, true}, {"local-" + mark, mark, true},
		{"local-x", "", true}, {"local-", "", true}, {"a", "", true}, {referee, "", true}, {referee, mark, true},
	} {
		r := &reel{mark: c.mark}
		if got := r.suspect(1, &cluster.Done{Node: c.name, Hash: "h"}); got != c.suspect {
			t.Errorf("a picture of %s is suspect: %v, want %v", c.name, got, c.suspect)
		}
	}
	r := &reel{done: map[int]*cluster.Done{}}
	r.note(1, &cluster.Done{Node: referee, Hash: "h"})
	for k, hash := range map[int]string{1: "h", 2: "h", 3: "x"} {
		if got := r.suspect(k, &cluster.Done{Node: referee, Hash: hash}); got != (k != 1) {
			t.Errorf("frame %d of the submitter is suspect: %v", k, got)
		}
	}
	if r.suspect(1, &cluster.Done{Node: referee, Hash: "x"}) == false {
		t.Error("another picture of the submitter is not suspect")
	}
}

// A host whose name looks like that of a command's own node gets another one.
func TestNodeNames(t *testing.T) {
	for host, want := range map[string]string{
		"alpha": "alpha-7", "local-9": "host-local-9-7", "local-": "host-local-7", "submitter": "submitter-7", "a b": "a-b-7",
	} {
		if got := nameOn(host, 7); got != want {
			t.Errorf("the node of %s is %s, want %s", host, got, want)
		}
		if reservedName(nameOn(host, 7)) {
			t.Errorf("the node of %s has a reserved name %s", host, nameOn(host, 7))
		}
	}
	if err := (&nodeCommand{Name: "local-1", Child: true}).checkName(); err != nil {
		t.Error(fmt.Errorf("a film's own node: %w", err))
	}
}

// The folder that is asked about is that of the film with the same -o.
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
		got, err := (&filmAskCommand{Output: pathFlag(out)}).folder()
		of, _ := filepath.Abs(names.Folder())
		if err != nil || got != filepath.Join(here, want) || got != of {
			t.Errorf("-o %s: %s, %v, want %s", out, got, err, of)
		}
	}
	if got, err := new(filmAskCommand).folder(); got != "" || err != nil {
		t.Errorf("without -o: %q, %v", got, err)
	}
}
