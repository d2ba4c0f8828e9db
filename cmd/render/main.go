// Command render turns meshes into pictures. See docs/cli.md for its flags,
// exit codes and statistics.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/term"

	"lockstep/render/atomicfile"
	"lockstep/vp/machine"
)

// gcPercent bounds how much garbage may pile up beside a mesh. Nearly all of the
// heap is the mesh and the frames, which live as long as the process and cost
// the collector nothing to keep, so a low value costs little time and keeps a
// growing input within two and a half times its size.
const gcPercent = 25

// gcPercentSmall is for small meshes, beside which no garbage counts. With 25 the
// collector begins at a megabyte and ran six times for the bunny's picture: a tenth of the
// command's time. With 400 it ran while normals are found; now it begins at 32 MiB.
const gcPercentSmall = 800

// gcPercentDrawing is for the drawing of one picture of a small mesh, when it has been read. What that leaves as
// garbage is less than what it keeps. No collection is 3 % of the processor time of the bunny's picture.
const gcPercentDrawing = 3200

// grace is how long an interrupted command may take to end by itself.
const grace = 500 * time.Millisecond

func main() {
	runtime.MemProfileRate = 0 // nothing here shows it, and stacks of allocations were 0.6 % of a picture's time
	// First of all: even to listen to signals takes a thread.
	for _, check := range []func() error{checkLimits, checkStart} {
		if err := check(); err != nil {
			fmt.Fprintf(os.Stderr, "render: %s\n", err)
			os.Exit(int(codeOf(err)))
		}
	}
	stop := listen()
	debug.SetGCPercent(gcPercentSmall)
	os.Exit(int(start(os.Args[1:], streams{os.Stdin, os.Stdout, os.Stderr}, stop)))
}

// streams are the standard files of a command.
type streams struct {
	stdin  *os.File
	stdout *os.File
	stderr io.Writer
}

// An app is what every subcommand works with.
type app struct {
	streams
	began time.Time
	quiet bool
	child atomic.Bool // of a command, which says itself that it was interrupted
	// files are the outputs, but for standard output.
	files atomicfile.Set
	// progress follows long work.
	progress *progress
	room     room      // memory, see measure
	rooms    chan room // delivers it once
	measured sync.Once
	opened   *openedFiles // notes the files that pictures depend on; nil: nobody asks
	// noteContents has the contents of files noted, see input.contents: pictures say them.
	noteContents bool
	// lateNormals leaves the normals of meshes to input.smooth: a film's command may never draw its mesh.
	lateNormals bool
}

// start runs the command line args and returns the exit code. It removes
// unfinished files, however the command ends.
func start(args []string, files streams, stop <-chan os.Signal) exitCode {
	a := &app{
		streams:  files,
		began:    time.Now(),
		progress: &progress{w: files.stderr},
		rooms:    make(chan room, 1),
	}
	go func() { a.rooms <- newRoom() }() // while arguments are parsed
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- a.guard(func() error { return a.execute(ctx, args) }) }()

	var err error
	select {
	case err = <-done:
	case <-stop:
		cancel()
		err = wait(done, stop, errInterrupted)
	}
	if err != nil && ctx.Err() != nil {
		err = errInterrupted
	}
	ended := make(chan exitCode, 1)
	go func() {
		a.files.Close()
		ended <- a.report(err)
	}()
	select {
	case code := <-ended:
		return code
	case <-stop: // a folder or standard error may be out of reach
		return wait(ended, nil, exitInterrupted)
	}
}

// wait returns the value that comes from done, or late if a signal to stop comes
// first or grace has passed: reading a pipe or opening a named one cannot be called
// off, and is left behind by the exit.
func wait[T any](done <-chan T, stop <-chan os.Signal, late T) T {
	select {
	case v := <-done:
		return v
	case <-stop:
	case <-time.After(grace):
	}
	return late
}

// guard calls f and turns a panic, its own or one of the workers it used, into
// an error.
func (a *app) guard(f func() error) (err error) {
	defer func() {
		p := recover()
		if worker, ok := p.(*machine.PanicError); ok {
			p = worker.Value
		}
		if p != nil {
			err = fmt.Errorf("internal error: %v", p)
		}
	}()
	return f()
}

// report prints err as one line and returns its exit code.
func (a *app) report(err error) exitCode {
	code := codeOf(err)
	if err == nil {
		return code
	}
	a.progress.clear()
	if errors.Is(err, errReported) || code == exitInterrupted && a.child.Load() {
		return code
	}
	if code == exitInterrupted {
		err = errInterrupted
	}
	fmt.Fprintf(a.stderr, "render: %s\n", oneLine(drawingError(err).Error()))
	return code
}

// warn prints one line on standard error, unless the user asked for quiet.
func (a *app) warn(format string, args ...any) {
	if a.quiet {
		return
	}
	a.progress.clear()
	fmt.Fprintf(a.stderr, "render: warning: %s\n", oneLine(fmt.Sprintf(format, args...)))
}

// say prints one line for people at a terminal.
func (a *app) say(format string, args ...any) {
	if f, ok := a.stderr.(*os.File); a.quiet || !ok || !term.IsTerminal(int(f.Fd())) {
		return
	}
	a.progress.clear()
	fmt.Fprintf(a.stderr, "render: %s\n", fmt.Sprintf(format, args...))
}

// announce prints one line about what was written, for people at a terminal.
func (a *app) announce(w *pipeline, name string, counts ...string) {
	f, ok := a.stderr.(*os.File)
	if a.quiet || !ok || !term.IsTerminal(int(f.Fd())) {
		return
	}
	if name == "-" {
		name = "standard output"
	}
	counts = append(counts, fmt.Sprintf("%dx%d", w.Width, w.Height), plural(int64(w.Input.Source.Len()), "triangle"),
		fmt.Sprintf("%d ms", time.Since(a.began).Milliseconds()))
	a.progress.clear()
	fmt.Fprintf(a.stderr, "render: %s: %s\n", oneLine(name), strings.Join(counts, ", "))
}
