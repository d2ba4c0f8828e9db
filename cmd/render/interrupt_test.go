package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A running command whose end is a signal.
func interrupt(t *testing.T, dir string, when func() bool, sig syscall.Signal, args ...string) result {
	t.Helper()
	cmd := command(t, dir, args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	// A pipe that nobody closes: reading it lasts for ever.
	if _, err := cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(runLimit / 2); !when(); {
		if time.Now().After(deadline) {
			cmd.Process.Kill()
			t.Fatalf("%q: the work never began: %s", args, stderr.String())
		}
		time.Sleep(2 * time.Millisecond)
	}
	if err := cmd.Process.Signal(sig); err != nil {
		t.Fatal(err)
	}
	signalled := time.Now()
	cmd.Wait()
	// Loose, for machines that are busy; an unheard signal takes for ever.
	if took := time.Since(signalled); took > 10*time.Second {
		t.Errorf("%q: it took %v to end", args, took)
	}
	r := result{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()}
	r.check(t, args)
	return r
}

// holds returns whether there is a file in dir that matches pattern.
func holds(dir, pattern string) func() bool {
	return func() bool {
		names, _ := filepath.Glob(filepath.Join(dir, pattern))
		return len(names) > 0
	}
}

// long is a picture that takes minutes: a quarter of a million triangles, each
// over a good part of it. It is in memory at once, so that nearly all of the
// time is drawing.
var long = []string{"scene:soup?triangles=250000&size=1", "--size", "8000"}

// huge is a picture of which reading alone takes seconds.
var huge = []string{"scene:soup?triangles=100000000", "--size", "8000"}

func TestInterruptedPicture(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		dir := t.TempDir()
		r := interrupt(t, dir, holds(dir, ".render-*.tmp"), sig, append(huge, "-o", "o.png", "--depth", "d.png")...)
		r.want(t, exitInterrupted, "interrupted")
		wantFiles(t, dir)
	}
}

// Drawing, and not only what comes before it, can be called off.
func TestInterruptedWhileDrawing(t *testing.T) {
	dir := t.TempDir()
	start := time.Now()
	late := func() bool { return time.Since(start) > time.Second }
	interrupt(t, dir, late, syscall.SIGINT, append(long, "-o", "o.png")...).want(t, exitInterrupted, "interrupted")
	wantFiles(t, dir)
}

func TestInterruptedInput(t *testing.T) {
	dir := t.TempDir()
	r := interrupt(t, dir, holds(dir, ".render-*.tmp"), syscall.SIGINT, "-", "-o", "o.png")
	r.want(t, exitInterrupted, "interrupted")
	wantFiles(t, dir)
}

// Opening a named pipe waits for its other end.
func TestInterruptedPipe(t *testing.T) {
	dir, mesh := cubeFile(t)
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o644); err != nil {
		t.Skip(err)
	}
	start := time.Now()
	later := func() bool { return time.Since(start) > 200*time.Millisecond }
	interrupt(t, dir, later, syscall.SIGTERM, mesh, "-o", "pipe").want(t, exitInterrupted)
	wantFiles(t, dir, "pipe")
}

func TestInterruptedAnimation(t *testing.T) {
	dir := t.TempDir()
	args := []string{"animate", "scene:bumpy?triangles=20000", "--turntable", "--frames", "100000", "-s", "320x200", "-o", "out"}
	r := interrupt(t, dir, holds(dir, "out/bumpy_00010.png"), syscall.SIGINT, args...)
	r.want(t, exitInterrupted, "interrupted")
	names := files(t, filepath.Join(dir, "out"))
	if len(names) < 11 {
		t.Errorf("only %d pictures are left", len(names))
	}
	for _, name := range names {
		if !strings.HasSuffix(name, ".png") {
			t.Errorf("%s was left behind", name)
			continue
		}
		picture(t, read(t, filepath.Join(dir, "out", name)))
	}
}

// An animation that came to nothing leaves no folder either.
func TestInterruptedBeforeFirstFrame(t *testing.T) {
	dir := t.TempDir()
	args := append([]string{"animate", "--turntable", "--frames", "10", "-o", "deep/down"}, long...)
	interrupt(t, dir, holds(dir, "deep/down"), syscall.SIGINT, args...).want(t, exitInterrupted)
	wantFiles(t, dir)
}

// Outputs that are closed refuse to bring anything new into the world.
func TestClosedOutputs(t *testing.T) {
	dir := t.TempDir()
	set := &outputs{stdout: os.Stdout, temps: map[string]bool{}}
	out, err := set.create(filepath.Join(dir, "a.png"))
	if err != nil {
		t.Fatal(err)
	}
	set.close()
	if err := out.Commit(); err != errInterrupted {
		t.Errorf("Commit after close: %v", err)
	}
	if _, err := set.create(filepath.Join(dir, "b.png")); err != errInterrupted {
		t.Errorf("create after close: %v", err)
	}
	if err := set.makeFolder(filepath.Join(dir, "c")); err != errInterrupted {
		t.Errorf("makeFolder after close: %v", err)
	}
	wantFiles(t, dir)
}
