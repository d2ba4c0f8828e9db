package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lockstep/internal/cli"
	"lockstep/internal/clitest"
	"lockstep/vp/trace"
)

// traceOf reads a trace.
func traceOf(t *testing.T, data []byte) (steps []trace.Step, title string) {
	t.Helper()
	r := trace.NewReader(bytes.NewReader(data))
	for {
		var s trace.Step
		err := r.Read(&s)
		if errors.Is(err, io.EOF) {
			return steps, r.Title()
		}
		if err != nil {
			t.Fatal(err)
		}
		steps = append(steps, s)
	}
}

const traceScene = "scene:slivers?triangles=3000"

// TestTraceFile checks that a trace changes no picture, does not depend on the number of workers, and agrees with the
// statistics.
func TestTraceFile(t *testing.T) {
	dir := t.TempDir()
	scene := []string{traceScene, "-s", "300x200", "--view", "front", "--stats", "json"}
	plain := run(t, dir, "", append(scene, "-o", "plain.png")...)
	plain.Want(t, cli.Done)
	var want statistics
	var first []byte
	for _, workers := range []string{"1", "2", "3", "4"} {
		r := run(t, dir, "", append(scene, "-o", "o.png", "--trace", "t.jsonl", "--workers", workers)...)
		r.Want(t, cli.Done)
		if !bytes.Equal(clitest.Read(t, filepath.Join(dir, "o.png")), clitest.Read(t, filepath.Join(dir, "plain.png"))) {
			t.Errorf("%s workers: another picture with a trace", workers)
		}
		data := clitest.Read(t, filepath.Join(dir, "t.jsonl"))
		if first == nil {
			first, want = data, parseStats(t, r.Stderr)
		}
		if !bytes.Equal(data, first) {
			t.Errorf("%s workers: another trace", workers)
		}
		got := parseStats(t, r.Stderr).Balance
		for i, loop := range got.Loops {
			if loop.LoopStats != want.Balance.Loops[i].LoopStats {
				t.Errorf("loop %+v, without trace %+v", loop, want.Balance.Loops[i])
			}
		}
	}
	steps, title := traceOf(t, first)
	if !strings.HasPrefix(title, "scene:slivers?triangles=3000, 300x200, view front, balance cost, ") {
		t.Errorf("title %q", title)
	}
	for _, loop := range want.Balance.Loops {
		iterations, unbalanced, redistributions := int64(0), int64(0), int64(0)
		for _, s := range steps {
			if s.Loop == loop.Name {
				iterations, unbalanced = iterations+s.Iterations, unbalanced+s.Unbalanced
				if s.Redistributed {
					redistributions++
				}
			}
		}
		if iterations != loop.Iterations || unbalanced != loop.IterationsUnbalanced || redistributions != loop.Redistributions {
			t.Errorf("%s: %d, %d, %d: want %+v", loop.Name, iterations, unbalanced, redistributions, loop)
		}
	}
	clitest.WantFiles(t, dir, "o.png", "plain.png", "t.jsonl")
}

// TestTraceChangesNoCount checks that a trace does not change the counts of a frame that defers no back faces.
func TestTraceChangesNoCount(t *testing.T) {
	dir := t.TempDir()
	scene := []string{traceScene, "-s", "300x200", "--view", "front", "--stats", "json", "-o", "o.png", "--fast"}
	plain, traced := run(t, dir, "", scene...), run(t, dir, "", append(scene, "--trace", "t.jsonl")...)
	plain.Want(t, cli.Done)
	traced.Want(t, cli.Done)
	want, got := parseStats(t, plain.Stderr), parseStats(t, traced.Stderr)
	for i, loop := range got.Balance.Loops {
		if loop.LoopStats != want.Balance.Loops[i].LoopStats {
			t.Errorf("loop %+v, without trace %+v", loop, want.Balance.Loops[i])
		}
	}
}

// TestTraceToStandardOutput checks that a trace can be written to standard output.
func TestTraceToStandardOutput(t *testing.T) {
	dir := t.TempDir()
	r := run(t, dir, "", traceScene, "-s", "64", "-o", "o.png", "--trace", "-")
	r.Want(t, cli.Done)
	if steps, _ := traceOf(t, []byte(r.Stdout)); len(steps) == 0 {
		t.Error("no trace")
	}
	run(t, dir, "", traceScene, "-s", "64", "-o", "-", "--trace", "-").Want(t, cli.Usage, "standard output")
	clitest.WantFiles(t, dir, "o.png")
}

// TestTraceOfAnimation checks that the frames of an animation have numbers.
func TestTraceOfAnimation(t *testing.T) {
	dir := t.TempDir()
	args := []string{"animate", "--turntable", "--frames", "3", traceScene, "-s", "64", "--trace", "t.jsonl"}
	run(t, dir, "", append(args, "-o", "out")...).Want(t, cli.Done)
	steps, _ := traceOf(t, clitest.Read(t, filepath.Join(dir, "t.jsonl")))
	frame := 0
	for _, s := range steps {
		if s.Frame != frame && s.Frame != frame+1 {
			t.Fatalf("frame %d after frame %d", s.Frame, frame)
		}
		frame = s.Frame
	}
	if frame != 2 {
		t.Errorf("the last frame is %d", frame)
	}
	run(t, dir, "", append(args, "-o", "out", "--resume")...).Want(t, cli.Usage, "--resume")
	run(t, dir, "", append(args, "--record-loads", "l.jsonl")...).Want(t, cli.Usage, "--record-loads")
}

// TestTraceFailures checks that a trace that cannot be written is reported like any other output. No incomplete file
// may be left.
func TestTraceFailures(t *testing.T) {
	dir, mesh := clitest.CubeFile(t)
	clitest.Write(t, filepath.Join(dir, "bad.stl"), "nonsense")
	if _, err := os.Stat("/dev/full"); err == nil {
		run(t, dir, "", traceScene, "-s", "512", "-o", "o.png", "--trace", "/dev/full").Want(t, cli.Output, "/dev/full: no space left")
		run(t, dir, "", mesh, "-s", "16", "-o", "o.png", "--trace", "/dev/full").Want(t, cli.Output, "/dev/full: no space left")
		run(t, dir, "", "animate", "--turntable", "--frames", "2", traceScene, "-s", "512", "-o", "out", "--trace", "/dev/full").Want(t, cli.Output, "/dev/full")
	}
	run(t, dir, "", mesh, "-s", "16", "-o", "o.png", "--trace", "missing/t.jsonl").Want(t, cli.Output, "missing/t.jsonl")
	run(t, dir, "", mesh, "-s", "16", "-o", "o.png", "--trace", ".").Want(t, cli.Output, "is a folder")
	run(t, dir, "", "bad.stl", "-s", "16", "-o", "o.png", "--trace", "t.jsonl").Want(t, cli.Input, "bad.stl")
	run(t, dir, "", mesh, "-s", "16", "-o", "o.png", "--zoom", "1e-5", "--trace", "t.jsonl").Want(t, cli.Blank)
	clitest.WantFiles(t, dir, "bad.stl")
}
