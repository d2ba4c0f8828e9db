//go:build unix

package main

import (
	"bytes"
	"fmt"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"lockstep/internal/cli"
	"lockstep/internal/clitest"
)

// interrupt runs a command and ends it with signals. It sends the first signal when the function `when` returns true,
// and further signals 50 milliseconds apart.
func interrupt(t *testing.T, dir string, when func() bool, signals []syscall.Signal, args ...string) clitest.Result {
	t.Helper()
	cmd := command(t, dir, args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	// A pipe that is never closed: reading from it does not end.
	if _, err := cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(clitest.RunLimit / 2); !when(); {
		if time.Now().After(deadline) {
			cmd.Process.Kill()
			t.Fatalf("%q: the work never began: %s", args, stderr.String())
		}
		time.Sleep(2 * time.Millisecond)
	}
	for i, sig := range signals {
		if i > 0 {
			time.Sleep(50 * time.Millisecond)
		}
		if err := cmd.Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
	}
	signalled := time.Now()
	cmd.Wait()
	// Busy machines need some time. A command that ignored the signal would not end at all.
	if took := time.Since(signalled); took > 10*time.Second {
		t.Errorf("%q: it took %v to end", args, took)
	}
	r := clitest.Result{Code: cmd.ProcessState.ExitCode(), Stdout: stdout.String(), Stderr: stderr.String()}
	tested.Check(t, &r, args)
	return r
}

// interrupted is the signal of Ctrl-C.
var interrupted = []syscall.Signal{syscall.SIGINT}

// The function holds returns a function that reports whether dir contains a file whose name matches pattern.
func holds(dir, pattern string) func() bool {
	return func() bool {
		names, _ := filepath.Glob(filepath.Join(dir, pattern))
		return len(names) > 0
	}
}

// lasting is a picture that takes minutes. It has a quarter of a million triangles, and each triangle covers much of
// the picture. The mesh is generated quickly, so nearly all of the time is drawing.
var lasting = []string{"scene:soup?triangles=250000&size=1", "--size", "8000"}

// huge is a picture whose mesh alone takes seconds to read.
var huge = []string{"scene:soup?triangles=100000000", "--size", "8000"}

func TestInterruptedPicture(t *testing.T) {
	for _, sig := range cli.StopSignals() {
		if signal.Ignored(sig) { // under nohup, the command ignores the signal and does not end
			continue
		}
		dir := t.TempDir()
		r := interrupt(t, dir, holds(dir, ".render-*.tmp"), []syscall.Signal{sig.(syscall.Signal)}, append(huge, "-o", "o.png", "--depth", "d.png")...)
		r.Want(t, cli.Interrupted, "interrupted")
		clitest.WantFiles(t, dir)
	}
}

// TestInterruptedWhileDrawing checks that a signal ends drawing too, and not only the steps before it.
func TestInterruptedWhileDrawing(t *testing.T) {
	dir := t.TempDir()
	start, begun := time.Now(), holds(dir, ".render-*.tmp")
	late := func() bool { return begun() && time.Since(start) > 400*time.Millisecond }
	interrupt(t, dir, late, interrupted, append(lasting, "-o", "o.png")...).Want(t, cli.Interrupted, "interrupted")
	clitest.WantFiles(t, dir)
}

func TestInterruptedInput(t *testing.T) {
	dir := t.TempDir()
	r := interrupt(t, dir, holds(dir, ".render-*.tmp"), interrupted, "-", "-o", "o.png")
	r.Want(t, cli.Interrupted, "interrupted")
	clitest.WantFiles(t, dir)
}

// TestSecondSignal checks that a second signal does not wait for work that cannot be interrupted, and still removes
// unfinished files.
func TestSecondSignal(t *testing.T) {
	for _, second := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT} {
		dir := t.TempDir()
		r := interrupt(t, dir, holds(dir, ".render-*.tmp"), []syscall.Signal{syscall.SIGINT, second}, "-", "-o", "o.png", "--depth", "d.png")
		r.Want(t, cli.Interrupted, "interrupted")
		clitest.WantFiles(t, dir)
	}
}

// TestFileSizeLimit checks that a file larger than ulimit -f is an error of writing, not a crash.
func TestFileSizeLimit(t *testing.T) {
	dir, mesh := clitest.CubeFile(t)
	limited(t, dir, "ulimit -f 8", mesh, "-s", "1000", "-o", "o.png", "--trace", "t.jsonl").Want(t, cli.Output, "file too large")
	clitest.WantFiles(t, dir)
}

// TestOrphans checks that a command removes the files that a killed process has left in its output folder. Files of a
// running process must stay.
func TestOrphans(t *testing.T) {
	dir, mesh := clitest.CubeFile(t)
	start := func() *exec.Cmd {
		before := len(clitest.Files(t, dir))
		cmd := command(t, dir, "-", "-o", "x.png", "--depth", "d.png")
		if _, err := cmd.StdinPipe(); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		for deadline := time.Now().Add(clitest.RunLimit / 2); len(clitest.Files(t, dir)) < before+2; time.Sleep(2 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatal("the outputs never came")
			}
		}
		return cmd
	}
	living := start()
	kept := clitest.Files(t, dir)
	killed := start()
	killed.Process.Kill()
	killed.Wait()
	if len(clitest.Files(t, dir)) != 4 {
		t.Fatal("a killed process left nothing to sweep")
	}
	run(t, dir, "", mesh, "-s", "16", "-o", "o.png").Want(t, cli.Done)
	clitest.WantFiles(t, dir, append(kept, "o.png")...)
	living.Process.Signal(syscall.SIGINT)
	living.Wait()
	clitest.WantFiles(t, dir, "o.png")
}

// TestInterruptedPipe checks that a signal ends waiting for the other end of a named pipe.
func TestInterruptedPipe(t *testing.T) {
	dir, mesh := clitest.CubeFile(t)
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o644); err != nil {
		t.Skip(err)
	}
	// The pipe is opened after the picture's temporary file is created. By then the command listens to signals.
	interrupt(t, dir, holds(dir, ".render-*.tmp"), []syscall.Signal{syscall.SIGTERM}, mesh, "-o", "o.png", "--depth", "pipe").Want(t, cli.Interrupted)
	clitest.WantFiles(t, dir, "pipe")
}

func TestInterruptedAnimation(t *testing.T) {
	dir := t.TempDir()
	args := []string{"animate", "scene:bumpy?triangles=20000", "--turntable", "--frames", "100000", "-s", "320x200", "-o", "out"}
	// Pictures are not finished in order.
	eleven := func() bool {
		names, _ := filepath.Glob(filepath.Join(dir, "out", "bumpy_*.png"))
		return len(names) >= 11
	}
	r := interrupt(t, dir, eleven, interrupted, args...)
	r.Want(t, cli.Interrupted, "interrupted")
	names := clitest.Files(t, filepath.Join(dir, "out"))
	if len(names) < 11 {
		t.Errorf("only %d pictures are left", len(names))
	}
	for _, name := range names {
		if !strings.HasSuffix(name, ".png") {
			t.Errorf("%s was left behind", name)
			continue
		}
		picture(t, clitest.Read(t, filepath.Join(dir, "out", name)))
	}
}

// TestInterruptedBeforeFirstFrame checks that an animation which is interrupted before its first frame leaves no
// folder.
func TestInterruptedBeforeFirstFrame(t *testing.T) {
	dir := t.TempDir()
	args := append([]string{"animate", "--turntable", "--frames", "10", "-o", "deep/down"}, lasting...)
	interrupt(t, dir, holds(dir, "deep/down"), interrupted, args...).Want(t, cli.Interrupted)
	clitest.WantFiles(t, dir)
}

// TestInterruptedBatch checks that an interrupted batch keeps finished pictures and nothing else.
func TestInterruptedBatch(t *testing.T) {
	dir := t.TempDir()
	args := []string{"-s", "64", "-o", "out"}
	for i := range 3000 {
		args = append(args, fmt.Sprintf("scene:sphere?triangles=%d", 1000+i))
	}
	r := interrupt(t, dir, holds(dir, "out/*.png"), interrupted, args...)
	r.Want(t, cli.Interrupted, "interrupted")
	for _, name := range clitest.Files(t, filepath.Join(dir, "out")) {
		if data := clitest.Read(t, filepath.Join(dir, "out", name)); !bytes.HasSuffix(data, pngEnd) || filepath.Ext(name) != ".png" {
			t.Errorf("%s is left", name)
		}
	}
}
