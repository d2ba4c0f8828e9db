package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

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

// A trace changes no picture, does not depend on the workers, and comes to what the statistics
// say.
func TestTraceFile(t *testing.T) {
	dir := t.TempDir()
	scene := []string{traceScene, "-s", "300x200", "--view", "front", "--stats", "json"}
	plain := run(t, dir, "", append(scene, "-o", "plain.png")...)
	plain.want(t, exitDone)
	var want statistics
	var first []byte
	for _, workers := range []string{"1", "2", "3", "4"} {
		r := run(t, dir, "", append(scene, "-o", "o.png", "--trace", "t.jsonl", "--workers", workers)...)
		r.want(t, exitDone)
		if !bytes.Equal(read(t, filepath.Join(dir, "o.png")), read(t, filepath.Join(dir, "plain.png"))) {
			t.Errorf("%s workers: another picture with a trace", workers)
		}
		data := read(t, filepath.Join(dir, "t.jsonl"))
		if first == nil {
			first, want = data, parseStats(t, r.stderr)
		}
		if !bytes.Equal(data, first) {
			t.Errorf("%s workers: another trace", workers)
		}
		got := parseStats(t, r.stderr).Balance
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
	wantFiles(t, dir, "o.png", "plain.png", "t.jsonl")
}

// Where no back face is set aside a trace changes no count either.
func TestTraceChangesNoCount(t *testing.T) {
	dir := t.TempDir()
	scene := []string{traceScene, "-s", "300x200", "--view", "front", "--stats", "json", "-o", "o.png", "--fast"}
	plain, traced := run(t, dir, "", scene...), run(t, dir, "", append(scene, "--trace", "t.jsonl")...)
	plain.want(t, exitDone)
	traced.want(t, exitDone)
	want, got := parseStats(t, plain.stderr), parseStats(t, traced.stderr)
	for i, loop := range got.Balance.Loops {
		if loop.LoopStats != want.Balance.Loops[i].LoopStats {
			t.Errorf("loop %+v, without trace %+v", loop, want.Balance.Loops[i])
		}
	}
}

// One of the outputs may be standard output.
func TestTraceToStandardOutput(t *testing.T) {
	dir := t.TempDir()
	r := run(t, dir, "", traceScene, "-s", "64", "-o", "o.png", "--trace", "-")
	r.want(t, exitDone)
	if steps, _ := traceOf(t, []byte(r.stdout)); len(steps) == 0 {
		t.Error("no trace")
	}
	bench := runProgram(t, dir, r.stdout, "bench", "trace", "-", "--json")
	bench.want(t, exitDone)
	for _, line := range strings.Split(strings.TrimSpace(bench.stdout), "\n") {
		var object map[string]any
		if err := json.Unmarshal([]byte(line), &object); err != nil || object["experiment"] != "trace" {
			t.Errorf("not an object of the experiment: %q", line)
		}
	}
	run(t, dir, "", traceScene, "-s", "64", "-o", "-", "--trace", "-").want(t, exitUsage, "standard output")
	wantFiles(t, dir, "o.png")
}

// Frames of an animation are numbered.
func TestTraceOfAnimation(t *testing.T) {
	dir := t.TempDir()
	args := []string{"animate", "--turntable", "--frames", "3", traceScene, "-s", "64", "--trace", "t.jsonl"}
	run(t, dir, "", append(args, "-o", "out")...).want(t, exitDone)
	steps, _ := traceOf(t, read(t, filepath.Join(dir, "t.jsonl")))
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
	run(t, dir, "", "bench", "trace", "t.jsonl", "--frame", "1").want(t, exitDone)
	run(t, dir, "", "bench", "trace", "t.jsonl", "--frame", "3").want(t, exitUsage, "t.jsonl")
	run(t, dir, "", append(args, "-o", "out", "--resume")...).want(t, exitUsage, "--resume")
	run(t, dir, "", append(args, "--record-loads", "l.jsonl")...).want(t, exitUsage, "--record-loads")
}

// A trace that cannot be written fails like any output, and no half of anything
// is left.
func TestTraceFailures(t *testing.T) {
	dir, mesh := cubeFile(t)
	write(t, filepath.Join(dir, "bad.stl"), "nonsense")
	if _, err := os.Stat("/dev/full"); err == nil {
		run(t, dir, "", traceScene, "-s", "512", "-o", "o.png", "--trace", "/dev/full").want(t, exitOutput, "/dev/full: no space left")
		run(t, dir, "", mesh, "-s", "16", "-o", "o.png", "--trace", "/dev/full").want(t, exitOutput, "/dev/full: no space left")
		run(t, dir, "", "animate", "--turntable", "--frames", "2", traceScene, "-s", "512", "-o", "out", "--trace", "/dev/full").want(t, exitOutput, "/dev/full")
	}
	run(t, dir, "", mesh, "-s", "16", "-o", "o.png", "--trace", "missing/t.jsonl").want(t, exitOutput, "missing/t.jsonl")
	run(t, dir, "", mesh, "-s", "16", "-o", "o.png", "--trace", ".").want(t, exitOutput, "is a folder")
	run(t, dir, "", "bad.stl", "-s", "16", "-o", "o.png", "--trace", "t.jsonl").want(t, exitInput, "bad.stl")
	run(t, dir, "", mesh, "-s", "16", "-o", "o.png", "--zoom", "1e-5", "--trace", "t.jsonl").want(t, exitBlank)
	wantFiles(t, dir, "bad.stl")
}

// The experiment names the line of a damaged trace, and the file that is missing.
func TestBenchTraceFailures(t *testing.T) {
	dir := t.TempDir()
	run(t, dir, "", "bench", "trace").want(t, exitUsage, "file")
	run(t, dir, "", "bench", "trace", "missing.jsonl").want(t, exitInput, "missing.jsonl: no such file")
	run(t, dir, "", "bench", "trace", ".").want(t, exitInput, "directory")
	run(t, dir, "", "bench", "trace", "-").want(t, exitInput, "standard input")
	write(t, filepath.Join(dir, "t.jsonl"), "{\"trace\":1}\n{\"iteration\":0,\"active\":1,\"max\":1,\"sum\":1}\n{\"iteration\":1,\"act")
	run(t, dir, "", "bench", "trace", "t.jsonl").want(t, exitInput, "t.jsonl:3: ")
	write(t, filepath.Join(dir, "t.jsonl"), "{\"iteration\":0,\"active\":1,\"max\":1,\"sum\":1}\n")
	r := run(t, dir, "", "bench", "trace", "t.jsonl", "--plot", "plots")
	r.want(t, exitDone)
	wantFiles(t, filepath.Join(dir, "plots"), "trace-loop.png", "trace-loop.svg")
	list := run(t, dir, "", "bench", "--list")
	if !strings.Contains(list.stdout, "\ntrace ") {
		t.Errorf("the list lacks trace: %q", list.stdout)
	}
}
